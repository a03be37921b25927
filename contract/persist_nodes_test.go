package contract

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// situation is a node of a fixture, by where it comes from, and why changes of it are lost; "" where they are kept.
type situation struct {
	what    string
	fixture string
	node    string
	// own: a change of the node's own data, and of what is added below it.
	own protocol.Reason
	// away: the node is deleted or moved away.
	away protocol.Reason
	// rooted: own nodes lie below this node of another scene, so that it is not to be moved.
	rooted bool
}

const (
	kept        = protocol.Reason("")
	notEditable = protocol.ReasonInstanceNotEditable
	fromOther   = protocol.ReasonFromInstance
	inherited   = protocol.ReasonInherited
)

// situations are all the places in which a node can be.
func situations() []situation {
	return []situation{
		{"the root", "own_nodes", ".", kept, kept, false},
		{"an own node", "own_nodes", "Player", kept, kept, false},
		{"an own node below", "own_nodes", "Player/Body", kept, kept, false},
		{"an own node beside an instance", "instance_closed", "Own", kept, kept, false},
		{"a closed instance's root", "instance_closed", "Shell", kept, kept, false},
		{"a closed instance's child", "instance_closed", "Shell/Kid", notEditable, fromOther, false},
		{"a closed instance's grandchild", "instance_closed", "Shell/Kid/Deep", notEditable, fromOther, false},
		{"an own node below a closed instance's root", "instance_closed", "Shell/Below", kept, kept, false},
		{"an editable instance's root", "instance_editable", "Shell", kept, kept, false},
		{"an editable instance's child", "instance_editable", "Shell/Kid", kept, fromOther, true},
		{"an editable instance's grandchild", "instance_editable", "Shell/Kid/Deep", kept, fromOther, false},
		{"an own node inside an editable instance", "instance_editable", "Shell/Kid/Own", kept, kept, false},
		{"an instance that nests others", "nested_closed", "Nest", kept, kept, false},
		{"a nested instance, outer closed", "nested_closed", "Nest/Closed", notEditable, fromOther, false},
		{"a nested child that only the nest opened", "nested_closed", "Nest/Open/Kid", notEditable, fromOther, false},
		{"a nested instance's child, outer closed", "nested_closed", "Nest/Closed/Kid", notEditable, fromOther, false},
		{"a nested instance's root, both editable", "nested_editable", "Nest/Open", kept, fromOther, false},
		{"a nested instance's child, both editable", "nested_editable", "Nest/Open/Kid", kept, fromOther, false},
		{"a nested instance's grandchild, both editable", "nested_editable", "Nest/Open/Kid/Deep", kept, fromOther, false},
		{"a nested instance's root, outer editable", "nested_editable", "Nest/Closed", kept, fromOther, false},
		{"a closed child in an open nest", "nested_editable", "Nest/Closed/Kid", notEditable, fromOther, false},
		{"a half-open nest's instance", "nested_half", "Nest/Open", kept, fromOther, false},
		{"a child that the nest itself made editable", "nested_half", "Nest/Open/Kid", kept, fromOther, false},
		{"a child that nobody made editable", "nested_half", "Nest/Closed/Kid", notEditable, fromOther, false},
		{"a derived scene's root", "inherited_one", ".", kept, kept, false},
		{"an inherited node", "inherited_one", "Kid", kept, inherited, true},
		{"an inherited node below", "inherited_one", "Kid/Deep", kept, inherited, false},
		{"an own node of a derived scene", "inherited_one", "Added", kept, kept, false},
		{"an own node below an inherited one", "inherited_one", "Kid/AddedBelow", kept, kept, false},
		{"a node inherited twice", "inherited_two", "Kid/Deep", kept, inherited, false},
		{"a node inherited from the middle", "inherited_two", "Added", kept, inherited, false},
		{"a node of the middle below the base's", "inherited_two", "Kid/AddedBelow", kept, inherited, false},
		{"an own node of a scene derived twice", "inherited_two", "Own", kept, kept, false},
		{"an inherited instance", "inherited_with_instance", "Shell", kept, inherited, false},
		{"an inherited instance's child", "inherited_with_instance", "Shell/Kid/Deep", kept, fromOther, false},
		{"an own node of the base inside an instance", "inherited_with_instance", "Shell/Kid/Own", kept, inherited, false},
		{"a closed model's child", "imported", "Model/ModelRoot/Triangle", notEditable, fromOther, false},
		{"an open model's child", "imported", "OpenModel/ModelRoot/Triangle", kept, fromOther, false},
	}
}

// nodeRows are the changes that can be made of a node in each situation.
func nodeRows() []persistRow {
	var rows []persistRow
	for _, s := range situations() {
		rows = append(rows, ownRows(s)...)
		if s.node != "." {
			rows = append(rows, awayRows(s)...)
		}
	}
	return append(rows, ghostRows()...)
}

