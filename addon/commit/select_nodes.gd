extends "./applier.gd"
## Selects nodes in the editor.

const Resolve = preload("../resolve.gd")


## Does a "select_nodes" change: {nodes}.
func apply(planned: Result, the_call: Call) -> Result:
	var nodes: Array[Node] = planned.plan.changes[0]["nodes"]
	var selection: EditorSelection = EditorInterface.get_selection()
	selection.clear()
	for node: Node in nodes:
		selection.add_node(node)
	var selected: Array[String] = []
	for node: Node in selection.get_selected_nodes():
		selected.append(Resolve.path_of(the_call.root, node))
	planned.data["selected"] = selected
	planned.data["count"] = selected.size()
	planned.done = {"undoable": false}
	return planned
