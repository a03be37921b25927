extends RefCounted
## Tells the editor's own windows of settings that were changed without them. They have no public
## way in, so they are found by class, and asked by name for what their own buttons do.

const PLAIN: String = ""
const AUTOLOAD: String = "autoload"
const INPUT: String = "input"

# Who is to be told of a kind, and how.
const _WINDOWS: Dictionary[String, String] = {
	AUTOLOAD: "EditorAutoloadSettings", INPUT: "ProjectSettingsEditor",
}
const _METHODS: Dictionary[String, StringName] = {
	AUTOLOAD: &"update_autoload", INPUT: &"_update_action_map_editor",
}


## Has the editor take in a change of this kind. False when it will only know after a restart.
static func refresh(kind: String) -> bool:
	if not _WINDOWS.has(kind):
		return true
	var editor: Node = EditorInterface.get_base_control().get_parent()
	var method: StringName = _METHODS[kind]
	for window: Node in editor.find_children("*", _WINDOWS[kind], true, false):
		if window.has_method(method):
			var _nothing: Variant = window.call(method)
			return true
	# Actions are read from the settings whenever they are used; only the window's list is old.
	return kind == INPUT
