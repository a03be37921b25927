package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// allowed settles the allowed projects: those of the file that the environment names too, each with both pins.
func (r *resolver) allowed() {
	from := FromDefault
	if r.file.allowed != nil {
		from = FromFile
	}
	r.policy.Allowed = slices.Clone(r.file.allowed)
	if text := r.get("ALLOWED_PROJECTS"); text != "" {
		r.policy.Allowed, from = r.intersect(r.parseAllowed(text)), FromEnvironment
		if len(r.policy.Allowed) == 0 {
			r.warn("ALLOWED_PROJECTS", "leaves no project allowed")
		}
	}
	r.source("allowed_projects", allowedText(r.policy.Allowed), from)
}

// parseAllowed reads "path" or "path|name" entries. One that cannot be read allows nothing.
func (r *resolver) parseAllowed(text string) []Allowed {
	list := []Allowed{}
	for _, entry := range splitList(text) {
		path, name, hasName := strings.Cut(entry, "|")
		path, name = strings.TrimSpace(path), strings.TrimSpace(name)
		if !filepath.IsAbs(path) || unprintable(entry) || hasName && name == "" {
			r.warn("ALLOWED_PROJECTS", "holds %s, which is not an absolute path or path|name, so it allows nothing", shown(entry))
			continue
		}
		resolved, found := canonicalFolder(path)
		if !found {
			r.warn("ALLOWED_PROJECTS", "names %s, which is no folder now", shown(path))
		}
		list = append(list, Allowed{Path: resolved, Name: name})
	}
	return list
}

// intersect keeps the asked projects that the file allows. Each pin that is given for a project has to hold, so two
// different ones leave nothing. The result is never nil: nil would allow all.
func (r *resolver) intersect(asked []Allowed) []Allowed {
	kept, torn := []Allowed{}, map[string]bool{}
	for _, a := range asked {
		if r.file.allowed != nil {
			i := slices.IndexFunc(r.file.allowed, func(b Allowed) bool { return b.Path == a.Path })
			if i < 0 {
				r.warn("ALLOWED_PROJECTS", "names %s, which the policy file does not allow", shown(a.Path))
				continue
			}
			a = r.pin(a, r.file.allowed[i].Name, torn)
		}
		i := slices.IndexFunc(kept, func(b Allowed) bool { return b.Path == a.Path })
		if i < 0 {
			kept = append(kept, a)
			continue
		}
		kept[i] = r.pin(kept[i], a.Name, torn)
	}
	return slices.DeleteFunc(kept, func(a Allowed) bool { return torn[a.Path] })
}

// pin adds a pin to a project; two that differ tear it.
func (r *resolver) pin(a Allowed, name string, torn map[string]bool) Allowed {
	if a.Name != "" && name != "" && a.Name != name {
		r.warn("ALLOWED_PROJECTS", "pins %s to two names, so it is not allowed", shown(a.Path))
		torn[a.Path] = true
	}
	a.Name = orElse(a.Name, name)
	return a
}
