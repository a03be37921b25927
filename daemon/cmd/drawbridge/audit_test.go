package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/audit"
	"drawbridge/daemon/internal/config"
)

// audited is a project with a log of two calls; place is the log's file.
func audited(t *testing.T) (project, place string) {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "AppData", "LocalAppData"} {
		t.Setenv(name, home)
	}
	project, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(project, config.ProjectFile), nil, 0o600))
	settings, err := config.Load(config.Options{Projects: []string{project}, Dir: project, Env: os.Getenv})
	require.NoError(t, err)
	path, keys := auditPlace(settings, settings.Project)
	log, err := audit.Open(audit.Options{Path: path, KeyDir: keys, Boot: "b"})
	require.NoError(t, err)
	mark, err := log.Intent(audit.Entry{Tool: "save_scene"})
	require.NoError(t, err)
	require.NoError(t, log.Outcome(mark, audit.Entry{Tool: "save_scene", Outcome: audit.OutcomeApplied}, false))
	require.NoError(t, log.Outcome(nil, audit.Entry{Tool: "get_node", Outcome: audit.OutcomeRead}, false))
	require.NoError(t, log.Close())
	return project, path
}

// auditing runs drawbridge audit.
func auditing(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := auditCommand(t.Context(), args, &out, &bytes.Buffer{})
	return out.String(), err
}

func TestAuditShow(t *testing.T) {
	project, place := audited(t)
	for name, c := range map[string]struct {
		args []string
		want int
	}{
		"all":     {[]string{"--project", project}, 5},
		"by file": {[]string{"--file", place}, 5},
		"n":       {[]string{"--file", place, "-n", "2"}, 2},
		"none":    {[]string{"--file", place, "-n", "0"}, 0},
		"tool":    {[]string{"--file", place, "--tool", "save_scene"}, 2},
		"outcome": {[]string{"--file", place, "--outcome", "read", "--since", "1h"}, 1},
		"kind":    {[]string{"--file", place, "--kind", "intent"}, 1},
		"client":  {[]string{"--file", place, "--client", "other"}, 0},
	} {
		out, err := auditing(t, append([]string{"show"}, c.args...)...)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, strings.Count(out, "\n"), name)
	}
	t.Chdir(project)
	out, err := auditing(t, "show", "--json", "-n", "1")
	require.NoError(t, err)
	assert.True(t, json.Valid([]byte(out)))
}

func TestAuditVerify(t *testing.T) {
	project, place := audited(t)
	out, err := auditing(t, "verify", "--project", project)
	require.NoError(t, err)
	assert.Contains(t, out, "whole")
	text, err := os.ReadFile(place)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(place, bytes.Replace(text, []byte("applied"), []byte("denied "), 1), 0o600))
	out, err = auditing(t, "verify", "--project", project)
	require.ErrorIs(t, err, errNotWhole)
	assert.Contains(t, out, "line 3")
	out, err = auditing(t, "verify", "--json", "--file", place)
	require.ErrorIs(t, err, errNotWhole)
	var report audit.Report
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	require.Len(t, report.Problems, 1)
	assert.Equal(t, audit.FoundChanged, report.Problems[0].Kind)
	_, err = auditing(t, "verify", "--file", place, "--keys", t.TempDir())
	require.ErrorContains(t, err, "key")
}

func TestAuditTailEndsWithItsContext(t *testing.T) {
	_, place := audited(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var out bytes.Buffer
	require.NoError(t, auditCommand(ctx, []string{"tail", "-n", "3", "--file", place}, &out, &bytes.Buffer{}))
	assert.Equal(t, 3, strings.Count(out.String(), "\n"))
}

func TestAuditTellsWhatItCannotDo(t *testing.T) {
	project, place := audited(t)
	t.Chdir(t.TempDir())
	for name, args := range map[string][]string{
		"unknown":      {"fly"},
		"no project":   {"show"},
		"no such log":  {"show", "--file", "none.jsonl"},
		"not verified": {"verify", "--file", "none.jsonl"},
		"both":         {"show", "--file", place, "--project", project},
		"surplus":      {"verify", "now"},
		"flag":         {"show", "--fast"},
		"negative":     {"show", "--file", place, "-n", "-1"},
		"bad project":  {"tail", "--project", "none"},
	} {
		_, err := auditing(t, args...)
		require.Error(t, err, name)
	}
	for _, args := range [][]string{nil, {"help"}, {"-h"}, {"show", "-h"}, {"verify", "-h"}} {
		_, err := auditing(t, args...)
		require.NoError(t, err)
	}
}
