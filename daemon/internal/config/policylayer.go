package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drawbridge/daemon/internal/safety"
)

// layer is what one part of the policy file says. A zero field says nothing.
type layer struct {
	mode                             safety.Mode
	profile                          safety.Profile
	tokenTTL, maxAffected, rateLimit int
	toolsets                         []string
	allowed                          []Allowed
	auditLog, authToken              string
	approval                         *approvalLayer
}

// approvalLayer is the section on human oversight.
type approvalLayer struct {
	webhook           string
	secrets           []string
	timeout           int
	failOpen, require *bool
}

// namesBackend says whether a layer configures somebody to ask.
func (l layer) namesBackend() bool {
	return l.approval != nil && (l.approval.webhook != "" || isTrue(l.approval.require))
}

// isTrue is a flag that may be missing.
func isTrue(flag *bool) bool { return flag != nil && *flag }

// document is the whole policy file.
type document struct {
	layer
	projects map[string]layer
	notes    []string
}

// parsePolicy reads the text of the policy file. toolsets are those that there are; nil takes any name.
func parsePolicy(data []byte, toolsets []string) (document, error) {
	o, err := parseObject(data)
	if err != nil {
		return document{}, err
	}
	doc := document{projects: map[string]layer{}}
	doc.layer = o.layer(toolsets)
	doc.authToken, _ = o.text("auth_token")
	if doc.authToken != "" && !goodToken(doc.authToken) {
		o.fail("auth_token", "has to have %d to %d printable ASCII characters and no space", leastToken, mostToken)
	}
	doc.readAllowed(o)
	doc.readProjects(o, toolsets)
	o.end()
	return doc, *o.wrong
}

// layer takes the keys that the whole file and a project's section share.
func (o object) layer(toolsets []string) layer {
	l := layer{
		tokenTTL:    o.whole("token_ttl_sec", tokenTTLBounds()),
		maxAffected: o.whole("max_affected", maxAffectedBounds()),
		rateLimit:   o.whole("rate_limit", rateLimitBounds()),
		auditLog:    o.path("audit_log"),
		toolsets:    o.texts("toolsets"),
	}
	if text, ok := o.text("mode"); ok {
		if l.mode, ok = safety.ParseMode(text); !ok {
			o.fail("mode", "has to be read_only, suggest, dry_run or execute")
		}
	}
	if text, ok := o.text("profile"); ok {
		if l.profile, ok = safety.ParseProfile(text); !ok {
			o.fail("profile", "has to be standard or guarded")
		}
	}
	for _, entry := range l.toolsets {
		if !knownToolset(entry, toolsets) {
			o.fail("toolsets", "holds %s, which is no toolset", shown(entry))
		}
	}
	if inner, ok := o.object("approval"); ok {
		l.approval = inner.approval()
		inner.end()
	}
	return l
}

// approval takes the keys of an approval section.
func (o object) approval() *approvalLayer {
	a := &approvalLayer{
		secrets: o.texts("secrets"), timeout: o.whole("timeout_sec", timeoutBounds()),
		failOpen: o.flag("fail_open"), require: o.flag("require"),
	}
	a.webhook, _ = o.text("webhook")
	if a.webhook != "" && !goodWebhook(a.webhook) {
		o.fail("webhook", "has to be an https address, or http on the loopback interface, without user and fragment")
	}
	if wrong := badSecrets(a.webhook, a.secrets); wrong != "" {
		o.fail("secrets", "%s", wrong)
	}
	return a
}

// readAllowed takes the allowed projects.
func (d *document) readAllowed(o object) {
	entries, ok := o.objects("allowed_projects")
	if !ok {
		return
	}
	d.allowed = []Allowed{}
	for _, entry := range entries {
		asked := entry.path("path")
		name, _ := entry.text("name")
		entry.end()
		if asked == "" {
			entry.fail("path", "is missing")
			continue
		}
		path := d.folder(asked)
		if slices.ContainsFunc(d.allowed, func(a Allowed) bool { return a.Path == path }) {
			entry.fail("path", "names a project that is named already")
		}
		d.allowed = append(d.allowed, Allowed{Path: path, Name: name})
	}
}

