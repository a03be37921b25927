extends RefCounted
## Files of the project and what refers to them: looked up, copied, moved with all references, taken
## away.

const Buffers = preload("../buffers.gd")
const Call = preload("../call.gd")
const FileCopies = preload("../resource_copies.gd")
const FileMoves = preload("../resource_moves.gd")
const FileWrites = preload("../file_writes.gd")
const Plan = preload("../plan.gd")
const Protocol = preload("../protocol.gd")
const ResourceNeeds = preload("../resource_needs.gd")
const ResourceRefs = preload("../resource_refs.gd")
const ResourceTarget = preload("../resource_target.gd")
const Result = preload("../result.gd")
const SaveFiles = preload("../save_files.gd")
const Scenes = preload("../scenes.gd")
const Slices = preload("../slices.gd")

const MAX_SHOWN: int = 50

var _moves: FileMoves
var _copies: FileCopies


func _init(save_files: SaveFiles, scenes: Scenes) -> void:
	_moves = FileMoves.new(save_files, scenes)
	_copies = FileCopies.new(save_files, scenes)


## What a file needs: path, offset, limit.
func get_dependencies(the_call: Call) -> Result:
	var path: String = Scenes.path_of(the_call.text("path"))
	var wrong: Result = ResourceTarget.missing(path, "path")
	if wrong != null:
		return wrong
	var needs: ResourceNeeds = ResourceNeeds.new(path)
	return Slices.run(
		func(until: int) -> Result:
			if not needs.go_on(until):
				return null
			return Result.good(_page(the_call, {"path": path}, "dependencies", needs.rows))
	)


## Where a file is referred to: path, offset, limit.
func find_references(the_call: Call) -> Result:
	var path: String = Scenes.path_of(the_call.text("path"))
	var wrong: Result = ResourceTarget.missing(path, "path")
	if wrong != null:
		return wrong
	var refs: ResourceRefs = ResourceRefs.to(path)
	return Slices.run(
		func(until: int) -> Result:
			return _references(the_call, refs) if refs.go_on(until, true) else null
	)


## Plans a file's move, with its side files and all references: path, new_path.
func move_file(the_call: Call) -> Result:
	return _moves.plan(
		Scenes.path_of(the_call.text("path")), Scenes.path_of(the_call.text("new_path"))
	)


## Plans a copy of a file with a uid of its own: path, new_path.
func duplicate_file(the_call: Call) -> Result:
	return _copies.plan(
		Scenes.path_of(the_call.text("path")), Scenes.path_of(the_call.text("new_path"))
	)


## Plans a file's removal, with its side files: path, force.
func delete_resource_file(the_call: Call) -> Result:
	var path: String = Scenes.path_of(the_call.text("path"))
	var wrong: Result = _not_deletable(path)
	if wrong != null:
		return wrong
	var found: ResourceRefs = ResourceRefs.to(path)
	return Slices.run(
		func(until: int) -> Result:
			return _deletion(the_call, found) if found.go_on(until, true) else null
	)


static func _references(the_call: Call, refs: ResourceRefs) -> Result:
	var data: Dictionary = {"path": refs.path}
	if not refs.uid.is_empty():
		data["uid"] = refs.uid
	return Result.good(_page(the_call, data, "references", _shown(refs)))


static func _shown(refs: ResourceRefs) -> Array[Dictionary]:
	var rows: Array[Dictionary] = []
	for ref: ResourceRefs.Ref in refs.found:
		rows.append(ref.shown())
	return rows


static func _not_deletable(path: String) -> Result:
	var wrong: Result = ResourceTarget.missing(path, "path")
	if wrong == null:
		wrong = FileMoves.side_file(path, "path")
	return _in_use(path) if wrong == null else wrong


# The references took some frames to find; whatever else counts is as it is now.
static func _deletion(the_call: Call, found: ResourceRefs) -> Result:
	var path: String = found.path
	var wrong: Result = _not_deletable(path)
	if wrong != null:
		return wrong
	var refs: Array[Dictionary] = _shown(found)
	if not refs.is_empty() and not the_call.flag("force"):
		return (
			Result.fail(
				Protocol.CODE_PRECONDITION_FAILED,
				"%s is referred to %d times" % [path, refs.size()],
				{"path": path, "references": refs.slice(0, MAX_SHOWN), "total": refs.size()}
			)
			.needs("force")
			.with_hint("mend the references in details first, or pass force:true to break them")
		)
	var removals: Array[Dictionary] = [FileWrites.removal(path)]
	for side: String in FileMoves.sides_of(path):
		removals.append(FileWrites.removal(side))
	var plan: Plan = FileWrites.plan(removals, "delete_file")
	var data: Dictionary = {"path": path, "removed": Array(plan.targets)}
	if not refs.is_empty():
		data["broken_refs"] = refs.slice(0, MAX_SHOWN)
		data["broken_refs_total"] = refs.size()
	return Result.planned(plan, data)


static func _in_use(path: String) -> Result:
	if Scenes.find(path) != null:
		return FileMoves.needs(
			"scene_not_open", "%s is open" % path, "close_scene it first", path
		)
	for buffer: Buffers.Buffer in Buffers.new().open():
		if buffer.path.get_slice("::", 0) == path:
			return FileMoves.needs(
				"script_not_open",
				"%s is open in the script editor" % path,
				"have its tab closed in the script editor first",
				path
			)
	return null


static func _page(
	the_call: Call, data: Dictionary, key: String, rows: Array[Dictionary]
) -> Dictionary:
	var offset: int = the_call.number("offset", 0)
	var page: Array[Dictionary] = rows.slice(offset, offset + the_call.number("limit", 200))
	data[key] = page
	data["total"] = rows.size()
	data["returned"] = page.size()
	var truncated: bool = offset + page.size() < rows.size()
	data["truncated"] = truncated
	if truncated:
		data["next_offset"] = offset + page.size()
	return data
