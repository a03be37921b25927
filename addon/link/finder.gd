@tool
extends RefCounted
## Finds the rendezvous files of daemons and reads what a dial needs from them.
##
## Only files that this user alone can use count, and only addresses on this machine are dialled.

const Protocol = preload("../protocol.gd")

## How often the folders are looked at.
const INTERVAL_MSEC: int = 500

const _FOLDER: String = "drawbridge"
const _DAEMONS: String = "daemons"
const _LOCAL: String = "ws://127.0.0.1:"
# Whatever group and others may do with a file, octal 077.
const _OTHERS: int = 0x3f

var _folders: PackedStringArray = PackedStringArray()


func _init() -> void:
	_add_folder(OS.get_config_dir())
	# A sandboxed editor has another configuration folder than the daemon.
	var home: String = OS.get_environment("HOME")
	if not home.is_empty():
		_add_folder(home.path_join(".config"))


## The rendezvous files of now.
func files() -> PackedStringArray:
	var out: PackedStringArray = PackedStringArray()
	for folder: String in _folders:
		for name: String in _list(folder.path_join(_DAEMONS)):
			if name.get_extension() == "json":
				var _full: bool = out.append(folder.path_join(_DAEMONS).path_join(name))
	return out


## Reads a rendezvous file: {url, boot_id, boot_nonce, secret}; empty when anything about it is
## doubtful.
static func read(file: String) -> Dictionary:
	var parsed: Variant = _parse(_private_text(file))
	if not parsed is Dictionary:
		return {}
	var rendezvous: Dictionary = parsed
	var name: String = str(rendezvous.get("secret_file", ""))
	if name.is_empty() or name != name.get_file() or name.begins_with("."):
		return {}
	var out: Dictionary = {
		"url": str(rendezvous.get("url", "")),
		"boot_id": str(rendezvous.get("boot_id", "")),
		"boot_nonce": str(rendezvous.get("boot_nonce", "")),
		"secret": _private_text(file.get_base_dir().get_base_dir().path_join(name)),
	}
	var url: String = out["url"]
	if not url.begins_with(_LOCAL) or out["boot_nonce"] == "" or out["secret"] == "":
		return {}
	return out


static func _parse(text: String) -> Variant:
	var json: JSON = JSON.new()
	return json.data if json.parse(text) == OK else null


## The text of a file that nobody but its owner may use; empty when that cannot be made sure.
static func _private_text(path: String) -> String:
	if not FileAccess.file_exists(path):
		return ""
	if OS.get_name() != "Windows" and (FileAccess.get_unix_permissions(path) & _OTHERS) != 0:
		return ""
	return FileAccess.get_file_as_string(path)


func _add_folder(config: String) -> void:
	var folder: String = config.path_join(_FOLDER)
	if not _folders.has(folder):
		var _full: bool = _folders.append(folder)


func _list(folder: String) -> PackedStringArray:
	if not DirAccess.dir_exists_absolute(folder):
		return PackedStringArray()
	return DirAccess.get_files_at(folder)
