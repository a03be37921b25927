package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs the program with a configuration folder of its own.
func start(t *testing.T, input string, args ...string) (code int, out, log string) {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "AppData"} {
		t.Setenv(name, home)
	}
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), args, io.NopCloser(strings.NewReader(input)), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

const session = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_node","arguments":{"node_path":"."}}}
`

func TestServeWithoutAProjectAnswersAndEndsWithItsInput(t *testing.T) {
	t.Chdir(t.TempDir())
	begin := time.Now()
	code, out, log := start(t, session, "serve")
	assert.Less(t, time.Since(begin), 3*time.Second)
	require.Zero(t, code, log)
	assert.Contains(t, out, "PRECONDITION_FAILED: no project is served [required=project]")
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		assert.True(t, json.Valid([]byte(line)), line)
	}
}

func TestServeEndsByItsContext(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	in, feed := io.Pipe()
	replies, out := io.Pipe()
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, []string{"serve"}, in, out, io.Discard) }()
	_, err := io.WriteString(feed, session)
	require.NoError(t, err)
	_, err = bufio.NewReader(replies).ReadString('\n')
	require.NoError(t, err)
	go func() { _, _ = io.Copy(io.Discard, replies) }()
	begin := time.Now()
	cancel()
	assert.Zero(t, <-ended)
	assert.Less(t, time.Since(begin), 3*time.Second)
	require.NoError(t, out.Close())
}

func TestWhatCannotBeServedIsSaid(t *testing.T) {
	for name, args := range map[string][]string{
		"no project there":   {"serve", "--project", filepath.Join(t.TempDir(), "none")},
		"surplus argument":   {"serve", "here"},
		"unknown flag":       {"serve", "--port", "1"},
		"install nothing":    {"install"},
		"install no project": {"install", t.TempDir()},
		"unknown command":    {"fly"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, log := start(t, "", args...)
			assert.NotZero(t, code)
			assert.Empty(t, out)
			assert.NotEmpty(t, log)
		})
	}
	t.Setenv("MCPGODEBUG", "x=1")
	code, _, log := start(t, "", "serve")
	assert.NotZero(t, code)
	assert.Contains(t, log, "CONFIG_INVALID")
}

func TestInstallVersionAndHelp(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "project.godot"), []byte("config_version=5\n"), 0o600))
	code, out, log := start(t, "", "install", dir)
	require.Zero(t, code, log)
	assert.Contains(t, out, "restart")
	assert.FileExists(t, filepath.Join(dir, "addons", "drawbridge", "plugin.cfg"))
	code, out, _ = start(t, "", "version")
	assert.Zero(t, code)
	assert.Contains(t, out, "drawbridge ")
	for _, args := range [][]string{{"help"}, {}, {"serve", "-h"}} {
		code, _, _ = start(t, "", args...)
		assert.Zero(t, code)
	}
}

// TestEveryFlagIsInTheHelp compares the flags that each command has with the texts that people read.
func TestEveryFlagIsInTheHelp(t *testing.T) {
	_, help, _ := start(t, "", "help")
	told := map[string]string{} // by command
	for _, part := range strings.Split(help, "\n  drawbridge ")[1:] {
		part, _, _ = strings.Cut(part, "\n\n")
		name, _, _ := strings.Cut(part, "\n")
		name, _, _ = strings.Cut(name, " [")
		command, own, _ := strings.Cut(name, " ")
		for _, one := range strings.Split(own, "|") {
			told[strings.TrimSpace(command+" "+one)] = part
		}
	}
	seen := 0
	for name, text := range told {
		if name == "version" || name == "help" {
			continue
		}
		words := strings.Fields(name)
		if words[0] == "install" {
			words = words[:1]
		}
		code, _, log := start(t, "", append(words, "-h")...)
		require.Zero(t, code, "%s: %s", name, log)
		texts := map[string]string{"help": text}
		if len(words) == 2 {
			_, texts[words[0]+" help"], _ = start(t, "", words[0], "help")
		}
		for _, found := range regexp.MustCompile(`(?m)^  -([a-z]+)`).FindAllStringSubmatch(log, -1) {
			seen++
			for where, text := range texts {
				assert.Regexp(t, `-`+found[1]+`\b`, text, "%s: %s does not tell of the flag", where, name)
			}
		}
		for _, flag := range regexp.MustCompile(`--?([a-z]+)`).FindAllStringSubmatch(strings.SplitN(text, "\n      ", 2)[0], -1) {
			assert.Regexp(t, `(?m)^  -`+flag[1]+`\b`, log, "help: %s has no such flag", name)
		}
	}
	assert.Greater(t, seen, 20)
	for _, name := range []string{"serve", "install PROJECT", "audit show", "audit tail", "audit verify", "contract verify", "contract show"} {
		assert.Contains(t, told, name)
	}
}
