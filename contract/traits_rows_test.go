package contract

import (
	"slices"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

const (
	fromBaseGroup      = protocol.ReasonGroupFromBase
	fromBaseConnection = protocol.ReasonConnectionFromBase
	fromBaseEditable   = protocol.ReasonEditableFromBase
)

// traitRows are all changes in all places, and what is special about each.
func traitRows() []persistRow {
	var rows []persistRow
	for _, s := range situations() {
		rows = append(rows, placeRows(s.what, s.fixture, s.node, s.own, kept)...)
	}
	lost := protocol.ReasonNodeNotOwned
	for _, node := range []string{"Ghost", "Ghost/OwnedBelow"} {
		for _, row := range placeRows(node, "own_nodes", node, lost, lost) {
			row.ghost = "."
			rows = append(rows, row)
		}
	}
	return slices.Concat(rows, groupRows(), connectionRows(), disconnectionRows(), editableRows(), scriptRows())
}

// placeRows are the changes that any node can have: own is why they are lost, end why a connection to it is.
func placeRows(what, fixture, node string, own, end protocol.Reason) []persistRow {
	out := way(node, "renamed", ".", "_on_renamed")
	in := way(".", "renamed", node, "_on_renamed")
	rows := []persistRow{
		{name: "group ", tool: "add_to_group", args: args{"node_path": node, "group": "added"}, kept: member(node, "added", true), reason: own},
		{name: "script ", tool: "attach_script", args: attach(node, choicesScript), kept: scripted(node, choicesScript), reason: own},
		{name: "connect from ", tool: "connect_signal", args: out, kept: connected(out, 2), reason: own},
		{name: "connect to ", tool: "connect_signal", args: in, kept: connected(in, 2), reason: end},
	}
	if node != "." {
		rows = append(rows, persistRow{
			name: "unique ", tool: "set_unique_name", args: args{"node_path": node}, reason: own,
			kept: trait(node, func(n harness.Node) bool { return n.UniqueName }),
		})
	}
	for i := range rows {
		rows[i].name += what
		rows[i].fixture = fixture
	}
	return rows
}

// groupRows take nodes out of groups.
func groupRows() []persistRow {
	row := func(name, fixture, node, group string, reason protocol.Reason) persistRow {
		return persistRow{
			name: "out of a group: " + name, fixture: fixture, tool: "remove_from_group", reason: reason,
			args: args{"node_path": node, "group": group}, kept: member(node, group, false),
		}
	}
	passing := persistRow{
		name: "into a group for the time being", fixture: "own_nodes", tool: "add_to_group",
		args: args{"node_path": "Player", "group": "passing", "persistent": false},
		kept: member("Player", "passing", true), reason: protocol.ReasonGroupNotPersistent,
	}
	noMore := persistRow{
		name: "in a group no longer for good", fixture: "own_nodes", tool: "add_to_group",
		args: args{"node_path": "Enemy", "group": "enemies", "persistent": false},
		// The file loses what the node still is: that is the change, and the verdict is on being in the group.
		kept: never, reason: protocol.ReasonGroupNotPersistent,
	}
	return []persistRow{
		passing, noMore,
		row("an own node", "own_nodes", "Enemy", "enemies", kept),
		row("a node two levels down", "deep_subtree", "Branch/Twig/Leaf", "leaves", kept),
		row("a group on top of those given", "signals", "Open/Kid", "own_group", kept),
		row("given by the instance", "signals", "Shell", "from_inner", fromBaseGroup),
		row("given inside an editable instance", "signals", "Open/Kid", "kids", fromBaseGroup),
		row("given inside a closed instance", "signals", "Shell/Kid", "kids", notEditable),
		row("given by the base scene", "inherited_one", "Kid", "from_base", fromBaseGroup),
		row("given by the base's base", "inherited_two", "Kid", "from_base", fromBaseGroup),
		row("given by the base to an instance's child", "signals_derived", "Open/Kid", "own_group", fromBaseGroup),
		row("given by an instance of the base", "signals_derived", "Shell", "from_inner", fromBaseGroup),
		row("given in a nested instance", "nested_editable", "Nest/Open/Kid", "from_mid", fromBaseGroup),
	}
}

// connectionRows make connections with flags and in the way of others.
func connectionRows() []persistRow {
	row := func(name, fixture string, call args, flags int, reason protocol.Reason) persistRow {
		return persistRow{
			name: "connect: " + name, fixture: fixture, tool: "connect_signal", args: call,
			kept: connected(call, flags), reason: reason,
		}
	}
	both := with(with(way("Button", "pressed", ".", "_on_pressed"), "deferred", true), "one_shot", true)
	inner := way("Open/Kid", "visibility_changed", "Open/Other", "queue_redraw")
	again := row("given otherwise by the instance", "signals", with(inner, "deferred", true), 3, fromBaseConnection)
	again.first = []edit{{tool: "disconnect_signal", args: with(inner, "confirm", true)}}
	return []persistRow{
		row("with flags", "signals", both, 7, kept),
		row("deferred", "signals", with(way("Button", "pressed", ".", "_on_pressed"), "deferred", true), 3, kept),
		row("of a script's signal", "signals", way(".", "hit", "Shell", "hide"), 2, kept),
		row("inside an editable instance", "signals", way("Open/Kid", "renamed", "Open/Other", "hide"), 2, kept),
		row("inside a closed instance", "signals", way("Shell/Kid", "renamed", "Shell/Other", "hide"), 2, notEditable),
		row("between two instances", "signals", way("Open/Kid", "renamed", "Shell/Kid", "hide"), 2, kept),
		row("in a derived scene", "signals_derived", way("Timer", "timeout", "Added", "hide"), 2, kept),
		row("to an inherited node", "signals_derived", way("Added", "renamed", "Own", "hide"), 2, kept),
		again,
	}
}

// disconnectionRows take connections away.
func disconnectionRows() []persistRow {
	row := func(name, fixture string, call args, reason protocol.Reason) persistRow {
		return persistRow{
			name: "disconnect: " + name, fixture: fixture, tool: "disconnect_signal", args: with(call, "confirm", true),
			kept: connected(call, 0), reason: reason,
		}
	}
	timeout := way("Timer", "timeout", ".", "_on_timeout")
	inner := func(instance string) args {
		return way(instance+"/Kid", "visibility_changed", instance+"/Other", "queue_redraw")
	}
	return []persistRow{
		row("an own one", "signals", timeout, kept),
		row("with bound values", "signals", way("Timer", "timeout", ".", "_on_many"), kept),
		row("with flags", "signals", way("Own", "visibility_changed", "Own", "queue_redraw"), kept),
		row("inside an editable instance", "signals", inner("Open"), fromBaseConnection),
		row("inside a closed instance", "signals", inner("Shell"), notEditable),
		row("of the base scene", "signals_derived", timeout, fromBaseConnection),
		row("inside an instance of the base", "signals_derived", inner("Open"), fromBaseConnection),
		row("from a branch", "deep_subtree", way("Branch", "hit", "After", "_on_hit"), kept),
	}
}

// editableRows open and close instances.
func editableRows() []persistRow {
	row := func(name, fixture, node string, on bool, reason protocol.Reason) persistRow {
		return persistRow{
			name: "editable: " + name, fixture: fixture, tool: "set_editable_children",
			args: editable(node, on), reason: reason,
			kept: trait(node, func(n harness.Node) bool { return n.Editable == on }),
		}
	}
	inside := persistRow{
		name: "a property inside an instance made editable", fixture: "instance_closed", tool: "set_node_property",
		first: []edit{{tool: "set_editable_children", args: args{"node_path": "Shell"}}},
		args:  args{"node_path": "Shell/Kid", "property": "process_priority", "value": 7},
		kept:  stores("Shell/Kid", "process_priority", "7"),
	}
	nested := persistRow{
		name: "a property inside a nested instance made editable", fixture: "nested_closed", tool: "set_node_property",
		first: []edit{
			{tool: "set_editable_children", args: args{"node_path": "Nest"}},
			{tool: "set_editable_children", args: args{"node_path": "Nest/Closed"}},
		},
		args: args{"node_path": "Nest/Closed/Kid/Deep", "property": "process_priority", "value": 7},
		kept: stores("Nest/Closed/Kid/Deep", "process_priority", "7"),
	}
	closed := persistRow{
		name: "a property inside an instance no longer editable", fixture: "instance_editable", tool: "set_node_property",
		first: []edit{{tool: "set_editable_children", args: editable("Shell", false)}},
		args:  args{"node_path": "Shell/Kid", "property": "process_priority", "value": 7},
		kept:  stores("Shell/Kid", "process_priority", "7"), reason: notEditable,
	}
	return []persistRow{
		inside, nested, closed,
		row("on", "instance_closed", "Shell", true, kept),
		row("on, in a derived scene", "signals_derived", "Shell", true, kept),
		row("on, inside a closed instance", "nested_closed", "Nest/Closed", true, notEditable),
		row("on, inside an editable instance", "nested_editable", "Nest/Closed", true, kept),
		row("on, a glTF model", "imported", "Model", true, kept),
		row("off", "instance_editable", "Shell", false, kept),
		row("off, with nodes inside", "signals", "Open", false, kept),
		row("off, a glTF model", "imported", "OpenModel", false, kept),
		row("off, in a branch", "deep_subtree", "Branch/Shell", false, kept),
		row("off, opened by the inner scene", "nested_half", "Nest/Open", false, fromBaseEditable),
		row("off, opened by both", "nested_editable", "Nest/Open", false, fromBaseEditable),
		row("off, opened by the base scene", "signals_derived", "Open", false, fromBaseEditable),
		row("off, opened by another base scene", "inherited_with_instance", "Shell", false, fromBaseEditable),
	}
}

// scriptRows replace scripts and take them off, and take unique names away.
func scriptRows() []persistRow {
	off := func(name, fixture, node string, reason protocol.Reason) persistRow {
		return persistRow{
			name: "no script: " + name, fixture: fixture, tool: "detach_script", args: detach(node),
			kept: scripted(node, ""), reason: reason,
		}
	}
	common := func(name, fixture, node string, reason protocol.Reason) persistRow {
		return persistRow{
			name: "no unique name: " + name, fixture: fixture, tool: "set_unique_name", reason: reason,
			args: args{"node_path": node, "unique": false},
			kept: trait(node, func(n harness.Node) bool { return !n.UniqueName }),
		}
	}
	return []persistRow{
		off("an own node", "scripts", "Plain", kept),
		off("a tool script", "scripts", "Tool", kept),
		off("given by the base scene", "signals_derived", ".", kept),
		{
			name: "another script", fixture: "scripts", tool: "attach_script", args: attach("Mover", plainScript),
			kept: scripted("Mover", plainScript),
		},
		common("an own node", "deep_subtree", "Branch/Twig/Leaf", kept),
		common("given inside an editable instance", "signals", "Open/Kid", kept),
		common("given inside a closed instance", "signals", "Shell/Kid", notEditable),
	}
}
