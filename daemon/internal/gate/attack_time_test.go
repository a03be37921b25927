package gate

import (
	"bufio"
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/approval"
	"drawbridge/daemon/internal/audit"
	"drawbridge/daemon/internal/session"
	"drawbridge/protocol"
)

// sayingYes is the answer of a client that claims that a person said yes.
func sayingYes(state string) session.Answer {
	return session.Answer{State: state, Action: "accept", Approve: true}
}

// A clock that leaps ahead, as after a sleep of the machine, ends what was open; it never opens anything.
func TestWhatIsOpenEndsWithItsTime(t *testing.T) {
	for name, row := range map[string]struct {
		after time.Duration
		code  protocol.Code // of the call with the token
		no    protocol.Code // of the call with the answer
	}{
		"at once":                     {0, "", ""},
		"a second before the answer":  {askFor - time.Second, "", ""},
		"when the answer is too late": {askFor, "", protocol.ApprovalDenied},
		"just before the end":         {defaultTokenTTL - 1, "", protocol.ApprovalDenied},
		"at the end":                  {defaultTokenTTL, protocol.ConfirmTokenExpired, protocol.ApprovalDenied},
		"some minutes later":          {defaultTokenTTL + 9*time.Minute, protocol.ConfirmTokenExpired, protocol.ApprovalDenied},
		"a day later":                 {24 * time.Hour, protocol.ConfirmTokenInvalid, protocol.ApprovalDenied},
		"ten years later":             {10 * 365 * 24 * time.Hour, protocol.ConfirmTokenInvalid, protocol.ApprovalDenied},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := guardedRig(t, newRig(t).tools)
				token := r.token("delete_node", deleteA)
				time.Sleep(row.after)
				r.ends(row.code, "delete_node", r.call("delete_node", withToken(deleteA, token)))

				r = eliciting(t)
				state := r.question("delete_node", deleteA)
				time.Sleep(row.after)
				r.ends(row.no, "delete_node", r.answered("delete_node", deleteA, sayingYes(state)))
			})
		})
	}
}

// ends sees how a call ended.
func (r *rig) ends(code protocol.Code, what string, got reply) {
	r.t.Helper()
	if code == "" {
		require.True(r.t, got.OK, got.text)
		return
	}
	require.False(r.t, got.OK, what)
	assert.Equal(r.t, code, got.Error.Code, got.text)
	r.noApply(what)
}

// liars are texts that would pass for a line of a log, or hide one, each in a place from which text gets into the audit
// or the log.
func liars() map[string]func(r *rig, text string) {
	quote := func(text string) string {
		quoted, _ := json.Marshal(text)
		return string(quoted)
	}
	failing := func(make func(text string) *protocol.Error) func(r *rig, text string) {
		return func(r *rig, text string) {
			r.link.answer = func(protocol.Request) (*protocol.Response, error) {
				return &protocol.Response{Error: make(text)}, nil
			}
			r.call("delete_node", deleteA)
		}
	}
	return map[string]func(r *rig, text string){
		"the client's name":  func(r *rig, text string) { r.client = session.New(text); r.call("create_node", makeNode) },
		"a name set later":   func(r *rig, text string) { r.client.Name = text; r.call("create_node", makeNode) },
		"a tool's name":      func(r *rig, text string) { r.call(text, `{}`) },
		"a carried name":     func(r *rig, text string) { r.call("call_tool", `{"tool":`+quote(text)+`,"arguments":{}}`) },
		"a batched name":     func(r *rig, text string) { r.call("run_commands", `{"commands":[{"tool":`+quote(text)+`}]}`) },
		"an argument's name": func(r *rig, text string) { r.call("create_node", `{`+quote(text)+`:1}`) },
		"a project":          func(r *rig, text string) { r.call("get_node", `{"node_path":".","project":`+quote(text)+`}`) },
		"a key":              func(r *rig, text string) { r.call("create_node", also(makeNode, "idempotency_key", quote(text))) },
		"a node":             func(r *rig, text string) { r.call("delete_node", `{"confirm":true,"node_path":`+quote(text)+`}`) },
		"a file": func(r *rig, text string) {
			r.call("save_scene", `{"confirm":true,"scene_path":`+quote("res://"+text+".tscn")+`}`)
		},
		"a scene": func(r *rig, text string) { r.call("create_node", also(makeNode, "scene", quote(text))) },
		"an editor's target": func(r *rig, text string) {
			r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
				answer := good(q)
				if answer.Result.Plan != nil {
					answer.Result.Plan.Targets = []string{text}
				}
				return answer, nil
			}
			r.call("create_node", makeNode)
		},
		"an editor's refusal": failing(func(text string) *protocol.Error { return protocol.Fail(protocol.ResourceNotFound, "%s", text) }),
		"an editor's hint": failing(func(text string) *protocol.Error {
			return protocol.Fail(protocol.ResourceNotFound, "x").WithHint("%s", text)
		}),
		"an editor's code": failing(func(text string) *protocol.Error { return &protocol.Error{Code: protocol.Code(text), Message: "x"} }),
		"an editor's id": func(r *rig, text string) {
			r.link.editor.Hello.Editor = text
			r.call("create_node", makeNode)
		},
		"a fault": func(r *rig, text string) {
			r.link.answer = func(protocol.Request) (*protocol.Response, error) { panic(text) }
			r.call("create_node", makeNode)
		},
		"a human's reason": func(r *rig, text string) {
			r.gate.places[0].Policy.Approval.Backends = []approval.Backend{&human{verdict: approval.Verdict{Reachable: true, Reason: text}}}
			r.call("create_node", makeNode)
		},
	}
}

