package contract_test

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"drawbridge/addon"
	"drawbridge/daemon/internal/catalog"
	"drawbridge/daemon/internal/contract"
	"drawbridge/daemon/internal/mcpserver"
	"drawbridge/daemon/internal/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// build is the contract of this build, with every tool in the list that clients get, and an editor that knows all.
func build(t *testing.T) contract.Facts {
	t.Helper()
	tools, err := catalog.New()
	require.NoError(t, err)
	every := func(*tool.Tool) bool { return true }
	list, err := mcpserver.Registered(t.Context(), mcpserver.Options{Tools: tools.All(), Listed: every})
	require.NoError(t, err)
	front := contract.Front{List: list}
	for _, tl := range tools.All() {
		front.Listed = append(front.Listed, tl.Name())
	}
	d := contract.Of(tools.All())
	return contract.Facts{
		Document: d, Golden: contract.Golden(), Fronts: []contract.Front{front},
		Editors: []contract.Editor{{Project: "/p", Commands: tools.Commands()}},
		Files:   d.Documents,
	}
}

// alone is the contract as if there were only these tools, committed as they are.
func alone(d contract.Document, tools ...contract.Entry) contract.Facts {
	d.Tools = tools
	d = contract.Seal(d)
	return contract.Facts{Document: d, Golden: contract.Render(d)}
}

// errorsOf are the errors about a subject.
func errorsOf(found []contract.Finding, subject string) []contract.Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f contract.Finding) bool {
		return f.Subject != subject || f.Level != contract.Error
	})
}

// has asserts that a rule fired for a subject, and that nothing else is an error.
func has(t *testing.T, found []contract.Finding, subject, rule string) {
	t.Helper()
	fired := false
	for _, f := range found {
		if f.Level == contract.Error {
			assert.Equal(t, subject, f.Subject, f)
		}
		fired = fired || f.Level == contract.Error && f.Subject == subject && f.Rule == rule
	}
	assert.True(t, fired, "%s %s in %v", subject, rule, found)
}

