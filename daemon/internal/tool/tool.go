// Package tool says what a tool is: a value with all its facts, from which everything else about it is derived:
// schema, annotations, shared parameters, strict decoding, docs. It knows no tool and does no I/O.
package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// Spec is what the author of a tool states. Everything else is derived from it by New.
type Spec struct {
	// Name is the tool's one name: in MCP, on the wire, in the addon and in the docs.
	Name string
	// Summary is one sentence for the caller: what the tool does.
	Summary string
	Toolset string
	// Effects are facts; the class follows from them.
	Effects []safety.Effect
	// Lowerings say with which arguments a call does less than that.
	Lowerings []Lowering
	Params    []Param
	// OneOf lists forms of which exactly one must be given, each as the parameters that make it up.
	OneOf [][]string
	// InScene: the call is for one scene, so it has a scene parameter.
	InScene bool
	// Opens names the parameter with the scene that the call opens, so that later writes default to it.
	Opens string
	// Settles: the tool asks for the outcome of an earlier write.
	Settles bool
	// Discards says what a destructive call throws away: "This call discards <Discards>."
	Discards string
	// Action names the undo action, with {parameter} or {parameter|word if it is not given}.
	Action string
	// Undo says in the docs what the editor's undo restores.
	Undo string
	// Example has arguments that are valid on a named fixture scene.
	Example Example
	// Local answers in the daemon, without an editor.
	Local func(Host, Args) (any, *protocol.Error)
	// OfProject: the daemon's own answer is about one project.
	OfProject bool
	// Calls makes the tool a carrier of other tools: these classes, through the same gate.
	Calls []safety.Class
	// Previews makes the carrier run the other tool as a dry run only.
	Previews bool
	// Batches makes the carrier run a list of calls, each of which passes the gate like a call of its own.
	Batches bool
	// Recovery says what the store of kept bytes has to do with the tool.
	Recovery RecoveryRole
	// Settings lets the tool's plan write project.godot, which is protected from all others, and nothing else.
	Settings bool
	// Repairs lets the tool's plan write project.godot beside other files, where it names what the call moves.
	Repairs bool
	// Unlisted keeps the tool out of the default list; find_tools and the carriers reach it.
	Unlisted bool
}

// Example is a call that works, for docs and for tests over all tools.
type Example struct {
	Scene     string // file name of a fixture scene; empty when none is needed
	Arguments string // JSON object
	// Copies are parameters that name a fixture file which the call changes, moves or removes: tests give it a copy.
	Copies []string
	// Fresh are parameters that name something which must not be there yet: tests give it a name of their own.
	Fresh []string
	// First are calls that bring about what the example needs. Where their arguments have a value of Copies or Fresh,
	// they get the test's own too.
	First []Step
	// Kept are parameters that name something of which bytes must have been kept before: a file, or a checkpoint.
	Kept []string
}

// Step is a call of another tool.
type Step struct {
	Tool      string
	Arguments string // JSON object
}

// Tool is a complete, checked tool. It never changes.
type Tool struct {
	spec        Spec
	class       safety.Class
	demands     safety.Demands
	annotations safety.Annotations
	params      []Param
	index       map[string]int
	schema      json.RawMessage
}

// Host is what a local tool may look at. It can change nothing.
type Host interface {
	// Tools lists every tool that can be called, by name.
	Tools() []*Tool
	// Server describes the daemon and the editors that it serves.
	Server() any
	// Health tells whether a call could reach the editor now.
	Health() any
	// Recoverable lists files as they were before they were changed: those whose path holds the text.
	Recoverable(project, text string, offset, limit int) (any, *protocol.Error)
	// Checkpoints lists what create_checkpoint made.
	Checkpoints(project string) (any, *protocol.Error)
	// Contract tells whether the safety contract holds.
	Contract() any
}

// New checks the facts and derives the rest. It refuses a tool that leaves a fact out.
func New(spec Spec) (*Tool, error) {
	t, err := build(spec)
	if err != nil {
		return nil, fmt.Errorf("tool %q: %w", spec.Name, err)
	}
	return t, nil
}

func build(spec Spec) (*Tool, error) {
	t := &Tool{spec: spec}
	var errs [3]error
	t.class, errs[0] = safety.Classify(spec.Effects)
	t.demands, errs[1] = safety.DemandsOf(spec.Effects)
	t.annotations, errs[2] = safety.AnnotationsOf(spec.Effects)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	if err := t.checkFacts(); err != nil {
		return nil, err
	}
	if err := t.indexParams(); err != nil {
		return nil, err
	}
	if err := errors.Join(t.checkForms(), t.checkLowerings()); err != nil {
		return nil, err
	}
	t.schema = t.buildSchema()
	if _, err := t.Decode(json.RawMessage(spec.Example.Arguments)); err != nil {
		return nil, fmt.Errorf("its example is refused: %w", err)
	}
	return t, nil
}

func (t *Tool) checkFacts() error {
	s := t.spec
	switch {
	case !isToolName(s.Name):
		return errors.New("the name is not lower_case words")
	case s.Summary == "":
		return errors.New("it has no summary")
	case s.Toolset == "":
		return errors.New("it has no toolset")
	case s.Example.Arguments == "":
		return errors.New("it has no example")
	case s.Local != nil && len(s.Calls) > 0:
		return errors.New("it cannot be local and carry other tools")
	case s.Batches && len(s.Calls) == 0:
		return errors.New("it runs a list of calls and does not say of which classes")
	case s.Local != nil && t.class != safety.ReadOnly:
		return errors.New("a local tool has no effects")
	case s.Settings && (!t.WritesFiles() || len(s.Calls) > 0):
		return errors.New("it writes project.godot and does not say that it touches the disk itself")
	case len(s.Calls) == 0 && t.demands.Confirm == safety.ConfirmDemanded && s.Discards == "":
		return errors.New("it is confirmed and does not say what it discards")
	case len(s.Calls) == 0 && t.Writes() && s.Undo == "":
		return errors.New("it writes and does not say what undo restores")
	case slices.Contains(s.Effects, safety.EditsMemory) && len(s.Calls) == 0 && s.Action == "":
		return errors.New("it edits and does not name its undo action")
	}
	return nil
}

