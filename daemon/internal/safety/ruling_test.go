package safety_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

const goldenDecisions = "testdata/decisions.golden"

func TestMain(m *testing.M) {
	flag.Bool("update", false, "write "+goldenDecisions+" anew")
	os.Exit(m.Run())
}

// axis is one input of a ruling with all its values.
type axis struct {
	name   string
	values []string
	set    func(ask *safety.Ask, value string)
}

// representatives gives the effects that stand for all sets with the same class and demands, by the name of the row.
func representatives() map[string][]safety.Effect {
	return map[string][]safety.Effect{
		"read_only":   nil,
		"mutating":    {safety.EditsMemory},
		"destructive": {safety.Removes},
		"runtime":     {safety.ControlsRun},
		"run+spawns":  {safety.SpawnsProcess},
		"run+edits":   {safety.ControlsRun, safety.EditsMemory},
		"run+code":    {safety.ExecutesCode},
		"run+disk":    {safety.ControlsRun, safety.TouchesDisk},
		"unknown":     {safety.EditsMemory, "something"},
	}
}

func flagAxis(name string, set func(ask *safety.Ask, on bool)) axis {
	return axis{name, []string{"no", "yes"}, func(ask *safety.Ask, value string) { set(ask, value == "yes") }}
}

// axes are the inputs in the order of the table's columns.
func axes() []axis {
	modes := []string{"unknown"}
	for _, m := range safety.Modes() {
		modes = append(modes, string(m))
	}
	return []axis{
		{"mode", modes, func(ask *safety.Ask, value string) { ask.Mode = safety.Mode(value) }},
		{
			"profile",
			[]string{"unknown", "standard", "guarded"},
			func(ask *safety.Ask, value string) { ask.Profile = safety.Profile(value) },
		},
		flagAxis("tool_script", func(ask *safety.Ask, on bool) { ask.ToolScript = on }),
		{"effects", []string{
			"unknown", "read_only", "mutating", "destructive", "runtime", "run+spawns", "run+edits", "run+code", "run+disk",
		}, func(ask *safety.Ask, value string) { ask.Effects = representatives()[value] }},
		flagAxis("dry_run", func(ask *safety.Ask, on bool) { ask.DryRun = on }),
		flagAxis("has_dry_run", func(ask *safety.Ask, on bool) { ask.HasDryRun = on }),
		flagAxis("confirm", func(ask *safety.Ask, on bool) { ask.Confirmed = on }),
		flagAxis("token", func(ask *safety.Ask, on bool) { ask.HasToken = on }),
		flagAxis("overwrites", func(ask *safety.Ask, on bool) { ask.Overwrites = on }),
		flagAxis("approval", func(ask *safety.Ask, on bool) { ask.Approval = on }),
	}
}

// decide gives the rows of the table below one choice of the leading inputs. Values that lead to the same rows share
// them, so every combination of inputs is asked and each stands in exactly one row.
func decide(rest []axis, ask safety.Ask, asked *int) [][]string {
	if len(rest) == 0 {
		*asked++
		return [][]string{{outcome(ask)}}
	}
	var groups [][][]string // for each: its rows, without this column
	var names [][]string    // for each: the values that lead to them
	for _, value := range rest[0].values {
		rest[0].set(&ask, value)
		rows := decide(rest[1:], ask, asked)
		at := slices.IndexFunc(groups, func(g [][]string) bool { return slices.EqualFunc(g, rows, slices.Equal) })
		if at < 0 {
			groups, names, at = append(groups, rows), append(names, nil), len(groups)
		}
		names[at] = append(names[at], value)
	}
	var out [][]string
	for i, rows := range groups {
		cell := strings.Join(names[i], "|")
		if len(names[i]) == len(rest[0].values) {
			cell = "*"
		}
		for _, row := range rows {
			out = append(out, append([]string{cell}, row...))
		}
	}
	return out
}

