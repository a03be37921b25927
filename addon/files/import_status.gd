extends RefCounted
## What the editor's importer has made of a file, read from the disk: the .import file beside it and
## the files that it names.

const SettingsFile = preload("../settings/settings_file.gd")

const IMPORT: String = ".import"


## The status of a file: importable, imported, valid, up_to_date, importer, reason.
static func of(path: String) -> Dictionary:
	if not FileAccess.file_exists(path + IMPORT):
		return {"importable": false, "imported": false}
	var entries: Dictionary[String, String] = SettingsFile.read(path + IMPORT)
	var importer: String = entries.get("remap/importer", "")
	var out: Dictionary = {"importable": true, "importer": _text(importer)}
	var made: Array[String] = _made(entries)
	var missing: Array[String] = []
	for file: String in made:
		if not FileAccess.file_exists(file):
			missing.append(file)
	out["valid"] = entries.get("remap/valid", "true") != "false"
	# An importer of "keep" or "skip" makes nothing, and that is all right.
	out["imported"] = out["valid"] and missing.is_empty()
	out["imported_files"] = made
	out["up_to_date"] = out["imported"] and _is_current(path, made)
	var reason: String = ""
	if not out["valid"]:
		reason = "import_failed"
	elif not missing.is_empty():
		reason = "not_imported_yet"
	elif not out["up_to_date"]:
		reason = "changed_since_import"
	if not reason.is_empty():
		out["reason"] = reason
	return out


static func _made(entries: Dictionary[String, String]) -> Array[String]:
	var out: Array[String] = []
	var form: RegEx = RegEx.create_from_string("\"(res://[^\"]*)\"")
	for key: String in entries:
		if key == "deps/dest_files" or key == "remap/path" or key.begins_with("remap/path."):
			for found: RegExMatch in form.search_all(entries[key]):
				if not out.has(found.get_string(1)):
					out.append(found.get_string(1))
	return out


# The importer keeps the md5 of the source that it read beside what it made of it.
static func _is_current(path: String, made: Array[String]) -> bool:
	for file: String in made:
		var sums: String = file.get_basename() + ".md5"
		if FileAccess.file_exists(sums):
			var kept: String = SettingsFile.read(sums).get("source_md5", "")
			return _text(kept) == FileAccess.get_md5(path)
	return true


static func _text(written: String) -> String:
	return written.trim_prefix("\"").trim_suffix("\"")
