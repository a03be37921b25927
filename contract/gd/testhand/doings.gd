@tool
extends RefCounted
## Smaller things that a person, or a script of theirs, does in the editor: selecting nodes, errors
## that no command causes, connections without the mark that has them saved.


## Does one act.
static func run(request: Dictionary) -> Dictionary:
	match str(request.get("do")):
		"select":
			return _select(request)
		"selection":
			return _selection()
		"complain":
			return _complain(request)
		"connect":
			return _connect(request)
	return {"error": "no such act"}


## Selects nodes and nothing else.
static func _select(request: Dictionary) -> Dictionary:
	var root: Node = EditorInterface.get_edited_scene_root()
	EditorInterface.get_selection().clear()
	var paths: Array = request.get("paths")
	for path: Variant in paths:
		var node: Node = root.get_node_or_null(NodePath(str(path)))
		if node == null:
			return {"error": "no such node"}
		EditorInterface.get_selection().add_node(node)
	return {}


## The paths of the selected nodes, sorted.
static func _selection() -> Dictionary:
	var root: Node = EditorInterface.get_edited_scene_root()
	var selected: Array[String] = []
	for node: Node in EditorInterface.get_selection().get_selected_nodes():
		selected.append(str(root.get_path_to(node)))
	selected.sort()
	return {"selected": selected}


## Logs errors: `times` equal ones, or with `different` as many that differ; in a thread if asked.
static func _complain(request: Dictionary) -> Dictionary:
	var text: String = str(request.get("text"))
	var times: int = type_convert(request.get("times", 1), TYPE_INT)
	var say: Callable = func() -> void:
		for index: int in times:
			var words: String = text
			if request.get("different") == true:
				words += " %d" % index
			if request.get("warns") == true:
				push_warning(words)
			else:
				push_error(words)
	if request.get("thread") != true:
		say.call()
		return {}
	var thread: Thread = Thread.new()
	if thread.start(say) != OK:
		return {"error": "no thread"}
	thread.wait_to_finish()
	return {}


## Connects two nodes with the flags as given.
static func _connect(request: Dictionary) -> Dictionary:
	var root: Node = EditorInterface.get_edited_scene_root()
	var source: Node = root.get_node_or_null(NodePath(str(request.get("source"))))
	var target: Node = root.get_node_or_null(NodePath(str(request.get("target"))))
	if source == null or target == null:
		return {"error": "no such node"}
	var flags: int = type_convert(request.get("flags", 0), TYPE_INT)
	var method: StringName = StringName(str(request.get("method")))
	var failed: int = source.connect(
		StringName(str(request.get("signal"))), Callable(target, method), flags
	)
	return {} if failed == OK else {"error": "it does not connect"}
