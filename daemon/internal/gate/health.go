package gate

import (
	"time"

	"drawbridge/daemon/internal/bridge"
	"drawbridge/protocol"
)

// Link states in the answer of health_check, beside those of a linked editor.
const (
	linkNoProject = "no_project"
	linkWaiting   = "waiting"
)

// health is the answer of health_check: what the daemon knows by itself, so that it comes at once whatever the editor
// does.
type health struct {
	Version  string `json:"version"`
	Protocol int    `json:"protocol"`
	Project  string `json:"project,omitempty"`
	// Link is linked, blocked (the editor's main loop is silent), waiting (for an editor) or no_project.
	Link    string         `json:"link"`
	Healthy bool           `json:"healthy"`
	Editors []editorHealth `json:"editors"`
	Refused int            `json:"refused_editors,omitempty"`
	InDoubt bool           `json:"quarantined,omitempty"`
	Hint    string         `json:"hint,omitempty"`
}

type editorHealth struct {
	Project      string       `json:"project"`
	State        bridge.State `json:"state"`
	PID          int          `json:"pid"`
	GodotVersion string       `json:"godot_version"`
	AddonVersion string       `json:"addon_version"`
	// BeatAgeMs is how long ago the editor said anything; its main loop beats each second.
	BeatAgeMs int64 `json:"beat_age_ms"`
	LinkedMs  int64 `json:"linked_ms"`
	Pending   int   `json:"pending_calls"`
}

// Health tells whether a call could reach the editor now; with several projects, that of each.
func (g *Gate) Health() any {
	h := health{
		Version: protocol.ProductVersion, Protocol: protocol.Version,
		Link: linkWaiting, Editors: []editorHealth{}, Refused: len(g.opts.Link.Refusals()),
	}
	if len(g.places) == 0 {
		h.Link, h.Hint = linkNoProject, "start the daemon with a project folder"
		return h
	}
	if len(g.places) == 1 {
		h.Project = g.places[0].Dir
	}
	h.Healthy = true
	for _, p := range g.places {
		g.look(p, &h)
	}
	return h
}

// look adds one project to the answer: its worst state is what counts.
func (g *Gate) look(p *place, h *health) {
	doubt := p.remember() != nil || p.line.describe() != nil
	h.InDoubt = h.InDoubt || doubt
	editor, linked := g.opts.Link.Editor(p.Dir)
	if !linked {
		h.Link, h.Healthy, h.Hint = linkWaiting, false, "open the project in Godot with the Drawbridge addon enabled"
		if h.Refused > 0 {
			h.Hint = "an editor came and was refused: get_server_info says why"
		}
		return
	}
	h.Editors = append(h.Editors, healthOf(editor))
	if h.Healthy {
		h.Link = string(editor.State)
	}
	if editor.State == bridge.StateBlocked {
		h.Healthy, h.Link, h.Hint = false, string(editor.State), "look at the editor: a dialog or a long task holds it"
	} else if doubt {
		h.Healthy, h.Hint = false, "settle the write in doubt with command_outcome; get_server_info names it"
	}
}

func healthOf(e bridge.Editor) editorHealth {
	return editorHealth{
		Project: e.Project, State: e.State, PID: e.Hello.PID,
		GodotVersion: e.Hello.GodotVersion, AddonVersion: e.Hello.AddonVersion,
		BeatAgeMs: time.Since(e.LastFrame).Milliseconds(), LinkedMs: time.Since(e.LinkedAt).Milliseconds(),
		Pending: e.Pending,
	}
}
