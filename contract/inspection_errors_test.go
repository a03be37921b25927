package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// errorList is the answer of get_editor_errors.
type errorList struct {
	Entries []struct {
		Seq     int64  `json:"seq"`
		Kind    string `json:"kind"`
		Message string `json:"message"`
		File    string `json:"file"`
		Line    int    `json:"line"`
		Script  string `json:"script"`
		Times   int    `json:"times"`
	} `json:"entries"`
	Total     int   `json:"total"`
	Returned  int   `json:"returned"`
	Truncated bool  `json:"truncated"`
	NextSeq   int64 `json:"next_seq"`
	Dropped   int   `json:"dropped"`
	Restarted bool  `json:"restarted"`
}

func (r *rig) errorsAfter(t *testing.T, with args) errorList {
	t.Helper()
	var out errorList
	reply := r.ok(t, "get_editor_errors", with)
	decodeData(t, reply, &out)
	assert.Len(t, out.Entries, out.Returned, "%s", reply.Raw)
	assert.Equal(t, out.Truncated, out.Returned < out.Total, "%s", reply.Raw)
	return out
}

// cursor is the place after all that was logged so far.
func (r *rig) cursor(t *testing.T) int64 {
	t.Helper()
	next := int64(0)
	for {
		page := r.errorsAfter(t, args{"since_seq": next, "limit": 500})
		if next = page.NextSeq; !page.Truncated {
			return next
		}
	}
}

func (r *rig) editorErrors(t *testing.T) {
	for _, row := range []struct {
		about, kind string
		act         map[string]any
		times       int
	}{
		{"an error between calls", "error", map[string]any{"text": "Inspected one"}, 1},
		{"a warning", "warning", map[string]any{"text": "Inspected two", "warns": true}, 1},
		{"one of another thread", "error", map[string]any{"text": "Inspected three", "thread": true}, 1},
		{"one a thousand times", "error", map[string]any{"text": "Inspected four", "times": 1000}, 1000},
	} {
		t.Run(row.about, func(t *testing.T) {
			since := r.cursor(t)
			assert.Empty(t, r.errorsAfter(t, args{"since_seq": since}).Entries, "nothing is told twice")
			r.hand.act(t, "complain", row.act, nil)
			got := r.errorsAfter(t, args{"since_seq": since})
			require.Len(t, got.Entries, 1, "%v", got)
			entry := got.Entries[0]
			assert.Equal(t, row.act["text"], entry.Message)
			assert.Equal(t, row.kind, entry.Kind)
			assert.Equal(t, row.times, entry.Times)
			assert.Contains(t, entry.Script, "addons/testhand/doings.gd:", "the line that was running")
			assert.Equal(t, since+int64(row.times), got.NextSeq)
			r.hand.act(t, "complain", row.act, nil)
			again := r.errorsAfter(t, args{"since_seq": got.NextSeq})
			require.Len(t, again.Entries, 1, "what comes again is told again")
			assert.Equal(t, 2*row.times, again.Entries[0].Times)
		})
	}
	t.Run("one that a call causes", func(t *testing.T) {
		r.open(t, "values")
		since := r.cursor(t)
		r.refused(t, protocol.ValueRejected, "set_node_property",
			args{"node_path": "Picture", "property": "frame", "value": 50})
		got := r.errorsAfter(t, args{"since_seq": since})
		require.NotEmpty(t, got.Entries)
		assert.Contains(t, got.Entries[0].Message, "out of bounds")
	})
	t.Run("a cursor of an earlier run", func(t *testing.T) {
		got := r.errorsAfter(t, args{"since_seq": r.cursor(t) + 1000})
		assert.True(t, got.Restarted)
		assert.NotEmpty(t, got.Entries, "all that is kept")
	})
}

func (r *rig) manyErrors(t *testing.T) {
	since := r.cursor(t)
	r.hand.act(t, "complain", map[string]any{"text": "Inspected many", "times": 700, "different": true}, nil)
	r.hand.look(t) // printing them can take seconds; after some frames the addon has said that it lives
	got := r.errorsAfter(t, args{"since_seq": since, "limit": 500})
	assert.Equal(t, 500, got.Total, "the ring is full")
	assert.Equal(t, 200, got.Dropped)
	assert.Equal(t, "Inspected many 200", got.Entries[0].Message)
	assert.Equal(t, "Inspected many 699", got.Entries[499].Message)
	half := r.errorsAfter(t, args{"since_seq": since, "limit": 250})
	assert.True(t, half.Truncated)
	rest := r.errorsAfter(t, args{"since_seq": half.NextSeq, "limit": 500})
	assert.Equal(t, 250, rest.Returned)
	assert.Zero(t, rest.Dropped)
	assert.Equal(t, got.NextSeq, rest.NextSeq)
	assert.Zero(t, r.errorsAfter(t, args{"since_seq": got.NextSeq}).Dropped)
}
