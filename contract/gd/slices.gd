extends SceneTree
## Cuts the addon's long reads into slices of every length and checks that the pieces are the whole:
## each node, file, match and reference once, in order, whatever the length. Prints one line of
## JSON: counts and failures.
##
## Run in a project that has the addon at res://addons/drawbridge:
## godot --headless --path PROJECT -s res://gd/slices.gd. Exits 0 when everything holds. No clock
## decides: a slice without time does the least that it may, one with time ends by its count.

const FileNames = preload("res://addons/drawbridge/files/file_names.gd")
const FileRows = preload("res://addons/drawbridge/files/file_rows.gd")
const FileSearch = preload("res://addons/drawbridge/files/file_search.gd")
const FileWalk = preload("res://addons/drawbridge/files/file_walk.gd")
const ProjectFiles = preload("res://addons/drawbridge/project_files.gd")
const ResourceRefs = preload("res://addons/drawbridge/resource_refs.gd")
const Slices = preload("res://addons/drawbridge/slices.gd")
const TextPieces = preload("res://addons/drawbridge/files/text_pieces.gd")
const TextFilter = preload("res://addons/drawbridge/text_filter.gd")
const TreeRows = preload("res://addons/drawbridge/tree_rows.gd")

const NO_TIME: int = 0
const FOR_EVER: int = 1 << 60
## No slice of a visit or a file at a time takes more steps than this.
const MAX_STEPS: int = 1_000_000
const FLAT: int = 30_000
const DEEP: int = 700
const FOLDER: String = "res://sliced"
# This file is one of the project's, and refers to nothing.
const TARGET: String = FOLDER + "/a/target.tres"

var _checks: int = 0
var _failures: PackedStringArray = []
var _steps: int = 0


# The first frame: before it nothing is inside the tree.
func _process(_delta: float) -> bool:
	_trees()
	_restless()
	_long_texts()
	_make_files()
	_walks()
	_searches()
	_references()
	var report: Dictionary = {
		"ok": _failures.is_empty(), "checks": _checks, "failures": _failures.slice(0, 20)
	}
	print(JSON.stringify(report))
	quit(0 if report["ok"] else 1)
	return true


func _expect(held: bool, message: String) -> void:
	_checks += 1
	if not held:
		var _full: bool = _failures.append(message)


# Goes on until it is over, and counts the slices.
func _through(go_on: Callable, until: int) -> void:
	_steps = 1
	while go_on.call(until) != true and _steps < MAX_STEPS:
		_steps += 1


static func _tree() -> Node:
	var top: Node = Node.new()
	top.name = "Top"
	for index: int in FLAT:
		var child: Node = Node.new()
		child.name = "N%d" % index
		top.add_child(child)
		if index % 10_000 == 7:
			for depth: int in DEEP:
				var below: Node = Node2D.new()
				below.name = "D"
				child.add_child(below)
				child = below
	return top


# The same by another way: no levels, the engine's own paths.
static func _plain_walk(top: Node, node: Node, out: PackedStringArray) -> void:
	var _full: bool = out.append("." if node == top else str(top.get_path_to(node)))
	for child: Node in node.get_children():
		_plain_walk(top, child, out)


func _trees() -> void:
	var top: Node = _tree()
	var whole: PackedStringArray = PackedStringArray()
	_plain_walk(top, top, whole)
	_expect(_paged(top, 5000, FOR_EVER, "") == whole, "all pages are the tree")
	_expect(_steps == ceili(1.0 * whole.size() / Slices.NODES), "%d slices by count" % _steps)
	var few: PackedStringArray = PackedStringArray()
	for path: String in whole:
		if path.get_file().contains("77"):
			var _full: bool = few.append(path)
	_expect(_paged(top, 100, FOR_EVER, "*7*7*").size() > few.size(), "a pattern finds more")
	_expect(_paged(top, 100, NO_TIME, "77") == few, "all pages of a filter, without time")
	_expect(_steps * 200 > whole.size(), "slices without time are short")
	_expect(_steps < whole.size(), "and get further")
	var below: TreeRows = _rows(0, 5000, "")
	below.max_depth = 2
	below.begin(top, top.get_child(7), "N7")
	_through(below.go_on, NO_TIME)
	_expect(below.total == 3 and str(below.rows[2][0]) == "N7/D/D", "a depth: %s" % [below.rows])
	top.free()


