package gate

import (
	"drawbridge/daemon/internal/bridge"
	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// serverInfo is the answer of get_server_info. With one project served, what is said of it stands at the top.
type serverInfo struct {
	Product  string      `json:"product"`
	Version  string      `json:"version"`
	Protocol int         `json:"protocol"`
	Mode     safety.Mode `json:"mode"`
	*projectInfo
	Required string         `json:"required,omitempty"`
	Projects []*projectInfo `json:"projects,omitempty"` // when several are served
	Off      []string       `json:"toolsets_off,omitempty"`
	Rate     int            `json:"rate_limit"`
	Sources  any            `json:"policy_sources,omitempty"`
	Warnings []string       `json:"config_warnings,omitempty"`
	Refused  []refusedHello `json:"refused_editors,omitempty"`
}

// projectInfo describes a served project and what the operator allows in it.
type projectInfo struct {
	Project     string            `json:"project"`
	Asked       string            `json:"project_as_given,omitempty"`
	Policy      policyInfo        `json:"policy"`
	MaxAffected int               `json:"max_affected"`
	Connected   bool              `json:"connected"`
	Editor      *editorInfo       `json:"editor,omitempty"`
	Quarantine  map[string]string `json:"quarantine,omitempty"`
}

type policyInfo struct {
	Mode     safety.Mode    `json:"mode"`
	Profile  safety.Profile `json:"profile"`
	Pinned   bool           `json:"pinned"`
	TokenTTL int            `json:"token_ttl_sec"`
	Approval []string       `json:"approval"` // who has to say yes to a write
	FailOpen bool           `json:"approval_fail_open,omitempty"`
	Audit    bool           `json:"audit"`
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

// Server describes the daemon, its policy and its editors.
func (g *Gate) Server() any {
	info := serverInfo{
		Product: "Drawbridge", Version: protocol.ProductVersion, Protocol: protocol.Version, Mode: g.opts.Mode,
		Off: g.opts.Off, Rate: g.opts.Rate, Sources: g.opts.Sources, Warnings: g.opts.Warnings,
	}
	for _, p := range g.places {
		info.Projects = append(info.Projects, g.tell(p))
	}
	switch len(info.Projects) {
	case 0:
		info.Required = "project"
	case 1:
		info.projectInfo, info.Projects = info.Projects[0], nil
		info.Mode = info.Policy.Mode
		if !info.Connected {
			info.Required = "bridge_connected"
		}
	}
	for _, r := range g.opts.Link.Refusals() {
		info.Refused = append(info.Refused, refusedHello{
			r.Time.UTC().Format("2006-01-02T15:04:05Z"), r.ProjectPath, r.Reject.Code, r.Reject.Reason, r.Reject.Details,
		})
	}
	return info
}

func (g *Gate) tell(p *place) *projectInfo {
	policy := p.Policy
	_ = p.remember() // what cannot be found out refuses writes, and says so there
	info := &projectInfo{
		Project: p.Dir, MaxAffected: policy.MaxAffected, Quarantine: p.line.describe(),
		Policy: policyInfo{
			Mode: policy.Mode, Profile: policy.Profile, Pinned: policy.Pinned, TokenTTL: int(policy.TokenTTL.Seconds()),
			Approval: policy.Approval.names(), FailOpen: policy.Approval.FailOpen, Audit: p.Audit != nil,
		},
	}
	if p.Asked != p.Dir {
		info.Asked = p.Asked
	}
	if editor, linked := g.opts.Link.Editor(p.Dir); linked {
		info.Connected = true
		info.Editor = g.describe(editor)
	}
	return info
}

// names are those who have to approve.
func (a Approval) names() []string {
	names := []string{}
	if a.Elicit {
		names = append(names, "client")
	}
	for _, b := range a.Backends {
		names = append(names, b.Name())
	}
	return names
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
