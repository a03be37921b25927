package contract

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"drawbridge/daemon/harness"
)

// maker thinks up a call; false: there is none at the moment.
type maker func(*walker) (walkCall, bool)

// few and many bound the scene: below few nodes none is removed, above many none is made.
const (
	few  = 6
	many = 60
)

// walkMakers are the edits that a walk makes, more often those that are listed more often.
func walkMakers() []maker {
	return []maker{
		(*walker).set, (*walker).set, (*walker).set, (*walker).setMany, (*walker).create, (*walker).create,
		(*walker).instance, (*walker).duplicate, (*walker).move, (*walker).move, (*walker).rename, (*walker).rename,
		(*walker).remove, (*walker).remove,
		(*walker).join, (*walker).leave, (*walker).connect, (*walker).disconnect, (*walker).attach, (*walker).detach,
		(*walker).open, (*walker).unique, (*walker).resource, (*walker).resource,
	}
}

// pick chooses a node; with below, never the root.
func (w *walker) pick(below bool) string { return w.pickNode(below).path }

func (w *walker) pickNode(below bool) walkNode {
	if below && len(w.rows) > 1 {
		return w.rows[1+w.random.IntN(len(w.rows)-1)]
	}
	return w.rows[w.random.IntN(len(w.rows))]
}

// pickOf chooses one of the nodes that fit; false: there is none.
func (w *walker) pickOf(fits func(walkNode) bool) (walkNode, bool) {
	fitting := slices.DeleteFunc(slices.Clone(w.rows), func(node walkNode) bool { return !fits(node) })
	if len(fitting) == 0 {
		return walkNode{}, false
	}
	return fitting[w.random.IntN(len(fitting))], true
}

// one chooses one of several.
func one[T any](w *walker, of ...T) T { return of[w.random.IntN(len(of))] }

// value is a stored property of a node with a value that no fixture has.
type value struct {
	property string
	value    any
}

// values are what a walk sets on a node.
func (w *walker) values(node walkNode) []value {
	quarter := func(n int) float64 { return float64(w.random.IntN(n)) / 4 }
	found := []value{
		{"process_priority", 1000 + w.random.IntN(1000)},
		{"editor_description", fmt.Sprintf("walked %d \"quoted\" \\ %%", w.random.IntN(1000))},
		{"metadata/walked", fmt.Sprint(w.random.IntN(1000))},
	}
	// Controls have others with the same names. Setting a remote transform's place sets its target's, a frame later.
	if strings.HasSuffix(node.class, "2D") && node.class != "RemoteTransform2D" {
		found = append(found,
			value{"position", []any{1000.25 + quarter(400), -1000.5 - quarter(400)}},
			value{"scale", []any{2.25 + quarter(8), 3.5 + quarter(8)}},
			value{"z_index", 100 + w.random.IntN(1000)},
			value{"modulate", []any{quarter(4), quarter(4), 0.125, 0.5}},
		)
	}
	return found
}

// set sets a property that the node has; one time in four an exported node, where there is one.
func (w *walker) set() (walkCall, bool) {
	if user, has := w.pickOf(func(n walkNode) bool { return strings.HasSuffix(n.script, "node_exports.gd") }); has && w.random.IntN(4) == 0 {
		return w.refer(user)
	}
	node := w.pickNode(false)
	v := one(w, w.values(node)...)
	with := args{"node_path": node.path, "property": v.property, "value": v.value}
	return walkCall{tool: "set_node_property", args: with, after: func(h heard) {
		w.claim(h, node.path+":"+v.property, holds(node.path, v), node.path)
	}}, true
}

// holds tells whether a node has a value in the file.
func holds(node string, v value) probe {
	if key, found := strings.CutPrefix(v.property, "metadata/"); found {
		return meta(node, key, plainText(v.value))
	}
	return stores(node, v.property, plainText(v.value))
}

// refer has an exported property name another node.
func (w *walker) refer(user walkNode) (walkCall, bool) {
	target, found := w.pickOf(func(n walkNode) bool { return strings.HasSuffix(n.class, "2D") })
	with := args{"node_path": user.path, "property": "other", "value": args{"$node": pathBetween(user.path, target.path)}}
	return walkCall{tool: "set_node_property", args: with, after: func(h heard) {
		w.claim(h, user.path+":other", stores(user.path, "other", text(args{"$node": target.path})), user.path, target.path)
	}}, found
}

// pathBetween is the node path from one node to another.
func pathBetween(from, to string) string {
	steps := []string{}
	if from != "." {
		for range strings.Split(from, "/") {
			steps = append(steps, "..")
		}
	}
	return path.Join(append(steps, to)...)
}

