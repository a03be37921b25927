package contract

import (
	"fmt"
	"slices"
	"strings"

	"drawbridge/daemon/harness"
)

// join puts a node into a group, sometimes for the time being.
func (w *walker) join() (walkCall, bool) {
	node, group := w.pick(false), one(w, "walk_a", "walk_b", "from_inner", "level_two")
	with := args{"node_path": node, "group": group, "persistent": w.random.IntN(4) > 0}
	return walkCall{tool: "add_to_group", args: with, after: func(h heard) {
		w.claim(h, node+" in "+group, member(node, group, true), node)
	}}, true
}

// leave takes a node out of a group, which it may not be in.
func (w *walker) leave() (walkCall, bool) {
	node := w.pick(false)
	group := one(w, "walk_a", "walk_b", "from_mid", "from_inner", "kids", "own_group", "level_two", "enemies")
	return walkCall{tool: "remove_from_group", args: args{"node_path": node, "group": group}, after: func(h heard) {
		w.claim(h, node+" in "+group, member(node, group, false), node)
	}}, true
}

// connect connects two nodes. What is called does no harm: the editor calls it too, when a tool script emits.
func (w *walker) connect() (walkCall, bool) {
	source, target := w.pick(false), w.pick(false)
	with := way(source, one(w, "renamed", "tree_exited", "child_order_changed"), target, one(w, "_on_walked", "get_index"))
	flags := 2
	if with["deferred"] = w.random.IntN(4) == 0; with["deferred"] == true {
		flags |= 1
	}
	if with["one_shot"] = w.random.IntN(4) == 0; with["one_shot"] == true {
		flags |= 4
	}
	return walkCall{tool: "connect_signal", args: with, after: func(h heard) {
		w.claim(h, wayName(with), connected(with, flags), source, target)
		w.ways = append(w.ways, with)
	}}, true
}

// disconnect takes a connection away that the walk has made, as long as both ends are where they were.
func (w *walker) disconnect() (walkCall, bool) {
	there := func(end any) bool {
		return slices.ContainsFunc(w.rows, func(n walkNode) bool { return n.path == end })
	}
	ways := slices.DeleteFunc(slices.Clone(w.ways), func(way args) bool {
		return !there(way["source_path"]) || !there(way["target_path"])
	})
	if len(ways) == 0 {
		return walkCall{}, false
	}
	way := one(w, ways...)
	return w.cut(fmt.Sprint(way["source_path"]), fmt.Sprint(way["signal_name"]), fmt.Sprint(way["target_path"]), fmt.Sprint(way["method_name"])), true
}

func (w *walker) cut(source, signal, target, method string) walkCall {
	with := cut(source, signal, target, method)
	return walkCall{tool: "disconnect_signal", args: with, after: func(h heard) {
		w.claim(h, wayName(with), connected(with, 0), source, target)
	}}
}

// wayName names a connection among the claims.
func wayName(way args) string {
	return fmt.Sprint(way["source_path"], " ", way["signal_name"], " ", way["target_path"], " ", way["method_name"])
}

// attach gives a node a script.
func (w *walker) attach() (walkCall, bool) {
	node := w.pickNode(false)
	script := fixture("scripts/" + one(w, "choices", "plain_exports", "tool_exports", "node_exports", "fixture_mover") + ".gd")
	return w.scripted("attach_script", node.path, attach(node.path, script), script), true
}

// detach takes a node's script off.
func (w *walker) detach() (walkCall, bool) {
	node, found := w.pickOf(func(n walkNode) bool { return n.script != "" })
	return w.scripted("detach_script", node.path, detach(node.path), ""), found
}

// scripted is a call after which the node has this script. What was claimed of the old one's properties is over.
func (w *walker) scripted(tool, node string, with args, script string) walkCall {
	return walkCall{tool: tool, args: with, after: func(h heard) {
		delete(w.claims, node+":other")
		w.claim(h, node+" script", scripted(node, script), node)
	}}
}

// open makes the children of an instance editable, or not.
func (w *walker) open() (walkCall, bool) {
	node, found := w.pickOf(func(n walkNode) bool { return n.instance != "" })
	on := w.random.IntN(3) > 0
	return walkCall{tool: "set_editable_children", args: editable(node.path, on), after: func(h heard) {
		w.forget(node.path)
		w.claim(h, node.path+" editable", trait(node.path, func(n harness.Node) bool { return n.Editable == on }), node.path)
	}}, found
}

// unique gives a node a unique name, or takes it away.
func (w *walker) unique() (walkCall, bool) {
	node, on := w.pick(true), w.random.IntN(3) > 0
	return walkCall{tool: "set_unique_name", args: args{"node_path": node, "unique": on}, after: func(h heard) {
		w.claim(h, node+" unique", trait(node, func(n harness.Node) bool { return n.UniqueName == on }), node)
	}}, true
}

// resource changes a resource that a node holds, sometimes as a copy of its own. Others may hold it too, so there is one
// such claim at a time.
func (w *walker) resource() (walkCall, bool) {
	node, found := w.pickOf(func(n walkNode) bool {
		made := len(n.path) == 1 || strings.HasSuffix(n.path[:len(n.path)-1], "/") // by a walk: without a texture
		return !made && (n.class == "Sprite2D" || n.class == "MeshInstance3D")
	})
	holder, inner := "texture", one(w, "", "gradient")
	property, given, want := "width", any(100+w.random.IntN(64)), ""
	switch {
	case node.class == "MeshInstance3D":
		holder, inner, property = "mesh", "", "resource_name"
	case inner != "":
		property = "resource_name"
	}
	if property == "resource_name" {
		given = fmt.Sprintf("walked %d", w.random.IntN(1000))
	}
	want = plainText(given)
	way := strings.Split(strings.Trim(inner+":"+property, ":"), ":")
	with := args{
		"node_path": node.path, "node_property": strings.Trim(holder+":"+inner, ":"), "property": property, "value": given,
		"make_unique": w.random.IntN(3) == 0,
	}
	return walkCall{tool: "set_resource_property", args: with, after: func(h heard) {
		w.claim(h, "resource", inside(node.path, holder, way, want), node.path)
	}}, found
}
