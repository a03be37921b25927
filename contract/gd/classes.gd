extends SceneTree
## Prints every class of this engine as a fresh process sees it: its base, whether it can be made,
## and the names of the members that it declares itself, by kind.


func _init() -> void:
	var classes: Dictionary[String, Dictionary] = {}
	for type: String in ClassDB.get_class_list():
		classes[type] = _of(type)
	print(JSON.stringify({"classes": classes}))
	quit()


func _of(type: String) -> Dictionary:
	return {
		"base": str(ClassDB.get_parent_class(type)),
		"can": ClassDB.can_instantiate(type),
		"core": ClassDB.class_get_api_type(type) == ClassDB.API_CORE,
		"properties": _properties(type),
		"methods": _names(ClassDB.class_get_method_list(type, true)),
		"signals": _names(ClassDB.class_get_signal_list(type, true)),
		"enums": Array(ClassDB.class_get_enum_list(type, true)),
		"constants": _constants(type),
	}


func _properties(type: String) -> Array[String]:
	var names: Array[String] = []
	for info: Dictionary in ClassDB.class_get_property_list(type, true):
		var usage: int = info["usage"]
		if usage & (PROPERTY_USAGE_GROUP | PROPERTY_USAGE_SUBGROUP | PROPERTY_USAGE_CATEGORY) == 0:
			if usage & PROPERTY_USAGE_INTERNAL == 0:
				names.append(str(info["name"]))
	return names


func _names(list: Array[Dictionary]) -> Array[String]:
	var names: Array[String] = []
	for info: Dictionary in list:
		names.append(str(info["name"]))
	return names


func _constants(type: String) -> Array[String]:
	var names: Array[String] = []
	for name: String in ClassDB.class_get_integer_constant_list(type, true):
		if ClassDB.class_get_integer_constant_enum(type, name, true).is_empty():
			names.append(name)
	return names
