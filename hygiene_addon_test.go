package drawbridge

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// addonRules are about the addon's scripts. Typing, unused names and the like are Godot's own warnings, all errors.
func addonRules() []rule { return slices.Concat(addonPowerRules(), addonFormRules()) }

// script is a sample with the code at its top level; line is one with the statement in a method.
func script(name, code string) source {
	return source{name, "extends RefCounted\n## A class.\n\n" + code + "\n"}
}

func line(name, statement string) source {
	return script(name, "\n## Does.\nfunc f() -> void:\n\t"+statement)
}

// addonPowerRules are about what scripts may do.
func addonPowerRules() []rule {
	return []rule{
		{
			name: "only commit opens undo actions and writes", check: writesOutsideCommit,
			bad: []source{
				line("addon/handlers/node.gd", `undo.create_action("x")`),
				line("addon/resolve.gd", `ResourceSaver.save(r)`),
				line("addon/disk.gd", `FileAccess.open(p, FileAccess.READ_WRITE)`),
				line("addon/disk.gd", `DirAccess.remove_absolute(p)`),
				line("addon/scenes.gd", `EditorInterface.save_scene()`),
				line("addon/scenes.gd", `EditorInterface.get_resource_filesystem().reimport_files(p)`),
				line("addon/link.gd", `ProjectSettings.save()`),
				line("addon/save_target.gd", `pass # its exception is stale`),
			},
			good: []source{
				line("addon/commit/save_scene.gd", `EditorInterface.save_scene()`),
				line("addon/disk.gd", `FileAccess.open(p, FileAccess.READ) # not FileAccess.WRITE`),
			},
		},
		{
			name: "the addon runs no text and starts nothing", check: forbiddenWords,
			bad: []source{
				line("addon/values.gd", `str_to_var(text)`),
				line("addon/values.gd", `bytes_to_var_with_objects(b)`),
				line("addon/commit.gd", `Expression.new()`),
				line("addon/commit.gd", `GDScript.new()`),
				line("addon/link.gd", `OS.execute("x", [])`),
				line("addon/link.gd", `OS.create_process("x", [])`),
				line("addon/link.gd", `print("x")`),
				line("addon/link.gd", `printerr("x")`),
				line("addon/router.gd", `await ready`),
				script("addon/a.gd", "class_name Foo"),
				line("addon/script_check.gd", `script.source_code = Expression.new()`),
			},
			good: []source{
				line("addon/a.gd", `var fingerprint: String = "print( str_to_var"`),
				line("addon/script_check.gd", `GDScript.new().source_code = text`),
			},
		},
		{
			name: "handlers do not know of confirm and dry_run", check: policyInHandlers,
			bad: []source{
				line("addon/handlers/node.gd", `if params.get("confirm"): pass`),
				line("addon/handlers/node.gd", `if the_call.dry_run: pass`),
			},
			good: []source{line("addon/handlers/node.gd", `pass # confirm is the gate's`)},
		},
	}
}

// addonFormRules are about how scripts hang together and look.
func addonFormRules() []rule {
	return []rule{
		{
			name: "scripts are loaded by relative path", check: absolutePreloads,
			bad: []source{
				script("addon/a.gd", `const A = preload("res://addon/b.gd")`),
				line("addon/a.gd", `load("res://addons/drawbridge/b.gd")`),
			},
			good: []source{script("addon/a.gd", `const A = preload("./b.gd")`), script("addon/b.gd", ""), script("addon/c/d.gd", `const A = preload("../b.gd")`)},
		},
		{
			name: "layers of the addon", check: addonLayers,
			bad: []source{
				script("addon/handlers/node.gd", `const Router = preload("../router.gd")`),
				script("addon/handlers/node.gd", `const Apply = preload("../commit/applier.gd")`),
				script("addon/commit.gd", `const Link = preload("./link.gd")`),
				script("addon/persistence.gd", `const Node = preload("./handlers/node.gd")`),
			},
			good: []source{script("addon/router.gd", `const Editor = preload("./editor.gd")`), script("addon/editor.gd", `const C = preload("./commit.gd")`), script("addon/commit.gd", "")},
		},
		{
			name: "each script and public method is documented", check: undocumentedScripts,
			bad: []source{
				{"addon/a.gd", "extends Node\n\n\nfunc _x() -> void:\n\tpass\n"},
				script("addon/a.gd", "\nfunc f() -> void:\n\tpass"),
				script("addon/a.gd", "\nstatic func f() -> void:\n\tpass"),
			},
			good: []source{script("addon/a.gd", "\n## Does.\nfunc f() -> void:\n\tpass\n\n\nfunc _g() -> void:\n\tpass"), {"addon/b.gd", "@tool\nextends Node\n## A class.\n"}},
		},
		{
			name: "lines are at most 100 columns", check: longLines,
			bad:  []source{script("addon/a.gd", "# "+strings.Repeat("x", 99)), script("addon/a.gd", strings.Repeat("\t", 25)+"x")},
			good: []source{script("addon/a.gd", "# "+strings.Repeat("x", 98))},
		},
	}
}

