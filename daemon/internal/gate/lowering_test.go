package gate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

func TestACallWithFewerEffectsIsAskedForLess(t *testing.T) {
	r := newRig(t)
	off := `{"node_path":"Shell","editable":false}`
	assert.Equal(t, "confirm", r.refused(protocol.PreconditionFailed, "set_editable_children", off).Required)
	for _, arguments := range []string{`{"node_path":"Shell"}`, `{"node_path":"Shell","editable":true}`} {
		r.link.forget()
		got := r.call("set_editable_children", arguments)
		require.True(t, got.OK, got.text)
		frames := r.link.sent()
		require.Len(t, frames, 1)
		assert.Equal(t, []string{"edits_memory"}, frames[0].Effects, "the addon refuses a plan that does more")
		assert.False(t, frames[0].Confirmed)
	}
	r.link.forget()
	require.True(t, r.call("set_editable_children", `{"node_path":"Shell","editable":false,"confirm":true}`).OK)
	assert.Equal(t, []string{"edits_memory", "removes"}, r.link.sent()[0].Effects)
	assert.True(t, r.link.sent()[0].Confirmed)
}