// readProjects takes the sections of single projects. Each may only narrow what the file says for all.
func (d *document) readProjects(o object, toolsets []string) {
	sections, ok := o.object("projects")
	if !ok {
		return
	}
	if len(sections.fields) > MostProjects {
		o.fail("projects", "has more than %d sections", MostProjects)
		return
	}
	// The order of keys decides which mistake is told first, so it is fixed.
	for _, key := range sortedKeys(sections.fields) {
		section, ok := sections.object(key)
		if !ok {
			continue
		}
		if !filepath.IsAbs(key) || unprintable(key) {
			sections.fail(key, "has to be an absolute path without control characters")
			continue
		}
		own := section.layer(toolsets)
		section.end()
		if key, wrong := d.wider(own); wrong != "" {
			section.fail(key, "%s", wrong)
		}
		path := d.folder(key)
		if _, twice := d.projects[path]; twice {
			sections.fail(key, "is a folder that has a section already")
		}
		d.projects[path] = d.over(own)
	}
}

// folder resolves a project's folder. One that is not there is kept as it is spelled: an editor that comes from there
// later has to have that very path.
func (d *document) folder(asked string) string {
	path, found := canonicalFolder(asked)
	if !found {
		d.notes = append(d.notes, fmt.Sprintf("the policy file names %s, which is no folder now", shown(asked)))
	}
	return path
}

// canonicalFolder resolves the links of an absolute path, if it leads to a folder. One with ".." in it that leads nowhere
// stays as it is, and so fits no folder: behind a link, ".." is not what it looks like.
func canonicalFolder(asked string) (path string, found bool) {
	resolved, err := filepath.EvalSymlinks(asked)
	if err != nil && strings.Contains(asked, "..") {
		return asked, false
	}
	if err != nil {
		return filepath.Clean(asked), false
	}
	info, err := os.Stat(resolved)
	return resolved, err == nil && info.IsDir()
}

// wider says which key of a project's section asks for more than the file does for all, and why that is wrong.
func (d *document) wider(own layer) (key, wrong string) {
	atMost := func(n, ceiling int, b bounds) bool { return n == 0 || n <= orElse(ceiling, b.standard) }
	const more = "is wider than what the file says for all projects"
	switch {
	case own.mode != "" && safety.Narrower(own.mode, orElse(d.mode, safety.ModeExecute)) != own.mode:
		return "mode", more
	case own.profile != "" && safety.StricterProfile(own.profile, orElse(d.profile, safety.Standard)) != own.profile:
		return "profile", more
	case !atMost(own.tokenTTL, d.tokenTTL, tokenTTLBounds()):
		return "token_ttl_sec", more
	case !atMost(own.maxAffected, d.maxAffected, maxAffectedBounds()):
		return "max_affected", more
	case !atMost(own.rateLimit, d.rateLimit, rateLimitBounds()):
		return "rate_limit", more
	case own.approval == nil:
		return "", ""
	}
	base := orElse(d.approval, &approvalLayer{})
	switch {
	case own.approval.webhook != "" && d.namesBackend():
		return "approval", "names a webhook, but the file names who is asked for all projects"
	case !atMost(own.approval.timeout, base.timeout, timeoutBounds()):
		return "approval", "has a timeout_sec that " + more
	case isTrue(own.approval.failOpen) && !isTrue(base.failOpen):
		return "approval", "has a fail_open that " + more
	case isTrue(base.require) && own.approval.require != nil && !*own.approval.require:
		return "approval", "has a require that " + more
	}
	return "", ""
}

// over lays a project's section over what the file says for all.
func (d *document) over(own layer) layer {
	l := d.layer
	l.mode = orElse(own.mode, l.mode)
	l.profile = orElse(own.profile, l.profile)
	l.tokenTTL = orElse(own.tokenTTL, l.tokenTTL)
	l.maxAffected = orElse(own.maxAffected, l.maxAffected)
	l.rateLimit = orElse(own.rateLimit, l.rateLimit)
	l.auditLog = orElse(own.auditLog, l.auditLog)
	l.toolsets = mergeToolsets(l.toolsets, own.toolsets)
	if own.approval == nil {
		return l
	}
	merged := *own.approval
	if base := l.approval; base != nil {
		if merged.webhook == "" {
			merged.webhook, merged.secrets = base.webhook, base.secrets
		}
		merged.timeout = orElse(merged.timeout, base.timeout)
		merged.failOpen = orElse(merged.failOpen, base.failOpen)
		merged.require = orElse(merged.require, base.require)
	}
	l.approval = &merged
	return l
}

// orElse is a value, or another when it says nothing.
func orElse[T comparable](value, other T) T {
	var nothing T
	if value == nothing {
		return other
	}
	return value
}

// goodWebhook says whether an address may be asked: https, or http that never leaves this machine.
func goodWebhook(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.Hostname() == "" || u.User != nil || strings.Contains(text, "#") {
		return false
	}
	switch u.Scheme {
	case "https":
		return true
	case "http":
		ip, err := netip.ParseAddr(u.Hostname())
		return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	}
	return false
}
