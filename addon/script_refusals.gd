extends RefCounted
## Why a script cannot be read or written. Each gives the failure, or null when there is none.

const NearFiles = preload("./near_files.gd")
const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")
const ScriptPage = preload("./script_page.gd")
const ScriptText = preload("./script_text.gd")
const ScriptUnread = preload("./script_unread.gd")

## How many files that the editor has not read are named.
const MAX_SHOWN: int = 20


## The failure of a path at which no script can be.
static func bad_path(path: String) -> Result:
	if path.get_extension().to_lower() != ScriptPage.ENDING:
		return Result.fail(
			Protocol.CODE_VALIDATION_ERROR,
			"%s is no GDScript file" % path,
			{"script_path": path, "reason": "not_gdscript"}
		).with_hint("the scripts tools take .gd files only")
	if DirAccess.dir_exists_absolute(path):
		return Result.fail(
			Protocol.CODE_VALIDATION_ERROR,
			"%s is a folder" % path,
			{"script_path": path, "reason": "is_a_folder"}
		)
	return null


## The failure of a script that is not there.
static func cannot_read(path: String) -> Result:
	var wrong: Result = bad_path(path)
	if wrong != null or FileAccess.file_exists(path):
		return wrong
	return missing(path)


## No script is there; says which are nearly called so.
static func missing(path: String) -> Result:
	var near: Array[String] = NearFiles.of(path, ScriptPage.ENDING, ScriptPage.own_folder())
	return Result.fail(
		Protocol.CODE_RESOURCE_NOT_FOUND,
		"no script at %s" % path,
		{"script_path": path, "near": near}
	).with_hint("scripts_list shows the scripts there are, scripts_create makes one")


## The failure of a text that is too long, or not UTF-8.
static func cannot_hold(script: ScriptText, path: String) -> Result:
	if script.is_too_long:
		return Result.fail(
			Protocol.CODE_VALIDATION_ERROR,
			"%s is longer than %d bytes" % [path, ScriptText.MAX_BYTES],
			{"script_path": path, "reason": "too_long", "max_bytes": ScriptText.MAX_BYTES}
		).with_hint("share the script out among several files")
	if script.is_whole:
		return null
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"%s is not UTF-8 text" % path,
		{"script_path": path, "reason": "not_utf8"}
	).with_hint("scripts_write with overwrite:true replaces it as a whole")


## The file is not the one that the caller has read.
static func other_hash(script: ScriptText, path: String, expected: String) -> Result:
	if expected.is_empty() or expected.to_lower() == script.sha256:
		return null
	return Result.fail(
		Protocol.CODE_DISK_CHANGED,
		"%s is another text than the expected one; nothing was written" % path,
		{"files": [path], "expected_sha256": expected, "disk_sha256": script.sha256}
	).with_hint("read it again with scripts_read")


## A file is there, and the caller has not said that it may go.
static func exists(path: String) -> Result:
	return (
		Result.fail(Protocol.CODE_ALREADY_EXISTS, "%s is there already" % path, {"path": path})
		.needs("overwrite")
		.with_hint("change it with scripts_patch, or pass overwrite:true to replace it")
	)


## A file is there, and the caller has not shown to know it.
static func needs_hash(path: String) -> Result:
	return (
		Result.fail(
			Protocol.CODE_PRECONDITION_FAILED,
			"%s exists: its text would be lost" % path,
			{"script_path": path}
		)
		.needs("expected_sha256")
		.with_hint("pass the sha256 that scripts_read gives, or overwrite:true")
	)


## The text is not there, or it is not clear which one is meant.
static func no_single_match(path: String, matches: int) -> Result:
	var failure: Result = Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"the text stands in %s %d times" % [path, matches],
		{"script_path": path, "match_count": matches}
	)
	if matches == 0:
		return failure.with_hint("read the script with scripts_read; every space and tab counts")
	return failure.with_hint("give more of the lines around it, or pass all:true")


## The editor holds text that is nowhere else.
static func unsaved(path: String) -> Result:
	return (
		Result.fail(
			Protocol.CODE_PRECONDITION_FAILED,
			"the script editor has unsaved text in %s" % path,
			{"script_path": path}
		)
		.needs("script_buffer_clean")
		.with_hint("have it saved in the editor, or pass discard_unsaved:true to lose that text")
	)


## The text does not parse.
static func does_not_parse(path: String, checked: Dictionary) -> Result:
	var details: Dictionary = {"script_path": path, "reason": "script_does_not_parse"}
	details.merge(checked)
	return Result.fail(
		Protocol.CODE_VALIDATION_ERROR,
		"the text does not parse; nothing was written",
		details
	).with_hint("mend what details.diagnostics says, or pass allow_errors:true to write it anyway")


## The failure of a text that only seems not to parse: the editor has not read all files yet, so its
## errors may be none. `checked` is what script_check.gd says of the text.
static func cannot_judge(checked: Dictionary, path: String) -> Result:
	if checked["parse_ok"]:
		return null
	if is_scanning():
		return not_imported([], "call again in a moment")
	var diagnostics: Array = checked["diagnostics"]
	var unread: PackedStringArray = ScriptUnread.blamed(diagnostics, path)
	if unread.is_empty():
		return null
	return not_imported(
		Array(unread).slice(0, MAX_SHOWN), "rescan_filesystem reads them; then call again"
	)


## The editor does not know all classes and files yet; `files` are some that it has not read.
static func not_imported(files: Array, hint: String) -> Result:
	var details: Dictionary = {"rescan_pending": true}
	if not files.is_empty():
		details["unread_files"] = files
	return (
		Result.fail(
			Protocol.CODE_PRECONDITION_FAILED,
			"the editor has not read the whole project yet: the text cannot be judged",
			details
		)
		.needs("project_imported")
		.with_hint(hint)
	)


## True while the editor reads the project's files.
static func is_scanning() -> bool:
	return EditorInterface.get_resource_filesystem().is_scanning()
