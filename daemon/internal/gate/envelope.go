package gate

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

// The outcomes that a reply names.
const (
	outcomeRead      = "read"
	outcomeApplied   = "applied"
	outcomeSimulated = "simulated"
	outcomeFailed    = "failed"
	outcomeUnknown   = "unknown"
	outcomeDenied    = "denied"
)

// safetyBlock is the part of every reply that says what kind of call it was and what happened.
type safetyBlock struct {
	Class          safety.Class `json:"class,omitempty"`
	Mode           safety.Mode  `json:"mode"`
	Executed       bool         `json:"executed"`
	DryRun         bool         `json:"dry_run"`
	Outcome        string       `json:"outcome,omitempty"`
	MayHaveApplied bool         `json:"may_have_applied,omitempty"`
	// Approval names who approved the call.
	Approval []string `json:"approval,omitempty"`
	// Token lets the real run of a dry run happen where the operator demands one.
	Token   string `json:"confirm_token,omitempty"`
	Expires string `json:"expires_at,omitempty"` // RFC 3339
}

// success builds the reply of a call that went well.
func success(c *call) tool.Reply {
	block := safetyBlock{
		Class: c.class(), Mode: c.mode, Executed: !c.dryRun(), DryRun: c.dryRun(), Outcome: outcome(c),
		MayHaveApplied: c.batch != nil && c.batch.doubt, Approval: c.yes, Token: c.token, Expires: c.expires,
	}
	rest, err := encode(struct {
		Safety      safetyBlock `json:"safety"`
		Persistence any         `json:"persistence,omitempty"`
	}{block, c.verdicts()})
	var body json.RawMessage
	if err == nil {
		// Put together by hand: an encoder would read the data, which is valid and may be large, once more.
		body, err = fit(slices.Concat([]byte(`{"ok":true,"data":`), c.data, []byte(`,`), rest[1:]))
	}
	if err != nil {
		return failure(c, protocol.Fail(protocol.BridgeProtocolError, "the editor's answer is not valid JSON"))
	}
	return tool.Reply{Body: body, Text: string(body)}
}

// outcome is what became of a call that went well.
func outcome(c *call) string {
	switch {
	case c.dryRun():
		return outcomeSimulated
	case c.batch != nil:
		return c.batch.outcome()
	case c.tool.Writes():
		return outcomeApplied
	}
	return outcomeRead
}

// failure builds the reply of a call that was refused or went wrong.
func failure(c *call, e *protocol.Error) tool.Reply {
	e = capped(e)
	block := safetyBlock{Class: c.class(), Mode: c.mode, DryRun: c.dryRun(), MayHaveApplied: e.MayHaveApplied, Approval: c.yes}
	body := struct {
		OK     bool            `json:"ok"`
		Error  *protocol.Error `json:"error"`
		Safety safetyBlock     `json:"safety"`
	}{false, e, block}
	text, err := encode(body)
	if err != nil { // details that cannot be shown must not hide the failure
		e.Details = map[string]any{"details": "could not be encoded"}
		text, _ = encode(body)
	}
	return tool.Reply{Body: text, Text: e.Error(), Failed: true}
}

// encode writes JSON as it is meant to be read: "<" stays "<".
func encode(v any) (json.RawMessage, error) {
	b := &bytes.Buffer{}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// asFailure gives the protocol's form of any error. What is not a failure of ours is a fault inside Drawbridge.
func asFailure(err error) *protocol.Error {
	var failure *protocol.Error
	if errors.As(err, &failure) {
		return failure
	}
	return protocol.Fail(protocol.InternalError, "%v", err)
}

// verdicts gives the persistence part: one verdict as it is, several as a list, none not at all.
func (c *call) verdicts() any {
	if c.batch != nil {
		if list := c.batch.verdicts(); len(list) > 0 {
			return list
		}
		return nil
	}
	if c.result == nil || c.result.Plan == nil {
		return nil
	}
	switch list := c.result.Plan.Persistence; len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	default:
		return list
	}
}

// field is one entry that the gate adds to a handler's data.
type field struct {
	name  string
	value any
}

// sentAgain says what the reply to a call is that an earlier sending has carried out.
const sentAgain = "nothing was done now: apart from scene_dirty this is what the first run told; read anew what you go on from"

// extras are the honesty fields of a result.
func extras(r *protocol.Result, dryRun bool) []field {
	var fields []field
	add := func(name string, value any) { fields = append(fields, field{name, value}) }
	if p := r.Plan; p != nil {
		add("targets", orEmpty(p.Targets))
		if dryRun {
			add("undoable", p.Undoable)
			add("removes", p.Removes)
			add("writes", p.Writes)
			if len(p.Files) > 0 {
				add("files", p.Files)
			}
		}
	}
	if d := r.Done; d != nil && !dryRun {
		if !d.Deduplicated { // it may be undone by now, or stand below other actions
			add("undoable", d.Undoable)
		}
		if d.UndoAction != "" && !d.Deduplicated {
			add("undo_action", d.UndoAction)
		}
		add("scene_dirty", d.SceneDirty)
		if len(d.OnDisk) > 0 {
			add("on_disk", d.OnDisk)
		}
		if len(d.AlsoWritten) > 0 {
			add("also_written", d.AlsoWritten)
		}
		if d.Deduplicated {
			add("deduplicated", true)
			add("hint", sentAgain)
		}
	}
	if r.Scene != "" {
		add("scene", r.Scene)
	}
	if len(r.EngineErrors) > 0 {
		add("engine_errors", r.EngineErrors)
	}
	return fields
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// withExtras puts the honesty fields behind the handler's own data, which keeps its order. The gate's fields win,
// because they are the measured ones; the handler's entry of the same name is left out.
func withExtras(data json.RawMessage, fields []field) (json.RawMessage, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || bytes.Equal(data, []byte("null")) {
		data = json.RawMessage("{}")
	}
	if data[0] != '{' || !json.Valid(data) {
		return nil, errors.New("the editor's data is not an object")
	}
	members := slices.DeleteFunc(membersOf(data), func(m member) bool {
		return slices.ContainsFunc(fields, func(f field) bool { return f.name == m.name })
	})
	for _, f := range fields {
		value, err := encode(f.value)
		if err != nil {
			return nil, err
		}
		members = append(members, member{name: f.name, quoted: []byte(`"` + f.name + `"`), value: value})
	}
	return objectOf(members), nil
}
