// Package contract is the safety contract: what every tool can do and what it demands, as a document that machines
// read, and the check of it. The check takes nothing on trust: what follows from a tool's facts is worked out anew and
// compared with what the table says, what clients get, what the editor knows and what was committed. It does no I/O.
package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"drawbridge/daemon/internal/docs"
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

// SchemaVersion is the version of the document's form. It rises when a field changes its meaning.
const SchemaVersion = 1

// Document is the safety contract of one build. It does not depend on the operator's policy.
type Document struct {
	SchemaVersion int `json:"schema_version"`
	// SHA256 is the hash, as hex text, of the document in compact JSON with this field empty.
	SHA256 string `json:"sha256"`
	// Documents are the hashes of the texts that are derived from the tools, by their paths in the repository.
	Documents map[string]string `json:"documents"`
	Toolsets  []string          `json:"toolsets"`
	Tools     []Entry           `json:"tools"`
}

// Who answers a tool's calls.
const (
	RunsEditor     = "editor"     // the linked editor
	RunsLedger     = "ledger"     // the linked editor, which looks up what became of a call; no handler's command
	RunsDaemon     = "daemon"     // the daemon itself; such a tool has no effects
	RunsCheckpoint = "checkpoint" // the daemon, which keeps copies of files
	RunsCarrier    = "carrier"    // another tool, through the same gate
	RunsBatch      = "batch"      // a list of other tools, each through the same gate
)

// Entry is one tool.
type Entry struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	Toolset string `json:"toolset"`
	// Effects are facts. For carriers and batches they are the ceiling of what may be carried.
	Effects     []safety.Effect `json:"effects"`
	Class       safety.Class    `json:"class"`
	Flags       safety.Flags    `json:"flags"`
	Demands     Demands         `json:"demands"`
	Annotations Annotations     `json:"annotations"`
	Lowerings   []Lowering      `json:"lowerings,omitempty"`
	// Calls are the classes that a carrier may carry, Previews that it runs them as dry runs only.
	Calls    []safety.Class `json:"calls,omitempty"`
	Previews bool           `json:"previews,omitempty"`
	Undo     string         `json:"undo,omitempty"`
	Discards string         `json:"discards,omitempty"`
	// Runs is who answers.
	Runs string `json:"runs"`
	// Command tells whether the name is also a command of the addon.
	Command bool `json:"command"`
	// Listed tells whether the tool is in the list that a client gets when the operator says nothing else.
	Listed bool `json:"listed"`
	// Writes are the parameters that name a file which is written, "project.godot", and "plan" for what a call's plan
	// lists.
	Writes     []string    `json:"writes,omitempty"`
	Parameters []Parameter `json:"parameters"`
	// SchemaSHA256 is the hash of the input schema, descriptions included.
	SchemaSHA256 string `json:"schema_sha256"`
	// Schema is the input schema itself.
	Schema json.RawMessage `json:"-"`
}

// Demands are what a call has to offer or to say.
type Demands struct {
	DryRun bool `json:"dry_run"`
	// Confirm is none, offered or demanded.
	Confirm string `json:"confirm"`
}

// Annotations are the four MCP hints.
type Annotations struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

// Lowering says with which value of a parameter a call does less.
type Lowering struct {
	Parameter string          `json:"parameter"`
	Value     bool            `json:"value"`
	Effects   []safety.Effect `json:"effects"`
}

// Parameter is one parameter. Minimum and Maximum bound a number, or the length of a list of calls.
type Parameter struct {
	Name     string          `json:"name"`
	Kind     string          `json:"kind"`
	Required bool            `json:"required,omitempty"`
	Default  json.RawMessage `json:"default,omitempty"`
	Minimum  *int64          `json:"minimum,omitempty"`
	Maximum  *int64          `json:"maximum,omitempty"`
	Enum     []string        `json:"enum,omitempty"`
	// File says what happens to a file that it names: reads or writes.
	File string `json:"file,omitempty"`
	// Code: the text is program code.
	Code bool `json:"code,omitempty"`
	// Shared: it follows from the tool's class, and never reaches the handler.
	Shared bool `json:"shared,omitempty"`
}

// Of gives the contract of a table of tools.
func Of(tools []*tool.Tool) Document {
	d := Document{SchemaVersion: SchemaVersion, Documents: map[string]string{}}
	for name, text := range docs.All(tools) {
		d.Documents[name] = Hash(text)
	}
	for _, t := range tools {
		d.Tools = append(d.Tools, entryOf(t))
		if !slices.Contains(d.Toolsets, t.Toolset()) {
			d.Toolsets = append(d.Toolsets, t.Toolset())
		}
	}
	slices.Sort(d.Toolsets)
	return Seal(d)
}