func TestTheContractOfThisBuildHolds(t *testing.T) {
	facts := build(t)
	assert.Empty(t, contract.Verify(facts))
	report := contract.Check(facts)
	assert.True(t, report.Valid)
	assert.Equal(t, len(facts.Document.Tools), report.Tools)
	assert.Equal(t, facts.Document.SHA256, report.SHA256)
	text, err := json.Marshal(report)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"findings":[]`)
}

func TestTheContractIsTheSameEachTimeAndHashesItself(t *testing.T) {
	first, second := build(t).Document, build(t).Document
	assert.Equal(t, string(first.JSON()), string(second.JSON()))
	var read contract.Document
	require.NoError(t, json.Unmarshal(contract.Golden(), &read))
	assert.Equal(t, first.SHA256, read.SHA256)
	assert.Equal(t, string(first.JSON()), string(read.JSON()))
	read.SHA256 = ""
	assert.Equal(t, contract.Hash(read.JSON()), first.SHA256)
	for _, line := range strings.Split(string(contract.Golden()), "\n") {
		assert.LessOrEqual(t, len(line), 400, "a reviewer reads the golden line by line")
	}
}

func TestTheAddonInTheBinaryKnowsExactlyTheCommands(t *testing.T) {
	facts := build(t)
	method := regexp.MustCompile(`(?m)^(?:static )?func ([a-z]\w*)\(`)
	var commands []string
	names, err := fs.Glob(addon.Files(), "handlers/*.gd")
	require.NoError(t, err)
	for _, name := range names {
		if name == "handlers/all_handlers.gd" {
			continue
		}
		text, err := fs.ReadFile(addon.Files(), name)
		require.NoError(t, err)
		for _, hit := range method.FindAllStringSubmatch(string(text), -1) {
			commands = append(commands, hit[1])
		}
	}
	facts.Editors = []contract.Editor{{Project: "the binary", Commands: commands}}
	assert.Empty(t, contract.Verify(facts))
}

func TestWhatCouldNotBeLookedAtIsAWarning(t *testing.T) {
	facts := build(t)
	facts.Editors, facts.Fronts, facts.Files = nil, nil, nil
	report := contract.Check(facts)
	assert.True(t, report.Valid)
	assert.Equal(t, 2, report.Warnings)
	rules := map[string]string{}
	for _, f := range report.Findings {
		assert.Equal(t, contract.Warning, f.Level)
		rules[f.Subject] = f.Rule
	}
	assert.Equal(t, map[string]string{contract.SubjectEditor: "hello_absent", contract.SubjectMCP: "list_absent"}, rules)
}

func TestAGoldenThatIsNotOne(t *testing.T) {
	whole := string(contract.Golden())
	for name, text := range map[string]string{
		"nothing": "", "no JSON": "x", "cut": whole[:len(whole)/2], "more behind": whole + "{}", "null": "null", "list": "[]",
		"empty": "{}", "unknown key": strings.Replace(whole, "{", `{"extra":1,`, 1),
		"another version": strings.Replace(whole, `"schema_version": 1`, `"schema_version": 2`, 1),
		"wrong type":      strings.Replace(whole, `"command": true`, `"command": 1`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			facts := build(t)
			facts.Golden = []byte(text)
			has(t, contract.Verify(facts), contract.SubjectGolden, "golden_unreadable")
		})
	}
	facts := build(t)
	facts.Golden = []byte(strings.Replace(whole, facts.Document.SHA256, strings.Repeat("0", 64), 1))
	has(t, contract.Verify(facts), contract.SubjectGolden, "golden_edited")
}

func TestAToolThatWasNotCommittedAndOneThatIsGone(t *testing.T) {
	whole := build(t)
	for i, e := range whole.Document.Tools {
		other := whole.Document.Tools[(i+1)%len(whole.Document.Tools)]
		one, two := alone(whole.Document, other), alone(whole.Document, e, other)
		has(t, contract.Verify(contract.Facts{Document: two.Document, Golden: one.Golden}), e.Name, "not_in_golden")
		has(t, contract.Verify(contract.Facts{Document: one.Document, Golden: two.Golden}), e.Name, "not_in_table")
	}
	twice := whole
	twice.Document.Tools = append(slices.Clone(whole.Document.Tools), whole.Document.Tools[0])
	has(t, contract.Verify(twice), whole.Document.Tools[0].Name, "name_twice")
}

func TestADocumentThatDiffers(t *testing.T) {
	for name := range build(t).Document.Documents {
		for _, hash := range []string{contract.Hash([]byte("another")), ""} {
			facts := build(t)
			facts.Document.Documents = map[string]string{}
			for other, sum := range facts.Files {
				facts.Document.Documents[other] = sum
			}
			facts.Document.Documents[name] = hash
			has(t, contract.Verify(facts), name, "document_differs")

			facts = build(t)
			facts.Files = map[string]string{}
			for other, sum := range facts.Document.Documents {
				facts.Files[other] = sum
			}
			facts.Files[name] = hash
			has(t, contract.Verify(facts), name, "file_differs")
		}
	}
	facts := build(t)
	facts.Files = map[string]string{}
	assert.Len(t, contract.Verify(facts), 3, "no document is there")
}

func TestACommandThatIsMissingAndOneThatIsSurplus(t *testing.T) {
	whole := build(t)
	commands := whole.Editors[0].Commands
	for i, name := range commands {
		facts := whole
		facts.Editors = []contract.Editor{whole.Editors[0], {Project: "/q", Commands: slices.Delete(slices.Clone(commands), i, i+1)}}
		found := contract.Verify(facts)
		has(t, found, name, "command_missing")
		assert.Contains(t, found[0].Detail, "/q")
	}
	for _, surplus := range []string{"run_anything", "get_server_info", "call_tool", "create_checkpoint", "queue_free"} {
		facts := whole
		facts.Editors = []contract.Editor{{Project: "/p", Commands: append(slices.Clone(commands), surplus)}}
		has(t, contract.Verify(facts), surplus, "command_surplus")
	}
	facts := whole
	facts.Editors = []contract.Editor{{Project: "/p"}}
	assert.Len(t, contract.Verify(facts), len(commands), "an editor without commands is an editor")
}

func TestAToolsetThatNoCommittedToolHas(t *testing.T) {
	facts := build(t)
	facts.Document.Tools = slices.Clone(facts.Document.Tools)
	facts.Document.Tools[3].Toolset = "novel"
	has(t, contract.Verify(facts), facts.Document.Tools[3].Name, "toolset_unknown")
}
