package config

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// resolver brings policy file and environment together: the file says the most that may be, the environment may only
// ask for less. It runs once for all projects, and once for each project that has a section of its own.
type resolver struct {
	file     layer
	env      func(string) string
	toolsets []string
	served   []Place

	policy   Policy
	sources  []Source
	warnings []string
	err      error
}

// loadPolicy reads the policy file and the environment into s.
func (s *Serve) loadPolicy(o Options) error {
	path, data, err := readPolicyFile(s.UserDir)
	if err != nil {
		return err
	}
	for _, place := range s.Served {
		if within(place.Dir, path) {
			return invalid(path, "it would lie inside the project %s, whose files tools may write", place.Dir)
		}
	}
	var doc document
	if data != nil {
		if doc, err = parsePolicy(data, o.Toolsets); err != nil {
			return invalid(path, "%v", err)
		}
	}
	base := resolver{file: doc.layer, env: o.Env, toolsets: o.Toolsets, served: s.Served}
	if err := base.run(); err != nil {
		return err
	}
	s.Policy, s.Sources, s.MaxAffected = base.policy, base.sources, base.policy.MaxAffected
	s.sections = map[string]ruled{}
	for project, file := range doc.projects {
		// What is to be said about the environment is said once, above.
		own := resolver{file: file, env: o.Env, toolsets: o.Toolsets, served: s.Served}
		if err := own.run(); err != nil {
			return err
		}
		s.sections[project] = ruled{own.policy, own.sources}
	}
	s.Warnings = append(s.Warnings, doc.notes...)
	s.Warnings = append(s.Warnings, misspelt(o.Names)...)
	s.Warnings = append(s.Warnings, base.warnings...)
	s.warnOfProjects()
	return nil
}

// warnOfProjects tells what the policy will refuse to the projects that are served.
func (s *Serve) warnOfProjects() {
	for _, place := range s.Served {
		policy := s.PolicyFor(place.Dir)
		if refusal := policy.Allows(place.Dir); refusal != nil {
			s.Warnings = append(s.Warnings, fmt.Sprintf("no editor of %s is taken: %s (%v)",
				shown(place.Dir), refusal.Message, refusal.Details["reason"]))
			continue
		}
		if policy.Profile != safety.Standard && !policy.Pinned(place.Dir) {
			s.Warnings = append(s.Warnings, fmt.Sprintf(
				"nothing is written to %s: the guarded profile demands that allowed_projects pins it by path and name", shown(place.Dir)))
		}
	}
}

// run settles every setting.
func (r *resolver) run() error {
	r.mode()
	r.profile()
	r.tokenTTL()
	r.allowed()
	r.policy.MaxAffected = r.number(maxAffectedBounds(), "MAX_AFFECTED", r.file.maxAffected)
	r.mergeToolsets()
	r.auditLog()
	r.authToken()
	r.policy.RateLimit = r.number(rateLimitBounds(), "RATE_LIMIT", r.file.rateLimit)
	r.approval()
	return r.err
}

// get reads a setting from the environment.
func (r *resolver) get(name string) string { return r.env(prefix + name) }

// warn tells that a setting of the environment is not followed.
func (r *resolver) warn(name, format string, args ...any) {
	r.warnings = append(r.warnings, prefix+name+" "+fmt.Sprintf(format, args...))
}

// refuse keeps the first setting of the environment with which the daemon cannot start. The value is not repeated: it
// may be a secret.
func (r *resolver) refuse(name, format string, args ...any) {
	if r.err == nil {
		r.err = protocol.Fail(protocol.ConfigInvalid, "%s%s %s", prefix, name, fmt.Sprintf(format, args...)).
			With("setting", prefix+name)
	}
}

// source records where a value comes from.
func (r *resolver) source(setting, value, from string) {
	r.sources = append(r.sources, Source{Setting: setting, Value: value, From: from})
}

// ceiling is a value of the policy file or the default, with its source.
func ceiling[T comparable](file, standard T) (T, string) {
	var nothing T
	if file == nothing {
		return standard, FromDefault
	}
	return file, FromFile
}

// stricter is the stricter one of a ceiling and of what the environment asks for. parse gives the strictest for what is
// not understood.
func stricter[T ~string](r *resolver, name, what string, top T, parse func(string) (T, bool), pick func(a, b T) T) T {
	text := r.get(name)
	if text == "" {
		return top
	}
	asked, ok := parse(text)
	switch {
	case !ok:
		r.warn(name, "is %s, which is no %s, so %s is used", shown(text), what, asked)
	case pick(asked, top) != asked:
		r.warn(name, "is %s; the policy file says %s, so that stays", asked, top)
	}
	return pick(top, asked)
}

// mode is the lowest of all that is said. dangerous is a value that nothing here can say.
func (r *resolver) mode() {
	top, from := ceiling(r.file.mode, safety.ModeExecute)
	mode := stricter(r, "MODE", "mode", top, safety.ParseMode, safety.Narrower)
	for _, s := range []struct {
		name string
		mode safety.Mode
	}{{"READ_ONLY", safety.ModeReadOnly}, {"DRY_RUN", safety.ModeDryRun}} {
		on, ok := parseSwitch(r.get(s.name))
		if !ok {
			r.warn(s.name, "is %s, which is neither on nor off, so it counts as on", shown(r.get(s.name)))
		}
		if on {
			mode = safety.Narrower(mode, s.mode)
		}
	}
	if mode != top {
		from = FromEnvironment
	}
	r.policy.Mode = mode
	r.source("mode", string(mode), from)
}

