package gate

import (
	"drawbridge/daemon/internal/bridge"
	"drawbridge/protocol"
)

// serverInfo is the answer of get_server_info.
type serverInfo struct {
	Product  string `json:"product"`
	Version  string `json:"version"`
	Protocol int    `json:"protocol"`
	Mode     string `json:"mode"`
	// MaxAffected is how many targets or files one file-writing call may have.
	MaxAffected int               `json:"max_affected"`
	Warnings    []string          `json:"config_warnings,omitempty"`
	Project     string            `json:"project,omitempty"`
	Asked       string            `json:"project_as_given,omitempty"`
	Connected   bool              `json:"connected"`
	Editor      *editorInfo       `json:"editor,omitempty"`
	Required    string            `json:"required,omitempty"`
	Refused     []refusedHello    `json:"refused_editors,omitempty"`
	Quarantine  map[string]string `json:"quarantine,omitempty"`
}

type editorInfo struct {
	State           bridge.State `json:"state"`
	GodotVersion    string       `json:"godot_version"`
	AddonVersion    string       `json:"addon_version"`
	ProjectName     string       `json:"project_name"`
	Scene           string       `json:"scene"`
	Headless        bool         `json:"headless"`
	PID             int          `json:"pid"`
	FramesSent      uint64       `json:"frames_sent"`
	FramesReceived  uint64       `json:"frames_received"`
	MissingCommands []string     `json:"missing_commands,omitempty"`
	AddonDrift      string       `json:"addon_drift,omitempty"`
}

type refusedHello struct {
	Time        string         `json:"time"`
	ProjectPath string         `json:"project_path"`
	Code        protocol.Code  `json:"code"`
	Reason      string         `json:"reason"`
	Details     map[string]any `json:"details,omitempty"`
}

// Server describes the daemon and its editor.
func (g *Gate) Server() any {
	info := serverInfo{
		Product: "Drawbridge", Version: protocol.ProductVersion, Protocol: protocol.Version, Mode: modeExecute,
		Project: g.opts.Project, MaxAffected: g.opts.MaxAffected, Warnings: g.opts.Warnings,
	}
	if g.opts.Asked != g.opts.Project {
		info.Asked = g.opts.Asked
	}
	if g.opts.Project == "" {
		info.Required = "project"
		return info
	}
	if editor, linked := g.opts.Link.Editor(g.opts.Project); linked {
		info.Connected = true
		info.Editor = g.describe(editor)
	} else {
		info.Required = "bridge_connected"
	}
	for _, r := range g.opts.Link.Refusals() {
		info.Refused = append(info.Refused, refusedHello{
			r.Time.UTC().Format("2006-01-02T15:04:05Z"), r.ProjectPath, r.Reject.Code, r.Reject.Reason, r.Reject.Details,
		})
	}
	info.Quarantine = g.line(g.opts.Project).describe()
	return info
}

func (g *Gate) describe(e bridge.Editor) *editorInfo {
	info := &editorInfo{
		State: e.State, GodotVersion: e.Hello.GodotVersion, AddonVersion: e.Hello.AddonVersion,
		ProjectName: e.Hello.ProjectName, Scene: e.Scene, Headless: e.Hello.Headless, PID: e.Hello.PID,
		FramesSent: e.FramesSent, FramesReceived: e.FramesReceived,
	}
	for _, t := range g.opts.Tools.All() {
		if t.InEditor() && !knows(e, t) {
			info.MissingCommands = append(info.MissingCommands, t.Name())
		}
	}
	if e.Hello.AddonVersion != protocol.ProductVersion || (g.opts.AddonHash != "" && e.Hello.AddonHash != g.opts.AddonHash) {
		info.AddonDrift = "the addon is not the one of this daemon: run drawbridge install and restart the editor"
	}
	return info
}

// describe tells of the write that is in doubt, if there is one.
func (l *line) describe() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.doubt == nil {
		return nil
	}
	return map[string]string{"tool": l.doubt.tool, "request_id": l.doubt.requestID}
}
