package drawbridge

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

const safetyPath = module + "daemon/internal/safety"

// power is something that reaches outside the process.
type power string

const (
	powerExec   power = "os/exec"
	powerFiles  power = "writes files"
	powerSocket power = "websocket"
)

// grants says which package has which power, and why. A row that is no longer used fails too.
func grants() map[[2]string]string {
	const in = "daemon/internal/"
	grant := func(pkg string, p power) [2]string { return [2]string{pkg, string(p)} }
	return map[[2]string]string{
		grant(in+"bridge", powerSocket):            "listens for addons",
		grant(in+"rendezvous", powerFiles):         "writes the file by which addons find this daemon, in the user's configuration folder",
		grant(in+"recovery", powerFiles):           "keeps the bytes of files in the user's state folder, and opens projects as an os.Root to read them",
		grant(in+"gate", powerFiles):               "opens the project's folder as an os.Root, to judge where paths really lead; it writes nothing",
		grant(in+"audit", powerFiles):              "writes the audit logs and their key, in the user's state and configuration folders",
		grant(in+"lock", powerFiles):               "keeps the projects' lock files in the user's state folder",
		grant(in+"install", powerFiles):            "copies the addon into a project",
		grant(in+"gen", powerFiles):                "a developer's command that writes the generated files",
		grant("daemon/cmd/drawbridge", powerFiles): "makes standard input a pollable file; it opens and writes nothing",
		grant("daemon/harness", powerExec):         "starts daemons, editors and displays for tests",
		grant("daemon/harness", powerFiles):        "makes temporary projects",
	}
}

// effectRules are about what code may do to the world.
func effectRules() []rule {
	file := func(name, text string) source { return source{name, "package x\n\n" + text + "\n"} }
	const useSafety = `import "drawbridge/daemon/internal/safety"` + "\n\n"
	const renamed = `import s "drawbridge/daemon/internal/safety"` + "\n\n"
	return []rule{
		{
			name: "only the gate mints permits", check: minting,
			bad: []source{
				file("daemon/internal/bridge/a.go", useSafety+"var p = safety.Mint(d)"),
				file("daemon/internal/mcpserver/a.go", renamed+"func f() any { return s.Mint }"),
				file("daemon/internal/safety/a.go", "func f() Permit { return Mint(d) }"),
			},
			good: []source{file("daemon/internal/gate/a.go", useSafety+"func f() { safety.Mint(d) }")},
		},
		{
			name: "permits are never written by hand", check: handMadePermits,
			bad: []source{
				file("daemon/internal/gate/a.go", useSafety+"var p = safety.Permit{}"),
				file("daemon/internal/bridge/a.go", renamed+"var p = &s.Permit{}"),
				file("daemon/internal/bridge/b.go", useSafety+"var p = new(safety.Permit)"),
				file("daemon/internal/bridge/c.go", useSafety+"var p safety.Permit"),
				file("daemon/internal/safety/a.go", "func Other() Permit { return Permit{} }"),
			},
			good: []source{
				file("daemon/internal/safety/a.go", "func Mint() Permit { return Permit{} }"),
				file("daemon/internal/bridge/a.go", useSafety+"func f(p safety.Permit) {}"),
			},
		},
		{
			name: "processes, files and sockets only where granted", check: powers,
			bad: []source{
				file("daemon/internal/session/a.go", `import "os/exec"`),
				file("daemon/internal/config/a.go", "import \"os\"\n\nfunc f() { os.WriteFile(\"\", nil, 0) }"),
				file("daemon/internal/config/b.go", "import o \"os\"\n\nvar f = o.RemoveAll"),
				file("daemon/internal/mcpserver/a.go", `import "github.com/coder/websocket"`),
			},
		},
		{
			name: "the permission model has no clock", check: clockInSafety,
			bad: []source{file("daemon/internal/safety/a.go", "import \"time\"\n\nvar now = time.Now")},
		},
	}
}

// uses calls see for each mention of an exported name of the import.
func (f goFile) uses(importPath string, see func(name string, node *ast.SelectorExpr)) {
	local := f.named(importPath)
	if local == "" {
		return
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && id.Name == local {
				see(sel.Sel.Name, sel)
			}
		}
		return true
	})
}

