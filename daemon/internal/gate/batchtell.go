package gate

import (
	"fmt"
	"strings"

	"drawbridge/protocol"
)

// batchAnswer is the data of a batch's reply.
type batchAnswer struct {
	OKAll      bool          `json:"ok_all"`
	Count      int           `json:"count"`
	Succeeded  int           `json:"succeeded"`
	Failed     int           `json:"failed"`
	Skipped    int           `json:"skipped_count"`
	AbortedAt  *int          `json:"aborted_at,omitempty"`
	Undoable   *bool         `json:"undoable,omitempty"` // of an atomic batch, as a whole
	UndoAction string        `json:"undo_action,omitempty"`
	SceneDirty *bool         `json:"scene_dirty,omitempty"`
	Sent       bool          `json:"deduplicated,omitempty"` // all that was written was written by an earlier sending
	Hint       string        `json:"hint,omitempty"`
	Results    []entryResult `json:"results"`
	Truncated  []string      `json:"truncated,omitempty"`
	// EngineErrors are those of an atomic batch's one frame; else each call has its own.
	EngineErrors []protocol.EngineError `json:"engine_errors,omitempty"`
}

// tell builds the data of the reply.
func (b *batch) tell(c *call, stopped int) *protocol.Error {
	answer := batchAnswer{
		OKAll: b.count(entryFailed) == 0, Count: len(b.results), Succeeded: b.count(entrySuccess),
		Failed: b.count(entryFailed), Skipped: b.count(entrySkipped), Results: b.results,
	}
	if stopped >= 0 {
		answer.AbortedAt = &stopped
	}
	if b.applied {
		answer.SceneDirty, answer.Sent = &b.dirty, b.repeated()
	}
	if b.done != nil && !b.done.Deduplicated {
		answer.Undoable, answer.UndoAction = &b.done.Undoable, b.done.UndoAction
	}
	if b.atomic && c.result != nil {
		answer.EngineErrors = c.result.EngineErrors
	}
	answer.Hint = b.hint(c, stopped)
	var err error
	if answer.Truncated, err = b.shorten(); err == nil {
		c.data, err = encode(answer)
	}
	if err != nil {
		failure := protocol.Fail(protocol.BridgeProtocolError, "%v", err)
		failure.MayHaveApplied = b.applied || b.doubt
		return failure
	}
	return nil
}

// repeated tells whether all that was written was written by an earlier sending, and nothing may have been now.
func (b *batch) repeated() bool { return b.applied && !b.fresh && !b.doubt }

func (b *batch) hint(c *call, stopped int) string {
	var parts []string
	if b.doubt {
		parts = append(parts, "the failed call may have been applied: read again before anything else")
	}
	if stopped >= 0 {
		parts = append(parts, "nothing after the failed call has run; what ran before it stays, each with its own undo action")
	}
	if b.repeated() {
		parts = append(parts, sentAgain)
	}
	if b.dirty {
		parts = append(parts, "the scene has unsaved changes: save_scene keeps them")
	}
	if b.atomic && c.dryRun() {
		parts = append(parts, "all of it will be one undo action, or nothing")
	}
	if c.dryRun() {
		parts = append(parts, "each call is foretold as if the ones before it had not run")
	}
	return strings.Join(parts, "; ")
}

// shorten makes room when the calls' data is too long for one reply: each gets its share, and what a call did is still
// told.
func (b *batch) shorten() ([]string, error) {
	size := 0
	for _, r := range b.results {
		size += characters(r.Data)
	}
	most := maxContent / 4 * 3
	if size <= most {
		return nil, nil
	}
	cuts := &cutter{}
	for i := range b.results {
		r := &b.results[i]
		if r.Data == nil {
			continue
		}
		var err error
		if r.Data, err = cuts.shorten(fmt.Sprintf(".results[%d].data", i), r.Data, most/len(b.results)); err != nil {
			return nil, err
		}
	}
	return cuts.cut, nil
}
