package drawbridge

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"strings"
)

// The budgets, in lines.
const (
	goFileLines, goFuncLines = 400, 60
	gdFileLines, gdFuncLines = 300, 40
)

// tooLarge lists what may exceed its budget, with the reason: a file by its name, a function as "file:name". The list
// only shrinks; a row that is not needed fails.
func tooLarge() map[string]string {
	return map[string]string{}
}

// sizeRules are about budgets.
func sizeRules() []rule {
	long := func(lines int) string { return strings.Repeat("\t_ = 1\n", lines) }
	gdLong := strings.Repeat("\tpass\n", gdFuncLines)
	return []rule{{
		name: "files and functions keep their budgets", check: func(t tree) []finding { return sizes(t, tooLarge()) },
		bad: []source{
			{"daemon/a.go", "package a\n" + strings.Repeat("\n", goFileLines)},
			{"daemon/b.go", "package a\n\nfunc f() {\n" + long(goFuncLines) + "}\n"},
			{"daemon/c.go", "package a\n\nfunc f() []func() {\n\treturn []func(){func() {\n" + long(goFuncLines) + "\t}}\n}\n"},
			{"addon/a.gd", "extends Node\n" + strings.Repeat("\n", gdFileLines)},
			{"addon/b.gd", "extends Node\n\n\nfunc f() -> void:\n" + gdLong + "\n\nfunc g() -> void:\n\tpass\n"},
			{"addon/c.gd", "extends Node\n\n\nstatic func f() -> void:\n" + gdLong},
		},
		good: []source{
			{"daemon/a.go", "package a\n\nfunc f() {\n" + long(goFuncLines-2) + "}\n"},
			{"daemon/b.go", "package a\n\nfunc f() []int {\n\treturn []int{\n" + strings.Repeat("\t\t1,\n", goFuncLines) + "\t}\n}\n"},
			{"addon/a.gd", "extends Node\n\n\nfunc f() -> void:\n" + gdLong[len("\tpass\n"):] + "\n\n## Doc.\nfunc g() -> void:\n\tpass\n"},
		},
	}, {
		name: "no exception is stale", check: func(t tree) []finding {
			if len(t.sources) == 1 {
				return unneeded(t, map[string]string{"gone.go": "x"})
			}
			return unneeded(t, tooLarge())
		},
		bad: []source{{"daemon/a.go", "package a"}},
	}}
}

// measured is a file or function with its size and budget.
type measured struct {
	key           string
	name          string
	line          int
	lines, budget int
}

func sizes(t tree, except map[string]string) []finding {
	var found []finding
	for _, m := range measure(t) {
		if _, ok := except[m.key]; m.lines > m.budget && !ok {
			found = append(found, finding{m.name, m.line, fmt.Sprintf("%s has %d lines, the budget is %d", m.key, m.lines, m.budget)})
		}
	}
	return found
}

func unneeded(t tree, except map[string]string) []finding {
	needed := map[string]bool{}
	for _, m := range measure(t) {
		needed[m.key] = needed[m.key] || m.lines > m.budget
	}
	var found []finding
	for key := range except {
		if !needed[key] {
			found = append(found, finding{"hygiene_size_test.go", 1, "the exception for " + key + " is not needed"})
		}
	}
	return found
}

// measure sizes every file and function.
func measure(t tree) []measured {
	var all []measured
	for _, f := range t.goFiles {
		all = append(all, measured{f.name, f.name, 1, countLines(f.text), goFileLines})
		for _, decl := range f.syntax.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				from := f.lines(fn.Pos())
				lines := f.lines(fn.End()) - from + 1 - f.tableLines(fn)
				all = append(all, measured{f.name + ":" + fn.Name.Name, f.name, from, lines, goFuncLines})
			}
		}
	}
	for _, s := range t.sources {
		if path.Ext(s.name) == ".gd" {
			all = append(all, measured{s.name, s.name, 1, countLines(s.text), gdFileLines})
			all = append(all, gdFunctions(s)...)
		}
	}
	return all
}

// tableLines is the size of the table that a function ends with: a literal that it returns, holding no code to speak
// of. Rows are data, for which the file's budget is enough.
func (f goFile) tableLines(fn *ast.FuncDecl) int {
	if fn.Body == nil || len(fn.Body.List) == 0 {
		return 0
	}
	ret, ok := fn.Body.List[len(fn.Body.List)-1].(*ast.ReturnStmt)
	if !ok || len(ret.Results) == 0 {
		return 0
	}
	table, ok := ret.Results[0].(*ast.CompositeLit)
	if !ok {
		return 0
	}
	holdsCode := false
	ast.Inspect(table, func(n ast.Node) bool {
		block, isBlock := n.(*ast.BlockStmt)
		holdsCode = holdsCode || isBlock && len(block.List) > 3
		return true
	})
	if holdsCode {
		return 0
	}
	return f.lines(table.End()) - f.lines(table.Pos())
}

func countLines(text string) int { return strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1 }

// gdFunctions sizes the functions of a script: from the line of func to the last indented line below it.
func gdFunctions(s source) []measured {
	start := regexp.MustCompile(`^\t*(?:static )?func (\w+)`)
	var all []measured
	open := false
	indent := ""
	for i, line := range strings.Split(s.text, "\n") {
		text := strings.TrimLeft(line, "\t")
		switch {
		case start.MatchString(line):
			name := start.FindStringSubmatch(line)[1]
			indent = line[:len(line)-len(text)]
			all = append(all, measured{s.name + ":" + name, s.name, i + 1, 1, gdFuncLines})
			open = true
		case text == "":
		case open && (strings.HasPrefix(line, indent+"\t") || strings.HasPrefix(text, ")")):
			last := &all[len(all)-1]
			last.lines = i + 2 - last.line
		default:
			open = false
		}
	}
	return all
}
