package gate

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/contract"
)

// findings are what validate_safety_contract finds, as subject and rule.
func (r *rig) findings() (valid bool, found [][2]string) {
	got := r.call("validate_safety_contract", `{}`)
	require.True(r.t, got.OK, got.text)
	text, err := json.Marshal(got.Data)
	require.NoError(r.t, err)
	var report contract.Report
	require.NoError(r.t, json.Unmarshal(text, &report))
	for _, f := range report.Findings {
		found = append(found, [2]string{f.Subject, f.Rule})
	}
	return report.Valid, found
}

func TestTheContractIsCheckedWithTheEditorsThatAreLinked(t *testing.T) {
	r := newRig(t)
	valid, found := r.findings()
	assert.True(t, valid)
	assert.Equal(t, [][2]string{{"mcp", "list_absent"}}, found)

	r.link.editor.Hello.Commands = append(r.link.editor.Hello.Commands[1:], "run_anything")
	missing := r.tools.Commands()[0]
	valid, found = r.findings()
	assert.False(t, valid)
	assert.Contains(t, found, [2]string{missing, "command_missing"})
	assert.Contains(t, found, [2]string{"run_anything", "command_surplus"})

	r.link.linked = false
	valid, found = r.findings()
	assert.True(t, valid)
	assert.Contains(t, found, [2]string{"editor", "hello_absent"})
	assert.Empty(t, r.link.sent(), "nobody is asked")
}

func TestTheContractIsCheckedWithWhatClientsGet(t *testing.T) {
	r := newRig(t, func(o *Options) {
		o.Front = func() contract.Front {
			return contract.Front{List: json.RawMessage(`{"tools":[{"name":"rm_rf"}]}`), Listed: []string{"get_node"}}
		}
	})
	valid, found := r.findings()
	assert.False(t, valid)
	assert.Equal(t, [][2]string{{"rm_rf", "registered_unknown"}, {"get_node", "not_registered"}}, found)
}
