package drawbridge

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// styleRules are about Go code of any kind.
func styleRules() []rule {
	file := func(name, text string) source { return source{name, "// Package x is.\npackage x\n\n" + text + "\n"} }
	return []rule{
		{
			name: "each package has one package comment", check: packageComments,
			bad: []source{
				{"a/a.go", "package a\n"},
				{"a/b.go", "// Package a is.\n\npackage a\n"},
			},
			good: []source{{"a/a.go", "// Package a is.\npackage a\n"}, {"a/b.go", "package a\n"}, {"a/a_test.go", "package a_test\n"}},
		},
		{
			name: "no test is skipped", check: skips,
			bad:  []source{file("a_test.go", "func f(t T) { t.Skip() }"), file("b.go", "func f(t T) { t.Skipf(\"\") }")},
			good: []source{file("a_test.go", "func f(t T) { t.Fail() }")},
		},
		{
			name: "no init functions", check: inits,
			bad:  []source{file("a.go", "func init() {}")},
			good: []source{file("a.go", "type t int\n\nfunc (t) init() {}")},
		},
		{
			name: "no global state", check: globals,
			bad:  []source{file("a.go", "var cache = map[string]int{}"), file("b.go", "var n int"), file("c_test.go", "var kit *Kit")},
			good: []source{file("a.go", "import \"errors\"\n\nvar ErrX = errors.New(\"x\")\n\nvar _ I = T{}\n\nvar lost = cause{why: \"x\"}\n\n//go:embed a\nvar files embed.FS")},
		},
		{
			name: "exported names have doc comments", check: undocumented,
			bad:  []source{file("a.go", "func F() {}"), file("b.go", "type T struct{}"), file("c.go", "// T is.\ntype T struct{}\n\nfunc (T) M() {}")},
			good: []source{file("a.go", "// F does.\nfunc F() {}\n\ntype t struct{}\n\nfunc (t) M() {}"), file("a_test.go", "func TestX() {}")},
		},
	}
}

func packageComments(t tree) []finding {
	comments, first := map[string][]string{}, map[string]string{}
	for _, f := range t.goFiles {
		key := f.pkg() + " " + strings.TrimSuffix(f.syntax.Name.Name, "_test")
		if first[key] == "" {
			first[key] = f.name
		}
		if f.syntax.Doc != nil {
			comments[key] = append(comments[key], f.name)
		}
	}
	var found []finding
	for key, name := range first {
		switch n := len(comments[key]); {
		case n == 0:
			found = append(found, finding{name, 1, "the package has no comment"})
		case n > 1:
			found = append(found, finding{name, 1, "the package has several comments: " + strings.Join(comments[key], ", ")})
		}
	}
	return found
}

func skips(t tree) []finding {
	var found []finding
	for _, f := range t.goFiles {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) {
				found = append(found, finding{f.name, f.lines(sel.Pos()), "skips a test"})
			}
			return true
		})
	}
	return found
}

func inits(t tree) []finding {
	var found []finding
	for _, f := range t.goFiles {
		for _, decl := range f.syntax.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				found = append(found, finding{f.name, f.lines(fn.Pos()), "an init function"})
			}
		}
	}
	return found
}

func globals(t tree) []finding {
	var found []finding
	for _, f := range t.goFiles {
		for _, decl := range f.syntax.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR || isEmbed(gen) {
				continue
			}
			for _, spec := range gen.Specs {
				if value, ok := spec.(*ast.ValueSpec); ok && !isFixed(value) {
					found = append(found, finding{f.name, f.lines(spec.Pos()), "the package variable " + value.Names[0].Name})
				}
			}
		}
	}
	return found
}

// isEmbed says whether a declaration holds embedded files.
func isEmbed(gen *ast.GenDecl) bool {
	if gen.Doc == nil {
		return false
	}
	return slices.ContainsFunc(gen.Doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") })
}

// isFixed says whether a package variable is a constant in all but name: a blank one, a sentinel error, a struct
// literal, a compiled pattern.
func isFixed(value *ast.ValueSpec) bool {
	if value.Names[0].Name == "_" {
		return true
	}
	if len(value.Values) != 1 {
		return false
	}
	switch v := value.Values[0].(type) {
	case *ast.CompositeLit:
		return isNamedType(v.Type)
	case *ast.CallExpr:
		sel, ok := v.Fun.(*ast.SelectorExpr)
		return ok && (isIdent(sel.X, "errors") || isIdent(sel.X, "regexp"))
	}
	return false
}

// isNamedType says whether a literal is of a named type, which a map or slice literal is not.
func isNamedType(e ast.Expr) bool {
	switch e.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return true
	}
	return false
}

func undocumented(t tree) []finding {
	var found []finding
	miss := func(f goFile, n ast.Node, name string) {
		found = append(found, finding{f.name, f.lines(n.Pos()), name + " has no doc comment"})
	}
	for _, f := range t.goFiles {
		if f.isTest() {
			continue
		}
		for _, decl := range f.syntax.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && receiverIsExported(d) {
					miss(f, d, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					typ, ok := spec.(*ast.TypeSpec)
					if ok && typ.Name.IsExported() && d.Doc == nil && typ.Doc == nil {
						miss(f, typ, typ.Name.Name)
					}
				}
			}
		}
	}
	return found
}

// receiverIsExported says whether others see a function: it has no receiver, or one of an exported type.
func receiverIsExported(fn *ast.FuncDecl) bool {
	if fn.Recv == nil {
		return true
	}
	typ := fn.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}
