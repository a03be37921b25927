package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// badTexts are texts that are no policy, each with what the refusal says.
func badTexts() [][2]string {
	return [][2]string{
		// The form of the text.
		{" ", "line 1"},
		{"{", "line 1"},
		{"[]", "not a JSON object"},
		{"null", "not a JSON object"},
		{`"x"`, "not a JSON object"},
		{"{}{}", "one JSON value"},
		{"{}\nx", "line 2"},
		{"{},", "one JSON value"},
		{`{"mode":"execute",}`, "one JSON value"},
		{`{"mode":"execute"} // why`, "one JSON value"},
		{"{'mode':'execute'}", "one JSON value"},
		{"\xef\xbb\xbf{}", "byte order mark"},
		{"{\"mode\":\"\xff\"}", "not UTF-8"},
		{"\xff\xfe{\x00}\x00", "not UTF-8"},
		{strings.Repeat(`{"projects":`, 20) + "1" + strings.Repeat("}", 20), "too deep"},
		{`{"toolsets":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "}", "too deep"},
		{`{"mode":"execute"` + strings.Repeat(" ", 65<<10) + "}", "larger than 65536"},
		// Keys.
		{`{"mod":"execute"}`, `"mod" is not a known key`},
		{`{"Mode":"execute"}`, `"Mode" is not a known key`},
		{`{"read_only":true}`, `"read_only" is not a known key`},
		{`{"":1}`, `"" is not a known key`},
		{`{"mode":"read_only","mode":"execute"}`, `"mode" comes twice`},
		{`{"mode":"read_only","m\u006fde":"execute"}`, `"mode" comes twice`},
		{`{"approval":{"require":true,"require":false}}`, `"approval.require" comes twice`},
		{`{"approval":{"requires":true}}`, `"approval.requires" is not a known key`},
		{`{"allowed_projects":[{"path":"/a","nmae":"x"}]}`, `"allowed_projects[0].nmae" is not a known key`},
		{`{"a\u0000\nb":1}`, `"a\x00\nb" is not a known key`},
		// Types.
		{`{"mode":null}`, `"mode" has to be a text`},
		{`{"mode":1}`, `"mode" has to be a text`},
		{`{"mode":""}`, `"mode" has to be a text`},
		{`{"profile":true}`, `"profile" has to be a text`},
		{`{"token_ttl_sec":"60"}`, `"token_ttl_sec" has to be a whole number`},
		{`{"token_ttl_sec":60.0}`, `"token_ttl_sec" has to be a whole number`},
		{`{"token_ttl_sec":6e1}`, `"token_ttl_sec" has to be a whole number`},
		{`{"token_ttl_sec":null}`, `"token_ttl_sec" has to be a whole number`},
		{`{"max_affected":true}`, `"max_affected" has to be a whole number`},
		{`{"toolsets":"node"}`, `"toolsets" has to be a list`},
		{`{"toolsets":[1]}`, `"toolsets" has to be a list of texts`},
		{`{"toolsets":[""]}`, `"toolsets" has to be a list of texts`},
		{`{"approval":[]}`, `"approval" has to be an object`},
		{`{"approval":null}`, `"approval" has to be an object`},
		{`{"approval":{"require":"true"}}`, `"approval.require" has to be true or false`},
		{`{"approval":{"fail_open":0}}`, `"approval.fail_open" has to be true or false`},
		{`{"approval":{"secrets":"x"}}`, `"approval.secrets" has to be a list`},
		{`{"allowed_projects":"/a"}`, `"allowed_projects" has to be a list`},
		{`{"allowed_projects":["/a"]}`, `"allowed_projects[0]" has to be an object`},
		{`{"allowed_projects":[{"path":1}]}`, `"allowed_projects[0].path" has to be a text`},
		{`{"allowed_projects":[{"path":"/a","name":""}]}`, `"allowed_projects[0].name" has to be a text`},
		{`{"audit_log":5}`, `"audit_log" has to be a text`},
		{`{"auth_token":[]}`, `"auth_token" has to be a text`},
		{`{"projects":[]}`, `"projects" has to be an object`},
		{`{"projects":{"/a":1}}`, `"projects./a" has to be an object`},
		// Values.
		{`{"mode":"dangerous"}`, `"mode" has to be read_only`},
		{`{"mode":"EXECUTE"}`, `"mode" has to be read_only`},
		{`{"mode":"execute\u202e"}`, `"mode" has to be a text`},
		{`{"profile":"lax"}`, `"profile" has to be standard`},
		{`{"token_ttl_sec":29}`, "from 30 to 300"},
		{`{"token_ttl_sec":301}`, "from 30 to 300"},
		{`{"max_affected":0}`, "from 1 to 1000"},
		{`{"max_affected":1001}`, "from 1 to 1000"},
		{`{"max_affected":-1}`, "from 1 to 1000"},
		{`{"rate_limit":0}`, "from 1 to 5000"},
		{`{"rate_limit":5001}`, "from 1 to 5000"},
		{`{"rate_limit":99999999999999999999}`, "from 1 to 5000"},
		{`{"toolsets":["noed"]}`, `holds "noed"`},
		{`{"toolsets":["-Node"]}`, `holds "-Node"`},
		{`{"audit_log":"a.jsonl"}`, `"audit_log" has to be an absolute path`},
		{`{"audit_log":"/a\u001b[1m"}`, `"audit_log" has to be a text`},
		{`{"auth_token":"short"}`, `"auth_token" has to have`},
		{`{"allowed_projects":[{"path":"a"}]}`, `"allowed_projects[0].path" has to be an absolute path`},
		{`{"allowed_projects":[{"name":"a"}]}`, `"allowed_projects[0].path" is missing`},
		{`{"allowed_projects":[{"path":"/no/a"},{"path":"/no//./a/"}]}`, `"allowed_projects[1].path" names a project that is named already`},
		{`{"approval":{"webhook":"http://a.example/","secrets":["` + goodSecret + `"]}}`, `"approval.webhook" has to be`},
		{`{"approval":{"webhook":"https://a.example/"}}`, `"approval.secrets" are missing`},
		{`{"approval":{"webhook":"https://a.example/","secrets":[]}}`, `"approval.secrets" are missing`},
		{`{"approval":{"secrets":["` + goodSecret + `"]}}`, `"approval.secrets" are there`},
		{`{"approval":{"webhook":"https://a.example/","secrets":["x"]}}`, `"approval.secrets" have an entry, number 1`},
		{`{"approval":{"timeout_sec":121}}`, "from 1 to 120"},
		{`{"approval":{"timeout_sec":0}}`, "from 1 to 120"},
	}
}

func TestATextThatIsNotExactlyAPolicyStopsTheStart(t *testing.T) {
	u := newUser(t)
	for _, row := range badTexts() {
		require.NoError(t, os.WriteFile(u.file(), []byte(row[0]), 0o600))
		failure := u.refuses(nil)
		assert.Contains(t, failure.Message, row[1], "%.80s", row[0])
		assert.Equal(t, u.file(), failure.Details["path"])
	}
	require.NoError(t, os.WriteFile(u.file(), nil, 0o600))
	assert.Contains(t, u.refuses(nil).Message, "one JSON value", "an empty file is not a missing one")
}

func TestTheLargestPolicyIsTaken(t *testing.T) {
	u := newUser(t)
	text := `{"mode":"suggest"}`
	u.says(text + strings.Repeat("\n", 64<<10-len(text)))
	assert.EqualValues(t, "suggest", u.loads(nil).Policy.Mode)
}

func TestAPolicyFileThatIsNoPlainFileStopsTheStart(t *testing.T) {
	u := newUser(t)
	aside := filepath.Join(realDir(t), "policy.json")
	require.NoError(t, os.WriteFile(aside, []byte("{}"), 0o600))
	for name, place := range map[string]func() error{
		"a folder":        func() error { return os.Mkdir(u.file(), 0o700) },
		"a link":          func() error { return os.Symlink(aside, u.file()) },
		"a dangling link": func() error { return os.Symlink(aside+".gone", u.file()) },
	} {
		u.says("")
		require.NoError(t, place())
		assert.Contains(t, u.refuses(nil).Message, "not a plain file", name)
	}
}

func TestAFolderThatIsALinkOrAFileStopsTheStart(t *testing.T) {
	u := newUser(t)
	folder := filepath.Dir(u.file())
	require.NoError(t, os.Remove(folder))
	assert.EqualValues(t, "execute", u.loads(nil).Policy.Mode, "no folder: the defaults")
	require.NoError(t, os.Symlink(realDir(t), folder))
	assert.Contains(t, u.refuses(nil).Message, "not a folder")
	require.NoError(t, os.Remove(folder))
	require.NoError(t, os.WriteFile(folder, nil, 0o600))
	assert.Contains(t, u.refuses(nil).Message, "not a folder")
}

func TestAPolicyThatToolsCouldWriteStopsTheStart(t *testing.T) {
	u := newUser(t)
	writeProject(t, u.dir, "config_version=5\n")
	assert.Contains(t, u.refuses(nil, u.dir).Message, "inside the project")
	u.says("{}")
	assert.Contains(t, u.refuses(nil, u.dir).Message, "inside the project")
}

func TestAnAuditLogThatToolsCouldWriteIsNotUsed(t *testing.T) {
	u, dir := newUser(t), project(t, "Game")
	link := filepath.Join(realDir(t), "link")
	require.NoError(t, os.Symlink(dir, link))
	for _, path := range []string{filepath.Join(dir, "audit.jsonl"), filepath.Join(dir, "logs", "new", "a.jsonl"), filepath.Join(link, "x", "a.jsonl")} {
		u.says(fmt.Sprintf(`{"audit_log":%q}`, path))
		assert.Contains(t, u.refuses(nil, dir).Message, "audit_log lies inside the project")
		u.says("")
		s := u.loads(env{"AUDIT_LOG": path}, dir)
		assert.Empty(t, s.Policy.AuditLog)
		assert.Len(t, s.Warnings, 1)
	}
	beside := dir + "-logs/a.jsonl"
	assert.Equal(t, beside, u.loads(env{"AUDIT_LOG": beside}, dir).Policy.AuditLog)
}
