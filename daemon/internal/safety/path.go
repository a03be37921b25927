package safety

import (
	"encoding/json"
	"errors"
	slashes "path"
	"strings"

	"drawbridge/protocol"
)

// Disk tells where a path of the project leads once links are followed, so that this package needs no disk itself.
type Disk interface {
	// Resolve gives the path, below the project's folder and with forward slashes, to which rel leads. What does not
	// exist yet leads to where it would be made. A path that leaves the project, or of which that cannot be told, is
	// an error: an *Outside when the target is known.
	Resolve(rel string) (string, error)
	// Exists tells whether something of this name is there, a link to nothing too.
	Exists(rel string) bool
}

// Outside is the error of a path that leads out of the project.
type Outside struct {
	Target string
}

// Error names the target.
func (o *Outside) Error() string { return "it leads to " + o.Target }

// Contain checks a caller's path: its text, then where it leads on the disk. A path that is written must also not be
// a protected target, neither as it is spelled nor where it leads.
func Contain(path string, disk Disk, addonPath string, writes bool) *protocol.Error {
	checked, failure := protocol.ParseResPath(path)
	if failure != nil {
		return failure
	}
	if writes {
		if failure := protocol.Protected(checked, addonPath); failure != nil {
			return failure
		}
	}
	rel, err := disk.Resolve(checked.Rel())
	if err != nil {
		return leaves(path, err)
	}
	if !writes || rel == checked.Rel() {
		return nil
	}
	if rel == "." {
		rel = ""
	}
	real, failure := protocol.ParseResPath("res://" + rel)
	if failure != nil {
		return leaves(path, failure)
	}
	return protocol.Protected(real, addonPath)
}

// ContainNew checks the names on a path that are not on the disk yet: whoever makes the file makes them. The path is one
// that Contain let through.
func ContainNew(path string, disk Disk) *protocol.Error {
	checked, failure := protocol.ParseResPath(path)
	if failure != nil {
		return failure
	}
	for rel := checked.Rel(); rel != "." && !disk.Exists(rel); rel = slashes.Dir(rel) {
		if failure := protocol.NewName(checked, slashes.Base(rel)); failure != nil {
			return failure
		}
	}
	return nil
}

// ContainSettings checks a file that a settings tool writes: project.godot and nothing else, and no link to another
// file. It is the one protected file that a tool may write, and only such a tool.
func ContainSettings(path string, disk Disk) *protocol.Error {
	const file = "project.godot"
	if path != "res://"+file {
		return protocol.Fail(protocol.ProtectedTarget, "a settings tool writes project.godot and not %q", path).
			With("path", path).With("reason", "not_the_settings").WithHint("name another file")
	}
	rel, err := disk.Resolve(file)
	if err != nil {
		return leaves(path, err)
	}
	if rel != file {
		return protocol.Fail(protocol.ProtectedTarget, "project.godot is a link to %s, which no tool changes", rel).
			With("path", path).With("resolved", rel).With("reason", "settings_are_a_link").
			WithHint("the settings can be changed once project.godot is a file of its own: that is for a person to do")
	}
	return nil
}

func leaves(path string, err error) *protocol.Error {
	failure := protocol.Fail(protocol.PathOutsideProject, "%q leaves the project: %v", path, err).With("path", path)
	var outside *Outside
	if errors.As(err, &outside) {
		return failure.With("resolved", outside.Target)
	}
	return failure
}

// ContainValue checks the files that a value in client form names. A $resource tag must name one properly. A plain
// text may be anything; but one that reads as a path out of the project is refused, because the property may be one
// that loads it.
func ContainValue(raw json.RawMessage, disk Disk) *protocol.Error {
	text := string(raw)
	if !strings.Contains(text, "res:") && !strings.Contains(text, "$resource") && !strings.Contains(text, `\`) {
		return nil
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return protocol.Fail(protocol.ValidationError, "the value is not valid JSON")
	}
	return containAny(v, disk)
}

func containAny(v any, disk Disk) *protocol.Error {
	switch v := v.(type) {
	case string:
		if failure := containText(v, disk); failure != nil && failure.Code == protocol.PathOutsideProject {
			return failure
		}
	case []any:
		for _, item := range v {
			if failure := containAny(item, disk); failure != nil {
				return failure
			}
		}
	case map[string]any:
		for key, item := range v {
			if failure := containEntry(key, item, disk); failure != nil {
				return failure
			}
		}
		if _, isTag := v["$resource"]; isTag {
			return containResource(v, disk)
		}
	}
	return nil
}

// containResource checks a $resource tag: the path that it names, either in the tag itself or, in the form in which
// resources are read, beside the class name.
func containResource(tag map[string]any, disk Disk) *protocol.Error {
	path, isText := tag["$resource"].(string)
	if read, has := tag["path"]; has && read == nil {
		return nil // a resource without a file: the addon has its own word for that
	} else if has {
		path, isText = read.(string)
	}
	if !isText {
		return protocol.Fail(protocol.ValidationError, "a $resource tag names a res:// or uid:// path")
	}
	if strings.HasPrefix(path, "uid://") {
		_, failure := protocol.ParseResOrUID(path)
		return failure
	}
	if !strings.HasPrefix(path, "res://") {
		_, failure := protocol.ParseResPath(path)
		return failure
	}
	return containText(path, disk)
}

func containEntry(key string, item any, disk Disk) *protocol.Error {
	if failure := containAny(key, disk); failure != nil {
		return failure
	}
	return containAny(item, disk)
}

// containText checks a text that may be a path, perhaps with the name of a sub-resource behind it.
func containText(text string, disk Disk) *protocol.Error {
	if !strings.HasPrefix(text, "res://") {
		return nil
	}
	file, _, _ := strings.Cut(text, "::")
	return Contain(file, disk, "", false)
}
