extends RefCounted
## Files that are called nearly like one that does not exist, for the details of failures. The look
## ends after a while: a failure must not hold the editor up.

const ProjectFiles = preload("./project_files.gd")
const Suggest = preload("./suggest.gd")

const MAX_SHOWN: int = 5
const MAX_USEC: int = 30_000
## So many are looked at in any case.
const SURE: int = 500


## Such files, at most five; with `ending` only those that have it. Those below `left_out` are left
## out.
static func of(path: String, ending: String = "", left_out: String = "") -> Array[String]:
	var until: int = Time.get_ticks_usec() + MAX_USEC
	var files: ProjectFiles = ProjectFiles.new()
	files.everything = true
	var out: Array[String] = []
	var seen: int = 0
	while not files.is_done():
		for known: String in files.next():
			seen += 1
			if out.size() >= MAX_SHOWN or (seen > SURE and Time.get_ticks_usec() >= until):
				return out
			if not ending.is_empty() and known.get_extension().to_lower() != ending:
				continue
			if not left_out.is_empty() and known.begins_with(left_out):
				continue
			if Suggest.is_near(path.get_file(), known.get_file()):
				out.append(known)
	return out
