package catalog

import (
	"slices"
	"strings"

	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

// meta are the tools about Drawbridge itself; the daemon answers them.
func meta() []tool.Spec {
	return []tool.Spec{
		{
			Name:    "get_server_info",
			Summary: "Show versions, the served project, the linked editor and its state. Start here.",
			Toolset: "core",
			Example: tool.Example{Arguments: `{}`},
			Local:   func(host tool.Host, _ tool.Args) (any, *protocol.Error) { return host.Server(), nil },
		},
		{
			Name:    "list_tools_by_safety_class",
			Summary: "List every tool by safety class, with what each class demands.",
			Toolset: "core",
			Example: tool.Example{Arguments: `{}`},
			Local:   listByClass,
		},
		{
			Name:    "find_tools",
			Summary: "Find tools by words, with their schemas; also those that are not listed.",
			Toolset: "core",
			Params: []tool.Param{
				{Name: "query", Kind: tool.String, Required: true, Doc: "Words, such as \"move node\"; empty for all."},
				{Name: "limit", Kind: tool.Int, Default: int64(10), Min: 1, Max: 100, Doc: "How many at most."},
			},
			Example: tool.Example{Arguments: `{"query":"move node"}`},
			Local:   findTools,
		},
		{
			Name:     "validate_safety_contract",
			Summary:  "Check that tools, annotations, schemas, the editor's commands and the committed contract agree.",
			Toolset:  "core",
			Example:  tool.Example{Arguments: `{}`},
			Local:    func(host tool.Host, _ tool.Args) (any, *protocol.Error) { return host.Contract(), nil },
			Unlisted: true,
		},
	}
}

// classEntry is one class in the answer of list_tools_by_safety_class.
type classEntry struct {
	Class   safety.Class `json:"class"`
	Demands string       `json:"demands"`
	Tools   []string     `json:"tools"`
}

func listByClass(host tool.Host, _ tool.Args) (any, *protocol.Error) {
	var entries []classEntry
	for _, class := range safety.Classes() {
		entry := classEntry{Class: class, Demands: demandsText(class), Tools: []string{}}
		for _, t := range host.Tools() {
			if t.Class() == class {
				entry.Tools = append(entry.Tools, t.Name())
			}
		}
		entries = append(entries, entry)
	}
	return map[string]any{"classes": entries}, nil
}

func demandsText(class safety.Class) string {
	switch class {
	case safety.ReadOnly:
		return "nothing"
	case safety.Mutating:
		return "dry_run is offered"
	case safety.Destructive:
		return "dry_run is offered, confirm is required"
	case safety.Runtime:
		return "dry_run and confirm where it writes files or executes code"
	}
	return "refused"
}

// found is one tool in the answer of find_tools.
type found struct {
	Name    string       `json:"name"`
	Summary string       `json:"summary"`
	Class   safety.Class `json:"class"`
	Call    string       `json:"call"`
	Schema  any          `json:"input_schema"`
}

func findTools(host tool.Host, a tool.Args) (any, *protocol.Error) {
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(a.Text("query"), "_", " ")))
	type ranked struct {
		t     *tool.Tool
		score int
	}
	var hits []ranked
	for _, t := range host.Tools() {
		if score := rank(t, words); score > 0 {
			hits = append(hits, ranked{t, score})
		}
	}
	slices.SortStableFunc(hits, func(x, y ranked) int { return y.score - x.score })
	total := len(hits)
	hits = hits[:min(total, int(a.Int("limit")))]
	tools := make([]found, 0, len(hits))
	for _, h := range hits {
		tools = append(tools, found{h.t.Name(), h.t.Summary(), h.t.Class(), howToCall(h.t), h.t.Schema()})
	}
	return map[string]any{
		"tools": tools, "total": total, "returned": len(tools), "truncated": len(tools) < total,
	}, nil
}

// rank counts matching words; a word of the name counts for more than one of the summary.
func rank(t *tool.Tool, words []string) int {
	if len(words) == 0 {
		return 1
	}
	score := 0
	name := strings.Split(t.Name(), "_")
	text := strings.ToLower(t.Summary() + " " + t.Toolset())
	for _, word := range words {
		switch {
		case slices.Contains(name, word):
			score += 4
		case strings.Contains(t.Name(), word):
			score += 3
		case strings.Contains(text, word):
			score++
		}
	}
	return score
}

// howToCall names the way to a tool: by its own name, or through the carrier for its class.
func howToCall(t *tool.Tool) string {
	if t.Listed() {
		return t.Name()
	}
	for _, spec := range carriers() {
		if !spec.Previews && slices.Contains(spec.Calls, t.Class()) {
			return spec.Name
		}
	}
	return t.Name()
}
