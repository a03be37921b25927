package config

import (
	"fmt"
	"strconv"
)

// maxAffectedEnv names the setting for how many targets one file-writing call may have.
const maxAffectedEnv = "GODOT_MCP_MAX_AFFECTED"

// The default and the bounds of that setting. What is not understood counts as the strictest value.
const (
	DefaultMaxAffected  = 20
	strictestAffected   = 1
	mostAffectedAllowed = 1000
)

// readLimits reads the limits from the environment, with a warning for each value that is not understood.
func (s *Serve) readLimits(env func(string) string) {
	s.MaxAffected = DefaultMaxAffected
	text := env(maxAffectedEnv)
	if text == "" {
		return
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < strictestAffected || n > mostAffectedAllowed {
		s.MaxAffected = strictestAffected
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s is %q; it has to be a whole number from %d to %d, so %d is used",
			maxAffectedEnv, text, strictestAffected, mostAffectedAllowed, strictestAffected))
		return
	}
	s.MaxAffected = n
}