static func _rows(offset: int, limit: int, name_filter: String) -> TreeRows:
	var rows: TreeRows = TreeRows.new()
	rows.offset = offset
	rows.limit = limit
	rows.name_filter = TextFilter.new(name_filter)
	return rows


func _paged(top: Node, limit: int, until: int, name_filter: String) -> PackedStringArray:
	var out: PackedStringArray = PackedStringArray()
	var offset: int = 0
	while true:
		var rows: TreeRows = _rows(offset, limit, name_filter)
		rows.begin(top, top, ".")
		_through(rows.go_on, until)
		for row: Array in rows.rows:
			var _full: bool = out.append(str(row[0]))
		var page: Dictionary = rows.page()
		if not page["truncated"]:
			return out
		offset = page["next_offset"]
	return out


# A node moves from the end to the beginning and back between all slices: a page shows one state.
func _restless() -> void:
	var top: Node = _tree()
	root.add_child(top)
	var mover: Node = Node.new()
	mover.name = "Mover"
	top.add_child(mover)
	for end: bool in [true, false]:
		var rows: TreeRows = _rows(0, 1, "Mover")
		rows.begin(top, top, ".")
		_steps = 1
		while not rows.go_on(NO_TIME) and _steps < MAX_STEPS:
			top.move_child(mover, -1 if (_steps % 2 == 0) == end else 0)
			_steps += 1
		_expect(rows.total == 1 and rows.rows.size() == 1, "the mover is %d times" % rows.total)
		# The first move may lead to where the node is.
		_expect(_steps <= TreeRows.MAX_RESTARTS + 3, "read in one go in the end: %d" % _steps)
	var gone: TreeRows = _rows(0, 1, "")
	gone.begin(top, top, ".")
	_expect(not gone.go_on(NO_TIME) and gone.is_there(), "half read")
	top.free()
	_expect(not gone.is_there(), "a scene that is closed is told of")


func _make_files() -> void:
	for folder: String in ["a", "b/deep", "b", "c"]:
		var _made: Error = DirAccess.make_dir_recursive_absolute(FOLDER.path_join(folder))
		for index: int in 700:
			var text: String = "pin %d\nno\nneedle\nPIN\n" % index
			if index % 100 == 0:
				text += "x = \"%s\"\n" % TARGET
			_write("%s/%s/f%03d.cfg" % [FOLDER, folder, index], text)
	_write(TARGET, "[gd_resource type=\"Gradient\" format=3]\n\n[resource]\n")
	_write(FOLDER + "/many.txt", "pin\n".repeat(3000))


func _write(path: String, text: String) -> void:
	var file: FileAccess = FileAccess.open(path, FileAccess.WRITE)
	_expect(file.store_string(text), "%s cannot be written" % path)


static func _plain_list(folder: String, folders: bool, out: PackedStringArray) -> void:
	for name: String in DirAccess.get_directories_at(folder):
		if folders:
			var _full: bool = out.append(folder.path_join(name) + "/")
		_plain_list(folder.path_join(name), folders, out)
	for name: String in DirAccess.get_files_at(folder):
		var _full: bool = out.append(folder.path_join(name))


func _walks() -> void:
	for folders: bool in [false, true]:
		var whole: PackedStringArray = PackedStringArray()
		_plain_list(FOLDER, folders, whole)
		for until: int in [NO_TIME, FOR_EVER]:
			var walk: FileWalk = FileWalk.new(FOLDER)
			if folders:
				walk.with_folders(-1)
			_through(walk.go_on, until)
			_expect(walk.found == whole, "a walk finds all, in order: %d" % walk.found.size())
		_expect(_steps * (Slices.FILES + 700) >= whole.size(), "%d slices by count" % _steps)
	var shallow: FileWalk = FileWalk.new(FOLDER)
	shallow.with_folders(0)
	_through(shallow.go_on, FOR_EVER)
	_expect(shallow.found.size() == 4, "a depth: %s" % shallow.found)


func _found(content: String, minds_case: bool, offset: int, limit: int, until: int) -> FileSearch:
	var names: FileNames = FileNames.new(FOLDER, TextFilter.new(""), "")
	_through(names.go_on, until)
	var search: FileSearch = FileSearch.new(offset, limit)
	search.set_content(content, minds_case)
	search.most_usec = FOR_EVER
	_through(search.go_on.bind(names.paths), until)
	return search


