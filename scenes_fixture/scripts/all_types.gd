extends Node
## One exported property of each type that a scene file can hold.

@export var a_bool: bool = true
@export var an_int: int = 9223372036854775807
@export var a_float: float = 0.1
@export var a_string: String = "text"
@export var a_string_name: StringName = &"name"
@export var a_node_path: NodePath = ^"A/B:position:x"
@export var a_vector2: Vector2 = Vector2(1, 2)
@export var a_vector2i: Vector2i = Vector2i(1, 2)
@export var a_rect2: Rect2 = Rect2(1, 2, 3, 4)
@export var a_rect2i: Rect2i = Rect2i(1, 2, 3, 4)
@export var a_vector3: Vector3 = Vector3(1, 2, 3)
@export var a_vector3i: Vector3i = Vector3i(1, 2, 3)
@export var a_transform2d: Transform2D = Transform2D(Vector2(1, 0), Vector2(0, 1), Vector2(5, 6))
@export var a_vector4: Vector4 = Vector4(1, 2, 3, 4)
@export var a_vector4i: Vector4i = Vector4i(1, 2, 3, 4)
@export var a_plane: Plane = Plane(0, 1, 0, 4)
@export var a_quaternion: Quaternion = Quaternion.IDENTITY
@export var an_aabb: AABB = AABB(Vector3(1, 2, 3), Vector3(4, 5, 6))
@export var a_basis: Basis = Basis.IDENTITY
@export var a_transform3d: Transform3D = Transform3D(Basis.IDENTITY, Vector3(7, 8, 9))
@export var a_projection: Projection = Projection.IDENTITY
@export var a_color: Color = Color(0.25, 0.5, 0.75, 1)
@export var a_dictionary: Dictionary = {"key": 1}
@export var an_array: Array = [1, 2.5, "three"]
@export var some_bytes: PackedByteArray = PackedByteArray([1, 2])
@export var some_int32: PackedInt32Array = PackedInt32Array([1, 2])
@export var some_int64: PackedInt64Array = PackedInt64Array([1, 2])
@export var some_float32: PackedFloat32Array = PackedFloat32Array([1.5, 2.5])
@export var some_float64: PackedFloat64Array = PackedFloat64Array([0.1, 0.2])
@export var some_strings: PackedStringArray = PackedStringArray(["a", "b"])
@export var some_vector2: PackedVector2Array = PackedVector2Array([Vector2(1, 2)])
@export var some_vector3: PackedVector3Array = PackedVector3Array([Vector3(1, 2, 3)])
@export var some_colors: PackedColorArray = PackedColorArray([Color(1, 0, 0, 1)])
@export var some_vector4: PackedVector4Array = PackedVector4Array([Vector4(1, 2, 3, 4)])
@export var a_resource: Resource
@export var anything: Variant = null
