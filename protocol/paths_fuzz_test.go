package protocol_test

import (
	"strings"
	"testing"
	"unicode"

	"drawbridge/protocol"
)

// pathSeeds gives the paths of the vectors, good and bad.
func pathSeeds(f *testing.F) {
	f.Helper()
	type row struct {
		Path, Canonical, Rel, Reason string
		Code                         protocol.Code
		AddonPath                    string `json:"addon_path"`
	}
	for _, file := range []string{"valid/paths.json", "invalid/paths.json", "valid/unprotected.json", "invalid/protected.json"} {
		for _, row := range rows[row](f, file) {
			f.Add(row.Path)
		}
	}
	for _, seed := range []string{"uid://a", "res://a\x00", "res://\xff", "res:///", "res://a/./b", "res://..\\x"} {
		f.Add(seed)
	}
}

// A path that is taken has one spelling, no way up, and nothing that one system reads as something else.
func FuzzParseResPath(f *testing.F) {
	pathSeeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		path, err := protocol.ParseResPath(s)
		if err != nil {
			if path != "" {
				t.Errorf("%q is refused and is %q", s, path)
			}
			return
		}
		again, err := protocol.ParseResPath(string(path))
		if err != nil || again != path {
			t.Errorf("%q: %q is not its own canonical form", s, path)
		}
		rel := path.Rel()
		if strings.ContainsAny(rel, "\\:") || strings.ContainsFunc(rel, unicode.IsControl) || strings.HasPrefix(rel, "/") {
			t.Errorf("%q holds what it must not", path)
		}
		for segment := range strings.SplitSeq(rel, "/") {
			if segment == ".." || segment == "" || segment == "." && rel != "." || strings.TrimRight(segment, ". ") != segment && rel != "." {
				t.Errorf("%q has the segment %q", path, segment)
			}
		}
	})
}

// Whatever a system does to names that differ in case, width or unseen characters only: what is protected stays so.
func FuzzProtected(f *testing.F) {
	pathSeeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		path, err := protocol.ParseResPath(s)
		if err != nil || protocol.Protected(path, "") == nil {
			return
		}
		rest := strings.TrimPrefix(string(path), "res://")
		wide := strings.Map(func(r rune) rune {
			if r > ' ' && r < 0x7f && r != '/' {
				return r + 0xfee0
			}
			return r
		}, rest)
		for _, variant := range []string{strings.ToUpper(rest), wide, strings.ReplaceAll(rest, ".", ".\u200d")} {
			other, err := protocol.ParseResPath("res://" + variant)
			if err == nil && protocol.Protected(other, "") == nil && rest != "" && !specialUpper(rest) {
				t.Errorf("%q is protected, %q is not", path, other)
			}
		}
	})
}

// specialUpper says whether a text has letters whose capital is another word, so that the two are two names.
func specialUpper(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

func FuzzParseResOrUID(f *testing.F) {
	for _, seed := range []string{"uid://abc", "uid://", "uid://../x", "res://a", "uid://zzzzzzzzzzzzzz"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ref, err := protocol.ParseResOrUID(s)
		if err == nil && (ref.IsUID() && string(ref) != s || strings.Contains(string(ref), "..") && ref.IsUID()) {
			t.Errorf("%q became %q", s, ref)
		}
	})
}
