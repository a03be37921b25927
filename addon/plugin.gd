@tool
extends EditorPlugin
## Drawbridge in the editor: checks the Godot version, then wires router and link together.
##
## It names no class or script that an older Godot lacks, so that it can say there what it needs
## instead of failing to load: the rest is loaded after the check.

const _OLDEST_GODOT: int = 0x040500
const _TOO_OLD: String = "Drawbridge needs Godot 4.5 or newer; this is %s. The addon stays off."

var _router: RefCounted = null
var _link: Node = null


func _enter_tree() -> void:
	var version: Dictionary = Engine.get_version_info()
	if version["hex"] < _OLDEST_GODOT:
		push_warning(_TOO_OLD % version["string"])
		return
	_router = _make("router.gd")
	_link = _make("link.gd")
	if _router == null or _link == null:
		return
	_router.call(&"setup", get_undo_redo())
	_link.call(&"setup", _router)
	add_child(_link)


func _exit_tree() -> void:
	if _link != null:
		_link.call(&"teardown")
		_link.queue_free()
		_link = null
	if _router != null:
		_router.call(&"teardown")
		_router = null


## Makes an instance of a script beside this one; null, with the engine's own error in the log, when
## it has none.
func _make(file: String) -> Object:
	var own: GDScript = get_script()
	var script: GDScript = load(own.resource_path.get_base_dir().path_join(file))
	if script == null or not script.can_instantiate():
		return null
	return script.new()
