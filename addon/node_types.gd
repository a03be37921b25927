extends RefCounted
## What can be created as a node: built-in classes and the project's own (class_name), read from
## their descriptions. Nothing is instantiated here.

const Properties = preload("./properties.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const Suggest = preload("./suggest.gd")

const MAX_CHOICES: int = 12

## Properties that Control and Window make up for each theme item: their types by prefix.
const THEME_OVERRIDES: Dictionary[String, Dictionary] = {
	"theme_override_colors/": {"type": TYPE_COLOR, "item": Theme.DATA_TYPE_COLOR},
	"theme_override_constants/": {"type": TYPE_INT, "item": Theme.DATA_TYPE_CONSTANT},
	"theme_override_font_sizes/": {"type": TYPE_INT, "item": Theme.DATA_TYPE_FONT_SIZE},
	"theme_override_fonts/":
	{"type": TYPE_OBJECT, "item": Theme.DATA_TYPE_FONT, "class": "Font"},
	"theme_override_icons/":
	{"type": TYPE_OBJECT, "item": Theme.DATA_TYPE_ICON, "class": "Texture2D"},
	"theme_override_styles/":
	{"type": TYPE_OBJECT, "item": Theme.DATA_TYPE_STYLEBOX, "class": "StyleBox"},
}


## A class that can be made.
class Kind:
	extends RefCounted
	## The name as asked for.
	var name: String = ""
	## The built-in class below it.
	var native: String = ""
	## The script; null for a built-in class.
	var code: Script = null


## The class of that name: data.kind, or a failure with near matches or concrete choices.
static func find(name: String) -> Result:
	if ClassDB.class_exists(name):
		return _native(name)
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		if entry["class"] == name:
			return _project(entry)
	return _refuse(name, "unknown_class", "there is no class %s" % name).with_detail(
		"suggestions", Suggest.near(name, _all_names())
	)


## The properties of a class, from its description. Those that only a living node has (items of a
## list) are missing.
static func listing(kind: Kind, asked: PackedStringArray) -> Properties.Listing:
	var out: Properties.Listing = Properties.Listing.new()
	if asked.is_empty():
		return out
	for info: Dictionary in ClassDB.class_get_property_list(kind.native):
		Properties.add(out, info)
	Properties.OwnHints.add_to(out.info, kind.native)
	if kind.code != null:
		for info: Dictionary in kind.code.get_script_property_list():
			var usage: int = info["usage"]
			if usage & PROPERTY_USAGE_EDITOR != 0 or usage & PROPERTY_USAGE_STORAGE != 0:
				Properties.add(out, info)
	for name: String in asked:
		_add_override(out, kind, name)
	return out


## True when a script cannot be made without arguments.
static func needs_arguments(script: Script) -> bool:
	var at: Script = script
	while at != null:
		for method: Dictionary in at.get_script_method_list():
			if method["name"] == "_init":
				var arguments: Array = method["args"]
				var defaults: Array = method["default_args"]
				return arguments.size() > defaults.size()
		at = at.get_base_script()
	return false


static func _native(name: String) -> Result:
	if not ClassDB.is_parent_class(name, &"Node"):
		return _refuse(name, "not_a_node", "%s is no Node class" % name)
	if is_editor_only(name):
		return _refuse(name, "editor_only_class", "%s exists in the editor only" % name)
	if not ClassDB.can_instantiate(name):
		return _abstract(name, name)
	var kind: Kind = Kind.new()
	kind.name = name
	kind.native = name
	return Result.good({"kind": kind})


static func _project(entry: Dictionary) -> Result:
	var name: String = entry["class"]
	var native: String = native_of(name)
	if native.is_empty() or not ClassDB.is_parent_class(native, &"Node"):
		return _refuse(name, "not_a_node", "%s is no Node class" % name)
	if entry.get("is_abstract", false):
		return _abstract(name, native)
	var path: String = entry["path"]
	var script: Script = load(path) as Script if ResourceLoader.exists(path) else null
	if script == null or script.get_instance_base_type().is_empty():
		return _refuse(name, "script_does_not_load", "%s (%s) does not load" % [name, path])
	if needs_arguments(script):
		return _refuse(name, "init_needs_arguments", "%s cannot be made without arguments" % name)
	var kind: Kind = Kind.new()
	kind.name = name
	kind.native = script.get_instance_base_type()
	kind.code = script
	return Result.good({"kind": kind})


## The built-in class below a project class, by the project's own list: no script is loaded for it.
static func native_of(name: String) -> String:
	var bases: Dictionary[String, String] = {}
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		bases[entry["class"]] = entry["base"]
	var at: String = name
	for step: int in bases.size() + 1:
		if not bases.has(at):
			break
		at = bases[at]
	return at if ClassDB.class_exists(at) else ""


## True when the script cannot be made without arguments.
static func _abstract(name: String, native: String) -> Result:
	var concrete: Array[String] = []
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		if entry["base"] == name and not entry.get("is_abstract", false):
			concrete.append(entry["class"])
	var natives: PackedStringArray = ClassDB.get_inheriters_from_class(native)
	for child: String in natives:
		if name != native:
			break
		if ClassDB.can_instantiate(child) and ClassDB.class_get_api_type(child) == ClassDB.API_CORE:
			concrete.append(child)
	concrete.sort()
	var shown: Array[String] = concrete.slice(0, MAX_CHOICES)
	return _refuse(name, "abstract_class", "%s is abstract" % name).with_detail("concrete", shown)


## True for classes that games do not have.
static func is_editor_only(name: String) -> bool:
	return ClassDB.class_get_api_type(name) in [ClassDB.API_EDITOR, ClassDB.API_EDITOR_EXTENSION]


static func _all_names() -> PackedStringArray:
	var names: PackedStringArray = PackedStringArray()
	for name: String in ClassDB.get_inheriters_from_class(&"Node"):
		if not is_editor_only(name):
			var _full: bool = names.append(name)
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		var name: String = entry["class"]
		var _full: bool = names.append(name)
	return names


static func _add_override(out: Properties.Listing, kind: Kind, name: String) -> void:
	var prefix: String = name.get_slice("/", 0) + "/"
	if not THEME_OVERRIDES.has(prefix) or not _has_theme_item(kind.native, prefix, name):
		return
	var override: Dictionary = THEME_OVERRIDES[prefix]
	var class_hint: String = override.get("class", "")
	Properties.add(
		out,
		{
			"name": StringName(name),
			"class_name": StringName(class_hint),
			"type": override["type"],
			"hint": PROPERTY_HINT_NONE if class_hint.is_empty() else PROPERTY_HINT_RESOURCE_TYPE,
			"hint_string": class_hint,
			"usage": PROPERTY_USAGE_DEFAULT | PROPERTY_USAGE_CHECKABLE,
		}
	)


static func _has_theme_item(native: String, prefix: String, name: String) -> bool:
	var item: int = THEME_OVERRIDES[prefix]["item"]
	var data_type: Theme.DataType = item as Theme.DataType
	var type: String = native
	while not type.is_empty() and type != "Node":
		if ThemeDB.get_default_theme().has_theme_item(data_type, name.trim_prefix(prefix), type):
			return true
		type = ClassDB.get_parent_class(type)
	return false


static func _refuse(name: String, reason: String, message: String) -> Result:
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		message,
		{"parameter": "node_type", "reason": reason, "got": name}
	)
