// Package drawbridge holds the rules of the repository as tests, and nothing else: who may import and call what, how
// large things may be, what the addon may never do. Each rule is a function from sources to findings, so that
// TestRulesCanFail can show it bad samples. Whether generated files are fresh is tested where they are made, in
// daemon/internal/gen; whether GDScript is typed throughout is Godot's own judgement, see scripts/check.sh.
package drawbridge

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// source is one text file of the repository; name is its slash-separated path from the root.
type source struct {
	name string
	text string
}

// finding is one breach of a rule.
type finding struct {
	name string
	line int
	what string
}

func (f finding) String() string { return fmt.Sprintf("%s:%d: %s", f.name, f.line, f.what) }

// rule is a rule of the repository with the samples that prove it can fail.
type rule struct {
	name  string
	check func(tree) []finding
	// bad holds sources that break the rule, each alone.
	bad []source
	// good holds sources that do not, all at once.
	good []source
}

// tree is what a rule looks at.
type tree struct {
	sources []source
	goFiles []goFile
}

// goFile is a parsed Go file.
type goFile struct {
	source
	syntax *ast.File
	lines  func(token.Pos) int
}

// pkg is the package's folder.
func (f goFile) pkg() string { return path.Dir(f.name) }

// isTest says whether the file is only part of tests.
func (f goFile) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

// rules lists every rule.
func rules() []rule {
	return slices.Concat(importRules(), effectRules(), sizeRules(), styleRules(), addonRules(), textRules())
}

func TestTheRepositoryKeepsItsRules(t *testing.T) {
	tree := readTree(t, ".")
	require.Greater(t, len(tree.goFiles), 50, "the walk finds the repository")
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			for _, f := range r.check(tree) {
				assert.Fail(t, f.String())
			}
		})
	}
}

// A rule that cannot fail is worse than none: each is shown sources that break it, and sources that do not.
func TestRulesCanFail(t *testing.T) {
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			require.NotEmpty(t, r.bad, "the rule has no bad sample")
			for _, bad := range r.bad {
				assert.NotEmpty(t, r.check(parseTree(t, []source{bad})), "not found: %s\n%s", bad.name, bad.text)
			}
			if len(r.good) > 0 {
				assert.Empty(t, r.check(parseTree(t, r.good)))
			}
		})
	}
}

// readTree reads every text file that is part of the repository.
func readTree(t *testing.T, root string) tree {
	t.Helper()
	var sources []source
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".git", ".godot", "build"}, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if slices.Contains([]string{".png", ".uid", ".import"}, filepath.Ext(name)) {
			return nil
		}
		text, err := os.ReadFile(name)
		sources = append(sources, source{filepath.ToSlash(name), string(text)})
		return err
	})
	require.NoError(t, err)
	return parseTree(t, sources)
}

// parseTree parses the Go files among the sources, for every system alike.
func parseTree(t *testing.T, sources []source) tree {
	t.Helper()
	out := tree{sources: sources}
	for _, s := range sources {
		if path.Ext(s.name) != ".go" {
			continue
		}
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, s.name, s.text, parser.ParseComments)
		require.NoError(t, err, s.name)
		lines := func(p token.Pos) int { return set.Position(p).Line }
		out.goFiles = append(out.goFiles, goFile{s, syntax, lines})
	}
	return out
}

// textRules are about any file.
func textRules() []rule {
	return []rule{
		{
			name: "no path of a developer's machine and no host of a registry", check: hostNames,
			bad: []source{
				{"a.sh", "cd /ro" + "ot/.cache/x"},
				{"a.md", "see /ho" + "me/someone/x"},
				{"a.go", "package a // /wo" + "rk/main"},
				{"a.yml", "https://de" + "b.deb" + "ian.org/debian"},
				{"a.txt", "proxy." + "golang.org"},
			},
			good: []source{{"a.gd", "get_node(\"/root/Main\")"}},
		},
		{
			name: "folders without Godot's business are hidden from it", check: hiddenFolders,
			bad:  []source{{"daemon/a.go", "package a"}, {"docs/a.md", ""}, {"new_folder/a.go", "package a"}},
			good: []source{{"daemon/a.go", "package a"}, {"daemon/.gdignore", ""}, {"addon/a.gd", ""}},
		},
		{
			name: "no tool count by hand in the docs", check: toolCounts,
			bad:  []source{{"README.md", "It has 12 tools."}, {"docs/x.md", "all twelve tools"}},
			good: []source{{"README.md", "The tools are listed."}},
		},
	}
}

// hostNames finds paths of developers' machines and hosts of package registries. The patterns are split so that this
// file does not break its own rule.
func hostNames(t tree) []finding {
	bad := regexp.MustCompile(`/ro` + `ot/(\.|go/)|/wo` + `rk/|/ho` + `me/[a-z]|/Us` + `ers/[A-Za-z]|C:\\Us` + `ers|` +
		`(deb|snapshot)\.debi` + `an\.org|(proxy|sum)\.gol` + `ang\.org|registry\.npm` + `js|pypi\.o` + `rg`)
	return matches(t.sources, bad, "names a host or a path of one machine")
}

// matches finds a pattern, line by line.
func matches(sources []source, bad *regexp.Regexp, what string) []finding {
	var found []finding
	for _, s := range sources {
		for i, line := range strings.Split(s.text, "\n") {
			if hit := bad.FindString(line); hit != "" {
				found = append(found, finding{s.name, i + 1, fmt.Sprintf("%s: %q", what, hit)})
			}
		}
	}
	return found
}

// hiddenFolders wants a .gdignore in each top folder but those that Godot loads from.
func hiddenFolders(t tree) []finding {
	godots := []string{"addon", "contract", "scenes_fixture"}
	hidden, folders := map[string]bool{}, map[string]bool{}
	for _, s := range t.sources {
		top, rest, inFolder := strings.Cut(s.name, "/")
		if !inFolder || slices.Contains(godots, top) {
			continue
		}
		folders[top] = true
		hidden[top] = hidden[top] || rest == ".gdignore"
	}
	var found []finding
	for top := range folders {
		if !hidden[top] {
			found = append(found, finding{top, 1, "has no .gdignore"})
		}
	}
	return found
}

// toolCounts finds numbers that a generator would have to keep right.
func toolCounts(t tree) []finding {
	var docs []source
	for _, s := range t.sources {
		if path.Ext(s.name) == ".md" && !strings.Contains(s.text, "GENERATED by") {
			docs = append(docs, s)
		}
	}
	numbers := `\d+|ten|eleven|twelve|thirteen|fourteen|fifteen|twenty`
	return matches(docs, regexp.MustCompile(`(?i)\b(`+numbers+`) tools\b`), "a count that will drift")
}
