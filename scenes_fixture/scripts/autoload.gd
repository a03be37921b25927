extends Node
## An autoload for the tests: there in every scene, and used by name.

var hits: int = 3


## How often it was hit.
func count() -> int:
	return hits
