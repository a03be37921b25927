extends RefCounted
## Reads about the project as a whole.

const Call = preload("../call.gd")
const FileWalk = preload("../files/file_walk.gd")
const Paging = preload("../paging.gd")
const Result = preload("../result.gd")
const SceneFiles = preload("../scene_files.gd")
const Scenes = preload("../scenes.gd")
const Settings = preload("../settings/settings.gd")
const Slices = preload("../slices.gd")
const TextFilter = preload("../text_filter.gd")

const MAX_NAMES: int = 200
const MAIN_SCENE: String = "application/run/main_scene"
const AUTOLOAD: String = "autoload/"
const INPUT: String = "input/"

var _settings: Settings


func _init(settings: Settings) -> void:
	_settings = settings


## What the project is: name, versions, main scene, autoloads, input actions, features, and whether
## its settings file is what the editor has in memory.
func get_project_info(_the_call: Call) -> Result:
	var actions: Array[String] = _own_actions()
	var main: String = _main_scene()
	var data: Dictionary = {
		"name": str(ProjectSettings.get_setting("application/config/name", "")),
		"description": str(ProjectSettings.get_setting("application/config/description", "")),
		"version": str(ProjectSettings.get_setting("application/config/version", "")),
		"project_path": ProjectSettings.globalize_path("res://").trim_suffix("/"),
		"godot_version": str(Engine.get_version_info()["string"]),
		"features": ProjectSettings.get_setting("application/config/features", []),
		"main_scene": main,
		"main_scene_exists": not main.is_empty() and FileAccess.file_exists(main),
		"autoloads": _autoloads(),
		"input_actions": actions.slice(0, MAX_NAMES),
		"input_action_count": actions.size(),
		"input_source": "project",
	}
	data.merge(_sync())
	return Result.good(data)


## The scene files: path, is_main, is_open, is_active; imported ones (models) are marked.
func list_scenes(the_call: Call) -> Result:
	var walk: FileWalk = FileWalk.new(FileWalk.ROOT)
	var filter: TextFilter = TextFilter.new(the_call.text("filter"))
	var paging: Paging = Paging.new(the_call, 200, 2000)
	return Slices.run(
		func(until: int) -> Result:
			return _scenes(walk.found, filter, paging) if walk.go_on(until) else null
	)


## The main scene's path; empty when there is none.
static func _main_scene() -> String:
	return Scenes.path_of(str(ProjectSettings.get_setting(MAIN_SCENE, "")))


static func _scenes(
	files: PackedStringArray, filter: TextFilter, paging: Paging
) -> Result:
	var paths: Array[String] = _scene_files(files, filter)
	var main: String = _main_scene()
	var open: Array[String] = Scenes.open_ids()
	var rows: Array[Dictionary] = []
	for path: String in paths.slice(paging.offset, paging.offset + paging.limit):
		var row: Dictionary = {
			"path": path,
			"is_main": path == main,
			"is_open": open.has(path),
			"is_active": path == Scenes.edited_id(),
		}
		if not path.get_extension() in SceneFiles.FORMATS:
			row["imported"] = true
		rows.append(row)
	var data: Dictionary = {"scenes": rows, "main_scene": main}
	paging.tell(data, paths.size())
	return Result.good(data)


func _sync() -> Dictionary:
	var changed: Array = Array(_settings.changed_keys())
	var out: Dictionary = {"settings_in_sync": changed.is_empty()}
	if not changed.is_empty():
		out["changed_keys"] = changed.slice(0, MAX_NAMES)
		out["changed_count"] = changed.size()
		out["hint"] = (
			"project.godot was changed outside of the editor: reload the project in the editor"
			+ " to take its values, or save the project settings there to keep the editor's"
		)
	return out


# From the disk: the editor's own list lacks what came since it last looked. Only the importer's
# scenes are known from that list alone.
static func _scene_files(files: PackedStringArray, filter: TextFilter) -> Array[String]:
	var found: Dictionary[String, bool] = {}
	for path: String in files:
		if path.get_extension() in SceneFiles.FORMATS:
			found[path] = true
	for path: String in SceneFiles.all():
		if not found.has(path) and FileAccess.file_exists(path):
			found[path] = true
	var out: Array[String] = []
	for path: String in found:
		if filter.is_empty() or filter.matches(path):
			out.append(path)
	out.sort()
	return out


static func _autoloads() -> Array[Dictionary]:
	var out: Array[Dictionary] = []
	for name: String in _names_below(AUTOLOAD):
		var value: String = str(ProjectSettings.get_setting(name))
		out.append(
			{
				"name": name.trim_prefix(AUTOLOAD),
				"path": Scenes.path_of(value.trim_prefix("*")),
				"singleton": value.begins_with("*"),
			}
		)
	return out


# Those that the engine gives every project (ui_accept) are not the project's.
static func _own_actions() -> Array[String]:
	var out: Array[String] = []
	for name: String in _names_below(INPUT):
		if not Settings.has_default(name):
			out.append(name.trim_prefix(INPUT))
	out.sort()
	return out


static func _names_below(prefix: String) -> Array[String]:
	var out: Array[String] = []
	for info: Dictionary in ProjectSettings.get_property_list():
		var name: String = str(info["name"])
		if name.begins_with(prefix):
			out.append(name)
	out.sort_custom(
		func(a: String, b: String) -> bool:
			return ProjectSettings.get_order(a) < ProjectSettings.get_order(b)
	)
	return out
