package bridge

import (
	"bytes"
	"encoding/json"

	"github.com/coder/websocket"

	"drawbridge/protocol"
)

const (
	// headOfFrame is how much of an oversized frame is looked at for its id.
	headOfFrame = 512
	// maxLate bounds the ids whose answer is no longer waited for.
	maxLate = 4096
)

// brokenFrame is a frame that is not the protocol. The link closes with status.
type brokenFrame struct {
	problem string
	status  websocket.StatusCode
}

func (b *brokenFrame) Error() string { return b.problem }

// inbound is every frame that an editor may send after the handshake.
type inbound struct {
	ID     *string             `json:"id"`
	OK     *bool               `json:"ok"`
	Result *protocol.Result    `json:"result"`
	Error  *protocol.Error     `json:"error"`
	Event  *string             `json:"event"`
	Data   *protocol.EventData `json:"data"`
	// Answers are several answers in one frame, in the order in which they were given.
	Answers []inbound `json:"answers"`
}

// receive takes one text frame: an answer, several, or an event. A frame that is none of these breaks the link; an
// answer that nobody waits for is counted and dropped.
func (l *link) receive(frame []byte) error {
	frame = protocol.RepairJSON(frame)
	var in inbound
	if err := json.Unmarshal(frame, &in); err != nil {
		if json.Valid(frame) {
			return &brokenFrame{"a frame of the wrong form", websocket.StatusProtocolError}
		}
		return &brokenFrame{"a frame that is not JSON", websocket.StatusInvalidFramePayloadData}
	}
	if in.Answers == nil {
		return l.receiveOne(in)
	}
	if in.ID != nil || in.Event != nil || len(in.Answers) == 0 {
		return &brokenFrame{"a frame of answers that is something else too, or empty", websocket.StatusProtocolError}
	}
	for _, one := range in.Answers {
		if one.Event != nil || one.Answers != nil {
			return &brokenFrame{"a frame of answers that holds something else", websocket.StatusProtocolError}
		}
		if err := l.receiveOne(one); err != nil {
			return err
		}
	}
	return nil
}

// receiveOne takes an answer or an event.
func (l *link) receiveOne(in inbound) error {
	switch {
	case in.Event != nil && in.ID == nil:
		l.event(*in.Event, in.Data)
		return nil
	case in.ID == nil || in.OK == nil || *in.OK != (in.Result != nil) || *in.OK == (in.Error != nil):
		return &brokenFrame{"a frame that is neither answer nor event", websocket.StatusProtocolError}
	}
	l.answer(&protocol.Response{ID: *in.ID, OK: *in.OK, Result: in.Result, Error: known(in.Error)})
	return nil
}

// answer gives a response to its call.
func (l *link) answer(r *protocol.Response) {
	c, wasLate := l.take(r.ID)
	if c != nil {
		c.finish(r, nil)
		return
	}
	if wasLate {
		l.log.Debug("an answer came too late", "id", r.ID)
		return
	}
	l.log.Warn("dropped an answer that nobody asked for", "event", "cross_session_reply_dropped", "id", clip(r.ID))
	l.dropped.Add(1)
}

// event notes where the editor is now. Events of a kind that is not known here say the same.
func (l *link) event(name string, data *protocol.EventData) {
	if data == nil {
		return
	}
	l.mu.Lock()
	l.scene, l.rev = data.Scene, data.Rev
	l.mu.Unlock()
	if name != protocol.EventBeat {
		l.log.Debug("the editor reports", "event", clip(name))
	}
}

// tooLarge ends the one call that an oversized frame answers. It is false when that call cannot be told from the
// frame's head.
func (l *link) tooLarge(head []byte, size int64) bool {
	c, _ := l.take(idInHead(head))
	if c == nil {
		return false
	}
	c.finish(nil, c.fail(protocol.ResponseTooLarge, "the editor's answer is larger than one frame may be").
		With("bytes", size).With("limit", protocol.MaxFrame))
	return true
}

// idInHead finds the id in the first bytes of an answer; our addon writes it first.
func idInHead(head []byte) string {
	dec := json.NewDecoder(bytes.NewReader(head))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	if t, err := dec.Token(); err != nil || t != "id" {
		return ""
	}
	t, err := dec.Token()
	id, ok := t.(string)
	if err != nil || !ok {
		return ""
	}
	return id
}

// known keeps the closed set closed: an editor's unknown code becomes an internal error that names it.
func known(e *protocol.Error) *protocol.Error {
	if e == nil {
		return nil
	}
	if _, ok := protocol.LookupCode(e.Code); ok {
		return e
	}
	out := protocol.Fail(protocol.InternalError, "%s", e.Message).With("unknown_code", clip(string(e.Code)))
	out.MayHaveApplied = e.MayHaveApplied
	return out
}

// take removes and gives the call with this id; else it says whether the id was given up before, and forgets it.
func (l *link) take(id string) (c *call, wasLate bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c = l.pending[id]; c != nil {
		delete(l.pending, id)
		return c, false
	}
	_, wasLate = l.late[id]
	delete(l.late, id)
	return nil, wasLate
}

// giveUp removes a call whose answer is not waited for any more. It is false when the call has ended already.
func (l *link) giveUp(c *call) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending[c.id] != c {
		return false
	}
	delete(l.pending, c.id)
	if len(l.late) >= maxLate {
		clear(l.late)
	}
	l.late[c.id] = struct{}{}
	return true
}
