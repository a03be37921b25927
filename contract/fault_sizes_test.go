package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// setText sets a text of that many bytes and checks, without the addon's help, that the editor holds exactly it.
func (b *bed) setText(t *testing.T, node, property string, size int) {
	t.Helper()
	line := fmt.Sprintf("%d bytes, größer als nötig; ", size)
	want := strings.Repeat(line, size/len(line)+1)[:size]
	want = strings.ToValidUTF8(want, "?") // the cut may be inside ö
	reply, took := b.timed(t, b.daemon, "set_node_property", args{"node_path": node, "property": property, "value": want})
	require.True(t, reply.OK, "%d bytes: %s", size, clipped(string(reply.Raw)))
	var got struct {
		SHA256 string `json:"sha256"`
		Length int    `json:"length"`
	}
	b.fault.act(t, "sha", map[string]any{"node": node, "property": property}, &got)
	sum := sha256.Sum256([]byte(want))
	require.Equal(t, hex.EncodeToString(sum[:]), got.SHA256, "%s of %d bytes; the editor has %d characters", property, size, got.Length)
	t.Logf("%s of %d bytes set in %s", property, size, took)
}

// testLargeValues: values around the engine's own buffer sizes arrive whole (BR-067); what does not fit a frame is
// refused and costs nothing else.
func (b *bed) testLargeValues(t *testing.T) {
	b.ready(t)
	for _, size := range []int{65535, 65536, 65537, 1 << 20} {
		b.setText(t, "Title", "text", size)
	}
	b.setText(t, "Player", "editor_description", 15<<20)
	b.ok(t, "set_node_property", args{"node_path": "Player", "property": "editor_description", "value": ""})

	b.ok(t, "set_node_property", args{"node_path": "Title", "property": "text", "value": ""})
	before := b.state(t)
	list := "[" + strings.Repeat("1,", 3<<20) + "1]" // fits a line, and each element takes three times the room in a frame
	reply, took := b.timed(t, b.daemon, "set_node_property", json.RawMessage(`{"node_path":"Player","property":"metadata/list","value":`+list+`}`))
	failure := failsWith(t, protocol.ValidationError, "a list of 3 M numbers", reply)
	assert.Equal(t, "payload_too_large", failure.Details["reason"], "%s", text(failure))
	assert.False(t, failure.MayHaveApplied)
	t.Logf("refused in %s", took)
	assert.LessOrEqual(t, took, protocol.DefaultDeadline, "reading 6 MB of numbers and refusing them")
	assert.True(t, b.info(t, b.daemon).Connected, "the link lives")
	b.same(t, before, "a value that does not fit")
}

// testLargeAnswers: pages of a scene with 20,000 nodes, and an answer of 20 MB, which cannot be given (BR-070).
func (b *bed) testLargeAnswers(t *testing.T) {
	b.ready(t)
	path := workRes + "/many.tscn"
	var scene strings.Builder
	scene.WriteString("[gd_scene format=3]\n\n[node name=\"Many\" type=\"Node\"]\n")
	for i := range 20_000 {
		fmt.Fprintf(&scene, "\n[node name=\"N%05d\" type=\"Node\" parent=\".\"]\n", i)
	}
	require.NoError(t, os.WriteFile(b.project.Path(path), []byte(scene.String()), 0o600))
	b.openPath(t, path)
	eventually(t, 30*time.Second, func() bool { return b.info(t, b.daemon).Editor.State == "linked" },
		func() string { return "the editor is still busy with showing the scene" })
	b.checkPages(t, 20_001)
	b.closeScene(t, path)

	b.troubleScene(t)
	b.ok(t, "set_node_property", args{"node_path": ".", "property": "big_count", "value": 20})
	reply, took := b.timed(t, b.daemon, "get_node", args{"node_path": ".", "properties": []string{"big"}})
	failure := failsWith(t, protocol.ResponseTooLarge, "20 MB", reply)
	assert.LessOrEqual(t, took, 3*time.Second, "the editor writes 20 MB of JSON to find out")
	assert.Greater(t, failure.Details["bytes"], float64(protocol.MaxFrame), "%s", text(failure))
	assert.InDelta(t, protocol.MaxFrame, failure.Details["limit"], 0, "%s", text(failure))
	assert.Contains(t, failure.Hint, "limit", "the hint says how to ask for less")
	assert.False(t, failure.MayHaveApplied, "a read")
	assert.True(t, b.info(t, b.daemon).Connected, "the link lives")
	reply, took = b.timed(t, b.daemon, "get_node", args{"node_path": "Player"})
	assert.True(t, reply.OK, "%s", reply.Raw)
	assert.LessOrEqual(t, took, soon)

	// A write is refused for its own reason, not for the length of what there is to say of it.
	reply, _ = b.timed(t, b.daemon, "set_node_property", args{"node_path": ".", "property": "big", "value": []string{}})
	failure = failsWith(t, protocol.ValueRejected, "a value that reads back as 20 MB", reply)
	assert.Contains(t, text(failure.Details), "$truncated", "%.300s", text(failure))
	assert.False(t, failure.MayHaveApplied, "the old value is back")
	b.ok(t, "set_node_property", args{"node_path": ".", "property": "big_count", "value": 0})
}

// checkPages walks through the tree in full pages; every row is there once.
func (b *bed) checkPages(t *testing.T, total int) {
	t.Helper()
	seen := map[any]bool{}
	for offset, more := 0, true; more; {
		reply, took := b.timed(t, b.daemon, "get_scene_tree", args{"limit": 5000, "offset": offset})
		require.True(t, reply.OK, "%s", clipped(string(reply.Raw)))
		assert.LessOrEqual(t, took, 2*time.Second, "a page of 5,000 rows at %d", offset)
		var page struct {
			Rows       [][]any `json:"rows"`
			Total      int     `json:"total"`
			Truncated  bool    `json:"truncated"`
			NextOffset int     `json:"next_offset"`
		}
		decodeData(t, reply, &page)
		assert.Equal(t, total, page.Total)
		require.NotEmpty(t, page.Rows)
		for _, row := range page.Rows {
			seen[row[0]] = true
		}
		offset, more = page.NextOffset, page.Truncated
	}
	assert.Len(t, seen, total)
	b.checkReply(t, "get_scene_tree", args{"limit": 1}, b.ok(t, "get_scene_tree", args{"limit": 1}))
}
