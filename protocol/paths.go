package protocol

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	resScheme = "res://"
	uidScheme = "uid://"
	// MaxResPath and MaxPathSegment bound a path and one name in it, in bytes: what common file systems take.
	MaxResPath     = 1024
	MaxPathSegment = 255
	// MaxNodePath and MaxNodeName bound node paths and node names, in bytes.
	MaxNodePath = 4096
	MaxNodeName = 255
	// DefaultAddonPath is where install puts the addon.
	DefaultAddonPath = "res://addons/drawbridge"
	// invalidNameChars are the characters that the engine silently replaces in a node name.
	invalidNameChars = `.:@/"%`
	// unportableChars are the characters that only some file systems take in a name; those that are no part of any path
	// here (slash, backslash, colon) are refused before.
	unportableChars = `*?|<>"`
)

// ResPath is a checked path inside the project in its one spelling: "res://" alone is the project's folder, anything
// else has no empty, "." or ".." segment and no slash at its end. Only ParseResPath makes one; the zero value is none.
// The check is of the text alone: whether a link leads out of the project is for the disk side to say.
type ResPath string

// Rel is the path below the project's folder, with forward slashes: "." for the folder itself.
func (p ResPath) Rel() string {
	rel := strings.TrimPrefix(string(p), resScheme)
	if rel == "" {
		return "."
	}
	return rel
}

// folded gives the names on the way from the project's folder to p, in the form in which names are compared.
func (p ResPath) folded() []string {
	rel := p.Rel()
	if rel == "." {
		return nil
	}
	names := strings.Split(rel, "/")
	for i, name := range names {
		names[i] = foldName(name)
	}
	return names
}

// ResRef names a resource: a ResPath, or a uid:// that only the editor can resolve.
type ResRef string

// IsUID says whether the reference still has to be resolved.
func (r ResRef) IsUID() bool { return strings.HasPrefix(string(r), uidScheme) }

// ParseResPath checks a caller's path. A segment ".." with either slash is PATH_OUTSIDE_PROJECT, wherever it would
// lead; every other fault is INVALID_PATH. Nothing is decoded ("%2e%2e" is an odd name) and nothing is normalised
// except one slash at the end, which callers put after folders.
func ParseResPath(s string) (ResPath, *Error) {
	if err := checkPathText(s); err != nil {
		return "", err
	}
	for segment := range strings.FieldsFuncSeq(s, isSlash) {
		if segment == ".." {
			return "", Fail(PathOutsideProject, "the path %q leaves the project: it has a segment \"..\"", s).With("path", s)
		}
	}
	rel, ok := strings.CutPrefix(s, resScheme)
	if !ok {
		return "", badPath(s, "scheme", "it does not start with res://")
	}
	if rel == "" {
		return resScheme, nil
	}
	rel = strings.TrimSuffix(rel, "/")
	for segment := range strings.SplitSeq(rel, "/") {
		if err := checkSegment(s, segment); err != nil {
			return "", err
		}
	}
	return ResPath(resScheme + rel), nil
}

func isSlash(r rune) bool { return r == '/' || r == '\\' }

// ParseResOrUID takes a res:// path, or a uid:// reference as it stands.
func ParseResOrUID(s string) (ResRef, *Error) {
	if !strings.HasPrefix(s, uidScheme) {
		path, err := ParseResPath(s)
		return ResRef(path), err
	}
	if !isUID(s) {
		return "", badPath(clip(s), "uid", "a uid:// reference has 1 to 13 characters of a-y and 0-8")
	}
	return ResRef(s), nil
}

// isUID says whether s is a uid:// in the engine's alphabet. Thirteen characters hold the 63 bits of an id.
func isUID(s string) bool {
	id := strings.TrimPrefix(s, uidScheme)
	return id != "" && len(id) <= 13 && strings.Trim(id, "abcdefghijklmnopqrstuvwxy012345678") == ""
}

// checkPathText refuses what no path may hold, before anything is made of its parts.
func checkPathText(s string) *Error {
	switch {
	case !utf8.ValidString(s):
		return badPath(strings.ToValidUTF8(s, "�"), "encoding", "it is not valid UTF-8")
	case strings.ContainsFunc(s, unprintable):
		return badPath(s, "control_character", "it holds a control character")
	case len(s) > MaxResPath:
		return badPath(clip(s), "too_long", "it is too long")
	}
	return nil
}

