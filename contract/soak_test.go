package contract

import (
	"os"
	"time"
)

// soak is true in `make soak`: the same tests, many more times.
func soak() bool { return os.Getenv("DRAWBRIDGE_SOAK") == "1" }

// kills is how often each side is killed: 10 times in `make test`, 200 in `make soak`.
func kills() int {
	if soak() {
		return 200
	}
	return 10
}

// patience bounds one top test with all of its processes.
func patience() time.Duration {
	if soak() {
		return 2 * time.Hour
	}
	return 15 * time.Minute
}
