extends RefCounted
## Node paths in the text of scripts. Nothing rewrites those; the caller is told where they are.

const Change = preload("./change.gd")
const Found = preload("./found.gd")
const Resolve = preload("../resolve.gd")

const REASON: String = "in_script"
const MAX_TEXT: int = 200000
## $A/B and $"A/B"; %A and %"A" where no number can stand before; paths given to calls; ^"A/B".
const FORMS: PackedStringArray = [
	"\\$(?:\"([^\"\\n]+)\"|'([^'\\n]+)'|(%?[\\p{L}_][\\w]*(?:/%?[\\w]+)*))",
	"(?m)(?:^|[\\s(\\[,=:!])(%(?:[\\p{L}_]\\w*|\"[^\"\\n]+\"))",
	"(?:[gG]et_?[nN]ode\\w*|has_node|NodePath)\\s*(?:<[^>\\n]*>)?\\(\\s*[&^]?\"([^\"\\n]+)\"",
	"\\^\"([^\"\\n]+)\"",
]


## One path in a script's text.
class Mention:
	extends RefCounted
	## The path.
	var path: NodePath
	## Its first line.
	var line: int = 0


var _forms: Array[RegEx] = []
var _known: Dictionary[int, Array] = {}


## Tells of the paths in a node's script that the change breaks.
func add(found: Found, change: Change, node: Node) -> void:
	var script: Script = node.get_script()
	if script == null:
		return
	var shown: String = Resolve.path_of(change.root, node)
	while script != null:
		for mention: Mention in _mentions(script):
			if change.breaks(node, mention.path) != null:
				var place: String = "%s:%d" % [script.resource_path, mention.line]
				found.tell_broken(shown, place, mention.path, REASON)
		# A base script speaks of the same node.
		script = script.get_base_script()


func _mentions(script: Script) -> Array:
	var id: int = script.get_instance_id()
	if not _known.has(id):
		_known[id] = _read(_text(script))
	return _known[id]


# As it is in its file: a script inside of a scene has none.
static func _text(script: Script) -> String:
	var path: String = script.resource_path
	return FileAccess.get_file_as_string(path) if FileAccess.file_exists(path) else ""


func _read(text: String) -> Array:
	var out: Array = []
	var seen: Dictionary[String, bool] = {}
	if text.length() > MAX_TEXT:
		return out
	for form: RegEx in _patterns():
		for hit: RegExMatch in form.search_all(text):
			var group: int = _group_of(hit)
			var path: String = hit.get_string(group).replace("\"", "")
			if path.is_empty() or seen.has(path) or _is_comment(text, hit.get_start(group)):
				continue
			seen[path] = true
			var mention: Mention = Mention.new()
			mention.path = NodePath(path)
			mention.line = text.count("\n", 0, hit.get_start(group)) + 1
			out.append(mention)
	return out


func _patterns() -> Array[RegEx]:
	if _forms.is_empty():
		for form: String in FORMS:
			_forms.append(RegEx.create_from_string(form))
	return _forms


static func _group_of(hit: RegExMatch) -> int:
	for group: int in range(1, hit.get_group_count() + 1):
		if not hit.get_string(group).is_empty():
			return group
	return 0


static func _is_comment(text: String, at: int) -> bool:
	var start: int = text.rfind("\n", at) + 1
	return text.substr(start, at - start).strip_edges().begins_with("#")