// isToolName tells whether a name is 2 to 64 lower-case letters, digits and underscores, a letter first. Compiling a
// pattern for each tool was most of the time that making the tools took.
func isToolName(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	if len(name) < 2 || len(name) > 64 || !strings.ContainsRune(letters, rune(name[0])) {
		return false
	}
	return strings.Trim(name, letters+"0123456789_") == ""
}

func (t *Tool) indexParams() error {
	t.params = append(slices.Clone(t.spec.Params), t.sharedParams()...)
	t.index = make(map[string]int, len(t.params))
	for i, p := range t.params {
		if err := p.check(); err != nil {
			return err
		}
		if _, ok := t.index[p.Name]; ok {
			return fmt.Errorf("parameter %s is there twice", p.Name)
		}
		t.index[p.Name] = i
	}
	return nil
}

func (t *Tool) checkForms() error {
	named := slices.Concat(t.spec.OneOf...)
	if t.spec.Opens != "" {
		named = append(named, t.spec.Opens)
	}
	for _, name := range named {
		if i, ok := t.index[name]; !ok || (t.params[i].Required && name != t.spec.Opens) {
			return fmt.Errorf("parameter %s of a form is unknown or required", name)
		}
	}
	return nil
}

// Name is the tool's one name.
func (t *Tool) Name() string { return t.spec.Name }

// Summary is the one sentence about it.
func (t *Tool) Summary() string { return t.spec.Summary }

// Toolset is the group that it belongs to.
func (t *Tool) Toolset() string { return t.spec.Toolset }

// Class is the judgement on its effects.
func (t *Tool) Class() safety.Class { return t.class }

// Demands are what a call has to offer or to say.
func (t *Tool) Demands() safety.Demands { return t.demands }

// Annotations are the four MCP hints.
func (t *Tool) Annotations() safety.Annotations { return t.annotations }

// Effects are its declared facts. It returns a fresh slice.
func (t *Tool) Effects() []safety.Effect { return slices.Clone(t.spec.Effects) }

// Params are all parameters, the tool's own first. It returns a fresh slice.
func (t *Tool) Params() []Param { return slices.Clone(t.params) }

// OneOf are the forms of which exactly one must be given.
func (t *Tool) OneOf() [][]string { return t.spec.OneOf }

// InScene tells whether a call is for one scene.
func (t *Tool) InScene() bool { return t.spec.InScene }

// Opens names the parameter with the scene that the call opens; empty when it opens none.
func (t *Tool) Opens() string { return t.spec.Opens }

// Settles tells whether the tool asks for the outcome of an earlier write.
func (t *Tool) Settles() bool { return t.spec.Settles }

// Discards says what a confirmed call throws away.
func (t *Tool) Discards() string { return t.spec.Discards }

// Undo says what the editor's undo restores.
func (t *Tool) Undo() string { return t.spec.Undo }

// Example is a call that works.
func (t *Tool) Example() Example { return t.spec.Example }

// Local is the daemon's own answer, or nil for an editor tool.
func (t *Tool) Local() func(Host, Args) (any, *protocol.Error) { return t.spec.Local }

// Calls are the classes of tools that it carries; empty for a tool of its own.
func (t *Tool) Calls() []safety.Class { return slices.Clone(t.spec.Calls) }

// Carries tells whether the tool is a carrier of other tools.
func (t *Tool) Carries() bool { return len(t.spec.Calls) > 0 }

// Previews tells whether the carried tool runs as a dry run only.
func (t *Tool) Previews() bool { return t.spec.Previews }

// Listed tells whether the tool is in the default list.
func (t *Tool) Listed() bool { return !t.spec.Unlisted }

// Batches tells whether the tool is a carrier of a list of calls.
func (t *Tool) Batches() bool { return t.spec.Batches }

// Recovery says what the store of kept bytes has to do with the tool.
func (t *Tool) Recovery() RecoveryRole { return t.spec.Recovery }

// InEditor tells whether the editor answers: the tool's name is then also a command of the addon.
func (t *Tool) InEditor() bool {
	return t.spec.Local == nil && !t.Carries() && t.spec.Recovery != MakesCheckpoint
}

// Writes tells whether the tool has any effect.
func (t *Tool) Writes() bool { return t.class != safety.ReadOnly }

// WritesFiles tells whether the tool touches the disk.
func (t *Tool) WritesFiles() bool { return slices.Contains(t.spec.Effects, safety.TouchesDisk) }

// Repairs tells whether the tool may write project.godot beside other files.
func (t *Tool) Repairs() bool { return t.spec.Repairs }

// Settings tells whether the tool writes project.godot, and nothing else.
func (t *Tool) Settings() bool { return t.spec.Settings }

// Schema is the input schema. The bytes are shared: do not change them.
func (t *Tool) Schema() json.RawMessage { return t.schema }

// Deadline is how long a call may take when the caller does not say.
func (t *Tool) Deadline() time.Duration {
	if t.WritesFiles() {
		return protocol.FileDeadline
	}
	return protocol.DefaultDeadline
}