// setMany sets a property of several nodes, or of all of a class.
func (w *walker) setMany() (walkCall, bool) {
	v := value{"process_priority", 3000 + w.random.IntN(1000)}
	with := args{"property": v.property, "value": v.value}
	if w.random.IntN(3) == 0 {
		with["node_type"], with["under"] = one(w, "Node2D", "Sprite2D"), w.pick(false)
	} else {
		with["node_paths"] = []string{w.pick(false), w.pick(false), w.pick(false)}
	}
	return walkCall{tool: "batch_set_property", args: with, after: func(h heard) {
		for _, verdict := range h.verdicts {
			w.claimOne(h, verdict, verdict.Target+":"+v.property, holds(verdict.Target, v), verdict.Target)
		}
	}}, true
}

// name is one of few, so that they collide.
func (w *walker) name() string { return string(rune('P' + w.random.IntN(5))) }

// create makes a node. No controls: they give themselves a size in a later frame.
func (w *walker) create() (walkCall, bool) {
	class := one(w, "Node", "Node2D", "Sprite2D", "Marker2D", "Timer", "Camera3D")
	with := args{"parent_path": w.pick(false), "node_type": class, "node_name": w.name()}
	if w.random.IntN(4) == 0 {
		with["index"] = 0
	}
	return walkCall{tool: "create_node", args: with, after: w.there, made: walkNode{class: class}}, len(w.rows) < many
}

// there claims that what a reply calls its path is a node.
func (w *walker) there(h heard) {
	node := fmt.Sprint(h.data["path"])
	w.forget(node)
	w.claim(h, node, has(node), node)
}

// instance puts another scene into this one: none with a remote transform, which moves other nodes in later frames.
func (w *walker) instance() (walkCall, bool) {
	with := args{
		"parent_path": w.pick(false), "node_name": w.name(),
		"scene_path": fixture(one(w, "mid", "signals_inner", "nest", "base") + ".tscn"),
	}
	return walkCall{tool: "instance_scene", args: with, after: w.there}, len(w.rows) < many
}

// duplicate copies a node with what is below it, but for controls.
func (w *walker) duplicate() (walkCall, bool) {
	node := w.pick(true)
	sizes := slices.ContainsFunc(w.rows, func(n walkNode) bool {
		return isBelow(n.path, node) && (n.class == "Button" || n.class == "Label")
	})
	with := args{"node_path": node}
	if w.random.IntN(2) == 0 {
		with["node_name"] = w.name()
	}
	return walkCall{tool: "duplicate_node", args: with, after: w.there}, !sizes && len(w.rows) < many/2
}

// move gives a node another parent.
func (w *walker) move() (walkCall, bool) {
	node := w.pick(true)
	with := args{"node_path": node, "new_parent_path": w.pick(false)}
	if w.random.IntN(3) == 0 {
		with["new_parent_path"], with["index"] = path.Dir(node), 0
	}
	if w.random.IntN(4) == 0 {
		with["keep_global_transform"] = false
	}
	return walkCall{tool: "move_node", args: with, leaves: node, after: func(h heard) {
		if h.data["changed"] == false {
			return
		}
		place := fmt.Sprint(h.data["path"])
		w.forget(node)
		w.forget(place)
		if node != place { // else it is a matter of order, which is not looked at here
			w.claim(h, place, ownedThere(place), place)
		}
	}}, true
}

// rename gives a node another name.
func (w *walker) rename() (walkCall, bool) {
	node := w.pick(false)
	with := args{"node_path": node, "new_name": one(w, w.name(), w.name(), path.Base(w.pick(true)))}
	return walkCall{tool: "rename_node", args: with, leaves: node, after: func(h heard) {
		place := fmt.Sprint(h.data["path"])
		if node != "." {
			w.forget(node)
			w.forget(place)
			w.claim(h, place, ownedThere(place), place)
		}
	}}, with["new_name"] != "."
}

// remove deletes a node.
func (w *walker) remove() (walkCall, bool) {
	node := w.pick(true)
	return walkCall{tool: "delete_node", args: args{"node_path": node, "confirm": true}, leaves: node, after: func(h heard) {
		w.forget(node)
		w.claim(h, node, gone(node), node)
	}}, len(w.rows) >= few
}

// ownedThere tells whether a node of the scene's own is there. Where one was moved into an instance and is lost, the instance
// may bring back one with the same name that was moved out of it before.
func ownedThere(path string) probe {
	return func(s harness.Scene) (bool, string) {
		node, there := s.Nodes[path]
		return there && node.Owner == ".", strings.Join(s.Order, " ")
	}
}