// ownRows change the node's own data, and add below it.
func ownRows(s situation) []persistRow {
	row := func(what, tool string, call args) persistRow {
		return persistRow{name: what + " " + s.what, fixture: s.fixture, tool: tool, args: call, reason: s.own}
	}
	set := row("set a property of", "set_node_property",
		args{"node_path": s.node, "property": "process_priority", "value": 7})
	set.kept = stores(s.node, "process_priority", "7")

	create := row("create a node below", "create_node",
		args{"parent_path": s.node, "node_type": "Node2D", "node_name": "New"})
	create.kept = has(below(s.node, "New"))

	deeper := row("create a node below a new one below", "create_node",
		args{"parent_path": below(s.node, "New"), "node_type": "Node2D", "node_name": "Deeper"})
	deeper.first = []edit{{tool: "create_node", args: create.args}}
	deeper.kept = has(below(s.node, "New") + "/Deeper")
	return []persistRow{set, create, deeper}
}

// awayRows take the node away, move it, and move an own node below it.
func awayRows(s situation) []persistRow {
	row := func(what, tool string, call args, reason protocol.Reason) persistRow {
		return persistRow{name: what + " " + s.what, fixture: s.fixture, tool: tool, args: call, reason: reason}
	}
	box := edit{tool: "create_node", args: args{"node_type": "Node2D", "node_name": "Box"}}
	remove := row("delete", "delete_node", args{"node_path": s.node, "confirm": true}, s.away)
	remove.kept = gone(s.node)

	into := row("move an own node below", "move_node", args{"node_path": "Box", "new_parent_path": s.node}, s.own)
	into.first, into.kept = []edit{box}, has(below(s.node, "Box"))
	rows := []persistRow{remove, into}
	if !s.rooted {
		out := row("move away", "move_node", args{"node_path": s.node, "new_parent_path": "Box"}, s.away)
		out.first, out.kept = []edit{box}, moved(s.node, "Box/"+path.Base(s.node))
		rows = append(rows, out)
	}
	return rows
}

// ghostRows are about a node without an owner, and a node below it that the scene owns.
func ghostRows() []persistRow {
	lost := protocol.ReasonNodeNotOwned
	rows := []persistRow{
		{
			name: "set a property of a node without owner", tool: "set_node_property", reason: lost,
			args: args{"node_path": "Ghost", "property": "process_priority", "value": 7},
			kept: stores("Ghost", "process_priority", "7"),
		},
		{
			name: "set a property of an owned node below it", tool: "set_node_property", reason: lost,
			args: args{"node_path": "Ghost/OwnedBelow", "property": "process_priority", "value": 7},
			kept: stores("Ghost/OwnedBelow", "process_priority", "7"),
		},
		{
			name: "create below a node without owner", tool: "create_node", reason: lost,
			args: args{"parent_path": "Ghost", "node_type": "Node2D", "node_name": "New"}, kept: has("Ghost/New"),
		},
		{
			name: "move an own node below a node without owner", tool: "move_node", reason: lost,
			args: args{"node_path": "Enemy", "new_parent_path": "Ghost"}, kept: has("Ghost/Enemy"),
		},
		{
			name: "export a node without owner", tool: "set_node_property", reason: lost, fixture: "node_exports",
			args: args{"node_path": "User", "property": "other", "value": "../Ghost"},
			kept: stores("User", "other", `{"$node":"Ghost"}`),
		},
		{
			name: "delete a node without owner", tool: "delete_node", reason: lost, unsure: true,
			args: args{"node_path": "Ghost", "confirm": true}, kept: never,
		},
	}
	for i := range rows {
		rows[i].ghost = "."
		if rows[i].fixture == "" {
			rows[i].fixture = "own_nodes"
		}
	}
	return rows
}

// testStill moves nodes to where they are: nothing is lost by that, unless the node itself is not saved.
func (r *rig) testStill(t *testing.T) {
	for _, row := range []struct {
		fixture, node string
		index         int
		reason        protocol.Reason
	}{
		{"own_nodes", "Player", 0, kept},
		{"instance_closed", "Shell/Kid", 0, kept},
		{"instance_editable", "Shell/Kid/Deep", 0, kept},
		{"nested_editable", "Nest/Closed", -1, kept},
		{"nested_editable", "Nest/Open", 0, kept},
		{"inherited_one", "Kid", 0, kept},
		{"own_nodes", "Ghost", -1, protocol.ReasonNodeNotOwned},
	} {
		r.open(t, row.fixture)
		r.hand.act(t, "add_ghost", map[string]any{"parent": "."}, nil)
		call := args{"node_path": row.node, "new_parent_path": path.Dir(row.node), "index": row.index}
		for _, dry := range []bool{true, false} {
			reply := r.ok(t, "move_node", with(call, "dry_run", dry))
			assert.Equal(t, false, reply.Data["changed"], "%s: %s", row.node, reply.Raw)
			require.Len(t, reply.Persistence, 1, "%s", reply.Raw)
			assert.Equal(t, row.reason, reply.Persistence[0].Reason, "%s: %s", row.node, reply.Raw)
			require.NotNil(t, reply.Persistence[0].Persisted, "%s", reply.Raw)
			assert.Equal(t, row.reason == kept, *reply.Persistence[0].Persisted, "%s: %s", row.node, reply.Raw)
		}
	}
}

func below(parent, name string) string {
	return strings.TrimPrefix(parent+"/"+name, "./")
}

// inOrder tells whether these nodes stand in this order.
func inOrder(names ...string) probe {
	return func(s harness.Scene) (bool, string) {
		var found []string
		for _, name := range s.Order {
			if slices.Contains(names, name) {
				found = append(found, name)
			}
		}
		return slices.Equal(found, names), strings.Join(found, " ")
	}
}
