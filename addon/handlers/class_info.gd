extends RefCounted
## Reads about classes, of the engine and of the project.

const Call = preload("../call.gd")
const ClassMembers = preload("../class_members.gd")
const ClassReport = preload("../class_report.gd")
const Paging = preload("../paging.gd")
const Result = preload("../result.gd")
const TextFilter = preload("../text_filter.gd")


## A class and a page of its members: class_name, include_inherited, kind, filter, offset, limit.
func describe_class(the_call: Call) -> Result:
	var known: Result = ClassReport.find(the_call.text("class_name"))
	if not known.ok:
		return known
	var found: ClassReport.Found = known.data["found"]
	var data: Dictionary = ClassReport.head(found)
	var inherited: bool = the_call.flag("include_inherited")
	var all: ClassMembers = ClassReport.members(found, inherited)
	var chosen: Array[ClassMembers.Member] = all.chosen(
		the_call.text("kind", "all"), TextFilter.new(the_call.text("filter"))
	)
	var paging: Paging = Paging.new(the_call, 50, 500)
	for member: ClassMembers.Member in chosen.slice(paging.offset, paging.offset + paging.limit):
		var rows: Array = data.get_or_add(member.kind, [])
		rows.append(ClassMembers.row(member, not inherited))
	paging.tell(data, chosen.size())
	return Result.good(data)
