package contract

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
)

const (
	handRes  = "res://addons/testhand"
	portRes  = "res://.godot/testhand_port"
	handWait = time.Minute
)

// hand is the second pair of hands in the editor (see gd/testhand): what a person does there beside the client, and
// what a person sees there. It is how the tests look at the editor without asking the addon under test.
type hand struct {
	conn net.Conn
	in   *bufio.Reader
}

// look is what can be seen in the editor.
type look struct {
	Scenes        []string `json:"scenes"`
	Edited        string   `json:"edited"`
	Starred       []string `json:"starred"`
	SceneVersion  int64    `json:"scene_version"`
	GlobalVersion int64    `json:"global_version"`
	Top           string   `json:"top"`
}

// installHand puts the hand's addon beside the one under test. The editor must not run yet.
func installHand(t *testing.T, p *harness.Project) {
	t.Helper()
	require.NoError(t, os.CopyFS(p.Path(handRes), os.DirFS(p.Path("res://gd/testhand"))))
	settings := p.Path("res://project.godot")
	text, err := os.ReadFile(settings)
	require.NoError(t, err)
	before := `"` + harness.AddonRes + `/plugin.cfg"`
	require.Contains(t, string(text), before)
	both := strings.Replace(string(text), before, before+`, "`+handRes+`/plugin.cfg"`, 1)
	require.NoError(t, os.WriteFile(settings, []byte(both), 0o600))
}

// takeHand connects to the hand in the running editor.
func takeHand(t *testing.T, p *harness.Project) *hand {
	t.Helper()
	var port string
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(p.Path(portRes))
		port = string(text)
		return err == nil && strings.HasSuffix(port, "\n")
	}, handWait, 20*time.Millisecond, "the test hand did not come up")
	conn, err := net.DialTimeout("tcp", "127.0.0.1:"+strings.TrimSpace(port), handWait)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return &hand{conn: conn, in: bufio.NewReaderSize(conn, 1<<20)}
}

// act has the hand do something and reads its answer into out, if there is one.
func (h *hand) act(t *testing.T, what string, with map[string]any, out any) {
	t.Helper()
	request := map[string]any{"do": what}
	for key, value := range with {
		request[key] = value
	}
	line, err := json.Marshal(request)
	require.NoError(t, err)
	require.NoError(t, h.conn.SetDeadline(time.Now().Add(handWait)))
	_, err = h.conn.Write(append(line, '\n'))
	require.NoError(t, err, "hand: %s", what)
	answer, err := h.in.ReadBytes('\n')
	require.NoError(t, err, "hand: %s", what)
	var failed struct {
		Error string `json:"error"`
	}
	require.NoError(t, json.Unmarshal(answer, &failed), "hand: %s: %s", what, answer)
	require.Empty(t, failed.Error, "hand: %s %v", what, with)
	if out != nil {
		require.NoError(t, json.Unmarshal(answer, out), "hand: %s: %s", what, answer)
	}
}

// look sees what there is to see, once the editor has caught up with itself.
func (h *hand) look(t *testing.T) look {
	t.Helper()
	var seen look
	h.act(t, "look", map[string]any{"settled": true}, &seen)
	return seen
}

// glance is a look at once: tabs may not have their stars yet.
func (h *hand) glance(t *testing.T) look {
	t.Helper()
	var seen look
	h.act(t, "look", nil, &seen)
	return seen
}

// dump is the edited scene as text, exact to the last bit.
func (h *hand) dump(t *testing.T) string {
	t.Helper()
	var out struct {
		Text string `json:"text"`
	}
	h.act(t, "dump", nil, &out)
	return out.Text
}

// set changes a property as a person in the inspector does: with an undo action of its own.
func (h *hand) set(t *testing.T, node, property string, value any, action string) {
	t.Helper()
	h.act(t, "set", map[string]any{"node": node, "property": property, "value": value, "action": action}, nil)
}