// outcome says a ruling in words.
func outcome(ask safety.Ask) string {
	r := safety.Rule(ask)
	if r.Code != "" {
		return strings.TrimSuffix(fmt.Sprintf("refused %s required=%s", r.Code, r.Required), " required=")
	}
	words := []string{"runs"}
	switch {
	case r.Simulate:
		words[0] = "simulated"
	case ask.DryRun && len(ask.Effects) > 0:
		words[0] = "dry run"
	}
	for _, w := range []struct {
		on   bool
		word string
	}{
		{r.IssueToken, "gives a token"},
		{r.SpendToken, "spends the token"},
		{r.AskHuman, "asks the human"},
		{r.FailOpen, "may fail open"},
	} {
		if w.on {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, ", ")
}

// table writes rows in columns, one block for each group of effects, mode and profile.
func table(head []string, rows [][]string, asked int) string {
	widths := make([]int, len(head))
	for _, row := range slices.Concat([][]string{head}, rows) {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# What safety.Rule decides, for all %d combinations of its inputs, each in exactly one row.\n", asked)
	out.WriteString("# * is any value, a|b is either. Written by: go test ./daemon/internal/safety -run Golden -update\n")
	line := func(row []string) {
		for i, cell := range row[:len(row)-1] {
			fmt.Fprintf(&out, "%-*s  ", widths[i], cell)
		}
		out.WriteString(row[len(row)-1] + "\n")
	}
	line(head)
	for i, row := range rows {
		if i == 0 || !slices.Equal(rows[i-1][:4], row[:4]) {
			out.WriteString("\n")
		}
		line(row)
	}
	return out.String()
}

func TestTheGoldenDecisionTable(t *testing.T) {
	all := axes()
	head := make([]string, 0, len(all)+1)
	for _, a := range all {
		head = append(head, a.name)
	}
	asked := 0
	rows := decide(all, safety.Ask{}, &asked)
	assert.Equal(t, 9*2*6*3*2*2*2*2*2*2, asked)
	got := table(append(head, "outcome"), rows, asked)
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(goldenDecisions, []byte(got), 0o644))
	}
	want, err := os.ReadFile(goldenDecisions)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "the permission model changed: read the difference, then run with -update")
}

