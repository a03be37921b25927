extends RefCounted
## Whether an answer fits a frame of the link, told before it is made into JSON: that takes long for
## one that does not.

const Protocol = preload("./protocol.gd")
const Result = preload("./result.gd")

## The least that the answer's values take, in bytes.
var bytes: int = 0


## Counts a value in the form in which it is sent.
func add(value: Variant) -> void:
	if value is String:
		bytes += str(value).length()
	elif value is Array:
		var list: Array = value
		bytes += list.size()
		for element: Variant in list:
			if element is String or element is Array or element is Dictionary:
				add(element)
	elif value is Dictionary:
		var map: Dictionary = value
		for key: Variant in map:
			add(map[key])


## The failure of an answer that certainly does not fit; null for others, which may still not.
func refusal() -> Result:
	if bytes <= Protocol.MAX_FRAME:
		return null
	return Result.fail(
		Protocol.CODE_RESPONSE_TOO_LARGE,
		"the answer has more than %d bytes and a frame holds %d" % [bytes, Protocol.MAX_FRAME],
		{"bytes": bytes, "limit": Protocol.MAX_FRAME}
	)