// profile is the stricter one.
func (r *resolver) profile() {
	top, from := ceiling(r.file.profile, safety.Standard)
	profile := stricter(r, "PROFILE", "profile", top, safety.ParseProfile, safety.StricterProfile)
	if profile != top {
		from = FromEnvironment
	}
	r.policy.Profile = profile
	r.source("profile", string(profile), from)
}

// tokenTTL depends on the profile, so it comes after it.
func (r *resolver) tokenTTL() {
	b := tokenTTLBounds()
	top, from := ceiling(r.file.tokenTTL, b.standard)
	if r.policy.Profile != safety.Standard && top > guardedTTL {
		top, from = guardedTTL, FromProfile
	}
	seconds, from := r.lower(b, "TOKEN_TTL_SEC", top, from)
	r.policy.TokenTTL = time.Duration(seconds) * time.Second
	r.source(b.setting, strconv.Itoa(seconds), from)
}

// number settles a numeric setting.
func (r *resolver) number(b bounds, name string, file int) int {
	top, from := ceiling(file, b.standard)
	n, from := r.lower(b, name, top, from)
	r.source(b.setting, strconv.Itoa(n), from)
	return n
}

// lower takes the environment's number where it is lower than the ceiling; what is not understood is the lowest.
func (r *resolver) lower(b bounds, name string, top int, from string) (int, string) {
	text := r.get(name)
	if text == "" {
		return top, from
	}
	n, ok := parseWhole(text, b)
	switch {
	case !ok:
		r.warn(name, "is %s; it has to be a whole number from %d to %d, so %d is used", shown(text), b.least, b.most, b.least)
		return b.least, FromEnvironment
	case n > top:
		r.warn(name, "is %d; the environment may ask for %d at most, so that stays; more is for the policy file to say", n, top)
		return top, from
	case n == top:
		return top, from
	}
	return n, FromEnvironment
}

// mergeToolsets lays the environment's choice over the file's. A name that is not known could be one that was meant
// to be off, so then all are.
func (r *resolver) mergeToolsets() {
	from := FromDefault
	if r.file.toolsets != nil {
		from = FromFile
	}
	var asked []string
	if text := r.get("TOOLSETS"); text != "" {
		from = FromEnvironment
		asked = splitList(strings.ReplaceAll(text, ",", ";"))
	}
	for i, entry := range asked {
		switch {
		case knownToolset(entry, r.toolsets):
		case toolsetEntry.MatchString(entry) && !strings.HasPrefix(entry, "-"):
			r.warn("TOOLSETS", "lists %s, which is no toolset", shown(entry))
		default:
			r.warn("TOOLSETS", "holds %s, which is no toolset, so all are off", shown(entry))
			asked[i] = everythingOff
		}
	}
	r.policy.Toolsets = mergeToolsets(r.file.toolsets, asked)
	r.source("toolsets", strings.Join(r.policy.Toolsets, ";"), from)
}

// auditLog is the file's, or the environment's where the file names none. A log that tools could write proves nothing.
func (r *resolver) auditLog() {
	path, from := ceiling(r.file.auditLog, "")
	if place := r.holder(path); place != "" {
		r.err = orElse(r.err, error(protocol.Fail(protocol.ConfigInvalid,
			"audit_log lies inside the project %s, whose files tools may write", place).With("setting", "audit_log")))
	}
	switch text := r.get("AUDIT_LOG"); {
	case text == "" || text == path:
	case path != "":
		r.warn("AUDIT_LOG", "is not followed: the policy file names the audit log")
	case !filepath.IsAbs(text) || unprintable(text):
		r.warn("AUDIT_LOG", "is %s, which is no absolute path; the audit goes to the state folder", shown(text))
	case r.holder(text) != "":
		r.warn("AUDIT_LOG", "is %s, inside a project whose files tools may write; the audit goes to the state folder", shown(text))
	default:
		path, from = filepath.Clean(text), FromEnvironment
	}
	r.policy.AuditLog = path
	r.source("audit_log", orElse(path, "state folder"), from)
}

// holder is the served project that a path lies in; empty when there is none.
func (r *resolver) holder(path string) string {
	for _, place := range r.served {
		if path != "" && within(place.Dir, path) {
			return place.Dir
		}
	}
	return ""
}

// within says whether a path, or what its folder's links lead to, lies in a folder.
func within(folder, path string) bool {
	spellings := []string{filepath.Clean(path)}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			rest, err := filepath.Rel(dir, path)
			if err == nil {
				spellings = append(spellings, filepath.Join(resolved, rest))
			}
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for _, spelling := range spellings {
		if rest, err := filepath.Rel(folder, spelling); err == nil && filepath.IsLocal(rest) {
			return true
		}
	}
	return false
}

// authToken is the file's, or the environment's where the file names none. A token that cannot be used must not count
// as none.
func (r *resolver) authToken() {
	token, from := ceiling(r.file.authToken, "")
	switch text := r.get("AUTH_TOKEN"); {
	case text == "" || text == token:
	case token != "":
		r.warn("AUTH_TOKEN", "is not followed: the policy file has one")
	case !goodToken(text):
		r.refuse("AUTH_TOKEN", "has to have %d to %d printable ASCII characters and no space", leastToken, mostToken)
	default:
		token, from = text, FromEnvironment
	}
	r.policy.AuthToken = token
	value := "none"
	if token != "" {
		value = secretSet
	}
	r.source("auth_token", value, from)
}
