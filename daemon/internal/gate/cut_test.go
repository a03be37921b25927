package gate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// many is a JSON object with so many members of so many characters each.
func many(members, characters int) string {
	parts := make([]string, members)
	for i := range parts {
		parts[i] = fmt.Sprintf(`"member_%d":%q`, i, strings.Repeat("é", characters))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func TestALongReplyIsCutWhereItIsLongAndSaysSo(t *testing.T) {
	long := `"` + strings.Repeat("x", 500_000) + `"`
	rows := `[` + strings.Repeat(`["Some/Node","Node2D",0],`, 20_000) + `1]`
	for name, c := range map[string]struct {
		data string
		cut  []string // as the note names them; the first ones
		kept []string // paths of data that are still there
	}{
		"one text": {
			`{"path":"A","properties":{"text":{"type":"String","value":` + long + `},"size":{"type":"int","value":4}}}`,
			[]string{"data.properties.text.value"},
			[]string{"path", "properties.size.value", "properties.text.type", "properties.text.value.$truncated"},
		},
		"a list":             {`{"rows":` + rows + `,"total":20001}`, []string{"data.rows"}, []string{"total", "rows.$truncated"}},
		"several large ones": {`{"a":` + long + `,"b":1,"c":` + long + `}`, []string{"data.a", "data.c"}, []string{"a.$truncated", "b"}},
		"many middling ones": {`{"map":` + many(40, 8000) + `}`, []string{"data.map.member_0"}, []string{"map.member_0.$truncated", "map.member_39"}},
		"too many small":     {`{"b":1,"map":` + many(30_000, 5) + `}`, []string{"data.map"}, []string{"b", "map.$truncated"}},
		"long names":         {`{"b":1,"map":{"` + strings.Repeat("n", 300_000) + `":1}}`, []string{"data.map"}, []string{"b"}},
	} {
		for _, tool := range []string{"get_node", "create_node"} { // a read and a write: neither fails
			t.Run(name+"/"+tool, func(t *testing.T) {
				r := newRig(t)
				r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
					out := good(q)
					out.Result.Data = json.RawMessage(c.data)
					return out, nil
				}
				arguments := map[string]string{"get_node": readNode, "create_node": makeNode}[tool]
				got := r.call(tool, arguments)
				require.True(t, got.OK, "%.300s", got.text)
				assert.LessOrEqual(t, len([]rune(got.text)), maxContent)
				var noted struct{ Truncated cutNote }
				require.NoError(t, json.Unmarshal([]byte(got.text), &noted))
				require.GreaterOrEqual(t, len(noted.Truncated.Cut), len(c.cut))
				assert.ElementsMatch(t, c.cut, noted.Truncated.Cut[:len(c.cut)])
				assert.Greater(t, noted.Truncated.Characters, maxContent)
				for _, path := range c.kept {
					assert.NotNil(t, at(got.Data, path), path)
				}
				assert.NotEmpty(t, got.Safety.Outcome)
				if tool == "create_node" {
					assert.Equal(t, true, got.Data["undoable"])
					assert.NotEmpty(t, got.Persistence)
				}
			})
		}
	}
}

// at follows a path into decoded JSON; nil when it leads nowhere.
func at(value any, path string) any {
	for _, name := range strings.Split(path, ".") {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[name]
	}
	return value
}

func TestAReplyThatJustFitsIsLeftAlone(t *testing.T) {
	empty := json.RawMessage(`{"t":""}`)
	text := strings.Repeat("é", maxContent-len(empty)) // characters, not bytes
	just, err := fit(json.RawMessage(`{"t":"` + text + `"}`))
	require.NoError(t, err)
	assert.NotContains(t, string(just), "truncated")
	over, err := fit(json.RawMessage(`{"t":"` + text + `é"}`))
	require.NoError(t, err)
	assert.Contains(t, string(over), `"$truncated":"String"`)
	assert.Less(t, len(over), 500)
}

func TestFailuresAreCappedByCharactersAndMarkedOnlyWhenCut(t *testing.T) {
	for size, want := range map[int]bool{maxMessage: false, maxMessage + 1: true} {
		e := capped(protocol.Fail(protocol.ScriptFault, "%s", strings.Repeat("é", size)).
			WithHint("%s", strings.Repeat("ß", size)))
		assert.Equal(t, want, strings.HasSuffix(e.Message, cutMark), "%d characters", size)
		assert.Equal(t, want, strings.HasSuffix(e.Hint, cutMark), "%d characters", size)
		assert.Len(t, []rune(strings.TrimSuffix(e.Message, cutMark)), maxMessage)
	}
	for size, want := range map[int]any{maxDetails - len(`{"log":""}`): nil, maxDetails: true} {
		e := capped(protocol.Fail(protocol.ScriptFault, "x").With("log", strings.Repeat("é", size)))
		assert.Equal(t, want, e.Details["truncated"], "%d characters", size)
	}
}
