@tool
extends RefCounted
## What this editor says about itself in the hello.

const Protocol = preload("../protocol.gd")

const _NEIGHBOUR: GDScript = preload("../protocol.gd")


## The hello of this run, in the form of protocol.Hello.
static func hello(editor: String, commands: PackedStringArray) -> Dictionary:
	var version: Dictionary = Engine.get_version_info()
	return {
		"protocol": Protocol.VERSION,
		"addon_version": Protocol.PRODUCT_VERSION,
		"addon_hash": addon_hash(folder()),
		"godot_version": version["string"],
		"project_path": ProjectSettings.globalize_path("res://").trim_suffix("/"),
		"project_name": str(ProjectSettings.get_setting("application/config/name", "")),
		"editor": editor,
		"pid": OS.get_process_id(),
		"addon_path": folder(),
		"commands": Array(commands),
		"headless": DisplayServer.get_name() == "headless",
		"scene": "",
	}


## The addon's own folder, as a res:// path.
static func folder() -> String:
	return _NEIGHBOUR.resource_path.get_base_dir()


## The hash over the addon's files, as HashOf in embed.go makes it.
static func addon_hash(root: String) -> String:
	var names: PackedStringArray = PackedStringArray()
	_collect(root, "", names)
	names.sort()
	var sum: HashingContext = HashingContext.new()
	var started: Error = sum.start(HashingContext.HASH_SHA256)
	for name: String in names:
		started = _update(sum, name.to_utf8_buffer()) if started == OK else started
		started = _update(sum, FileAccess.get_file_as_bytes(root.path_join(name)))
	return sum.finish().hex_encode() if started == OK else ""


## Adds bytes and a NUL. HashingContext takes no empty update.
static func _update(sum: HashingContext, bytes: PackedByteArray) -> Error:
	var _full: bool = bytes.append(0)
	return sum.update(bytes)


static func _collect(root: String, below: String, names: PackedStringArray) -> void:
	var dir: DirAccess = DirAccess.open(root.path_join(below))
	if dir == null:
		return
	for file: String in dir.get_files():
		if file.get_extension() == "gd" or below.path_join(file) == "plugin.cfg":
			var _full: bool = names.append(below.path_join(file))
	for sub: String in dir.get_directories():
		_collect(root, below.path_join(sub), names)
