package config

import (
	"slices"
	"strings"
	"time"

	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// Policy is what the operator allows. It is a value: nobody can change the daemon's own through a copy.
type Policy struct {
	// Mode is the effective operator mode.
	Mode safety.Mode
	// Profile is the effective profile.
	Profile safety.Profile
	// TokenTTL is how long a confirm token lives: 30 s to 300 s, in guarded at most 120 s.
	TokenTTL time.Duration
	// MaxAffected is how many targets or files one file-writing call may have.
	MaxAffected int
	// Toolsets are entries "name" (listed), "-name" (off), "all" and "-all". See ToolsetOff and ToolsetListed.
	Toolsets []string
	// Allowed are the projects whose editors may be taken. Nil allows all; an empty list allows none.
	Allowed []Allowed
	// AuditLog is where the audit goes, absolute; empty: the state folder.
	AuditLog string
	// RateLimit is how many calls a client has each second.
	RateLimit int
	// Approval is the human oversight that the operator configured.
	Approval Approval
	// AuthToken is the bearer token of listeners that are not loopback. It is never shown.
	AuthToken string `json:"-"`
}

// Allowed is a project that may be worked on.
type Allowed struct {
	// Path is the project's folder, absolute, links resolved.
	Path string
	// Name is what application/config/name has to be; empty: any.
	Name string
}

// Approval is the human oversight that the operator configured. The zero value has none.
type Approval struct {
	// Webhook is the address that is asked; empty: none.
	Webhook string
	// Secrets sign what goes to the webhook and what it answers, as whsec_ texts; the first is the newest. Never shown.
	Secrets []string `json:"-"`
	// Timeout is how long an answer may take: 1 s to 120 s.
	Timeout time.Duration
	// FailOpen lets a mutating call pass when the webhook cannot be reached.
	FailOpen bool
	// Require demands a yes through the client's own elicitation.
	Require bool
}

// Configured says whether anybody has to be asked.
func (a Approval) Configured() bool { return a.Webhook != "" || a.Require }

// The places that a value can come from.
const (
	FromDefault     = "default"
	FromFile        = "policy file"
	FromEnvironment = "environment"
	FromProfile     = "profile"
)

// secretSet stands for a secret where settings are shown.
const secretSet = "set"

// Source tells where the value of a setting came from, for people who wonder.
type Source struct {
	Setting string `json:"setting"`
	// Value is the effective value; secrets show as "set", a webhook without its path.
	Value string `json:"value"`
	From  string `json:"from"`
}

// Allows says whether the editor of a project, given by its canonical folder, may be taken: nil, or the refusal. A
// name that cannot be read is not the name that is pinned.
func (p Policy) Allows(project string) *protocol.Error {
	if p.Allowed == nil {
		return nil
	}
	refusal := protocol.Fail(protocol.PeerRejected, "the operator does not allow the project %s", project).
		WithHint("ask the operator; no tool argument changes it")
	i := slices.IndexFunc(p.Allowed, func(a Allowed) bool { return a.Path == project })
	if i < 0 {
		return refusal.With("reason", "project_not_allowed")
	}
	pin := p.Allowed[i].Name
	if pin == "" {
		return nil
	}
	name, err := ProjectName(project)
	switch {
	case err != nil:
		return refusal.With("reason", "project_name").With("cause", err.Error())
	case name != pin:
		return refusal.With("reason", "project_name").With("expected", pin).With("found", name)
	}
	return nil
}

// Pinned says whether a project, given by its canonical folder, is pinned by path and name. The guarded profile
// refuses writes to one that is not. Whether the name still fits is for Allows to say.
func (p Policy) Pinned(project string) bool {
	return slices.ContainsFunc(p.Allowed, func(a Allowed) bool { return a.Path == project && a.Name != "" })
}

// ToolsetOff says whether the operator switched a toolset off. That wins over listing it.
func (p Policy) ToolsetOff(name string) bool {
	return slices.Contains(p.Toolsets, "-all") || slices.Contains(p.Toolsets, "-"+name)
}

// ToolsetListed says whether the operator asked for a toolset's tools in the list of tools.
func (p Policy) ToolsetListed(name string) bool {
	return !p.ToolsetOff(name) && (slices.Contains(p.Toolsets, "all") || slices.Contains(p.Toolsets, name))
}

// clone copies what a Policy only points to.
func (p Policy) clone() Policy {
	p.Toolsets = slices.Clone(p.Toolsets)
	p.Allowed = slices.Clone(p.Allowed)
	p.Approval.Secrets = slices.Clone(p.Approval.Secrets)
	return p
}

// allowedText shows a list of allowed projects in the form that the environment takes.
func allowedText(list []Allowed) string {
	if list == nil {
		return "all"
	}
	if len(list) == 0 {
		return "none"
	}
	var texts []string
	for _, a := range list {
		text := a.Path
		if a.Name != "" {
			text += "|" + a.Name
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ";")
}
