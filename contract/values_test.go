package contract

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// valueRow is one value written to one property of a fixture. Either code says how it is refused, or keeps what is
// read back.
type valueRow struct {
	name     string
	fixture  string
	node     string
	property string
	value    any
	keeps    any
	code     protocol.Code
	// details that the refusal must hold.
	details args
}

// raw is a value as the caller writes it, to the digit.
type raw = json.RawMessage

// checkGood writes a value; the reply and a read afterwards agree on what was kept.
func (r *rig) checkGood(t *testing.T, row valueRow) {
	t.Helper()
	r.open(t, row.fixture)
	call := args{"node_path": row.node, "property": row.property, "value": row.value}
	if row.property == "properties" {
		call = args{"node_path": row.node, "properties": row.value}
	}
	reply := r.ok(t, "set_node_property", call)
	told := shownValues(t, reply.Raw)
	require.NotEmpty(t, told, "the reply shows the values: %s", reply.Raw)
	for property, value := range told {
		read := r.readValue(t, row.node, property)
		assert.Equal(t, string(read), string(value), "%s: told and read", property)
		if row.keeps != nil {
			assert.JSONEq(t, text(row.keeps), string(value), "%s: kept", property)
		}
	}
}

// shownValues are the values in a reply's data.properties, as they stand there.
func shownValues(t *testing.T, reply json.RawMessage) map[string]json.RawMessage {
	t.Helper()
	var body struct {
		Data struct {
			Properties map[string]struct {
				Value json.RawMessage `json:"value"`
			} `json:"properties"`
		} `json:"data"`
	}
	require.NoError(t, json.Unmarshal(reply, &body), "%s", reply)
	out := map[string]json.RawMessage{}
	for name, entry := range body.Data.Properties {
		out[name] = entry.Value
	}
	return out
}

// readValue reads one property.
func (r *rig) readValue(t *testing.T, node, property string) json.RawMessage {
	t.Helper()
	reply := r.ok(t, "get_node", args{"node_path": node, "properties": []string{property}})
	values := shownValues(t, reply.Raw)
	require.Contains(t, values, property, "%s", reply.Raw)
	return values[property]
}

// testValues: a value that converts lands exactly; one that does not is refused with what was expected, and neither
// the property nor the scene is touched. Nothing is ever silently zero.
func (r *rig) testValues(t *testing.T) {
	for _, row := range goodValues() {
		t.Run(row.name, func(t *testing.T) { r.checkGood(t, row) })
	}
	for _, row := range badValues() {
		t.Run(row.name, func(t *testing.T) { r.checkBad(t, row) })
	}
	for _, row := range nearRows() {
		t.Run("another value/"+row.node+" "+row.property+" "+row.value.(string), func(t *testing.T) { r.checkNear(t, row) })
	}
	for _, class := range ownClasses() {
		t.Run("own choices/"+class, func(t *testing.T) { r.checkOwnChoices(t, class) })
	}
}

func (r *rig) checkBad(t *testing.T, row valueRow) {
	t.Helper()
	r.open(t, row.fixture)
	call := args{"node_path": row.node, "property": row.property, "value": row.value}
	before := r.state(t)
	for _, dry := range []bool{true, false} {
		if dry && row.code == protocol.ValueRejected {
			continue // only the engine itself can tell
		}
		failure := r.refused(t, row.code, "set_node_property", with(call, "dry_run", dry))
		for key, want := range row.details {
			assert.JSONEq(t, text(want), text(failure.Details[key]), "details.%s of %s", key, text(failure))
		}
		r.same(t, before, row.name)
	}
}