// Seal gives the document with its hash.
func Seal(d Document) Document {
	d.SHA256 = ""
	d.SHA256 = Hash(encode(d))
	return d
}

// JSON is the document as the resource gives it.
func (d Document) JSON() json.RawMessage { return encode(d) }

// Hash is the SHA-256 of a text, as hex text.
func Hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// encode encodes texts, numbers and lists of them, which cannot fail unless a default is no JSON.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return text
}

func entryOf(t *tool.Tool) Entry {
	hints := t.Annotations()
	runs := runsOf(t)
	e := Entry{
		Name: t.Name(), Summary: t.Summary(), Toolset: t.Toolset(), Effects: append([]safety.Effect{}, t.Effects()...),
		Class: t.Class(), Flags: safety.FlagsOf(t.Effects()), Demands: demandsOf(t.Demands()),
		Annotations: Annotations{hints.ReadOnly, hints.Destructive, hints.Idempotent, hints.OpenWorld},
		Calls:       t.Calls(), Previews: t.Previews(), Undo: t.Undo(), Discards: t.Discards(), Runs: runs,
		Command: runs == RunsEditor || runs == RunsBatch, Listed: t.Listed(), Writes: writesOf(t), Parameters: []Parameter{},
		SchemaSHA256: Hash(t.Schema()), Schema: t.Schema(),
	}
	for _, l := range t.Lowerings() {
		e.Lowerings = append(e.Lowerings, Lowering{l.Param, l.Value, l.Effects})
	}
	for _, p := range t.Params() {
		e.Parameters = append(e.Parameters, parameterOf(t, p))
	}
	return e
}

func demandsOf(d safety.Demands) Demands {
	text := map[safety.Confirm]string{
		safety.ConfirmNone: "none", safety.ConfirmOffered: "offered", safety.ConfirmDemanded: "demanded",
	}
	return Demands{d.DryRun, text[d.Confirm]}
}

func runsOf(t *tool.Tool) string {
	switch {
	case t.Local() != nil:
		return RunsDaemon
	case t.Batches():
		return RunsBatch
	case t.Carries():
		return RunsCarrier
	case t.Recovery() == tool.MakesCheckpoint:
		return RunsCheckpoint
	case t.Settles():
		return RunsLedger
	}
	return RunsEditor
}

// plan and settings stand for files that no parameter names.
const (
	planned  = "plan"
	settings = "project.godot"
)

func writesOf(t *tool.Tool) []string {
	if t.Carries() || !t.WritesFiles() {
		return nil
	}
	var writes []string
	for _, p := range t.Params() {
		if fileOf(t, p) == "writes" {
			writes = append(writes, p.Name)
		}
	}
	if t.Settings() || t.Repairs() {
		writes = append(writes, settings)
	}
	if !t.Settings() {
		writes = append(writes, planned)
	}
	return writes
}

func fileOf(t *tool.Tool, p tool.Param) string {
	switch {
	case p.Kind != tool.ResPath && p.Kind != tool.ScenePath:
		return ""
	case t.WritesFiles() && !p.ReadsOnly:
		return "writes"
	}
	return "reads"
}

func parameterOf(t *tool.Tool, p tool.Param) Parameter {
	out := Parameter{
		Name: p.Name, Kind: kindName(p.Kind), Required: p.Required, Enum: p.Enum, File: fileOf(t, p),
		Code: p.Code, Shared: p.Shared,
	}
	if p.Default != nil && p.Default != "" {
		out.Default = encode(p.Default)
	}
	if p.Kind == tool.Int || p.Kind == tool.Commands {
		out.Minimum, out.Maximum = &p.Min, &p.Max
	}
	return out
}

// kindName names a kind; an unknown one has no name, which the check finds.
func kindName(k tool.Kind) string {
	return map[tool.Kind]string{
		tool.String: "string", tool.Int: "integer", tool.Bool: "boolean", tool.NodePath: "node_path",
		tool.NodeName: "node_name", tool.TypeName: "class_name", tool.PropertyName: "property_name",
		tool.ResPath: "res_path", tool.ScenePath: "scene_path", tool.SceneRef: "scene", tool.ToolName: "tool_name",
		tool.StringList: "strings", tool.Value: "value", tool.ValueMap: "values", tool.Object: "object",
		tool.Commands: "calls",
	}[k]
}
