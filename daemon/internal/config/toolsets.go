package config

import (
	"regexp"
	"slices"
	"strings"
)

// everythingOff is the strictest list of toolsets.
const everythingOff = "-all"

// toolsetEntry is the form of an entry.
var toolsetEntry = regexp.MustCompile(`^-?[a-z][a-z0-9_]{0,39}$`)

// knownToolset says whether an entry is well formed and names a toolset that there is, or all of them.
func knownToolset(entry string, toolsets []string) bool {
	name := strings.TrimPrefix(entry, "-")
	return toolsetEntry.MatchString(entry) && (name == "all" || toolsets == nil || slices.Contains(toolsets, name))
}

// mergeToolsets lays one list over another: what either switches off is off, and the upper one's choice of what is
// listed counts if it makes one. Listed ones come first, in order; then those that are off, sorted.
func mergeToolsets(under, over []string) []string {
	isOff := func(entry string) bool { return strings.HasPrefix(entry, "-") }
	listed := slices.DeleteFunc(slices.Clone(over), isOff)
	if len(listed) == 0 {
		listed = slices.DeleteFunc(slices.Clone(under), isOff)
	}
	var merged, off []string
	for _, entry := range slices.Concat(under, over) {
		if isOff(entry) {
			off = append(off, entry)
		}
	}
	slices.Sort(off)
	off = slices.Compact(off)
	for _, entry := range listed {
		if !slices.Contains(merged, entry) && !slices.Contains(off, "-"+entry) && !slices.Contains(off, everythingOff) {
			merged = append(merged, entry)
		}
	}
	return append(merged, off...)
}
