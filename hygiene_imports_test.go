package drawbridge

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

const module = "drawbridge/"

// allowed says which packages of ours a package may import, tests aside. A package that is not here may import none
// and fails: a new one has to be placed first. The order is the one of the design, bottom up.
func allowed() map[string][]string {
	const in = "daemon/internal/"
	effects := []string{in + "approval", in + "bridge", in + "recovery"}
	wiring := []string{
		"addon", "protocol", in + "audit", in + "catalog", in + "config", in + "contract", in + "gate", in + "install", in + "lock", in + "mcpserver",
		in + "rendezvous", in + "safety", in + "session", in + "tool",
	}
	return map[string][]string{
		"protocol":        {},
		"addon":           {},
		in + "safety":     {"protocol"},
		in + "tool":       {"protocol", in + "safety"},
		in + "catalog":    {"protocol", in + "safety", in + "tool"},
		in + "docs":       {"protocol", in + "safety", in + "tool"},
		in + "contract":   {"protocol", in + "safety", in + "tool", in + "catalog", in + "docs"},
		in + "session":    {"protocol"},
		in + "token":      {"protocol"},
		in + "approval":   {},
		in + "lock":       {},
		in + "audit":      {"protocol", in + "lock"},
		in + "config":     {"protocol", in + "safety"},
		in + "rendezvous": {"protocol"},
		in + "install":    {"protocol", "addon"},
		in + "bridge":     {"protocol", in + "safety", in + "rendezvous"},
		in + "gate": {
			"protocol", in + "safety", in + "tool", in + "catalog", in + "session", in + "bridge", in + "recovery",
			in + "approval", in + "audit", in + "contract", in + "lock", in + "token",
		},
		in + "recovery":         {"protocol", in + "safety"},
		in + "mcpserver":        {"protocol", in + "safety", in + "tool", in + "catalog", in + "session"},
		in + "gen":              {"protocol", in + "safety", in + "tool", in + "catalog", in + "contract", in + "docs"},
		"daemon/cmd/drawbridge": slices.Concat(wiring, effects),
		"daemon/harness":        slices.Concat(wiring, effects),
		"contract":              {"protocol", "daemon/harness"},
		"contract/demo":         {"protocol", "daemon/harness"},
		"contract/bench":        {"protocol", "daemon/harness"},
	}
}

// unreachable names, for a package, what none of its imports may lead to, with the reason.
type unreachable struct {
	from, to []string
	why      string
}

// forbidden are the walls that must hold over any number of steps.
func forbidden() []unreachable {
	const in = "daemon/internal/"
	ports := []string{
		in + "bridge", in + "proc", in + "debugger", in + "recovery", in + "approval", in + "gate",
		"os/exec", "net", "net/http", "github.com/coder/websocket",
	}
	return []unreachable{
		{[]string{in + "catalog", in + "contract", in + "tool", in + "safety", in + "session"}, ports, "a tool is a value: it cannot have an effect"},
		{[]string{in + "mcpserver"}, ports[:7], "the front end reaches effects through the gate only, which it gets as an interface"},
		{[]string{in + "safety"}, []string{"os", "net", "context", "io/fs", "path/filepath"}, "the permission model is pure"},
		{[]string{"addon", "protocol"}, ports, "leaves"},
	}
}

