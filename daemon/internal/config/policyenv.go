package config

import (
	"fmt"
	"slices"
	"strings"
)

// prefix starts the name of every setting in the environment.
const prefix = "GODOT_MCP_"

// settings are the names that are read, without the prefix.
func settings() []string {
	return []string{
		"MODE", "READ_ONLY", "DRY_RUN", "PROFILE", "TOKEN_TTL_SEC", "ALLOWED_PROJECTS", "MAX_AFFECTED", "TOOLSETS",
		"AUDIT_LOG", "AUTH_TOKEN", "RATE_LIMIT", "APPROVAL_WEBHOOK", "APPROVAL_SECRET", "APPROVAL_TIMEOUT_SEC",
		"APPROVAL_FAIL_OPEN", "APPROVAL_REQUIRE",
	}
}

// misspelt warns of settings that nothing reads: a limit that was meant to hold would not.
func misspelt(names []string) []string {
	var warnings []string
	for _, name := range slices.Sorted(slices.Values(names)) {
		setting, ours := strings.CutPrefix(name, prefix)
		if ours && !slices.Contains(settings(), setting) {
			warnings = append(warnings, fmt.Sprintf("%s is set, but there is no such setting", shown(name)))
		}
	}
	return warnings
}

// parseSwitch reads a setting that is on or off. What is not understood is not off.
func parseSwitch(text string) (on, understood bool) {
	switch strings.ToLower(text) {
	case "", "0", "false", "no", "off":
		return false, true
	case "1", "true", "yes", "on":
		return true, true
	}
	return true, false
}

// splitList cuts a list at semicolons and drops the spaces around its entries, and empty entries.
func splitList(text string) []string {
	var out []string
	for entry := range strings.SplitSeq(text, ";") {
		if entry = strings.TrimSpace(entry); entry != "" {
			out = append(out, entry)
		}
	}
	return out
}
