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

// Health tells whether a call could reach the editor now.
func (g *Gate) Health() any {
	h := health{
		Version: protocol.ProductVersion, Protocol: protocol.Version, Project: g.opts.Project,
		Link: linkWaiting, Editors: []editorHealth{}, Refused: len(g.opts.Link.Refusals()),
	}
	if g.opts.Project == "" {
		h.Link, h.Hint = linkNoProject, "start the daemon with a project folder"
		return h
	}
	h.InDoubt = g.line(g.opts.Project).describe() != nil
	editor, linked := g.opts.Link.Editor(g.opts.Project)
	if !linked {
		h.Hint = "open the project in Godot with the Drawbridge addon enabled"
		if h.Refused > 0 {
			h.Hint = "an editor came and was refused: get_server_info says why"
		}
		return h
	}
	h.Link, h.Editors = string(editor.State), []editorHealth{healthOf(editor)}
	h.Healthy = editor.State == bridge.StateLinked && !h.InDoubt
	if editor.State == bridge.StateBlocked {
		h.Hint = "look at the editor: a dialog or a long task holds it"
	} else if h.InDoubt {
		h.Hint = "settle the write in doubt with command_outcome; get_server_info names it"
	}
	return h
}

func healthOf(e bridge.Editor) editorHealth {
	return editorHealth{
		Project: e.Project, State: e.State, PID: e.Hello.PID,
		GodotVersion: e.Hello.GodotVersion, AddonVersion: e.Hello.AddonVersion,
		BeatAgeMs: time.Since(e.LastFrame).Milliseconds(), LinkedMs: time.Since(e.LinkedAt).Milliseconds(),
		Pending: e.Pending,
	}
}
