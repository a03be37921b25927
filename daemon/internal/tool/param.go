package tool

import (
	"fmt"
	"strings"

	"drawbridge/protocol"
)

// Kind is the type of a parameter, together with what it means: a path is not just a string.
type Kind int

// The kinds. The zero Kind is none, so that a forgotten one is noticed.
const (
	_            Kind = iota
	String            // any text
	Int               // a whole number within Min and Max
	Bool              // true or false
	NodePath          // a node path relative to the edited root
	NodeName          // a node's name
	TypeName          // a class: built-in, or global in the project
	PropertyName      // a property, also in the indexed form "position:x"
	ResPath           // a file of the project, res://…
	ScenePath         // a scene file of the project, res://….tscn or .scn
	SceneRef          // an open scene: its path, or its id when it was never saved
	ToolName          // the name of a tool
	StringList        // a list of texts
	Value             // a value in client form
	ValueMap          // an object of values by property name
	Object            // a JSON object, for the tools that carry another tool's arguments
	Commands          // Min to Max calls, each an object of tool and arguments
)

// Param is one parameter with all its facts.
type Param struct {
	Name     string
	Kind     Kind
	Doc      string
	Required bool
	// Default is what a call that leaves it out means. Nil: it is left out on the wire as well.
	Default any
	// Min and Max bound an Int, and the length of Commands.
	Min, Max int64
	// Enum lists the allowed texts of a String.
	Enum []string
	// ReadsOnly marks a path that the tool reads although it writes files; every other path of such a tool counts as
	// written, so that a forgotten mark refuses rather than allows.
	ReadsOnly bool
	// Code marks a text that is program code.
	Code bool
	// Shared marks a parameter that the class gives, not the tool. It never reaches the handler.
	Shared bool
}

// Names of the parameters that follow from a tool's class.
const (
	DryRun         = "dry_run"
	Confirm        = "confirm"
	ConfirmToken   = "confirm_token"
	IdempotencyKey = "idempotency_key"
	Scene          = "scene"
	Project        = "project"
	TimeoutSeconds = "timeout_seconds"
)

// jsonType is the kind's type in the schema; a Value may be anything.
func (k Kind) jsonType() string {
	switch k {
	case Int:
		return "integer"
	case Bool:
		return "boolean"
	case StringList, Commands:
		return "array"
	case ValueMap, Object:
		return "object"
	case Value:
		return ""
	default:
		return "string"
	}
}

// text tells whether the kind is a string in JSON.
func (k Kind) text() bool { return k.jsonType() == "string" }

// path tells whether the kind names a file.
func (k Kind) path() bool { return k == ResPath || k == ScenePath }

// expected says in words what the parameter takes.
func (p Param) expected() string {
	switch p.Kind {
	case Int:
		return fmt.Sprintf("a whole number from %d to %d", p.Min, p.Max)
	case Bool:
		return "true or false"
	case StringList:
		return "a list of strings"
	case ValueMap:
		return "an object of values by property name"
	case Object:
		return "an object"
	case Commands:
		return fmt.Sprintf("a list of %d to %d objects with tool and arguments", p.Min, p.Max)
	case Value:
		return "a value"
	case NodePath:
		return "a node path such as Player/Body, or . for the root"
	case TypeName:
		return "a class name"
	case PropertyName:
		return "a property name"
	case ResPath, ScenePath:
		return "a path such as res://folder/file.tscn"
	case String:
		if len(p.Enum) > 0 {
			return "one of " + strings.Join(p.Enum, ", ")
		}
	}
	return "a string"
}

// check refuses a parameter whose facts are incomplete.
func (p Param) check() error {
	switch {
	case p.Name == "":
		return fmt.Errorf("a parameter has no name")
	case p.Kind < String || p.Kind > Commands:
		return fmt.Errorf("parameter %s has no kind", p.Name)
	case p.Doc == "":
		return fmt.Errorf("parameter %s has no doc", p.Name)
	case (p.Kind == Int || p.Kind == Commands) && p.Min >= p.Max:
		return fmt.Errorf("parameter %s has no bounds", p.Name)
	case len(p.Enum) > 0 && p.Kind != String:
		return fmt.Errorf("parameter %s: only strings have an enum", p.Name)
	case p.Required && p.Default != nil:
		return fmt.Errorf("parameter %s is required and has a default", p.Name)
	}
	return p.checkDefault()
}

func (p Param) checkDefault() error {
	ok := false
	switch d := p.Default.(type) {
	case nil:
		return nil
	case string:
		ok = p.Kind.text()
	case bool:
		ok = p.Kind == Bool
	case int64:
		ok = p.Kind == Int && d >= p.Min && d <= p.Max
	}
	if !ok {
		return fmt.Errorf("parameter %s: default %v does not fit its kind", p.Name, p.Default)
	}
	return nil
}

// prepares tells whether a dry run of the tool is the first step of two: it then gives a token for the second.
func (t *Tool) prepares() bool { return t.demands.Confirm > 0 }

// sharedParams are the parameters that a tool has because of what it is.
func (t *Tool) sharedParams() []Param {
	if t.spec.Local != nil && t.spec.OfProject {
		return []Param{{Name: Project, Kind: String, Shared: true, Doc: "Project folder; default: the one served."}}
	}
	if t.spec.Local != nil || (len(t.spec.Calls) > 0 && !t.spec.Batches) {
		return nil
	}
	var shared []Param
	if t.demands.DryRun {
		shared = append(shared, Param{
			Name: DryRun, Kind: Bool, Default: false, Doc: "Only show what would happen.",
		})
	}
	if t.demands.Confirm > 0 && !t.spec.Batches { // the calls of a batch are confirmed one by one
		shared = append(shared, Param{
			Name: Confirm, Kind: Bool, Default: false, Doc: "Go ahead; show the dry run first.",
		})
	}
	if t.prepares() {
		shared = append(shared, Param{
			Name: ConfirmToken, Kind: String, Doc: "The dry run's token, where the operator demands one.",
		})
	}
	if t.Writes() && t.spec.Recovery != MakesCheckpoint {
		shared = append(shared, Param{
			Name: IdempotencyKey, Kind: String, Doc: "A re-sent call with the same key applies once.",
		})
	}
	if t.spec.InScene {
		shared = append(shared, Param{
			Name: Scene, Kind: SceneRef, Doc: "Open scene; default: the one last used. For a write, open_scene it first.",
		})
	}
	if !t.spec.Batches {
		shared = append(shared, Param{Name: Project, Kind: String, Doc: "Project folder; default: the one served."})
	}
	if !t.spec.Batches && t.spec.Recovery != MakesCheckpoint {
		shared = append(shared, Param{
			Name: TimeoutSeconds, Kind: Int, Min: 1, Max: int64(protocol.MaxDeadline.Seconds()), Doc: "Deadline.",
		})
	}
	for i := range shared {
		shared[i].Shared = true
	}
	return shared
}