// unprintable characters cannot be seen, or have no fixed form. Those that turn the direction of the text make a preview
// lie. The joiners stay, which words of some languages need, and which only follow what is seen; so do the selectors
// behind emoji.
func unprintable(r rune) bool {
	const nonJoiner, joiner = 0x200c, 0x200d
	if r < utf8.RuneSelf || r == nonJoiner || r == joiner {
		return unicode.IsControl(r)
	}
	return unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

func checkSegment(path, segment string) *Error {
	switch {
	case segment == "":
		return badPath(path, "empty_segment", "it has an empty segment")
	case segment == ".":
		return badPath(path, "dot_segment", "it has a segment \".\"")
	case strings.ContainsRune(segment, '\\'):
		return badPath(path, "backslash", "it holds a backslash")
	case strings.ContainsRune(segment, ':'):
		return badPath(path, "colon", "it holds a colon: no drives, schemes or sub-resources inside a file path")
	case strings.HasSuffix(segment, ".") || strings.HasSuffix(segment, " "):
		return badPath(path, "trailing_dot_or_space", "a segment ends in a dot or a space, which Windows drops")
	case len(segment) > MaxPathSegment:
		return badPath(clip(path), "too_long", "a segment is too long")
	}
	return checkFolded(path, foldName(segment))
}

// checkFolded refuses a segment for what some file system may take it for.
func checkFolded(path, folded string) *Error {
	switch {
	case strings.Trim(folded, ".") == "":
		return badPath(path, "dot_look_alike", "a segment is nothing but dots to some file systems")
	case reservedName(folded):
		return badPath(path, "reserved_name", "a segment is a device or a fork to some file systems, whatever follows it").
			WithHint("choose another name for the file")
	}
	return nil
}

// NewName refuses a name that a file or folder would get and that not every system can hold: a project with it cannot
// be checked out on Windows. It is no part of ParseResPath, because what is there already must stay reachable: it can
// then be read, moved away and deleted.
func NewName(path ResPath, name string) *Error {
	illegal := []string{}
	for _, r := range name {
		if strings.ContainsRune(unportableChars, r) && !slices.Contains(illegal, string(r)) {
			illegal = append(illegal, string(r))
		}
	}
	if len(illegal) == 0 {
		return nil
	}
	return badPath(string(path), "unportable_name", "it holds characters that names cannot have on Windows").
		With("name", name).With("chars", illegal).WithHint("choose another name: without the characters in details.chars")
}

func badPath(path, reason, because string) *Error {
	return Fail(InvalidPath, "%q is not a usable path: %s", path, because).With("path", path).With("reason", reason)
}

// Protected refuses the targets that no tool changes: the project's folder itself, project.godot and override.cfg, the
// editor's cache, version control, and the addon. Names are compared as the most forgiving file system would, because
// which one this is cannot be told: see sameName. A folder that holds the addon is protected too, but not its other contents. addonPath is the linked addon's own folder
// as its hello says; the default folder is protected beside it.
func Protected(path ResPath, addonPath string) *Error {
	names := path.folded()
	if len(names) == 0 {
		return protected(path, "project_folder", "the project's own folder")
	}
	for _, name := range names {
		if what := protectedName(name); what != "" {
			return protected(path, what, name)
		}
	}
	if sameName(names[0], "override.cfg") {
		return protected(path, "override", "override.cfg")
	}
	for _, addon := range []string{DefaultAddonPath, addonPath} {
		inside, err := insideAddon(names, addon)
		if err != nil {
			return protected(path, "addon_unknown", "perhaps the addon: where it is cannot be told")
		}
		if inside {
			return protected(path, "addon", "Drawbridge's own addon")
		}
	}
	return nil
}

// protectedName is what a file or folder of this folded name is, at any depth, when no tool may change it.
func protectedName(name string) string {
	for _, p := range [...]struct{ name, what string }{
		{".godot", "editor_cache"},
		{"project.godot", "project_settings"},
		{".git", "version_control"},
		{".hg", "version_control"},
		{".svn", "version_control"},
		{".jj", "version_control"},
		{".bzr", "version_control"},
		{".pijul", "version_control"},
		{".plastic", "version_control"},
		{".fslckout", "version_control"},
		{"_fossil_", "version_control"},
		{"_darcs", "version_control"},
		{"cvs", "version_control"},
	} {
		if sameName(name, p.name) {
			return p.what
		}
	}
	return ""
}

// insideAddon says whether a change of what these folded names lead to could reach the addon: it is in the addon's
// folder, or holds it. An empty addonPath is no folder.
func insideAddon(names []string, addonPath string) (bool, *Error) {
	if addonPath == "" {
		return false, nil
	}
	addon, err := ParseResPath(addonPath)
	if err != nil {
		return false, err
	}
	inner := addon.folded()
	for i := range min(len(inner), len(names)) {
		if !sameName(names[i], inner[i]) {
			return false, nil
		}
	}
	return true, nil
}

func protected(path ResPath, reason, what string) *Error {
	failure := Fail(ProtectedTarget, "%s is %s, which no file tool changes", path, what).
		With("path", string(path)).With("reason", reason)
	return failure.WithHint("%s", insteadOf(reason))
}

// insteadOf says what to do in the place of changing a protected target.
func insteadOf(reason string) string {
	switch reason {
	case "project_settings":
		return "set_setting changes its settings, add_input_action and add_input_event its input map, " +
			"register_autoload its autoloads"
	case "override":
		return "its settings are set with set_setting, in project.godot; the file itself is for a person to change"
	case "editor_cache":
		return "the editor makes it by itself; rescan_filesystem has it look again"
	case "version_control":
		return "it is for a person and the version control's own tools to change"
	case "addon", "addon_unknown":
		return "name a path outside of the addon; drawbridge install puts another version of it in"
	case "project_folder":
		return "name a file or a folder inside of the project"
	}
	return "name another target"
}

// ParseNodePath checks the text of a node path: relative, "/root/…", "%Name", "." and ".." are all for the addon to
// resolve, which alone knows the scene. A slash at the end is dropped.
func ParseNodePath(s string) (string, *Error) {
	switch {
	case s == "":
		return "", badNodePath(s, "empty", `the node path is empty: "." is the scene's root`)
	case len(s) > MaxNodePath:
		return "", badNodePath(clip(s), "too_long", "the node path is too long")
	case !utf8.ValidString(s):
		return "", badNodePath(strings.ToValidUTF8(s, "�"), "encoding", "the node path is not valid UTF-8")
	case strings.ContainsFunc(s, unicode.IsControl):
		return "", badNodePath(s, "control_character", "the node path holds a control character")
	case strings.ContainsRune(s, ':'):
		return "", badNodePath(s, "subname", "the node path names a property: give the node's path only")
	case strings.Contains(s, "//"):
		return "", badNodePath(s, "empty_segment", "the node path has an empty name")
	}
	if len(s) > 1 {
		s = strings.TrimSuffix(s, "/")
	}
	return s, nil
}

func badNodePath(path, reason, because string) *Error {
	return Fail(ValidationError, "%s", because).With("node_path", path).With("reason", reason)
}

// ParseNodeName checks a name for a node. The engine would replace the characters that are refused here, and the node
// would then have another name than the caller thinks.
func ParseNodeName(s string) (string, *Error) {
	if s == "" {
		return "", badNodeName(s, "empty_name", "a node needs a name")
	}
	if !utf8.ValidString(s) {
		return "", badNodeName(strings.ToValidUTF8(s, "�"), "encoding", "the name is not valid UTF-8")
	}
	if len(s) > MaxNodeName {
		return "", badNodeName(clip(s), "too_long", "the name is too long")
	}
	chars := []string{}
	seen := map[rune]bool{}
	for _, r := range s {
		if (strings.ContainsRune(invalidNameChars, r) || unicode.IsControl(r)) && !seen[r] {
			seen[r] = true
			chars = append(chars, string(r))
		}
	}
	if len(chars) > 0 {
		return "", badNodeName(s, "invalid_name_chars", "the name holds characters that node names cannot have").
			With("chars", chars)
	}
	return s, nil
}

func badNodeName(name, reason, because string) *Error {
	return Fail(ValidationError, "%q is not a node name: %s", name, because).With("name", name).With("reason", reason)
}