func _searches() -> void:
	for minds_case: bool in [true, false]:
		var per_file: int = 1 if minds_case else 2
		var total: int = 4 * 700 * per_file + 3000
		var whole: FileSearch = _found("pin", minds_case, 0, 100_000, FOR_EVER)
		_expect(whole.total == total, "%d matches" % whole.total)
		_expect(_steps == 2 and Slices.FILES < 2802, "%d slices by count" % _steps)
		var paged: Array[Array] = []
		while paged.size() < total:
			var page: FileSearch = _found("pin", minds_case, paged.size(), 1900, NO_TIME)
			_expect(page.total == total and page.resume_at.is_empty(), "a page knows the total")
			if page.rows.is_empty():
				break
			paged.append_array(page.rows)
		_expect(paged.size() == total, "all pages together: %d" % paged.size())
		var page_of_whole: Array[Array] = whole.rows
		_expect(paged.slice(0, page_of_whole.size()) == page_of_whole, "no row differs")
	# A search whose time is over goes on at the file that it names.
	var rest: FileSearch = _cut_short()
	_expect(rest.total == 4 * 700 + 3000 - 1, "the rest has %d matches" % rest.total)


func _cut_short() -> FileSearch:
	var names: FileNames = FileNames.new(FOLDER, TextFilter.new(""), "")
	_through(names.go_on, FOR_EVER)
	var first: FileSearch = FileSearch.new(0, 10)
	first.set_content("pin", true)
	first.most_usec = 0
	_through(first.go_on.bind(names.paths), NO_TIME)
	_expect(_steps == 1 and first.total == 1, "one file at least: %d" % first.total)
	names = FileNames.new(FOLDER, TextFilter.new(""), first.resume_at)
	_through(names.go_on, NO_TIME)
	var rest: FileSearch = FileSearch.new(0, 10)
	rest.set_content("pin", true)
	rest.most_usec = FOR_EVER
	_through(rest.go_on.bind(names.paths), FOR_EVER)
	return rest


func _references() -> void:
	var expected: int = 4 * 7
	for until: int in [NO_TIME, FOR_EVER]:
		var refs: ResourceRefs = ResourceRefs.to(TARGET)
		_through(refs.go_on.bind(true), until)
		_expect(refs.found.size() == expected, "%d references" % refs.found.size())
		var files: Dictionary[String, bool] = {}
		for ref: ResourceRefs.Ref in refs.found:
			files[ref.file] = true
			_expect(ref.line == 5, "line %d" % ref.line)
		_expect(files.size() == expected, "each once")
	_expect(_steps >= 2, "%d slices by count" % _steps)
	var all: ProjectFiles = ProjectFiles.new()
	_through(all.go_on, FOR_EVER)
	_expect(all.found == ProjectFiles.all(), "the project's files")


# References at every place around where the pieces of a long text are cut, in characters of one to
# four bytes.
func _long_texts() -> void:
	var folder: String = FOLDER + "/long"
	var _made: Error = DirAccess.make_dir_recursive_absolute(folder)
	for filling: String in ["x", "ä", "日", "😀"]:
		var size: int = filling.to_utf8_buffer().size()
		for shift: int in [0, 1, 2, 3, 40, 80, TextPieces.OVERLAP, TextPieces.OVERLAP + 60]:
			var before: int = floori(1.0 * (TextPieces.BYTES - shift) / size)
			var text: String = "c=\"%s\"\n" % filling.repeat(before - 5)
			text += "d=\"%s\"\ne=\"%s::1\"\n" % [TARGET, TARGET]
			text += "f=\"%s\"\ng=\"%s\"\n" % [filling.repeat(TextPieces.BYTES), TARGET]
			_write(folder + "/long.cfg", text)
			_expect(_lines_in(folder + "/long.cfg") == [2, 3, 5], "%s %d" % [filling, shift])
	var _gone: Error = DirAccess.remove_absolute(folder + "/long.cfg")
	_gone = DirAccess.remove_absolute(folder)


static func _lines_in(file: String) -> Array[int]:
	var refs: ResourceRefs = ResourceRefs.to(TARGET)
	while not refs.go_on(NO_TIME, true):
		pass
	var lines: Array[int] = []
	for ref: ResourceRefs.Ref in refs.found:
		if ref.file == file:
			lines.append(ref.line)
	return lines