func TestNoTextForgesALineOfAuditOrLog(t *testing.T) {
	all := newRig(t).tools
	for place, lie := range liars() {
		for kind, text := range map[string]string{
			"lines":      "x\n{\"seq\":1,\"kind\":\"outcome\",\"outcome\":\"read\"}\r\ntime=2030-01-01 level=INFO msg=fine",
			"escapes":    "x\x1b[2K\x1b[1A\x07\x08y\u009b2Jz",
			"directions": "x\u202e\u2066y\u2069\u200f",
			"hidden":     "x\u200b\u2060\ufeff\u2028\u2029y",
			"long":       strings.Repeat("L", 80_000),
		} {
			t.Run(place+" with "+kind, func(t *testing.T) {
				dir := t.TempDir()
				require.NoError(t, os.Chmod(dir, 0o700))
				path := filepath.Join(dir, "audit", "p.jsonl")
				written, err := audit.Open(audit.Options{Path: path, KeyDir: filepath.Join(dir, "keys"), Boot: "b"})
				require.NoError(t, err)
				var log bytes.Buffer
				r := rigOf(t, all, func(o *Options) {
					o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
					o.Audit, o.Projects[0].Audit = written, written
				})
				calls := strings.Count(readFile(t, path), "\n")
				lie(r, text)
				require.NoError(t, written.Close())
				lines := plainLines(t, readFile(t, path))
				assert.InDelta(t, calls+2, len(lines), 1, "an outcome, and perhaps an intent")
				for _, line := range lines {
					assert.True(t, json.Valid([]byte(line)), line)
					assert.Less(t, len(line), 64<<10)
				}
				for _, line := range plainLines(t, log.String()) {
					assert.True(t, strings.HasPrefix(line, "time="), line)
				}
				report, err := audit.Verify(path, filepath.Join(dir, "keys"))
				require.NoError(t, err)
				assert.True(t, report.OK, "%v", report.Problems)
			})
		}
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// plainLines gives the lines of a log, in which everything has to show.
func plainLines(t *testing.T, text string) []string {
	t.Helper()
	var lines []string
	scan := bufio.NewScanner(strings.NewReader(text))
	scan.Buffer(nil, 4<<20)
	for scan.Scan() {
		hidden := strings.IndexFunc(scan.Text(), func(r rune) bool { return !unicode.IsPrint(r) })
		require.Negative(t, hidden, "%.300q", scan.Text())
		lines = append(lines, scan.Text())
	}
	require.NoError(t, scan.Err())
	return lines
}