func minting(t tree) []finding {
	var found []finding
	for _, f := range t.goFiles {
		if f.isTest() || f.pkg() == "daemon/internal/gate" {
			continue
		}
		f.uses(safetyPath, func(name string, node *ast.SelectorExpr) {
			if name == "Mint" {
				found = append(found, finding{f.name, f.lines(node.Pos()), "mints a permit"})
			}
		})
		if f.pkg() != "daemon/internal/safety" {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && isIdent(call.Fun, "Mint") {
				found = append(found, finding{f.name, f.lines(call.Pos()), "mints a permit"})
			}
			return true
		})
	}
	return found
}

// isIdent says whether an expression is the bare name.
func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// isPermit says whether a type expression is safety.Permit, as f spells it.
func (f goFile) isPermit(e ast.Expr) bool {
	if f.pkg() == "daemon/internal/safety" {
		return isIdent(e, "Permit")
	}
	sel, ok := e.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Permit" && f.named(safetyPath) != "" && isIdent(sel.X, f.named(safetyPath))
}

func handMadePermits(t tree) []finding {
	var found []finding
	for _, f := range t.goFiles {
		if f.isTest() {
			continue // tests hand the ports a zero permit, to see it refused
		}
		for _, decl := range f.syntax.Decls {
			fn, isFunc := decl.(*ast.FuncDecl)
			if isFunc && f.pkg() == "daemon/internal/safety" && fn.Recv == nil && fn.Name.Name == "Mint" {
				continue
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				if made := f.madePermit(n); made != "" {
					found = append(found, finding{f.name, f.lines(n.Pos()), made})
				}
				return true
			})
		}
	}
	return found
}

// madePermit says how a node makes a permit, if it does.
func (f goFile) madePermit(n ast.Node) string {
	switch n := n.(type) {
	case *ast.CompositeLit:
		if f.isPermit(n.Type) {
			return "a permit literal"
		}
	case *ast.CallExpr:
		if isIdent(n.Fun, "new") && len(n.Args) == 1 && f.isPermit(n.Args[0]) {
			return "a permit by new"
		}
	case *ast.ValueSpec:
		if n.Type != nil && f.isPermit(n.Type) && len(n.Values) == 0 {
			return "a zero permit"
		}
	}
	return ""
}

// writers are the functions of package os that change files, or open the way to.
func writers() []string {
	return []string{
		"Chmod", "Chown", "Chtimes", "CopyFS", "Create", "CreateTemp", "Lchown", "Link", "Mkdir", "MkdirAll",
		"MkdirTemp", "NewFile", "OpenFile", "OpenInRoot", "OpenRoot", "Remove", "RemoveAll", "Rename", "StartProcess",
		"Symlink", "Truncate", "WriteFile",
	}
}

// powersOf lists the powers that a file uses, each with a line.
func powersOf(f goFile) map[power]int {
	used := map[power]int{}
	for _, name := range f.imports() {
		switch {
		case name == "os/exec":
			used[powerExec] = f.lineOf(name)
		case strings.HasPrefix(name, "github.com/coder/websocket"):
			used[powerSocket] = f.lineOf(name)
		}
	}
	f.uses("os", func(name string, node *ast.SelectorExpr) {
		if slices.Contains(writers(), name) {
			used[powerFiles] = f.lines(node.Pos())
		}
	})
	return used
}

func powers(t tree) []finding {
	granted := grants()
	used := map[[2]string]bool{}
	var found []finding
	for _, f := range t.goFiles {
		// The contract suite, the demo and the benchmarks act on the harness's temporary projects only.
		if f.isTest() || f.pkg() == "contract" || strings.HasPrefix(f.pkg(), "contract/") {
			continue
		}
		for p, line := range powersOf(f) {
			key := [2]string{f.pkg(), string(p)}
			used[key] = true
			if _, ok := granted[key]; !ok {
				found = append(found, finding{f.name, line, fmt.Sprintf("this package has no grant for: %s", p)})
			}
		}
	}
	// Single samples use no grant; only a whole repository can have a stale one.
	for key := range granted {
		if !used[key] && len(t.goFiles) > 50 {
			found = append(found, finding{key[0], 1, "its grant is not used any more: " + key[1]})
		}
	}
	return found
}

func clockInSafety(t tree) []finding {
	var found []finding
	for _, f := range t.goFiles {
		if f.isTest() || f.pkg() != "daemon/internal/safety" {
			continue
		}
		f.uses("time", func(name string, node *ast.SelectorExpr) {
			if slices.Contains([]string{"Now", "Since", "Until", "After", "Tick", "NewTimer", "Sleep"}, name) {
				found = append(found, finding{f.name, f.lines(node.Pos()), "asks for the time"})
			}
		})
	}
	return found
}
