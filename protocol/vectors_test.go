package protocol_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// rows reads one file of vectors. A file without rows, or with a field that the test does not know, fails: a row that
// nobody reads proves nothing.
func rows[T any](t testing.TB, file string) []T {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("vectors", filepath.FromSlash(file)))
	require.NoError(t, err)
	var found []T
	require.NoError(t, strict(raw, &found))
	require.NotEmpty(t, found)
	return found
}

func strict(raw []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// frameKinds gives an empty value for each kind of frame.
func frameKinds() map[string]func() any {
	return map[string]func() any{
		"request":    func() any { return &protocol.Request{} },
		"cancel":     func() any { return &protocol.Cancel{} },
		"response":   func() any { return &protocol.Response{} },
		"event":      func() any { return &protocol.Event{} },
		"hello":      func() any { return &protocol.Hello{} },
		"welcome":    func() any { return &protocol.Welcome{} },
		"accept":     func() any { return &protocol.Accept{} },
		"reject":     func() any { return &protocol.Reject{} },
		"answers":    func() any { return &protocol.Answers{} },
		"rendezvous": func() any { return &protocol.Rendezvous{} },
	}
}

func TestFramesReadAndWriteBackUnchanged(t *testing.T) {
	type row struct {
		Kind, Name string
		Frame      json.RawMessage
	}
	for _, file := range []string{"valid/frames.json", "valid/hello.json"} {
		for _, row := range rows[row](t, file) {
			t.Run(row.Kind+" "+row.Name, func(t *testing.T) {
				frame := frameKinds()[row.Kind]()
				require.NoError(t, strict(row.Frame, frame))
				again, err := json.Marshal(frame)
				require.NoError(t, err)
				assert.JSONEq(t, string(row.Frame), string(again))
			})
		}
	}
}

func TestFramesOfAnotherShapeAreRefused(t *testing.T) {
	for _, row := range rows[struct{ Kind, Name, Frame string }](t, "invalid/frames.json") {
		t.Run(row.Kind+" "+row.Name, func(t *testing.T) {
			assert.Error(t, strict([]byte(row.Frame), frameKinds()[row.Kind]()))
		})
	}
}

func TestProofsMatchAnIndependentCalculation(t *testing.T) {
	type row struct {
		Secret      string `json:"secret"`
		BootNonce   string `json:"boot_nonce"`
		ClientNonce string `json:"client_nonce"`
		AddonProof  string `json:"addon_proof"`
		DaemonProof string `json:"daemon_proof"`
	}
	for _, row := range rows[row](t, "valid/proofs.json") {
		assert.Equal(t, row.AddonProof, protocol.AddonProof(row.Secret, row.BootNonce, row.ClientNonce))
		assert.Equal(t, row.DaemonProof, protocol.DaemonProof(row.Secret, row.BootNonce, row.ClientNonce))
		assert.NotEqual(t, row.AddonProof, row.DaemonProof)
	}
}

func TestErrorsHaveOneTextForm(t *testing.T) {
	type row struct {
		Error json.RawMessage
		Text  string
	}
	for _, row := range rows[row](t, "valid/errors.json") {
		var failure protocol.Error
		require.NoError(t, strict(row.Error, &failure))
		assert.Equal(t, row.Text, failure.Error())
		again, err := json.Marshal(failure)
		require.NoError(t, err)
		assert.JSONEq(t, string(row.Error), string(again))
	}
}

func TestCodesAreAClosedSet(t *testing.T) {
	seen := map[protocol.Code]bool{}
	for _, info := range protocol.Codes() {
		assert.Regexp(t, `^[A-Z]+(_[A-Z]+)*$`, info.Code)
		assert.False(t, seen[info.Code], "%s stands twice", info.Code)
		assert.NotEmpty(t, info.Meaning, info.Code)
		assert.NotEmpty(t, info.Hint, info.Code)
		assert.NotRegexp(t, `%[a-z]`, info.Meaning+info.Hint, info.Code)
		seen[info.Code] = true
		assert.Equal(t, info.Code, protocol.Fail(info.Code, "m").Code)
	}
	for _, row := range rows[struct{ Code protocol.Code }](t, "invalid/errors.json") {
		_, known := protocol.LookupCode(row.Code)
		assert.False(t, known, "%q", row.Code)
		assert.Equal(t, protocol.InternalError, protocol.Fail(row.Code, "m").Code)
	}
}

func TestVerdictsSayTrueFalseOrNullAndWhy(t *testing.T) {
	reasons := map[protocol.Reason]bool{}
	for _, info := range protocol.Reasons() {
		assert.NotEmpty(t, info.Meaning, info.Reason)
		reasons[info.Reason] = true
	}
	for _, row := range rows[struct{ Verdict json.RawMessage }](t, "valid/verdicts.json") {
		var verdict protocol.Verdict
		require.NoError(t, strict(row.Verdict, &verdict))
		kept := verdict.Persisted != nil && *verdict.Persisted
		assert.Equal(t, kept, verdict.Reason == "")
		assert.True(t, kept || reasons[verdict.Reason], verdict.Reason)
		again, err := json.Marshal(verdict)
		require.NoError(t, err)
		assert.JSONEq(t, string(row.Verdict), string(again))
	}
	for _, row := range rows[struct{ Reason protocol.Reason }](t, "invalid/verdicts.json") {
		assert.False(t, reasons[row.Reason], "%q", row.Reason)
	}
}
