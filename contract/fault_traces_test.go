package contract

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
)

// testTraces: the same project and the same acts, once without and once with the addon. The addon adds no line to the
// editor's output, and no setting of the user's differs.
func testTraces(ctx context.Context, t *testing.T, kit *harness.Kit) {
	without := traceRun(ctx, t, kit, false)
	with := traceRun(ctx, t, kit, true)
	for line, n := range with.lines {
		assert.LessOrEqual(t, n, without.lines[line], "the addon adds to the editor's output: %q", line)
	}
	assert.Equal(t, without.settings, with.settings, "the user's editor settings")
	assert.Equal(t, without.sleep, with.sleep, "the idle sleep of an editor that no client has called for")
}

// traces is what an editor's run leaves to be seen.
type traces struct {
	lines    map[string]int
	settings map[string]string
	sleep    int
}

// traceRun runs an editor to its end: with the addon, also a daemon and some calls.
func traceRun(ctx context.Context, t *testing.T, kit *harness.Kit, withAddon bool) traces {
	t.Helper()
	b := newBed(ctx, t, kit)
	if !withAddon {
		editSettings(t, b.project, `"`+harness.AddonRes+`/plugin.cfg", `, "")
	}
	settings := b.file(t, "res://project.godot")
	b.startDaemon(t)
	up := b.startEditor(t, harness.EditorOptions{})
	var out traces
	var sleep struct {
		Usec int `json:"usec"`
	}
	if withAddon {
		b.linked(t, up, linkWait)
	}
	b.fault.act(t, "sleep", nil, &sleep)
	out.sleep = sleep.Usec
	b.hand.act(t, "open", map[string]any{"path": harness.FixtureRes + "/own_nodes.tscn"}, nil)
	if withAddon {
		b.ok(t, "get_scene_tree", args{})
		b.ok(t, "get_node", args{"node_path": "Player", "all": true})
		b.ok(t, "set_node_property", args{"node_path": "Player", "property": "z_index", "value": 4})
		b.ok(t, "undo", args{})
	}
	// The daemon ends while the editor runs: its going away is no news for the output either.
	require.NoError(t, b.daemon.Stop(endWait))
	b.fault.act(t, "sleep", nil, nil)
	require.NoError(t, b.editor.Stop(20*time.Second))
	assert.Equal(t, settings, b.file(t, "res://project.godot"), "project.godot")
	out.lines = linesOf(b.editor.Output(), b.project)
	out.settings = settingsOf(t, b.project)
	return out
}

var (
	// number is what differs from run to run in a line.
	number = regexp.MustCompile(`[0-9]+`)
	// progress is a line of the editor's own progress bars, which it shows or leaves out as time goes by.
	progress = regexp.MustCompile(`^\[ *[0-9]+% \]|\[ DONE \]`)
	// colour is an escape sequence.
	colour = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// linesOf counts the lines of an output; numbers and paths of this run are taken out.
func linesOf(output string, p *harness.Project) map[string]int {
	lines := map[string]int{}
	for line := range strings.SplitSeq(output, "\n") {
		line = colour.ReplaceAllString(line, "")
		if progress.MatchString(line) {
			continue
		}
		line = strings.ReplaceAll(strings.ReplaceAll(line, p.Dir, "PROJECT"), p.Home, "HOME")
		if line = strings.TrimSpace(number.ReplaceAllString(line, "N")); line != "" {
			lines[line]++
		}
	}
	return lines
}

// settingsOf are the files of the editor's settings folder by name.
func settingsOf(t *testing.T, p *harness.Project) map[string]string {
	t.Helper()
	settings := map[string]string{}
	files, err := filepath.Glob(filepath.Join(p.Home, ".config", "godot", "*"))
	require.NoError(t, err)
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		if info.IsDir() {
			continue
		}
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		settings[filepath.Base(file)] = strings.ReplaceAll(string(raw), p.Dir, "PROJECT")
	}
	require.NotEmpty(t, settings, "no settings were found, so nothing is proven")
	return settings
}
