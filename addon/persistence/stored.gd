extends RefCounted
## Whether the scene file shows a change of a property: because it is stored itself, or because its
## setter changes stored ones.
##
## Measured on 4.6.3, not written from memory: contract/gd/stored_sweep.gd sets every property that
## is not stored, of every node class that can be made, and looks which stored ones change. The same
## sweep is a test, so another engine that differs fails it.

const Properties = preload("../properties.gd")

## How much of a change is kept.
enum Kept { NONE, PARTS, ALL }

## By class, the stored properties that a property's setter changes. Of several that always go
## together (a Control's offsets) one stands for all. A class's own entry hides its parents'.
const THROUGH: Dictionary[StringName, Dictionary] = {
	&"Node2D":
	{
		&"global_position": [&"position"],
		&"global_rotation": [&"rotation"],
		&"global_rotation_degrees": [&"rotation"],
		&"global_scale": [&"scale"],
		&"global_skew": [&"skew"],
		&"global_transform": [&"position", &"rotation", &"scale", &"skew"],
		&"rotation_degrees": [&"rotation"],
		&"transform": [&"position", &"rotation", &"scale", &"skew"],
	},
	&"Node3D":
	{
		&"basis": [&"transform"],
		&"global_basis": [&"transform"],
		&"global_position": [&"transform"],
		&"global_rotation": [&"transform"],
		&"global_rotation_degrees": [&"transform"],
		&"global_transform": [&"transform"],
		&"position": [&"transform"],
		&"quaternion": [&"transform"],
		&"rotation": [&"transform"],
		&"rotation_degrees": [&"transform"],
		&"scale": [&"transform"],
	},
	&"Control":
	{
		&"auto_translate": [&"auto_translate_mode"],
		&"global_position": [&"offset_left"],
		&"position": [&"offset_left"],
		&"rotation_degrees": [&"rotation"],
		&"size": [&"offset_right"],
	},
	&"Window": {&"auto_translate": [&"auto_translate_mode"]},
	&"Range": {&"ratio": [&"value"]},
	&"Sprite2D": {&"frame_coords": [&"frame"]},
	&"Sprite3D": {&"frame_coords": [&"frame"]},
	&"PathFollow2D": {&"progress_ratio": [&"progress"]},
	&"PathFollow3D": {&"progress_ratio": [&"progress"]},
	# One value with two names, of which each kind of light lists one.
	&"DirectionalLight3D": {&"light_size": [&"light_angular_distance"]},
	&"OmniLight3D": {&"light_angular_distance": [&"light_size"]},
	&"SpotLight3D": {&"light_angular_distance": [&"light_size"]},
	&"GeometryInstance3D": {&"gi_lightmap_scale": [&"gi_lightmap_texel_scale"]},
	&"SkeletonIK3D": {&"interpolation": [&"influence"]},
	&"SpringBoneCollisionCapsule3D": {&"mid_height": [&"height"]},
	&"AudioStreamPlayer": {&"volume_linear": [&"volume_db"]},
	&"AudioStreamPlayer2D": {&"volume_linear": [&"volume_db"]},
	&"AudioStreamPlayer3D": {&"volume_linear": [&"volume_db"]},
	&"VideoStreamPlayer": {&"volume": [&"volume_db"]},
	&"MultiplayerSpawner": {&"_spawnable_scene_count": [&"_spawnable_scenes"]},
}

## By class, properties (* is any text) that the engine lists as stored only while they differ from
## their default: setting them is what makes them stored.
const ONCE_SET: Dictionary[StringName, Array] = {
	&"CollisionShape2D": ["debug_color"],
	&"CollisionShape3D": ["debug_color"],
	&"CollisionPolygon3D": ["debug_color"],
	&"ItemList": ["item_*/*"],
	&"PopupMenu": ["item_*/*"],
	&"OptionButton": ["popup/item_*/*"],
	&"MenuButton": ["popup/item_*/*"],
	&"TabBar": ["tab_*/*"],
	&"FileDialog": ["option_*/*"],
	&"TileMap": ["layer_*/*"],
}


## How much of a change of this property a save keeps, as the node is now.
static func of(node: Node, listing: Properties.Listing, property: StringName) -> Kept:
	return of_class(node.get_class(), listing, property)


## The same for a node that is not there, of which the built-in class and the list are known.
static func of_class(type: StringName, listing: Properties.Listing, property: StringName) -> Kept:
	if _is_stored(listing, property) or _is_stored_once_set(type, property):
		return Kept.ALL
	var all: Array = through_class(type, property)
	var kept: int = _count(listing, all)
	if kept == 0:
		return Kept.NONE
	return Kept.ALL if kept == all.size() else Kept.PARTS


## The stored properties that this one sets, for the node's class; empty when there is none.
static func through(node: Node, property: StringName) -> Array:
	return through_class(node.get_class(), property)


## The same by the name of a built-in class.
static func through_class(native: StringName, property: StringName) -> Array:
	var type: StringName = native
	while not type.is_empty():
		if THROUGH.has(type) and THROUGH[type].has(property):
			return THROUGH[type][property]
		type = ClassDB.get_parent_class(type)
	return []


## Whether the class stores the property in some other state of the node.
static func may_be(node: Node, property: StringName) -> bool:
	for info: Dictionary in ClassDB.class_get_property_list(node.get_class()):
		var usage: int = info["usage"]
		if info["name"] == property and usage & PROPERTY_USAGE_STORAGE != 0:
			return true
	return false


static func _count(listing: Properties.Listing, all: Array) -> int:
	var count: int = 0
	for property: StringName in all:
		count += 1 if _is_stored(listing, property) else 0
	return count


# Overrides (theme, shader) are stored as soon as they are set: the list marks them checkable.
static func _is_stored(listing: Properties.Listing, property: StringName) -> bool:
	if Properties.is_metadata(property):
		return true
	var info: Dictionary = listing.info.get(property, {})
	var usage: int = info.get("usage", 0)
	return usage & (PROPERTY_USAGE_STORAGE | PROPERTY_USAGE_CHECKABLE) != 0


static func _is_stored_once_set(native: StringName, property: StringName) -> bool:
	for type: StringName in ONCE_SET:
		if ClassDB.is_parent_class(native, type):
			for pattern: String in ONCE_SET[type]:
				if str(property).match(pattern):
					return true
	return false
