extends RefCounted
## Pages of long lists, as every read gives them: total, returned, truncated, next_offset.

const Call = preload("./call.gd")

## The first row that is wanted.
var offset: int = 0
## How many rows at most.
var limit: int = 1


## The page that a call asks for.
func _init(the_call: Call, normal: int, most: int) -> void:
	offset = maxi(0, the_call.number("offset", 0))
	limit = clampi(the_call.number("limit", normal), 1, most)


## Adds to a reply how the page lies in a list of `total` rows.
func tell(data: Dictionary, total: int) -> void:
	var returned: int = clampi(total - offset, 0, limit)
	data["total"] = total
	data["returned"] = returned
	data["truncated"] = offset + returned < total
	if data["truncated"]:
		data["next_offset"] = offset + returned
