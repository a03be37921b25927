package gate

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheGatesFieldsFollowTheDataAndReplaceItsOwn(t *testing.T) {
	fields := []field{{"scene", "res://m.tscn"}, {"undoable", true}}
	const extra = `"scene":"res://m.tscn","undoable":true}`
	for data, want := range map[string]string{
		``:                            `{` + extra,
		`null`:                        `{` + extra,
		` { } `:                       `{` + extra,
		`{"a":1}`:                     `{"a":1,` + extra,
		`{"b":[1,{"scene":2}],"a":1}`: `{"b":[1,{"scene":2}],"a":1,` + extra,
		`{"scene":{"x":["}",","]},"z":0,"undoable":false}`:     `{"z":0,` + extra,
		`{"s\u0063ene":1,"\"scene\"":"\\","a\\":"\"","c":"}"}`: `{"\"scene\"":"\\","a\\":"\"","c":"}",` + extra,
		`{"":"","scene":1,"scene":2}`:                          `{"":"",` + extra,
		`{"deep":[[[{"scene":[]}]]],"s":"{\"scene\":1,"}`:      `{"deep":[[[{"scene":[]}]]],"s":"{\"scene\":1,",` + extra,
	} {
		got, err := withExtras(json.RawMessage(data), fields)
		require.NoError(t, err, data)
		assert.Equal(t, want, string(got), data)
	}
	for _, data := range []string{`[1]`, `1`, `{`, `{"a":}`, `{"a":1}}`, `"{}"`} {
		_, err := withExtras(json.RawMessage(data), fields)
		assert.Error(t, err, data)
		_, err = withExtras(json.RawMessage(data), nil)
		assert.Error(t, err, data)
	}
}

func FuzzWithExtras(f *testing.F) {
	f.Add([]byte(`{"a\\":"\"","scene":[{"x":","}],"b":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var want map[string]any
		got, err := withExtras(data, []field{{"scene", 1}})
		if json.Unmarshal(data, &want) != nil {
			return
		}
		if want == nil {
			want = map[string]any{}
		}
		want["scene"] = 1.0
		require.NoError(t, err)
		var have map[string]any
		require.NoError(t, json.Unmarshal(got, &have))
		assert.Equal(t, want, have)
	})
}
