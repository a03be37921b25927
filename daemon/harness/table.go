package harness

import (
	"encoding/json"

	"drawbridge/daemon/internal/catalog"
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

// ToolFacts is what the catalog states about one tool, for properties that must hold for every tool.
type ToolFacts struct {
	Name    string
	Class   string
	Effects []string
	Params  []ParamFacts
	// OneOf are the forms of which exactly one must be given.
	OneOf   [][]string
	InScene bool
	// Opens names the parameter with the scene that a call opens; empty when it opens none.
	Opens string
	// Carries: it runs other tools, of the classes in Calls; Previews: as dry runs only.
	Carries, Previews bool
	// Batches: it runs a list of calls.
	Batches bool
	Calls   []string
	// InEditor: the editor answers, so a call sends frames.
	InEditor               bool
	Listed                 bool
	HasDryRun, MustConfirm bool
	WritesFiles            bool
	// ExampleScene is the file name of the fixture that the example works on; ExampleArguments a JSON object.
	ExampleScene     string
	ExampleArguments string
	// ExampleCopies and ExampleFresh are the parameters for which a test puts in a path of its own: a copy of the
	// fixture file that the example names, or a name that is not taken.
	ExampleCopies, ExampleFresh []string
	// ExampleKept are the parameters that name a file or checkpoint of which bytes must have been kept before.
	ExampleKept []string
	// ExampleFirst are calls to be made before the example.
	ExampleFirst []StepFacts
}

// StepFacts is one call that an example needs to have been made.
type StepFacts struct {
	Tool      string
	Arguments string // a JSON object
}

// ParamFacts is what the catalog states about one parameter.
type ParamFacts struct {
	Name     string
	Required bool
	// Shared: the class gives it, not the tool.
	Shared bool
	// File: it names a file of the project.
	File bool
	// OpenScene: it names an open scene.
	OpenScene bool
	// Schema is its part of the input schema, by keyword.
	Schema map[string]any
}

// Catalog lists every tool, listed or not, by name.
func Catalog() ([]ToolFacts, error) {
	c, err := catalog.New()
	if err != nil {
		return nil, err
	}
	var facts []ToolFacts
	for _, t := range c.All() {
		one, err := factsOf(t)
		if err != nil {
			return nil, err
		}
		facts = append(facts, one)
	}
	return facts, nil
}

// factsOf copies what is stated and derived.
func factsOf(t *tool.Tool) (ToolFacts, error) {
	var schema struct {
		Properties map[string]map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(t.Schema(), &schema); err != nil {
		return ToolFacts{}, err
	}
	facts := ToolFacts{
		Name: t.Name(), Class: string(t.Class()), OneOf: t.OneOf(), InScene: t.InScene(), Opens: t.Opens(),
		Carries: t.Carries(), Previews: t.Previews(), Batches: t.Batches(), InEditor: t.InEditor(), Listed: t.Listed(),
		HasDryRun: t.Demands().DryRun && t.InEditor(), WritesFiles: t.WritesFiles(),
		MustConfirm:  t.Demands().Confirm == safety.ConfirmDemanded && t.InEditor(),
		ExampleScene: t.Example().Scene, ExampleArguments: t.Example().Arguments,
		ExampleKept: t.Example().Kept, ExampleCopies: t.Example().Copies, ExampleFresh: t.Example().Fresh,
	}
	for _, step := range t.Example().First {
		facts.ExampleFirst = append(facts.ExampleFirst, StepFacts{Tool: step.Tool, Arguments: step.Arguments})
	}
	for _, effect := range t.Effects() {
		facts.Effects = append(facts.Effects, string(effect))
	}
	for _, class := range t.Calls() {
		facts.Calls = append(facts.Calls, string(class))
	}
	for _, p := range t.Params() {
		facts.Params = append(facts.Params, ParamFacts{
			Name: p.Name, Required: p.Required, Shared: p.Shared, Schema: schema.Properties[p.Name],
			File: p.Kind == tool.ResPath || p.Kind == tool.ScenePath, OpenScene: p.Kind == tool.SceneRef,
		})
	}
	return facts, nil
}
