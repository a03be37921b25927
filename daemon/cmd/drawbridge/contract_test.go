package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/contract"
)

func TestContractVerify(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	code, out, log := start(t, "", "contract", "verify", "--repository", root)
	require.Zero(t, code, out+log)
	assert.Contains(t, out, "hello_absent")
	assert.Contains(t, out, " 0 errors, 1 warnings")

	code, out, log = start(t, "", "contract", "verify", "--json")
	require.Zero(t, code, out+log)
	var f contract.Finding
	require.NoError(t, json.Unmarshal([]byte(out), &f), out)
	assert.Equal(t, contract.Warning, f.Level)

	empty := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(empty, "docs"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(empty, "docs", "tools.md"), []byte("another"), 0o600))
	code, out, log = start(t, "", "contract", "verify", "--json", "--repository", empty)
	assert.Equal(t, 1, code)
	assert.Contains(t, log, "the safety contract does not hold: 3 errors")
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		require.NoError(t, json.Unmarshal([]byte(line), &f), line)
	}
	assert.Contains(t, out, `"subject":"docs/tools.md","rule":"file_differs"`)

	require.NoError(t, os.Mkdir(filepath.Join(empty, "PERMISSIONS.md"), 0o700))
	code, _, _ = start(t, "", "contract", "verify", "--repository", empty)
	assert.Equal(t, 1, code, "a document that cannot be read is no pass")
}

func TestContractShowIsTheGolden(t *testing.T) {
	code, out, log := start(t, "", "contract", "show")
	require.Zero(t, code, log)
	assert.Equal(t, string(contract.Golden()), out)
}

func TestContractRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, args := range [][]string{
		{"contract", "fly"}, {"contract", "verify", "now"}, {"contract", "show", "now"}, {"contract", "verify", "--fast"},
	} {
		code, _, log := start(t, "", args...)
		assert.Equal(t, 1, code, args)
		assert.NotEmpty(t, log)
	}
	for _, args := range [][]string{{"contract"}, {"contract", "help"}, {"contract", "verify", "-h"}} {
		code, out, log := start(t, "", args...)
		assert.Zero(t, code, args)
		assert.Contains(t, out+log, "contract", args)
	}
}

func TestADaemonChecksItsOwnContractAndGivesIt(t *testing.T) {
	t.Chdir(t.TempDir())
	code, out, log := start(t, session+
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"call_read_tool","arguments":`+
		`{"tool":"validate_safety_contract","arguments":{}}}}`+"\n"+
		`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"safety://contract"}}`+"\n", "serve")
	require.Zero(t, code, log)
	var checked, given string
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var reply struct {
			ID     int
			Result struct {
				Structured struct{ Data contract.Report } `json:"structuredContent"`
				Contents   []struct{ Text string }
			}
		}
		require.NoError(t, json.Unmarshal([]byte(line), &reply))
		switch reply.ID {
		case 3:
			assert.True(t, reply.Result.Structured.Data.Valid, line)
			assert.Equal(t, 1, reply.Result.Structured.Data.Warnings, line)
			checked = reply.Result.Structured.Data.SHA256
		case 4:
			var d contract.Document
			require.NoError(t, json.Unmarshal([]byte(reply.Result.Contents[0].Text), &d))
			given = d.SHA256
		}
	}
	assert.NotEmpty(t, given)
	assert.Equal(t, given, checked)
}