func TestRulingsThatTheTableMustHold(t *testing.T) {
	edit, remove := []safety.Effect{safety.EditsMemory}, []safety.Effect{safety.Removes}
	run, code := []safety.Effect{safety.ControlsRun}, []safety.Effect{safety.ExecutesCode}
	export := []safety.Effect{safety.SpawnsProcess, safety.TouchesDisk}
	type r = safety.Ruling
	needs := func(what string) r { return r{Code: protocol.PreconditionFailed, Required: what} }
	const m, s, g = safety.ModeExecute, safety.Standard, safety.Guarded
	cases := map[string]struct {
		ask  safety.Ask
		want r
	}{
		"a read, read only":        {safety.Ask{Mode: safety.ModeReadOnly, Profile: g, Approval: true}, r{}},
		"the zero ask":             {safety.Ask{}, r{Code: protocol.InternalError}},
		"an edit, read only":       {safety.Ask{Effects: edit, Mode: safety.ModeReadOnly, Profile: s}, r{Code: protocol.ReadOnlyMode}},
		"its preview, read only":   {safety.Ask{Effects: edit, Mode: safety.ModeReadOnly, Profile: s, HasDryRun: true, DryRun: true}, r{Code: protocol.ReadOnlyMode}},
		"an edit, suggest":         {safety.Ask{Effects: edit, Mode: safety.ModeSuggest, Profile: s, HasDryRun: true}, r{Simulate: true}},
		"confirmed, suggest":       {safety.Ask{Effects: remove, Mode: safety.ModeSuggest, Profile: s, HasDryRun: true, Confirmed: true}, r{Code: protocol.ModeForbids}},
		"a token, suggest":         {safety.Ask{Effects: remove, Mode: safety.ModeSuggest, Profile: s, HasDryRun: true, HasToken: true}, r{Code: protocol.ModeForbids}},
		"confirmed, dry run":       {safety.Ask{Effects: remove, Mode: safety.ModeDryRun, Profile: g, HasDryRun: true, Confirmed: true, Approval: true}, r{Simulate: true}},
		"a preview, dry run":       {safety.Ask{Effects: remove, Mode: safety.ModeDryRun, Profile: g, HasDryRun: true, DryRun: true}, r{}},
		"a run, dry run":           {safety.Ask{Effects: run, Mode: safety.ModeDryRun, Profile: s}, r{Code: protocol.ModeForbids}},
		"code, dry run":            {safety.Ask{Effects: code, Mode: safety.ModeDryRun, Profile: s, HasDryRun: true}, r{Simulate: true}},
		"an edit":                  {safety.Ask{Effects: edit, Mode: m, Profile: g, HasDryRun: true}, r{}},
		"an edit, asked for":       {safety.Ask{Effects: edit, Mode: m, Profile: s, HasDryRun: true, Approval: true}, r{AskHuman: true, FailOpen: true}},
		"a preview of a removal":   {safety.Ask{Effects: remove, Mode: m, Profile: s, HasDryRun: true, DryRun: true, Approval: true}, r{IssueToken: true}},
		"a preview of an edit":     {safety.Ask{Effects: edit, Mode: m, Profile: s, HasDryRun: true, DryRun: true}, r{}},
		"a preview with a token":   {safety.Ask{Effects: remove, Mode: m, Profile: s, HasDryRun: true, DryRun: true, HasToken: true}, r{Code: protocol.ValidationError}},
		"a preview there is not":   {safety.Ask{Effects: run, Mode: m, Profile: s, DryRun: true}, r{Code: protocol.ValidationError}},
		"a removal":                {safety.Ask{Effects: remove, Mode: m, Profile: s, HasDryRun: true}, needs("confirm")},
		"a token is no confirm":    {safety.Ask{Effects: remove, Mode: m, Profile: s, HasDryRun: true, HasToken: true}, needs("confirm")},
		"confirmed":                {safety.Ask{Effects: remove, Mode: m, Profile: s, HasDryRun: true, Confirmed: true}, r{}},
		"confirmed with a token":   {safety.Ask{Effects: remove, Mode: m, Profile: s, HasDryRun: true, Confirmed: true, HasToken: true}, r{SpendToken: true}},
		"guarded":                  {safety.Ask{Effects: remove, Mode: m, Profile: g, HasDryRun: true, Confirmed: true}, needs("confirm_token")},
		"guarded, prepared":        {safety.Ask{Effects: remove, Mode: m, Profile: g, HasDryRun: true, Confirmed: true, HasToken: true, Approval: true}, r{SpendToken: true, AskHuman: true}},
		"a plain run":              {safety.Ask{Effects: run, Mode: m, Profile: g, Approval: true}, r{}},
		"code":                     {safety.Ask{Effects: code, Mode: m, Profile: s, HasDryRun: true, Approval: true}, r{AskHuman: true}},
		"code, guarded":            {safety.Ask{Effects: code, Mode: m, Profile: g, HasDryRun: true}, needs("confirm")},
		"code that overwrites":     {safety.Ask{Effects: code, Mode: m, Profile: s, HasDryRun: true, Overwrites: true}, needs("confirm")},
		"an export":                {safety.Ask{Effects: export, Mode: m, Profile: s, HasDryRun: true}, needs("confirm")},
		"a tool script":            {safety.Ask{Effects: edit, Mode: m, Profile: s, HasDryRun: true, ToolScript: true, Approval: true}, r{AskHuman: true}},
		"a tool script, guarded":   {safety.Ask{Effects: edit, Mode: m, Profile: g, HasDryRun: true, ToolScript: true}, needs("confirm")},
		"a tool script in a read":  {safety.Ask{Mode: safety.ModeReadOnly, Profile: s, ToolScript: true}, r{}},
		"dangerous lifts nothing":  {safety.Ask{Effects: remove, Mode: safety.ModeDangerous, Profile: s, HasDryRun: true}, needs("confirm")},
		"no profile, not even ...": {safety.Ask{Mode: m}, r{Code: protocol.InternalError}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, safety.Rule(c.ask)) })
	}
}
