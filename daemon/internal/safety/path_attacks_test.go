package safety_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// attack is a path that somebody tries, and what becomes of it.
type attack struct {
	path        string
	read, write protocol.Code // "" is let through
	why         string
}

// attackedAddon is where the addon of the attacked project is: beside the default, under a name with an accent.
const attackedAddon = "res://tools/br\u00fccke"

// attackedDisk is the disk of the attacked project: links and junctions as the disk side of the gate reports them. What
// is not named leads to itself, also when it does not exist yet.
func attackedDisk() links {
	return links{
		"link_out": "", "link_out/new.gd": "", "deep/link_out/a/b.gd": "", // links and junctions to another folder
		"absolute": "?", "dangling": "?", "dangling/new.gd": "?", "loop": "?", // where these lead cannot be told
		"link_git": ".git", "link_hook": ".git/hooks/pre-commit", "link_cache": ".godot/editor", "link_cfg": "override.cfg",
		"link_settings": "project.godot", "link_addon": "addons/drawbridge/plugin.gd", "link_addons": "addons",
		"link_root": ".", "link_fine": "scenes/real.tscn", "short": "addons/DrawBridge/plugin.gd",
		"link_odd": `a\..\b`, "link_case": "Addons/DRAWBRIDGE/x", "link_accent": "tools/bru\u0308cke/x.gd",
	}
}

