package contract

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestDebug(t *testing.T) {
	script := os.Getenv("DBG")
	if script == "" {
		return
	}
	text, _ := os.ReadFile(script)
	r := newRig(t)
	for line := range strings.Lines(string(text)) {
		tool, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if tool == "open" {
			t.Log(r.open(t, rest))
			continue
		}
		if tool == "look" {
			t.Logf("%+v", r.hand.look(t))
			continue
		}
		if tool == "ghost" {
			r.hand.act(t, "add_ghost", map[string]any{"parent": "."}, nil)
			continue
		}
		if tool == "" {
			continue
		}
		reply, err := r.daemon.Call(r.ctx, tool, json.RawMessage(rest))
		t.Logf("%s %s\n  %s %v", tool, rest, reply.Raw, err)
	}
	t.Log(r.editor.Output())
}
