package protocol_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// valueRow is a row of vectors/valid/values.json and vectors/invalid/values.json. What the editor makes of it is checked
// by contract/gd/vectors.gd, which reads the same files.
type valueRow struct {
	Name     string          `json:"name"`
	Declared json.RawMessage `json:"declared"`
	Client   json.RawMessage `json:"client"`
	Wire     json.RawMessage `json:"wire"`
	Out      json.RawMessage `json:"out"`
	OutWire  json.RawMessage `json:"out_wire"`
	Expect   string          `json:"expect"`
	// Gate is what the gate says to a value that the codec alone takes; contract/ proves it.
	Gate    protocol.Code  `json:"gate"`
	Code    protocol.Code  `json:"code"`
	Details map[string]any `json:"details"`
}

func TestClientValuesBecomeTheirWireForm(t *testing.T) {
	for _, file := range []string{"valid/values.json", "invalid/values.json"} {
		names := map[string]bool{}
		for _, row := range rows[valueRow](t, file) {
			assert.False(t, names[row.Name], "%s stands twice in %s", row.Name, file)
			names[row.Name] = true
			assertWire(t, row.Name, row.Client, row.Wire)
			if row.Out != nil {
				assertWire(t, row.Name+", as read", row.Out, row.OutWire)
			}
		}
	}
}

func assertWire(t *testing.T, name string, client, wire json.RawMessage) {
	t.Helper()
	got, err := protocol.EncodeValue(client)
	require.NoError(t, err, name)
	require.True(t, json.Valid(got), name)
	assert.JSONEq(t, string(wire), string(got), name)
}

func TestValuesThatGodotCannotHoldAreRefused(t *testing.T) {
	for _, row := range rows[struct{ Name, Raw, Reason string }](t, "invalid/encode.json") {
		t.Run(row.Name, func(t *testing.T) { assertRefused(t, row.Raw, row.Reason) })
	}
	t.Run("invalid UTF-8", func(t *testing.T) { assertRefused(t, "\"a\xff\"", "invalid_text") })
	t.Run("overlong UTF-8", func(t *testing.T) { assertRefused(t, "\"\xc0\xaf\"", "invalid_text") })
}

func assertRefused(t *testing.T, raw, reason string) {
	t.Helper()
	got, err := protocol.EncodeValue(json.RawMessage(raw))
	require.Error(t, err)
	assert.Nil(t, got)
	var failure *protocol.Error
	require.True(t, errors.As(err, &failure))
	assert.Equal(t, protocol.ValidationError, failure.Code)
	assert.Equal(t, reason, failure.Details["reason"])
}

func TestEncodeValueKeepsWhatTheCallerOrdered(t *testing.T) {
	got, err := protocol.EncodeValue(json.RawMessage(` { "b" : 1 , "a" : [ true , null ] , "" : { } } `))
	require.NoError(t, err)
	assert.Equal(t, `{"type":"Dictionary","args":["s:b","i:1","s:a",[true,null],"s:",{"type":"Dictionary","args":[]}]}`,
		strings.ReplaceAll(string(got), " ", ""))
}

func TestEncodeValueTakesExactlyTheAllowedDepth(t *testing.T) {
	deep := strings.Repeat("[", protocol.MaxValueDepth) + strings.Repeat("]", protocol.MaxValueDepth)
	_, err := protocol.EncodeValue(json.RawMessage(deep))
	assert.NoError(t, err)
}

// A float either travels as a short literal, which Godot's reader gets right, or as its bits.
func TestEveryFloatTravelsExactly(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		f := math.Float64frombits(random.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		literal := strconv.FormatFloat(f, 'e', -1, 64)
		got, err := protocol.EncodeValue(json.RawMessage(literal))
		require.NoError(t, err)
		assert.Equal(t, math.Float64bits(f), wireBits(t, string(got)), literal)
	}
}

func wireBits(t *testing.T, wire string) uint64 {
	t.Helper()
	if text, ok := strings.CutPrefix(strings.Trim(wire, `"`), "f:"); ok {
		f, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		return math.Float64bits(f)
	}
	_, hex, _ := strings.Cut(strings.TrimSuffix(wire, `"]}`), "0x")
	bits, err := strconv.ParseUint(hex, 16, 64)
	require.NoError(t, err, wire)
	return bits
}

func TestRepairMakesGodotsJSONValid(t *testing.T) {
	for _, row := range rows[struct{ Name, Frame, Repaired string }](t, "valid/repair.json") {
		t.Run(row.Name, func(t *testing.T) {
			got := protocol.RepairJSON([]byte(row.Frame))
			assert.Equal(t, row.Repaired, string(got))
			assert.True(t, json.Valid(got))
		})
	}
}

func TestFramesThatMustNotBeBelievedDoNotDecode(t *testing.T) {
	for _, row := range rows[struct{ Name, Frame string }](t, "invalid/repair.json") {
		t.Run(row.Name, func(t *testing.T) {
			assert.False(t, json.Valid(protocol.RepairJSON([]byte(row.Frame))))
		})
	}
	assert.Nil(t, protocol.RepairJSON([]byte("\"a\xff\"")), "invalid UTF-8")
}

func TestACleanFrameIsNotCopied(t *testing.T) {
	frame := []byte(`{"a":"` + strings.Repeat("x\\n", 1000) + `","b":[1.5e3,-2]}`)
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		if got := protocol.RepairJSON(frame); &got[0] != &frame[0] {
			t.Error("another slice came back")
		}
	}))
}

func FuzzEncodeValue(f *testing.F) {
	for _, seed := range []string{`{"a":[1,1.5,"x",null]}`, `"\ud83d\ude00"`, `1e400`, `[`, `{"a":1,"a":2}`, `-0`, `"\u0000"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := protocol.EncodeValue(raw)
		if err == nil && !json.Valid(got) {
			t.Errorf("%q became %q", raw, got)
		}
	})
}

func FuzzRepairJSON(f *testing.F) {
	for _, seed := range []string{"{\"a\":\"\x01\\v\"}", `"\`, `1e99999`, `["\\v"]`, "\"\\\x01\""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		got := protocol.RepairJSON(frame)
		if json.Valid(frame) && utf8.Valid(frame) && got != nil && string(got) != string(frame) {
			t.Errorf("a valid frame changed: %q became %q", frame, got)
		}
	})
}

func BenchmarkEncodeValue(b *testing.B) {
	raw := json.RawMessage(`{"position":[1.5,2],"name":"Player","nested":{"list":[1,2,3,true,null],"text":"äöü"}}`)
	for b.Loop() {
		if _, err := protocol.EncodeValue(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRepairJSONClean(b *testing.B) {
	frame := []byte(`{"rows":[` + strings.Repeat(`["Player/Sprite","Sprite2D",0],`, 10000) + `null]}`)
	b.SetBytes(int64(len(frame)))
	for b.Loop() {
		protocol.RepairJSON(frame)
	}
}
