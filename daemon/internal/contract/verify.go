package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Level says how bad a finding is.
type Level string

// The levels.
const (
	Error   Level = "error"   // the contract does not hold
	Warning Level = "warning" // something could not be looked at
)

// The subjects of findings that are about no tool or document.
const (
	SubjectGolden = "golden"
	SubjectEditor = "editor"
	SubjectMCP    = "mcp"
)

// Finding is one deviation. Subject is a tool, a command of the addon, a document, or one of the subjects above; Rule
// names what does not hold, in words that do not change between versions.
type Finding struct {
	Level   Level  `json:"level"`
	Subject string `json:"subject"`
	Rule    string `json:"rule"`
	Detail  string `json:"detail,omitempty"`
}

// Editor is an editor with the commands of its hello.
type Editor struct {
	Project  string
	Commands []string
}

// Front is what clients get.
type Front struct {
	// List is the result of tools/list, as a client gets it. Nil: it could not be had.
	List json.RawMessage
	// Listed are the names that should be in it.
	Listed []string
}

// Facts are what is compared. What is left out is not looked at, except for the golden, which has to be there.
type Facts struct {
	Document Document
	// Golden is the committed contract.
	Golden []byte
	// Fronts are lists that clients get, with whatever was asked to be in them.
	Fronts []Front
	// Editors are those that are linked.
	Editors []Editor
	// Files are the hashes of the documents as they are in a repository.
	Files map[string]string
}

// Report is the answer to the question whether the contract holds.
type Report struct {
	// Valid: there is no error.
	Valid         bool      `json:"valid"`
	Errors        int       `json:"errors"`
	Warnings      int       `json:"warnings"`
	Findings      []Finding `json:"findings"`
	Tools         int       `json:"tools"`
	Editors       int       `json:"editors"`
	SchemaVersion int       `json:"schema_version"`
	SHA256        string    `json:"sha256"`
}

// Check verifies and counts.
func Check(f Facts) Report {
	r := Report{
		Findings: Verify(f), Tools: len(f.Document.Tools), Editors: len(f.Editors),
		SchemaVersion: f.Document.SchemaVersion, SHA256: f.Document.SHA256,
	}
	for _, finding := range r.Findings {
		if finding.Level == Error {
			r.Errors++
		} else {
			r.Warnings++
		}
	}
	r.Valid = r.Errors == 0
	return r
}

// Verify gives every deviation, or an empty list. It takes any input.
func Verify(f Facts) []Finding {
	c := &check{findings: []Finding{}}
	golden, err := parse(f.Golden)
	if err != nil {
		c.err(SubjectGolden, "golden_unreadable", "%v", err)
	}
	c.table(f.Document)
	if err == nil {
		c.golden(f.Document, golden)
		c.files(f.Files, golden)
	}
	c.fronts(f.Document, f.Fronts)
	c.editors(f.Document, f.Editors)
	return c.findings
}

// check collects findings.
type check struct{ findings []Finding }

func (c *check) err(subject, rule, format string, args ...any) {
	c.add(Finding{Error, subject, rule, fmt.Sprintf(format, args...)})
}

// add enters a finding once, also when several lists or editors show it.
func (c *check) add(f Finding) {
	if !slices.Contains(c.findings, f) {
		c.findings = append(c.findings, f)
	}
}

// want is an error unless ok.
func (c *check) want(ok bool, subject, rule, format string, args ...any) {
	if !ok {
		c.err(subject, rule, format, args...)
	}
}

// table checks each tool on its own.
func (c *check) table(d Document) {
	seen := map[string]bool{}
	for _, e := range d.Tools {
		c.want(!seen[e.Name], e.Name, "name_twice", "another tool has this name")
		seen[e.Name] = true
		c.entry(e)
		c.schema(e)
	}
}

// golden compares the table with the committed one, both ways.
func (c *check) golden(d, golden Document) {
	c.want(Seal(golden).SHA256 == golden.SHA256, SubjectGolden, "golden_edited", "its sha256 is not that of its contents")
	entries := byName(golden.Tools)
	for _, e := range d.Tools {
		c.want(slices.Contains(golden.Toolsets, e.Toolset), e.Name, "toolset_unknown", "%q is in no committed tool", e.Toolset)
		old, there := entries[e.Name]
		if !there {
			c.err(e.Name, "not_in_golden", "no such tool was committed")
			continue
		}
		c.differences(e, old)
	}
	now := byName(d.Tools)
	for _, e := range golden.Tools {
		if _, there := now[e.Name]; !there {
			c.err(e.Name, "not_in_table", "the committed tool is gone")
		}
	}
	for _, name := range keysOf(d.Documents, golden.Documents) {
		c.want(d.Documents[name] == golden.Documents[name] && d.Documents[name] != "", name, "document_differs",
			"what is generated is not what was committed")
	}
	c.want(slices.Equal(d.Toolsets, golden.Toolsets), SubjectGolden, "toolsets_differ", "it has %q", golden.Toolsets)
}

// differences compares a tool's facts one by one.
func (c *check) differences(now, old Entry) {
	_, have := takeApart(encode(now))
	_, committed := takeApart(encode(old))
	was := map[string]json.RawMessage{}
	for _, p := range committed {
		was[p.key] = p.value
	}
	for _, p := range have {
		if !bytes.Equal(p.value, was[p.key]) {
			c.err(now.Name, "differs_from_golden", "%s: committed %s, now %s", p.key, clip(was[p.key]), clip(p.value))
		}
		delete(was, p.key)
	}
	for _, key := range keysOf(was) {
		c.err(now.Name, "differs_from_golden", "%s: committed %s, now nothing", key, clip(was[key]))
	}
}

// files compares documents on the disk with the hashes that were committed.
func (c *check) files(files map[string]string, golden Document) {
	if files == nil {
		return
	}
	for _, name := range keysOf(golden.Documents) {
		c.want(files[name] == golden.Documents[name], name, "file_differs", "the file is not the committed one")
	}
}

// editors compares the commands of each linked editor with the table.
func (c *check) editors(d Document, editors []Editor) {
	if len(editors) == 0 {
		c.add(Finding{Warning, SubjectEditor, "hello_absent", "no editor is linked, so its commands were not looked at"})
	}
	for _, editor := range editors {
		known := map[string]bool{}
		for _, e := range d.Tools {
			known[e.Name] = e.Command
			if e.Command && !slices.Contains(editor.Commands, e.Name) {
				c.err(e.Name, "command_missing", "the editor of %s does not know it", editor.Project)
			}
		}
		for _, name := range editor.Commands {
			c.want(known[name], name, "command_surplus", "the editor of %s knows it, and it is no tool's", editor.Project)
		}
	}
}

func byName(entries []Entry) map[string]Entry {
	out := make(map[string]Entry, len(entries))
	for _, e := range entries {
		out[e.Name] = e
	}
	return out
}

// keysOf lists the keys of all the maps, sorted.
func keysOf[V any](all ...map[string]V) []string {
	seen := map[string]bool{}
	for _, m := range all {
		for key := range m {
			seen[key] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// clip shortens a value for a detail.
func clip(text []byte) string {
	const most = 120
	if len(text) == 0 {
		return "nothing"
	}
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}
