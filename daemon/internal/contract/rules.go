package contract

import (
	"slices"

	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

// entry works out anew what follows from a tool's effects, and from who answers it.
func (c *check) entry(e Entry) {
	class, err := safety.Classify(e.Effects)
	if err != nil {
		c.err(e.Name, "effects_unknown", "%v", err)
		return
	}
	c.want(e.Class == class, e.Name, "class", "its effects make it %s, it says %s", class, e.Class)
	flags := safety.FlagsOf(e.Effects)
	c.want(e.Flags == flags, e.Name, "flags", "its effects give %+v", flags)
	demands, err := safety.DemandsOf(e.Effects)
	c.want(err == nil && e.Demands == demandsOf(demands), e.Name, "demands", "its effects give %+v", demandsOf(demands))
	hints, err := safety.AnnotationsOf(e.Effects)
	want := Annotations{hints.ReadOnly, hints.Destructive, hints.Idempotent, hints.OpenWorld}
	c.want(err == nil && e.Annotations == want, e.Name, "annotations", "its effects give %+v", want)
	c.role(e, class)
	c.told(e, class)
	c.shared(e, class, demands)
	c.lowerings(e)
	c.writes(e)
}

// role checks what follows from who answers.
func (c *check) role(e Entry, class safety.Class) {
	carries := e.Runs == RunsCarrier || e.Runs == RunsBatch
	switch e.Runs {
	case RunsEditor, RunsCheckpoint, RunsCarrier, RunsBatch:
	case RunsDaemon, RunsLedger:
		c.want(class == safety.ReadOnly, e.Name, "has_effects", "it is answered without asking anything, as %s", e.Runs)
	default:
		c.err(e.Name, "runs_unknown", "%q", e.Runs)
	}
	c.want(e.Command == (e.Runs == RunsEditor || e.Runs == RunsBatch), e.Name, "command", "it runs as %s", e.Runs)
	c.want(carries == (len(e.Calls) > 0), e.Name, "calls", "it runs as %s and carries %q", e.Runs, e.Calls)
	for _, called := range e.Calls {
		c.want(e.Previews || called.Rank() >= 0 && called.Rank() <= class.Rank(), e.Name, "carries_beyond_class",
			"it is %s and carries %s", class, called)
	}
	c.want(!e.Previews || e.Runs == RunsCarrier && class == safety.ReadOnly, e.Name, "previews", "a preview changes nothing")
}

// told checks that a tool says what people have to know.
func (c *check) told(e Entry, class safety.Class) {
	c.want(e.Name != "" && e.Summary != "" && e.Toolset != "", e.Name, "untold", "it has no name, summary or toolset")
	if len(e.Calls) > 0 {
		return
	}
	c.want(class == safety.ReadOnly || e.Undo != "", e.Name, "undo", "it does not say what undo restores")
	c.want(e.Demands.Confirm != "demanded" || e.Discards != "", e.Name, "discards", "it does not say what it discards")
}

// shared checks that the parameters of the safety model are there exactly where they are demanded.
func (c *check) shared(e Entry, class safety.Class, demands safety.Demands) {
	itself := e.Runs == RunsEditor || e.Runs == RunsCheckpoint
	confirms := demands.Confirm != safety.ConfirmNone
	for _, p := range []struct {
		name, kind string
		wanted     bool
	}{
		{tool.DryRun, "boolean", demands.DryRun && (itself || e.Runs == RunsBatch)},
		{tool.Confirm, "boolean", confirms && itself},
		{tool.ConfirmToken, "string", confirms && (itself || e.Runs == RunsBatch)},
		{tool.IdempotencyKey, "string", class != safety.ReadOnly && (e.Runs == RunsEditor || e.Runs == RunsBatch)},
	} {
		at := slices.IndexFunc(e.Parameters, func(have Parameter) bool { return have.Name == p.name })
		switch {
		case at < 0:
			c.want(!p.wanted, e.Name, "parameter_missing", "%s", p.name)
		case !p.wanted: // only a read may have a key of its own: that of the write that it asks for
			own := p.name == tool.IdempotencyKey && class == safety.ReadOnly && !e.Parameters[at].Shared
			c.want(own, e.Name, "parameter_surplus", "%s", p.name)
		default:
			have := e.Parameters[at]
			c.want(have.Shared && have.Kind == p.kind && !have.Required && (len(have.Default) == 0 || string(have.Default) == "false"),
				e.Name, "parameter_wrong", "%s", p.name)
		}
	}
}

// lowerings checks that an argument only ever takes effects away.
func (c *check) lowerings(e Entry) {
	for _, l := range e.Lowerings {
		less := len(l.Effects) > 0 && len(l.Effects) < len(e.Effects)
		for _, effect := range l.Effects {
			less = less && slices.Contains(e.Effects, effect)
		}
		own := slices.ContainsFunc(e.Parameters, func(p Parameter) bool {
			return p.Name == l.Parameter && p.Kind == "boolean" && !p.Shared
		})
		c.want(less && own, e.Name, "lowering", "%s", l.Parameter)
	}
}

// writes checks that files are written by tools that say that they touch the disk, and by no others.
func (c *check) writes(e Entry) {
	touches := slices.Contains(e.Effects, safety.TouchesDisk) && len(e.Calls) == 0
	c.want(touches == (len(e.Writes) > 0), e.Name, "writes", "effects and files do not agree")
	c.want(!touches || slices.Contains(e.Writes, planned) || slices.Contains(e.Writes, settings), e.Name, "writes", "no plan")
	for _, p := range e.Parameters {
		path := p.Kind == "res_path" || p.Kind == "scene_path"
		file := p.File == "reads" || p.File == "writes" && touches
		c.want(path && file || !path && p.File == "", e.Name, "parameter_file", "%s", p.Name)
		c.want((p.File == "writes") == slices.Contains(e.Writes, p.Name), e.Name, "writes", "%s", p.Name)
	}
}