// importRules are about the import graph.
func importRules() []rule {
	const in = "daemon/internal/"
	file := func(name, imports string) source {
		return source{name, "package x\n\nimport " + imports + "\n"}
	}
	return []rule{
		{
			name: "imports point one way", check: importDirections,
			bad: []source{
				file("protocol/a.go", `"drawbridge/daemon/internal/safety"`),
				file(in+"catalog/a.go", `"drawbridge/daemon/internal/gate"`),
				file(in+"mcpserver/a.go", `"drawbridge/daemon/internal/bridge"`),
				file(in+"session/a.go", `g "drawbridge/daemon/internal/gate"`),
				file(in+"brand_new/a.go", `"fmt"`),
				file(in+"gate/a.go", `"drawbridge/daemon/harness"`),
				file("contract/demo/a.go", `"drawbridge/daemon/cmd/drawbridge"`),
			},
			good: []source{file(in+"gate/a.go", `"drawbridge/daemon/internal/bridge"`), file(in+"gate/a_test.go", `"drawbridge/daemon/harness"`)},
		},
		{
			name: "walls that no chain of imports crosses", check: walls,
			bad: []source{
				file(in+"catalog/a.go", `"os/exec"`),
				file(in+"safety/a.go", `"context"`),
				file(in+"mcpserver/a.go", `"drawbridge/daemon/internal/gate"`),
			},
			good: []source{file(in+"catalog/a.go", `"strings"`)},
		},
		{
			name: "protocol uses the standard library only", check: protocolIsLeaf,
			bad:  []source{file("protocol/a.go", `"github.com/google/uuid"`)},
			good: []source{file("protocol/a.go", `"encoding/json"`)},
		},
		{
			name: "no dot imports", check: dotImports,
			bad: []source{file("addon/a.go", `. "fmt"`)},
		},
	}
}

// imports lists what a file imports.
func (f goFile) imports() []string {
	var out []string
	for _, spec := range f.syntax.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			out = append(out, name)
		}
	}
	return out
}

// lineOf is the line of an import.
func (f goFile) lineOf(name string) int {
	for _, spec := range f.syntax.Imports {
		if spec.Path.Value == strconv.Quote(name) {
			return f.lines(spec.Pos())
		}
	}
	return 1
}

func importDirections(t tree) []finding {
	table := allowed()
	var found []finding
	for _, f := range t.goFiles {
		may, known := table[f.pkg()]
		if !known && f.pkg() != "." {
			found = append(found, finding{f.name, 1, "this package has no place in the import table"})
		}
		if f.isTest() {
			continue
		}
		for _, name := range f.imports() {
			ours, isOurs := strings.CutPrefix(name, module)
			if isOurs && !slices.Contains(may, ours) {
				found = append(found, finding{f.name, f.lineOf(name), "may not import " + ours})
			}
		}
	}
	return found
}

// graph is the imports of each package of ours, tests aside.
func graph(t tree) map[string][]string {
	edges := map[string][]string{}
	for _, f := range t.goFiles {
		if !f.isTest() {
			edges[f.pkg()] = append(edges[f.pkg()], f.imports()...)
		}
	}
	return edges
}

// reach is everything that pkg imports in any number of steps through packages of ours, with the way there.
func reach(edges map[string][]string, pkg string) map[string]string {
	way := map[string]string{}
	waiting := []string{pkg}
	for len(waiting) > 0 {
		at := waiting[0]
		waiting = waiting[1:]
		for _, name := range edges[at] {
			name = strings.TrimPrefix(name, module)
			if _, seen := way[name]; !seen {
				way[name] = at
				waiting = append(waiting, name)
			}
		}
	}
	return way
}

func walls(t tree) []finding {
	edges := graph(t)
	var found []finding
	for _, wall := range forbidden() {
		for _, from := range wall.from {
			way := reach(edges, from)
			for _, to := range wall.to {
				if by, crossed := way[to]; crossed {
					found = append(found, finding{from, 1, fmt.Sprintf("reaches %s through %s: %s", to, by, wall.why)})
				}
			}
		}
	}
	return found
}

func protocolIsLeaf(t tree) []finding {
	var found []finding
	for _, f := range t.goFiles {
		if f.pkg() != "protocol" || f.isTest() {
			continue
		}
		for _, name := range f.imports() {
			if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") {
				found = append(found, finding{f.name, f.lineOf(name), "imports " + name})
			}
		}
	}
	return found
}

func dotImports(t tree) []finding {
	var found []finding
	for _, f := range t.goFiles {
		for _, spec := range f.syntax.Imports {
			if spec.Name != nil && spec.Name.Name == "." {
				found = append(found, finding{f.name, f.lines(spec.Pos()), "hides where names come from"})
			}
		}
	}
	return found
}

// named is the name by which a file knows an import; empty when it does not import it.
func (f goFile) named(name string) string {
	for _, spec := range f.syntax.Imports {
		if spec.Path.Value != strconv.Quote(name) {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(name)
	}
	return ""
}
