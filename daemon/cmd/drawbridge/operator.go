package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"drawbridge/daemon/internal/approval"
	"drawbridge/daemon/internal/audit"
	"drawbridge/daemon/internal/config"
	"drawbridge/daemon/internal/gate"
	"drawbridge/daemon/internal/tool"
)

// operation is what the operator's settings become: the projects as the gate takes them, and what has to be closed at
// the end.
type operation struct {
	projects []gate.Project
	daemon   *audit.Log // for calls that are for no project
	logs     []*audit.Log
	warnings []string
}

// operate opens the audit logs and makes the approval back ends. A log that cannot be opened does not keep the daemon
// from serving reads: the gate refuses the project's writes.
func operate(s config.Serve, tools []*tool.Tool) (*operation, error) {
	o := &operation{}
	boot := uuid.NewString()
	for _, place := range s.Served {
		policy := s.PolicyFor(place.Dir)
		asked, err := approvals(policy.Approval)
		if err != nil {
			return nil, errors.Join(err, o.close())
		}
		p := gate.Project{Dir: place.Dir, Asked: place.Asked, Policy: gate.Policy{
			Mode: policy.Mode, Profile: policy.Profile, Pinned: policy.Pinned(place.Dir) && policy.Allows(place.Dir) == nil,
			TokenTTL: policy.TokenTTL, MaxAffected: policy.MaxAffected, Approval: asked, Off: toolsetsOff(policy, tools),
		}}
		path, keyDir := auditPlace(s, place.Dir)
		if log := o.open(path, keyDir, boot); log != nil {
			p.Audit = log
		}
		o.projects = append(o.projects, p)
	}
	if len(s.Served) != 1 {
		path := filepath.Join(s.StateDir, "drawbridge", "audit", "daemon.jsonl")
		o.daemon = o.open(path, auditKeys(s.UserDir), boot)
	}
	return o, nil
}

// open opens an audit log; nil, with a warning, when it cannot be had.
func (o *operation) open(path, keyDir, boot string) *audit.Log {
	log, err := audit.Open(audit.Options{Path: path, KeyDir: keyDir, Boot: boot})
	if err != nil {
		o.warnings = append(o.warnings, fmt.Sprintf("writes are refused: %v", err))
		return nil
	}
	o.logs = append(o.logs, log)
	return log
}

// close closes the audit logs.
func (o *operation) close() error {
	var errs []error
	for _, log := range o.logs {
		errs = append(errs, log.Close())
	}
	return errors.Join(errs...)
}

// approvals makes the back ends that a policy names.
func approvals(a config.Approval) (gate.Approval, error) {
	out := gate.Approval{Elicit: a.Require, FailOpen: a.FailOpen, Timeout: a.Timeout}
	if a.Webhook == "" {
		return out, nil
	}
	hook, err := approval.NewWebhook(approval.WebhookOptions{URL: a.Webhook, Secrets: a.Secrets, Timeout: a.Timeout})
	if err != nil {
		return out, fmt.Errorf("setting up the approval webhook: %w", err)
	}
	out.Backends = append(out.Backends, hook)
	return out, nil
}

// toolsetsOff are the toolsets that a policy switches off. What tells about the daemon itself stays on.
func toolsetsOff(p config.Policy, tools []*tool.Tool) []string {
	var off []string
	for _, name := range toolsets(tools) {
		if name != coreToolset && p.ToolsetOff(name) {
			off = append(off, name)
		}
	}
	return off
}

// coreToolset has the tools about Drawbridge itself, without which nobody could find out what is off.
const coreToolset = "core"

// toolsets lists the toolsets that there are.
func toolsets(tools []*tool.Tool) []string {
	var names []string
	seen := map[string]bool{}
	for _, t := range tools {
		if !seen[t.Toolset()] {
			seen[t.Toolset()] = true
			names = append(names, t.Toolset())
		}
	}
	return names
}

// elicits tells whether the person in front of a client may have to be asked.
func (o *operation) elicits() bool {
	for _, p := range o.projects {
		if p.Policy.Approval.Elicit {
			return true
		}
	}
	return false
}

// sources tell where each setting came from; with sections for projects, those of each.
func sources(s config.Serve) any {
	if len(s.Sections()) == 0 {
		return s.Sources
	}
	all := map[string][]config.Source{"": s.Sources}
	for _, place := range s.Served {
		all[place.Dir] = s.SourcesFor(place.Dir)
	}
	return all
}

// environment lists the names of the environment variables.
func environment() []string {
	var names []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	return names
}
