package bridge

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"drawbridge/protocol"
)

// The reasons for which a hello is refused, as the addon and people see them.
const (
	reasonHello        = "hello"
	reasonVersion      = "version"
	reasonProject      = "project_path"
	reasonSecondEditor = "second_editor"
	reasonNotAllowed   = "not_allowed"
)

// The bounds of a hello's texts, in bytes.
const (
	maxWord = 128
	maxName = 1024
	maxPath = 4096
)

// parseHello reads the addon's first frame. The versions are looked at before the rest, because another version's
// hello may have other fields.
func parseHello(frame []byte) (protocol.Hello, *protocol.Reject) {
	var versions struct {
		Hello *struct {
			Protocol     int    `json:"protocol"`
			AddonVersion string `json:"addon_version"`
		} `json:"hello"`
	}
	if err := json.Unmarshal(frame, &versions); err != nil || versions.Hello == nil {
		return protocol.Hello{}, refuse(reasonHello, "problem", "not a hello")
	}
	if v := versions.Hello; v.Protocol != protocol.Version {
		return protocol.Hello{}, refuse(reasonVersion,
			"daemon", protocol.ProductVersion, "addon", clip(v.AddonVersion),
			"daemon_protocol", protocol.Version, "addon_protocol", v.Protocol)
	}
	var strict struct {
		Hello protocol.Hello `json:"hello"`
	}
	dec := json.NewDecoder(bytes.NewReader(frame))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&strict); err != nil {
		return protocol.Hello{}, refuse(reasonHello, "problem", "a field is unknown or of the wrong type")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return protocol.Hello{}, refuse(reasonHello, "problem", "more than one object")
	}
	if field := badField(strict.Hello); field != "" {
		return protocol.Hello{}, refuse(reasonHello, "problem", "out of bounds", "field", field)
	}
	return strict.Hello, nil
}

// badField names the first field that is out of bounds, or is empty.
func badField(h protocol.Hello) string {
	texts := []struct {
		name, text string
		min, max   int
	}{
		{"addon_version", h.AddonVersion, 1, maxWord},
		{"godot_version", h.GodotVersion, 1, maxWord},
		{"project_path", h.ProjectPath, 1, maxPath},
		{"project_name", h.ProjectName, 0, maxName},
		{"editor", h.Editor, 16, maxWord},
		{"addon_path", h.AddonPath, 1, maxName},
		{"scene", h.Scene, 0, maxName},
	}
	for _, t := range texts {
		if len(t.text) < t.min || len(t.text) > t.max || strings.ContainsFunc(t.text, unicode.IsControl) {
			return t.name
		}
	}
	switch raw, err := hex.DecodeString(h.AddonHash); {
	case err != nil || len(raw) != 32:
		return "addon_hash"
	case h.PID <= 0:
		return "pid"
	case !filepath.IsAbs(h.ProjectPath):
		return "project_path"
	case !strings.HasPrefix(h.AddonPath, "res://"):
		return "addon_path"
	case len(h.Commands) > protocol.MaxCommands:
		return "commands"
	}
	for _, c := range h.Commands {
		if !commandName(c) {
			return "commands"
		}
	}
	return ""
}

// commandName is true for the name of a GDScript method as we write them.
func commandName(s string) bool {
	if s == "" || len(s) > maxWord {
		return false
	}
	for _, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return false
		}
	}
	return true
}

// refuse makes a Reject; details come as key, value pairs.
func refuse(reason string, details ...any) *protocol.Reject {
	r := &protocol.Reject{Code: protocol.PeerRejected, Reason: reason, Details: map[string]any{}}
	for i := 0; i+1 < len(details); i += 2 {
		r.Details[fmt.Sprint(details[i])] = details[i+1]
	}
	return r
}

// clip shortens a peer's text for details and logs, and takes control characters out.
func clip(s string) string {
	if len(s) > maxWord {
		s = s[:maxWord]
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}

// matchProject gives the canonical path of the allowed project that the editor's path names. Two paths are the same
// project when they are the same folder, so links and letter case do not matter; a path that cannot be looked at is
// no project.
func matchProject(allowed []string, path string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return "", false
	}
	for _, project := range allowed {
		canonical, err := canonicalPath(project)
		if err != nil {
			continue
		}
		if other, err := os.Stat(canonical); err == nil && os.SameFile(info, other) {
			return canonical, true
		}
	}
	return "", false
}

// canonicalPath is the absolute path with every link resolved.
func canonicalPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("making %q absolute: %w", path, err)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", fmt.Errorf("resolving %q: %w", path, err)
	}
	return real, nil
}