// attacks is the corpus. Nothing is ever decoded or normalised, so what only looks like a way out is an odd name inside
// the project; what some file system takes for a protected name is protected on all.
func attacks() []attack {
	const (
		ok      = protocol.Code("")
		out     = protocol.PathOutsideProject
		invalid = protocol.InvalidPath
		kept    = protocol.ProtectedTarget
	)
	return []attack{
		// Ways up, in either slash.
		{"res://../x", out, out, "up"},
		{"res://a/../../x", out, out, "down and up"},
		{"res://a/../b", out, out, "up, although it stays inside"},
		{`res://..\x`, out, out, "up by a backslash"},
		{`res://a\..\..\x`, out, out, "up by backslashes"},
		{"res:///../x", out, out, "up from the root"},
		{"res://./..//x", out, out, "up between other faults"},
		{"res://..", out, out, "up, and no more"},
		{"..", out, out, "up without a scheme"},
		{"user://../x", out, out, "up in another scheme"},
		{`\\?\C:\x\..\y`, out, out, "up in a verbatim path"},
		{"res://..foo/x", ok, ok, "a name that begins with dots"},
		{"res://a..b", ok, ok, "dots inside"},

		// Other schemes and absolute paths.
		{"/etc/passwd", invalid, invalid, "absolute"},
		{"C:/x", invalid, invalid, "a drive"},
		{`C:\x`, invalid, invalid, "a drive, backslash"},
		{`\\server\share\x`, invalid, invalid, "a share"},
		{"//server/share/x", invalid, invalid, "a share, slashes"},
		{`\\?\GLOBALROOT\x`, invalid, invalid, "a verbatim path"},
		{"file:///etc/passwd", invalid, invalid, "another scheme"},
		{"user://x", invalid, invalid, "the user folder"},
		{"uid://abc", invalid, invalid, "an id where a path belongs"},
		{"RES://a", invalid, invalid, "the scheme in capitals"},
		{" res://a", invalid, invalid, "a blank before it"},
		{"res:/a", invalid, invalid, "one slash"},
		{"res:\\\\a", invalid, invalid, "backslashes in the scheme"},
		{"res://C:/x", invalid, invalid, "a drive inside"},
		{"res://res://a", invalid, invalid, "a scheme inside"},
		{"\ufeffres://a", invalid, invalid, "a byte order mark"},

		// Encoded: taken literally, once and for all.
		{"res://%2e%2e/x", ok, ok, "encoded dots"},
		{"res://%2E%2E%2Fx", ok, ok, "encoded dots and slash"},
		{"res://%252e%252e/x", ok, ok, "encoded twice"},
		{"res://%c0%ae%c0%ae/x", ok, ok, "encoded overlong"},
		{"res://a%00.gd", ok, ok, "an encoded NUL"},
		{"res://&#46;&#46;/x", ok, ok, "entities"},
		{"res://%2egit/config", ok, ok, "an encoded protected name: another folder"},
		{"res://\xc0\xae\xc0\xae/x", invalid, invalid, "overlong UTF-8"},
		{"res://a\xff", invalid, invalid, "no UTF-8"},
		{"res://\xed\xa0\x80", invalid, invalid, "a lone surrogate"},

		// Look-alikes.
		{"res://\uff0e\uff0e/x", invalid, invalid, "full-width dots"},
		{"res://\u2024\u2024/x", invalid, invalid, "dot leaders"},
		{"res://\u2025/x", invalid, invalid, "a two-dot leader"},
		{"res://\ufe52\ufe52/x", invalid, invalid, "small full stops"},
		{"res://..\u200d/x", invalid, invalid, "up, with a joiner"},
		{"res://\uff0e\uff0e\uff0fx", ok, ok, "a full-width slash is part of a name"},
		{"res://a\u2215b", ok, ok, "a division slash is part of a name"},
		{"res://a\u2044..\u2044b", ok, ok, "fraction slashes are part of a name"},
		{"res://a\uff3cb", ok, ok, "so is a full-width backslash"},
		{"res://a\uff1astream", ok, ok, "and a full-width colon"},
		{"res://\uff0egit/config", ok, kept, "the full-width dot of .git"},
		{"res://.\uff27\uff29\uff34/config", ok, kept, "full-width letters"},
		{"res://.\u32cc/x", ok, kept, "one character that reads hg"},
		{"res://.\u017fvn/x", ok, kept, "a long s"},
		{"res://.g\u200cit/config", ok, kept, "a joiner that HFS+ passes over"},
		{"res://pro\ufe0fject.godot", ok, kept, "a variation selector"},
		{"res://addons/drawbr\u0131dge/x", ok, ok, "a dotless i is another letter everywhere"},
		{"res://addons/dr\u0430wbridge/x", ok, ok, "so is a Cyrillic a"},
		{"res://a\u202egd.txt", invalid, invalid, "text turned round"},
		{"res://a\u2066b", invalid, invalid, "an isolate"},
		{"res://a\u200fb", invalid, invalid, "a direction mark"},
		{"res://.git\u200b/config", invalid, invalid, "a blank without width"},
		{"res://.g\u00adit", invalid, invalid, "a soft hyphen"},
		{"res://.git\uf029", invalid, invalid, "a trailing dot, as some servers map it to a private character"},

		// Composed and decomposed.
		{"res://caf\u00e9.tscn", ok, ok, "composed"},
		{"res://cafe\u0301.tscn", ok, ok, "decomposed"},
		{"res://tools/br\u00fccke/x.gd", ok, kept, "the addon, composed"},
		{"res://tools/bru\u0308cke/x.gd", ok, kept, "the addon, decomposed"},
		{"res://TOOLS/BR\u00dcCKE/x.gd", ok, kept, "the addon, in capitals"},
		{"res://tools/brucke/x.gd", ok, ok, "another folder"},

		// Links, junctions, and what is not there yet.
		{"res://link_out", out, out, "a link out"},
		{"res://link_out/new.gd", out, out, "a new file behind it"},
		{"res://deep/link_out/a/b.gd", out, out, "new folders behind it"},
		{"res://absolute", out, out, "an absolute link, inside or not"},
		{"res://dangling", out, out, "a link to nothing"},
		{"res://dangling/new.gd", out, out, "a new file behind it"},
		{"res://loop", out, out, "a link to itself"},
		{"res://not/there/yet.gd", ok, ok, "new folders"},
		{"res://link_fine", ok, ok, "a link inside"},
		{"res://link_root", ok, kept, "a link to the project"},
		{"res://link_git", ok, kept, "a link to .git"},
		{"res://link_hook", ok, kept, "a link to a hook"},
		{"res://link_cache", ok, kept, "a link to the cache"},
		{"res://link_cfg", ok, kept, "a link to override.cfg"},
		{"res://link_settings", ok, kept, "a link to project.godot"},
		{"res://link_addon", ok, kept, "a link to the addon"},
		{"res://link_addons", ok, kept, "a link to its folder"},
		{"res://short", ok, kept, "a short name of the addon"},
		{"res://link_case", ok, kept, "the disk's own spelling of the addon"},
		{"res://link_accent", ok, kept, "the disk's own form of the addon"},
		{"res://link_odd", ok, out, "what the disk says is no path"},

		// Protected, however it is spelled.
		{"res://", ok, kept, "the project's folder"},
		{"res://project.godot", ok, kept, "the settings"},
		{"res://PROJECT.GODOT", ok, kept, "in capitals"},
		{"res://Project.Godot/", ok, kept, "as a folder"},
		{"res://PROJEC~1.GOD", ok, kept, "by its short name"},
		{"res://override.cfg", ok, kept, "the override"},
		{"res://Override.CFG", ok, kept, "in capitals"},
		{"res://.godot/imported/x", ok, kept, "the cache"},
		{"res://.Godot", ok, kept, "in capitals"},
		{"res://GODOT~1/x", ok, kept, "by its short name"},
		{"res://.git/hooks/pre-commit", ok, kept, "a hook"},
		{"res://.Git/config", ok, kept, "in capitals"},
		{"res://sub/.GIT/config", ok, kept, "of a submodule"},
		{"res://git~1/config", ok, kept, "by its short name"},
		{"res://GI7EBA~1/config", ok, kept, "by its other short name"},
		{"res://.jj/repo", ok, kept, "another version control"},
		{"res://.svn/x", ok, kept, "another version control"},
		{"res://addons/drawbridge/plugin.gd", ok, kept, "the addon"},
		{"res://addons/DrawBridge/plugin.gd", ok, kept, "in capitals"},
		{"res://ADDONS/DRAWBR~1/plugin.gd", ok, kept, "by its short name"},
		{"res://addons", ok, kept, "the folder that holds it"},
		{"res://addons/drawbridge2/x", ok, ok, "another addon"},
		{"res://.gitignore", ok, ok, "a file beside it"},

		// What Windows drops, adds or takes for a device.
		{"res://.git./config", invalid, invalid, "a trailing dot"},
		{"res://project.godot ", invalid, invalid, "a trailing blank"},
		{"res://a. . .", invalid, invalid, "several"},
		{"res://.../x", invalid, invalid, "three dots"},
		{"res://.. /x", invalid, invalid, "up, and a blank"},
		{"res://file.gd::$DATA", invalid, invalid, "the stream that is the file"},
		{"res://file.gd:evil", invalid, invalid, "a stream"},
		{"res://.git::$INDEX_ALLOCATION/x", invalid, invalid, "a folder as a stream"},
		{"res://CON", invalid, invalid, "a device"},
		{"res://sub/NUL", invalid, invalid, "a device in a folder"},
		{"res://aux.gd", invalid, invalid, "a device with an ending"},
		{"res://com1.tar.gz", invalid, invalid, "a device with two"},
		{"res://nul .txt", invalid, invalid, "a device and a blank"},
		{"res://LPT\u00b9", invalid, invalid, "a device with a raised digit"},
		{"res://console.gd", ok, ok, "no device"},
		{"res://a.gd/..namedfork/rsrc", invalid, invalid, "a fork of macOS"},

		// Length, options, control characters.
		{"res://" + strings.Repeat("a", 255), ok, ok, "the longest name"},
		{"res://" + strings.Repeat("a", 256), invalid, invalid, "a longer one"},
		{"res://" + strings.Repeat("ü", 128), invalid, invalid, "256 bytes are 128 letters"},
		{"res://" + strings.Repeat("a/", 508) + "b", ok, ok, "as long as a path can be"},
		{"res://" + strings.Repeat("a/", 600) + "b", invalid, invalid, "longer"},
		{"res://" + strings.Repeat("../", 1000), invalid, invalid, "far up, but above all too long"},
		{"res://-x", ok, ok, "an option? res:// stands before it on every command line"},
		{"res://--script/x.gd", ok, ok, "an option? the same"},
		{"-x", invalid, invalid, "an option"},
		{"--script=res://a.gd", invalid, invalid, "an option"},
		{"res://a\x00b", invalid, invalid, "NUL"},
		{"res://a\r\nb", invalid, invalid, "CR and LF"},
		{"res://a\tb", invalid, invalid, "a tab"},
		{"res://a\x1b[2Jb", invalid, invalid, "a terminal's escape"},
		{"res://a\u0085b", invalid, invalid, "a control character above ASCII"},
		{"res://a$(id)`id`;|&", ok, ok, "no shell is ever asked"},
	}
}

