package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// walkValues are stored properties that a walk sets, each with values that no fixture has.
func (w *walker) walkValues() map[string]any {
	quarter := func(n int) float64 { return float64(w.random.IntN(n)) / 4 }
	return map[string]any{
		"process_priority":   1000 + w.random.IntN(1000),
		"editor_description": fmt.Sprintf("walked %d \"quoted\" \\ %%", w.random.IntN(1000)),
		"position":           []any{1000.25 + quarter(400), -1000.5 - quarter(400)},
		"scale":              []any{2.25 + quarter(8), 3.5 + quarter(8)},
		"z_index":            100 + w.random.IntN(1000),
		"modulate":           []any{quarter(4), quarter(4), 0.125, 0.5},
	}
}

// set sets a property that the node has.
func (w *walker) set(t *testing.T) {
	node := w.pick(false)
	values := w.walkValues()
	names := []string{"process_priority", "editor_description"}
	if slices.ContainsFunc(w.rows, func(row [2]string) bool { return row[0] == node && isCanvasItem(row[1]) }) {
		names = append(names, "position", "scale", "z_index", "modulate")
	}
	name := names[w.random.IntN(len(names))]
	reply, ok := w.call(t, "set_node_property", args{"node_path": node, "property": name, "value": values[name]})
	if ok {
		w.claim(node+":"+name, reply, stores(node, name, plainText(values[name])))
	}
}

// isCanvasItem tells whether a class has the properties of a Node2D. Controls have others with the same names.
func isCanvasItem(class string) bool {
	return strings.HasSuffix(class, "2D")
}

// create makes a node; few names, so that they collide. No controls: they give themselves a size in a later frame.
func (w *walker) create(t *testing.T) {
	classes := []string{"Node", "Node2D", "Sprite2D", "Marker2D", "Timer", "Camera3D"}
	with := args{
		"parent_path": w.pick(false), "node_type": classes[w.random.IntN(len(classes))],
		"node_name": string(rune('P' + w.random.IntN(5))),
	}
	if w.random.IntN(4) == 0 {
		with["index"] = 0
	}
	reply, ok := w.call(t, "create_node", with)
	if !ok {
		return
	}
	path := fmt.Sprint(reply.Data["path"])
	w.forget(path)
	w.claim(path, reply, has(path))
}

// move gives a node another parent.
func (w *walker) move(t *testing.T) {
	node := w.pick(true)
	reply, ok := w.call(t, "move_node", args{"node_path": node, "new_parent_path": w.pick(false)})
	if !ok || reply.Data["changed"] == false {
		return
	}
	path := fmt.Sprint(reply.Data["path"])
	w.forget(node)
	w.forget(path)
	if node != path { // else it is a matter of order, which is not looked at here
		w.claim(path, reply, has(path))
	}
}

// remove deletes a node.
func (w *walker) remove(t *testing.T) {
	if len(w.rows) < 6 {
		return
	}
	node := w.pick(true)
	reply, ok := w.call(t, "delete_node", args{"node_path": node, "confirm": true})
	if ok {
		w.forget(node)
		w.claim(node, reply, gone(node))
	}
}