// code is a script without comments; with the texts of strings emptied, or not.
func code(text string, keepStrings bool) string {
	var out strings.Builder
	quote := ""
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch {
		case quote != "" && strings.HasPrefix(rest, `\`):
			if keepStrings {
				out.WriteString(rest[:min(2, len(rest))])
			}
			i++
		case quote != "" && strings.HasPrefix(rest, quote):
			out.WriteString(quote)
			i += len(quote) - 1
			quote = ""
		case quote != "":
			if keepStrings || text[i] == '\n' {
				out.WriteByte(text[i])
			}
		case text[i] == '#':
			i += strings.IndexByte(rest+"\n", '\n') - 1
		case strings.HasPrefix(rest, `"""`), strings.HasPrefix(rest, `'''`):
			quote = rest[:3]
			out.WriteString(quote)
			i += 2
		case text[i] == '"' || text[i] == '\'':
			quote = rest[:1]
			out.WriteString(quote)
		default:
			out.WriteByte(text[i])
		}
	}
	return out.String()
}

// scripts lists the addon's scripts below a folder, without comments.
func scripts(t tree, folder string, keepStrings bool) []source {
	var out []source
	for _, s := range t.sources {
		if strings.HasPrefix(s.name, folder) && path.Ext(s.name) == ".gd" {
			out = append(out, source{s.name, code(s.text, keepStrings)})
		}
	}
	return out
}

// isCommit says whether a script may change scenes and files.
func isCommit(name string) bool {
	return name == "addon/commit.gd" || strings.HasPrefix(name, "addon/commit/")
}

// harmlessWrites are words of the rule below that one script may use once, because nothing is changed by them.
func harmlessWrites() map[string]string {
	return map[string]string{
		// Opened and closed unchanged, to refuse a read-only file before the editor saves half of a scene.
		"addon/save_target.gd": "FileAccess.READ_WRITE",
	}
}

func writesOutsideCommit(t tree) []finding {
	writes := regexp.MustCompile(`\bcreate_action\b|\bcommit_action\b|\bResourceSaver\b` +
		`|\bFileAccess\.(WRITE|READ_WRITE|WRITE_READ)\b` +
		`|\bDirAccess\.(make_dir|remove|rename|copy|create)\w*|\.(make_dir|make_dir_recursive|remove_absolute)\(` +
		`|\bEditorInterface\.(save_|close_scene|reload_scene|mark_scene|play_|restart_)\w*|\breimport_files\b` +
		`|\bProjectSettings\.(save|set_setting)\w*|\bEditorSettings\b.*\bset_setting\b`)
	var rest []source
	var found []finding
	for _, s := range scripts(t, "addon/", false) {
		if isCommit(s.name) {
			continue
		}
		if word, ok := harmlessWrites()[s.name]; ok {
			if !strings.Contains(s.text, word) {
				found = append(found, finding{s.name, 1, "does not need its exception for " + word})
			}
			s.text = strings.Replace(s.text, word, "", 1)
		}
		rest = append(rest, s)
	}
	return append(found, matches(rest, writes, "only addon/commit may")...)
}

// textScripts is the one script that makes scripts from texts. It compiles them and never makes an object of one.
const textScripts = "addon/script_check.gd"

func forbiddenWords(t tree) []finding {
	words := regexp.MustCompile(`\b(str_to_var|bytes_to_var|bytes_to_var_with_objects|var_to_bytes_with_objects|dict_to_inst|Expression|JavaScriptBridge` +
		`|class_name|await)\b` +
		`|\bOS\.(execute|execute_with_pipe|create_process|create_instance|shell_open|kill|crash|set_restart_on_exit)\b` +
		`|\b(print|prints|printt|printraw|printerr|print_rich|print_debug|print_verbose)\(`)
	makes := regexp.MustCompile(`\bGDScript\.new\b|\bsource_code\b`)
	all := scripts(t, "addon/", false)
	rest := slices.DeleteFunc(slices.Clone(all), func(s source) bool { return s.name == textScripts })
	return append(matches(all, words, "the addon may not use"), matches(rest, makes, "only "+textScripts+" may use")...)
}

func policyInHandlers(t tree) []finding {
	words := regexp.MustCompile(`\b(confirm|confirmed|dry_run)\b`)
	return matches(scripts(t, "addon/handlers/", true), words, "policy is decided before a handler")
}

func absolutePreloads(t tree) []finding {
	loads := regexp.MustCompile(`\b(preload|load)\("[^"]*"`)
	relative := regexp.MustCompile(`\b(preload|load)\("\.\.?/`)
	var found []finding
	for _, f := range matches(scripts(t, "addon/", true), loads, "absolute") {
		if !relative.MatchString(strings.ReplaceAll(f.what, `\"`, `"`)) {
			found = append(found, f)
		}
	}
	return found
}

// preloads is the graph of the addon's scripts.
func preloads(t tree) map[string][]string {
	loads := regexp.MustCompile(`\b(?:preload|load)\("(\.[^"]*)"`)
	edges := map[string][]string{}
	for _, s := range scripts(t, "addon/", true) {
		for _, hit := range loads.FindAllStringSubmatch(s.text, -1) {
			edges[s.name] = append(edges[s.name], path.Join(path.Dir(s.name), hit[1]))
		}
	}
	return edges
}

func addonLayers(t tree) []finding {
	isLink := func(name string) bool {
		return slices.Contains([]string{"addon/link.gd", "addon/router.gd", "addon/plugin.gd", "addon/ledger.gd"}, name)
	}
	isHandler := func(name string) bool { return strings.HasPrefix(name, "addon/handlers/") }
	edges := preloads(t)
	var found []finding
	for from := range edges {
		for to := range reach(edges, from) {
			handlerSees := isHandler(from) && (isLink(to) || isCommit(to))
			commitSees := isCommit(from) && (isLink(to) || isHandler(to))
			shared := !isLink(from) && !isHandler(from) && !isCommit(from) && from != "addon/editor.gd" &&
				!strings.HasPrefix(from, "addon/link/")
			if handlerSees || commitSees || (shared && (isLink(to) || isHandler(to) || isCommit(to))) {
				found = append(found, finding{from, 1, "may not lead to " + to})
			}
		}
	}
	return found
}

func undocumentedScripts(t tree) []finding {
	method := regexp.MustCompile(`^(?:static )?func ([a-z]\w*)`)
	var found []finding
	for _, s := range t.sources {
		if !strings.HasPrefix(s.name, "addon/") || path.Ext(s.name) != ".gd" {
			continue
		}
		lines := strings.Split(s.text, "\n")
		head := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "extends ") })
		if head < 0 || head+1 >= len(lines) || !strings.HasPrefix(lines[head+1], "##") {
			found = append(found, finding{s.name, 1, "the script has no ## text after extends"})
		}
		for i, line := range lines {
			hit := method.FindStringSubmatch(line)
			if hit != nil && !strings.HasPrefix(lines[max(i-1, 0)], "##") && !strings.HasPrefix(lines[max(i-1, 0)], "@") {
				found = append(found, finding{s.name, i + 1, fmt.Sprintf("%s has no ## text", hit[1])})
			}
		}
	}
	return found
}

func longLines(t tree) []finding {
	var found []finding
	for _, s := range t.sources {
		if path.Ext(s.name) != ".gd" {
			continue
		}
		for i, line := range strings.Split(s.text, "\n") {
			if width := len([]rune(line)) + 3*strings.Count(line, "\t"); width > 100 {
				found = append(found, finding{s.name, i + 1, fmt.Sprintf("%d columns", width)})
			}
		}
	}
	return found
}
