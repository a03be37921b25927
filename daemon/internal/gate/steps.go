package gate

import (
	"context"
	"slices"
	"strings"
	"time"

	"drawbridge/daemon/internal/bridge"
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/session"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

// decode looks the tool up and reads its arguments strictly. A carrier is replaced by the tool that it carries.
func (g *Gate) decode(c *call) *protocol.Error {
	t, ok := g.opts.Tools.Lookup(c.name)
	if !ok {
		return protocol.Fail(protocol.ValidationError, "there is no tool %q", c.name).
			WithHint("find_tools shows the tools there are")
	}
	if t.Carries() && !g.Visible(t) { // hidden because of what it may carry: then it carries nothing
		return protocol.Fail(protocol.ReadOnlyMode, "%s is hidden in the operator's mode %s", t.Name(), safety.ModeReadOnly).
			With("mode", safety.ModeReadOnly).With("class", t.Class())
	}
	args, err := t.Decode(c.raw)
	if err != nil {
		c.tool = t
		return asFailure(err)
	}
	switch {
	case t.Batches():
		return g.unfold(c, t, args)
	case t.Carries():
		return g.open(c, t, args)
	}
	c.tool, c.args = t, args
	return nil
}

// open replaces a carrier by the tool that it carries, if that one's class is among those it may carry.
func (g *Gate) open(c *call, carrier *tool.Tool, outer tool.Args) *protocol.Error {
	name := outer.Text("tool")
	inner, ok := g.opts.Tools.Lookup(name)
	if !ok {
		return protocol.Fail(protocol.ValidationError, "there is no tool %q", name).With("param", "tool").
			WithHint("find_tools shows the tools there are")
	}
	if inner.Carries() && !(inner.Batches() && carrier.Previews()) {
		return protocol.Fail(protocol.ValidationError, "%s cannot be called through %s", name, carrier.Name()).
			With("param", "tool").WithHint("call the tool that you mean, without another one around it")
	}
	if !slices.Contains(carrier.Calls(), inner.Class()) {
		return protocol.Fail(protocol.ValidationError, "%s is %s, which %s does not call", name, inner.Class(), carrier.Name()).
			With("param", "tool").With("class", inner.Class()).WithHint("%s", g.wayTo(inner))
	}
	args, err := inner.Decode(outer.Raw("arguments"))
	c.tool = inner
	if err != nil {
		return asFailure(err)
	}
	c.args = args
	if carrier.Previews() {
		if c.args, ok = args.AsDryRun(); !ok {
			return protocol.Fail(protocol.ValidationError, "%s has no dry run", name).With("param", "tool").
				With("class", inner.Class()).WithHint("%s", g.insteadOfDry(inner))
		}
	}
	if inner.Batches() {
		return g.unfold(c, inner, c.args)
	}
	return nil
}

// insteadOfDry says what to do about a tool that has no dry run.
func (g *Gate) insteadOfDry(t *tool.Tool) string {
	if t.Class() == safety.ReadOnly {
		return "it changes nothing: call it"
	}
	return "it does what its summary says, and at once: when that is meant, " + g.wayTo(t)
}

// wayTo says which carrier calls a tool.
func (g *Gate) wayTo(t *tool.Tool) string {
	for _, carrier := range g.opts.Tools.All() {
		if !carrier.Previews() && !carrier.Batches() && slices.Contains(carrier.Calls(), t.Class()) {
			return "call it by its own name, or through " + carrier.Name()
		}
	}
	return "call it by its own name"
}

// answer gives a local tool's answer.
func (g *Gate) answer(c *call) *protocol.Error {
	data, failure := c.tool.Local()(g, c.args)
	if failure != nil {
		return failure
	}
	text, err := encode(data)
	if err != nil {
		return protocol.Fail(protocol.InternalError, "encoding the answer: %v", err)
	}
	c.data = text
	return nil
}

// rule asks package safety for the one ruling on the call. What the operator's mode refuses ends here; what the call
// lacks is asked for later, when nothing else is wrong with it. A mode that only simulates makes a dry run of it.
func (g *Gate) rule(c *call) *protocol.Error {
	off := g.opts.Off
	if c.place != nil {
		off = c.place.Policy.Off
	}
	if slices.Contains(off, c.tool.Toolset()) {
		return protocol.Fail(protocol.ToolsetDisabled, "the operator switched the toolset %s off", c.tool.Toolset()).
			With("toolset", c.tool.Toolset())
	}
	if c.place == nil {
		return nil // what the daemon answers itself
	}
	c.ruling = safety.Rule(c.weigh())
	switch c.ruling.Code {
	case protocol.ReadOnlyMode, protocol.ModeForbids:
		return protocol.Fail(c.ruling.Code, "%s is %s, and the operator's mode is %s", c.tool.Name(), c.class(), c.place.Policy.Mode).
			With("mode", c.place.Policy.Mode).With("class", c.class())
	}
	if c.ruling.Simulate {
		dry, ok := c.args.AsDryRun()
		if !ok {
			return protocol.Fail(protocol.ModeForbids, "%s has no dry run, and the operator's mode is %s",
				c.tool.Name(), c.place.Policy.Mode)
		}
		c.args = dry
	}
	return nil
}

// weigh puts together what the ruling is about.
func (c *call) weigh() safety.Ask {
	policy := c.place.Policy
	return safety.Ask{
		Effects: c.args.Effects(), Mode: policy.Mode, Profile: policy.Profile, HasDryRun: c.tool.Demands().DryRun,
		DryRun: c.dryRun(), Confirmed: c.args.Confirmed(), HasToken: c.tokenGiven() != "",
		Approval: policy.Approval.configured(), ToolScript: c.code,
	}
}

// address finds the editor and the scene that the call is for.
func (g *Gate) address(ctx context.Context, c *call) *protocol.Error {
	if err := g.findEditor(ctx, c); err != nil {
		return err
	}
	c.toScene()
	// Version.
	return g.version(c)
}

// toScene settles for which scene the call is: a write that names none is for the one that the client used last.
func (c *call) toScene() {
	c.scene = c.args.Text(tool.Scene)
	if c.tool.InScene() && c.scene == "" && c.tool.Writes() {
		if c.scene = c.client.Scene(c.project); c.scene == "" {
			c.scene = c.editor.Scene
		}
	}
}

// findEditor waits for the editor when one may still come; a ping does that, and is sent only then.
func (g *Gate) findEditor(ctx context.Context, c *call) *protocol.Error {
	var linked bool
	if c.editor, linked = g.opts.Link.Editor(c.project); linked {
		return nil
	}
	timeout, _ := c.args.Timeout()
	ping := protocol.Request{
		ID: g.opts.Link.NewID(), Command: "ping", Phase: protocol.PhaseQuery,
		DeadlineUnixMS: time.Now().Add(timeout).UnixMilli(),
	}
	session.Placed(ctx)
	if _, err := g.opts.Link.Query(ctx, c.project, ping); err != nil {
		return asFailure(err)
	}
	if c.editor, linked = g.opts.Link.Editor(c.project); !linked {
		return protocol.Fail(protocol.BridgeDisconnected, "the editor has just gone").Needs("bridge_connected")
	}
	return nil
}

// version refuses a command that the linked addon does not know.
func (g *Gate) version(c *call) *protocol.Error {
	if knows(c.editor, c.tool) {
		return nil
	}
	return protocol.Fail(protocol.AddonVersionMismatch, "the addon in the editor does not know %s", c.tool.Name()).
		With("addon_version", c.editor.Hello.AddonVersion).With("daemon_version", protocol.ProductVersion)
}

// knows tells whether an editor's addon has the tool's command. The ledger belongs to the protocol, not to a handler,
// so no hello lists it.
func knows(e bridge.Editor, t *tool.Tool) bool {
	return t.Settles() || slices.Contains(e.Hello.Commands, t.Name())
}

// contain checks every file that the arguments name, in text and on the disk, and refuses protected targets.
func (g *Gate) contain(c *call) *protocol.Error {
	here := disk{dir: c.project}
	for _, p := range c.args.Paths() {
		if failure := c.containArg(p, here); failure != nil {
			return failure.With("param", p.Param)
		}
		if p.Scene && !isScene(p.Path) {
			return protocol.Fail(protocol.InvalidPath, "%q is not a scene file", p.Path).With("param", p.Param).
				WithHint("scene files end in .tscn or .scn")
		}
	}
	if strings.HasPrefix(c.scene, "res://") {
		if _, failure := protocol.ParseResPath(c.scene); failure != nil {
			return failure.With("param", tool.Scene)
		}
	}
	for name, value := range c.args.Values() {
		if failure := safety.ContainValue(value, here); failure != nil {
			return failure.With("param", name)
		}
	}
	if c.of == nil {
		return nil
	}
	// In a batch, a value that Godot cannot hold is refused before the calls in front of it have run.
	if _, err := c.args.Wire(); err != nil {
		return asFailure(err)
	}
	return nil
}

// containArg checks one of these files. What is given back had its name before.
func (c *call) containArg(p tool.PathArg, here disk) *protocol.Error {
	failure := safety.Contain(p.Path, here, c.editor.Hello.AddonPath, p.Writes)
	if failure != nil || !p.Writes || c.tool.Recovery() != tool.NoRecovery {
		return failure
	}
	return safety.ContainNew(p.Path, here)
}

func isScene(path string) bool {
	lower := strings.ToLower(path)
	return strings.HasSuffix(lower, ".tscn") || strings.HasSuffix(lower, ".scn")
}

// confirm refuses a call that lacks what its effects demand: a confirmation, or in the guarded profile a token.
func (g *Gate) confirm(c *call) *protocol.Error {
	if c.tool.Writes() && c.place.Policy.Profile != safety.Standard && !c.place.Policy.Pinned {
		return protocol.Fail(protocol.PreconditionFailed, "the guarded profile writes to pinned projects only").
			Needs("project_pin").WithHint("the operator pins the project by path and name in allowed_projects")
	}
	switch {
	case c.ruling.Code == "":
		return nil
	case c.ruling.Required == tool.Confirm:
		return protocol.Fail(c.ruling.Code, "This call discards %s. Set confirm=true to proceed.", c.tool.Discards()).
			Needs(tool.Confirm).
			WithHint("call it with dry_run=true first, show the preview, and confirm only after explicit approval")
	case c.ruling.Required == tool.ConfirmToken:
		return protocol.Fail(c.ruling.Code, "the guarded profile runs %s with a token of its dry run only", c.tool.Name()).
			Needs(tool.ConfirmToken).
			WithHint("call it with dry_run=true, show the preview, and pass safety.confirm_token after explicit approval")
	}
	return protocol.Fail(c.ruling.Code, "the call cannot be both a dry run and the real run that a token is for").
		With("param", tool.ConfirmToken).WithHint("leave dry_run or confirm_token out")
}
