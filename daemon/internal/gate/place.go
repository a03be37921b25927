package gate

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"drawbridge/daemon/internal/approval"
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/token"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

// Project is one project that the daemon serves, with what the operator allows in it. Nothing of it changes while the
// daemon runs, and nothing of it is shared with another project.
type Project struct {
	// Dir is the project's folder, links resolved.
	Dir string
	// Asked is the folder as the user spelled it.
	Asked  string
	Policy Policy
	// Audit gets what is done in the project. Nil: writes are refused.
	Audit Journal
}

// Policy is what the operator allows in one project. The zero Policy allows reads.
type Policy struct {
	Mode    safety.Mode
	Profile safety.Profile
	// Pinned: the operator allowed this very project, by path and name. The guarded profile demands it.
	Pinned bool
	// TokenTTL is how long a confirm token lives. Default 300 s.
	TokenTTL time.Duration
	// MaxAffected is how many targets or files one file-writing call may have. Default 20.
	MaxAffected int
	Approval    Approval
	// Off are the toolsets that are switched off in the project.
	Off []string
}

// Approval are the humans whose yes a write needs; all of them. Nobody: writes need none.
type Approval struct {
	Backends []approval.Backend
	// Elicit asks the person in front of the client.
	Elicit bool
	// Timeout is how long a question to the person in front of the client stays open. Default 120 s.
	Timeout time.Duration
	// FailOpen lets mutating calls pass when a back end cannot be reached.
	FailOpen bool
}

// configured tells whether anybody has to be asked.
func (a Approval) configured() bool { return a.Elicit || len(a.Backends) > 0 }

// place is a project with what the gate keeps for it.
type place struct {
	Project
	line   line
	tokens *token.Store

	mu         sync.Mutex
	remembered bool // what earlier daemons left open
}

func newPlaces(projects []Project) ([]*place, error) {
	var places []*place
	seen := map[string]bool{}
	for _, p := range projects {
		if p.Dir == "" || seen[p.Dir] {
			return nil, fmt.Errorf("making the gate: project %q is empty or there twice", p.Dir)
		}
		seen[p.Dir] = true
		if p.Policy.Mode == "" {
			p.Policy.Mode = safety.ModeReadOnly
		}
		if p.Policy.Profile == "" {
			p.Policy.Profile = safety.Guarded
		}
		if p.Policy.MaxAffected == 0 {
			p.Policy.MaxAffected = defaultMaxAffected
		}
		if p.Policy.TokenTTL == 0 {
			p.Policy.TokenTTL = defaultTokenTTL
		}
		places = append(places, &place{
			Project: p, tokens: token.New(token.Options{TTL: p.Policy.TokenTTL}),
		})
	}
	return places, nil
}

// here finds the project that the call is for.
func (g *Gate) here(c *call) *protocol.Error {
	found, failure := g.about(c.args.Text(tool.Project))
	if failure != nil {
		return failure
	}
	c.enter(found)
	return nil
}

// about gives the project that a caller names. With several served, a call has to: none is ever fallen through to.
func (g *Gate) about(asked string) (*place, *protocol.Error) {
	switch {
	case len(g.places) == 0:
		return nil, noProject()
	case asked != "":
		return g.named(asked)
	case len(g.places) > 1:
		return nil, protocol.Fail(protocol.SessionAmbiguous, "%d projects are served, and the call names none", len(g.places)).
			Needs(tool.Project).With("projects", g.choices()).WithHint("pass project, one of details.projects")
	}
	return g.places[0], nil
}

// enter settles that the call is for a project.
func (c *call) enter(p *place) { c.place, c.project, c.mode = p, p.Dir, p.Policy.Mode }

// named gives the project that a caller's spelling means: a folder, or the name of one when only one has it.
func (g *Gate) named(asked string) (*place, *protocol.Error) {
	var byName []*place
	for _, p := range g.places {
		if p.is(asked) {
			return p, nil
		}
		if filepath.Base(p.Dir) == asked {
			byName = append(byName, p)
		}
	}
	if len(byName) == 1 {
		return byName[0], nil
	}
	code, why := protocol.PathOutsideProject, "this daemon does not serve the project %q"
	if len(byName) > 1 {
		code, why = protocol.SessionAmbiguous, "several projects are called %q"
	}
	failure := protocol.Fail(code, why, asked).With("projects", g.choices()).With("asked", asked)
	if len(g.places) == 1 {
		return nil, failure.With("project", g.places[0].Dir).WithHint("leave project out")
	}
	return nil, failure.WithHint("pass one of details.projects")
}

// is tells whether a caller's spelling of a folder means this project.
func (p *place) is(asked string) bool {
	if asked == p.Dir || asked == p.Asked {
		return true
	}
	if !filepath.IsAbs(asked) {
		return false
	}
	here, err := os.Stat(p.Dir)
	if err != nil {
		return false
	}
	there, err := os.Stat(asked)
	return err == nil && os.SameFile(here, there)
}

// choices are the folders that a call may name.
func (g *Gate) choices() []string {
	list := make([]string, len(g.places))
	for i, p := range g.places {
		list[i] = p.Dir
	}
	return list
}

func noProject() *protocol.Error {
	return protocol.Fail(protocol.PreconditionFailed, "no project is served").Needs("project").
		WithHint("start drawbridge serve with --project PATH, or in the project's folder")
}