func TestPathAttacks(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range attacks() {
		require.False(t, seen[a.path], "%q stands twice", a.path)
		seen[a.path] = true
		t.Run(a.why+" "+a.path[:min(len(a.path), 40)], func(t *testing.T) {
			assert.Equal(t, a.read, codeOf(safety.Contain(a.path, attackedDisk(), attackedAddon, false)), "read %q", a.path)
			assert.Equal(t, a.write, codeOf(safety.Contain(a.path, attackedDisk(), attackedAddon, true)), "write %q", a.path)
		})
	}
	assert.Greater(t, len(seen), 80)
}

func codeOf(failure *protocol.Error) protocol.Code {
	if failure == nil {
		return ""
	}
	return failure.Code
}

// What a settings tool writes is project.godot by its one name: no attack gets another file, nor another spelling.
func TestNoAttackGetsThroughTheSettings(t *testing.T) {
	for _, a := range attacks() {
		failure := safety.ContainSettings(a.path, attackedDisk())
		if a.path == "res://project.godot" {
			assert.Nil(t, failure)
		} else {
			assert.Equal(t, protocol.ProtectedTarget, codeOf(failure), "%q", a.path)
		}
	}
}

// A path that is refused for a write is refused wherever the disk leads it, and reading is never stricter than writing.
func FuzzContain(f *testing.F) {
	for _, a := range attacks() {
		f.Add(a.path, "", true)
		f.Add("res://x", strings.TrimPrefix(a.path, "res://"), true)
	}
	f.Add("res://a", ".git/x", false)
	f.Fuzz(func(t *testing.T, path, leadsTo string, linked bool) {
		disk := links{}
		if linked && len(path) > len("res://") {
			disk[strings.TrimSuffix(path[len("res://"):], "/")] = leadsTo
		}
		read := safety.Contain(path, disk, attackedAddon, false)
		write := safety.Contain(path, disk, attackedAddon, true)
		if read != nil && write == nil {
			t.Fatalf("%q can be written and not read: %v", path, read)
		}
		if write != nil {
			return
		}
		checked, failure := protocol.ParseResPath(path)
		if failure != nil || protocol.Protected(checked, attackedAddon) != nil {
			t.Fatalf("%q can be written", path)
		}
		rel, err := disk.Resolve(checked.Rel())
		if err != nil {
			t.Fatalf("%q leads nobody knows where and can be written: %v", path, err)
		}
		real, failure := protocol.ParseResPath("res://" + rel)
		if failure != nil || protocol.Protected(real, attackedAddon) != nil {
			t.Fatalf("%q leads to %q and can be written", path, rel)
		}
	})
}
