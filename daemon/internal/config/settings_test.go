package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"drawbridge/daemon/internal/config"
	"drawbridge/daemon/internal/safety"
)

// A secret and a token in their proper forms.
const (
	goodSecret  = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"
	otherSecret = "whsec_OTg3NjU0MzIxMDk4NzY1NDMyMTA5ODc2"
	goodToken   = "0123456789abcdef"
)

// settingRow is a policy file and an environment, with the effective value of one setting.
type settingRow struct {
	file string
	env  env
	want string
	from string
	// warns is how many warnings there are.
	warns int
}

// checkRows loads each row and looks at one setting.
func checkRows(t *testing.T, setting string, rows []settingRow) {
	t.Helper()
	u := newUser(t)
	for _, row := range rows {
		u.says(row.file)
		s := u.loads(row.env)
		value, from := valueOf(t, s.Sources, setting)
		assert.Equal(t, row.want, value, "%+v", row)
		assert.Equal(t, row.from, from, "%+v", row)
		assert.Len(t, s.Warnings, row.warns, "%+v", row)
	}
}

const (
	dflt, file, envi, prof = config.FromDefault, config.FromFile, config.FromEnvironment, config.FromProfile
)

func TestModes(t *testing.T) {
	checkRows(t, "mode", []settingRow{
		{"", nil, "execute", dflt, 0},
		{`{"mode":"execute"}`, nil, "execute", file, 0},
		{`{"mode":"suggest"}`, nil, "suggest", file, 0},
		{`{"mode":"read_only"}`, nil, "read_only", file, 0},
		{"", env{"MODE": "dry_run"}, "dry_run", envi, 0},
		{"", env{"MODE": "suggest"}, "suggest", envi, 0},
		{"", env{"MODE": "execute"}, "execute", dflt, 0},
		{`{"mode":"dry_run"}`, env{"MODE": "suggest"}, "suggest", envi, 0},
		{`{"mode":"dry_run"}`, env{"MODE": "dry_run"}, "dry_run", file, 0},
		{`{"mode":"dry_run"}`, env{"MODE": "execute"}, "dry_run", file, 1},
		{`{"mode":"read_only"}`, env{"MODE": "execute"}, "read_only", file, 1},
		// What is not understood is the strictest.
		{"", env{"MODE": "dangerous"}, "read_only", envi, 1},
		{"", env{"MODE": "Execute"}, "read_only", envi, 1},
		{"", env{"MODE": " execute"}, "read_only", envi, 1},
		{"", env{"MODE": "readonly"}, "read_only", envi, 1},
		{`{"mode":"read_only"}`, env{"MODE": "yolo"}, "read_only", file, 1},
		// The switches, alone and against each other.
		{"", env{"READ_ONLY": "1"}, "read_only", envi, 0},
		{"", env{"READ_ONLY": "TRUE"}, "read_only", envi, 0},
		{"", env{"READ_ONLY": "Yes"}, "read_only", envi, 0},
		{"", env{"READ_ONLY": "on"}, "read_only", envi, 0},
		{"", env{"READ_ONLY": "0"}, "execute", dflt, 0},
		{"", env{"READ_ONLY": "False"}, "execute", dflt, 0},
		{"", env{"READ_ONLY": "NO"}, "execute", dflt, 0},
		{"", env{"READ_ONLY": "off"}, "execute", dflt, 0},
		{"", env{"READ_ONLY": "2"}, "read_only", envi, 1},
		{"", env{"READ_ONLY": " 0"}, "read_only", envi, 1},
		{"", env{"READ_ONLY": "maybe"}, "read_only", envi, 1},
		{"", env{"DRY_RUN": "true"}, "dry_run", envi, 0},
		{"", env{"DRY_RUN": "no"}, "execute", dflt, 0},
		{"", env{"DRY_RUN": "ture"}, "dry_run", envi, 1},
		{"", env{"DRY_RUN": "1", "READ_ONLY": "1"}, "read_only", envi, 0},
		{"", env{"DRY_RUN": "1", "READ_ONLY": "0", "MODE": "execute"}, "dry_run", envi, 0},
		{"", env{"DRY_RUN": "1", "MODE": "suggest"}, "suggest", envi, 0},
		{`{"mode":"read_only"}`, env{"READ_ONLY": "0", "DRY_RUN": "1"}, "read_only", file, 0},
		{`{"mode":"suggest"}`, env{"DRY_RUN": "1"}, "suggest", file, 0},
	})
}

func TestProfilesAndLivesOfTokens(t *testing.T) {
	checkRows(t, "profile", []settingRow{
		{"", nil, "standard", dflt, 0},
		{`{"profile":"guarded"}`, nil, "guarded", file, 0},
		{"", env{"PROFILE": "guarded"}, "guarded", envi, 0},
		{"", env{"PROFILE": "standard"}, "standard", dflt, 0},
		{`{"profile":"guarded"}`, env{"PROFILE": "standard"}, "guarded", file, 1},
		{`{"profile":"guarded"}`, env{"PROFILE": "guarded"}, "guarded", file, 0},
		{`{"profile":"standard"}`, env{"PROFILE": "guarded"}, "guarded", envi, 0},
		{"", env{"PROFILE": "GUARDED"}, "guarded", envi, 1},
		{"", env{"PROFILE": "lax"}, "guarded", envi, 1},
	})
	checkRows(t, "token_ttl_sec", []settingRow{
		{"", nil, "300", dflt, 0},
		{`{"token_ttl_sec":60}`, nil, "60", file, 0},
		{`{"token_ttl_sec":30}`, nil, "30", file, 0},
		{"", env{"TOKEN_TTL_SEC": "45"}, "45", envi, 0},
		{"", env{"TOKEN_TTL_SEC": "300"}, "300", dflt, 0},
		{`{"token_ttl_sec":60}`, env{"TOKEN_TTL_SEC": "61"}, "60", file, 1},
		{`{"token_ttl_sec":60}`, env{"TOKEN_TTL_SEC": "59"}, "59", envi, 0},
		{"", env{"TOKEN_TTL_SEC": "301"}, "30", envi, 1},
		{"", env{"TOKEN_TTL_SEC": "29"}, "30", envi, 1},
		{"", env{"TOKEN_TTL_SEC": "15abc"}, "30", envi, 1},
		{`{"profile":"guarded"}`, nil, "120", prof, 0},
		{`{"profile":"guarded","token_ttl_sec":300}`, nil, "120", prof, 0},
		{`{"profile":"guarded","token_ttl_sec":90}`, nil, "90", file, 0},
		{`{"token_ttl_sec":300}`, env{"PROFILE": "guarded"}, "120", prof, 0},
		{"", env{"PROFILE": "guarded", "TOKEN_TTL_SEC": "200"}, "120", prof, 1},
		{"", env{"PROFILE": "guarded", "TOKEN_TTL_SEC": "100"}, "100", envi, 0},
	})
}

func TestNumbers(t *testing.T) {
	checkRows(t, "max_affected", []settingRow{
		{"", nil, "20", dflt, 0},
		{`{"max_affected":1000}`, nil, "1000", file, 0},
		{`{"max_affected":1}`, nil, "1", file, 0},
		{"", env{"MAX_AFFECTED": "1"}, "1", envi, 0},
		{"", env{"MAX_AFFECTED": "20"}, "20", dflt, 0},
		{"", env{"MAX_AFFECTED": "21"}, "20", dflt, 1},
		{`{"max_affected":1000}`, env{"MAX_AFFECTED": "500"}, "500", envi, 0},
		{`{"max_affected":5}`, env{"MAX_AFFECTED": "6"}, "5", file, 1},
		{"", env{"MAX_AFFECTED": "0"}, "1", envi, 1},
		{"", env{"MAX_AFFECTED": "1001"}, "1", envi, 1},
		{"", env{"MAX_AFFECTED": "-3"}, "1", envi, 1},
		{"", env{"MAX_AFFECTED": "15abc"}, "1", envi, 1},
		{"", env{"MAX_AFFECTED": " 5"}, "1", envi, 1},
		{"", env{"MAX_AFFECTED": "+5"}, "1", envi, 1},
		{"", env{"MAX_AFFECTED": "05"}, "1", envi, 1},
		{"", env{"MAX_AFFECTED": "1.5"}, "1", envi, 1},
		{"", env{"MAX_AFFECTED": "1e1"}, "1", envi, 1},
		{"", env{"MAX_AFFECTED": "99999999999999999999"}, "1", envi, 1},
	})
	checkRows(t, "rate_limit", []settingRow{
		{"", nil, "5000", dflt, 0},
		{`{"rate_limit":100}`, nil, "100", file, 0},
		{"", env{"RATE_LIMIT": "10"}, "10", envi, 0},
		{"", env{"RATE_LIMIT": "5001"}, "1", envi, 1},
		{`{"rate_limit":100}`, env{"RATE_LIMIT": "101"}, "100", file, 1},
		{`{"rate_limit":100}`, env{"RATE_LIMIT": "99"}, "99", envi, 0},
		{"", env{"RATE_LIMIT": "lots"}, "1", envi, 1},
	})
}

func TestToolsets(t *testing.T) {
	checkRows(t, "toolsets", []settingRow{
		{"", nil, "", dflt, 0},
		{`{"toolsets":["scene","-debug"]}`, nil, "scene;-debug", file, 0},
		{`{"toolsets":[]}`, nil, "", file, 0},
		{"", env{"TOOLSETS": "scene; node ;-debug;"}, "scene;node;-debug", envi, 0},
		{"", env{"TOOLSETS": "all,-debug"}, "all;-debug", envi, 0},
		{`{"toolsets":["scene","-debug"]}`, env{"TOOLSETS": "node"}, "node;-debug", envi, 0},
		{`{"toolsets":["scene"]}`, env{"TOOLSETS": "-node"}, "scene;-node", envi, 0},
		{`{"toolsets":["-debug"]}`, env{"TOOLSETS": "debug"}, "-debug", envi, 0},
		{`{"toolsets":["-all"]}`, env{"TOOLSETS": "all;node"}, "-all", envi, 0},
		{"", env{"TOOLSETS": "node;node;-node"}, "-node", envi, 0},
		{"", env{"TOOLSETS": "noed"}, "noed", envi, 1},
		{"", env{"TOOLSETS": "scene;-debgu"}, "-all", envi, 1},
		{"", env{"TOOLSETS": "scene;- debug"}, "-all", envi, 1},
		{"", env{"TOOLSETS": "Scene"}, "-all", envi, 1},
	})
}

func TestWhatAToolsetListMeans(t *testing.T) {
	p := config.Policy{Toolsets: []string{"all", "-debug"}}
	assert.True(t, p.ToolsetOff("debug"))
	assert.False(t, p.ToolsetListed("debug"))
	assert.False(t, p.ToolsetOff("node"))
	assert.True(t, p.ToolsetListed("node"))
	assert.False(t, config.Policy{}.ToolsetListed("node"))
	assert.False(t, config.Policy{}.ToolsetOff("node"))
	off := config.Policy{Toolsets: []string{"node", "-all"}}
	assert.True(t, off.ToolsetOff("node"))
	assert.False(t, off.ToolsetListed("node"))
}

func TestAuditLogsAndTokens(t *testing.T) {
	checkRows(t, "audit_log", []settingRow{
		{"", nil, "state folder", dflt, 0},
		{`{"audit_log":"/var/log/a.jsonl"}`, nil, "/var/log/a.jsonl", file, 0},
		{"", env{"AUDIT_LOG": "/var/log/b.jsonl"}, "/var/log/b.jsonl", envi, 0},
		{`{"audit_log":"/var/log/a.jsonl"}`, env{"AUDIT_LOG": "/var/log/b.jsonl"}, "/var/log/a.jsonl", file, 1},
		{`{"audit_log":"/var/log/a.jsonl"}`, env{"AUDIT_LOG": "/var/log/a.jsonl"}, "/var/log/a.jsonl", file, 0},
		{"", env{"AUDIT_LOG": "b.jsonl"}, "state folder", dflt, 1},
		{"", env{"AUDIT_LOG": "/var/log/b\n.jsonl"}, "state folder", dflt, 1},
	})
	checkRows(t, "auth_token", []settingRow{
		{"", nil, "none", dflt, 0},
		{`{"auth_token":"` + goodToken + `"}`, nil, "set", file, 0},
		{"", env{"AUTH_TOKEN": goodToken}, "set", envi, 0},
		{`{"auth_token":"` + goodToken + `"}`, env{"AUTH_TOKEN": goodToken}, "set", file, 0},
		{`{"auth_token":"` + goodToken + `"}`, env{"AUTH_TOKEN": goodToken + "x"}, "set", file, 1},
	})
}

func TestTheValuesReachThePolicy(t *testing.T) {
	u := newUser(t)
	u.says(`{"mode":"dry_run","profile":"guarded","token_ttl_sec":40,"max_affected":7,"rate_limit":9,
		"toolsets":["-debug"],"audit_log":"/var/log/a.jsonl","auth_token":"` + goodToken + `",
		"approval":{"webhook":"https://ask.example/x?key=1","secrets":["` + goodSecret + `","` + otherSecret + `"],
		"timeout_sec":5,"fail_open":true,"require":true}}`)
	s := u.loads(nil)
	assert.Equal(t, config.Policy{
		Mode: safety.ModeDryRun, Profile: safety.Guarded, TokenTTL: 40 * time.Second, MaxAffected: 7,
		Toolsets: []string{"-debug"}, AuditLog: "/var/log/a.jsonl", RateLimit: 9, AuthToken: goodToken,
		Approval: config.Approval{
			Webhook: "https://ask.example/x?key=1", Secrets: []string{goodSecret, otherSecret}, Timeout: 5 * time.Second,
			FailOpen: true, Require: true,
		},
	}, s.Policy)
	assert.Equal(t, 7, s.MaxAffected)
	assert.Len(t, s.Sources, 14)
	for _, source := range s.Sources {
		assert.Equal(t, config.FromFile, orAllowed(source), source)
		assert.NotContains(t, source.Value, "key=1")
	}
	value, _ := valueOf(t, s.Sources, "approval_webhook")
	assert.Equal(t, "https://ask.example", value)
}

// orAllowed takes the one setting that the test leaves out for one of the file's.
func orAllowed(s config.Source) string {
	if s.Setting == "allowed_projects" {
		return config.FromFile
	}
	return s.From
}

func TestAMisspeltSettingIsToldOf(t *testing.T) {
	u := newUser(t)
	s, err := config.Load(config.Options{Dir: u.at, Env: env{}.get, Names: []string{
		"PATH", "GODOT_MCP_READONLY", "GODOT_MCP_MODE", "GODOT_BIN", "GODOT_MCP_", "GODOT_MCP_X\n",
	}})
	assert.NoError(t, err)
	assert.Equal(t, 3, strings.Count(strings.Join(s.Warnings, "\n"), "no such setting"), s.Warnings)
	assert.Len(t, s.Warnings, 3)
	assert.NotContains(t, s.Warnings[2], "\n")
}

func TestSecretsAreNeverShown(t *testing.T) {
	u := newUser(t)
	u.says(`{"auth_token":"` + goodToken + `","approval":{"require":true}}`)
	s := u.loads(env{"AUTH_TOKEN": "another-secret-text", "APPROVAL_WEBHOOK": "https://a.example/token-in-path", "APPROVAL_SECRET": goodSecret})
	for _, secret := range []string{goodToken, "another-secret-text", "token-in-path", goodSecret} {
		assert.NotContains(t, strings.Join(s.Warnings, "\n"), secret)
		for _, source := range s.Sources {
			assert.NotContains(t, source.Value, secret)
		}
	}
	for name, bad := range map[string]env{
		"token":   {"AUTH_TOKEN": "short-secret"},
		"secret":  {"APPROVAL_WEBHOOK": "https://a.example/", "APPROVAL_SECRET": "whsec_c2VjcmV0"},
		"webhook": {"APPROVAL_WEBHOOK": "https://user:secret@a.example/", "APPROVAL_SECRET": goodSecret},
	} {
		u.says("")
		failure := u.refuses(bad)
		for _, value := range bad {
			assert.NotContains(t, failure.Message, value, name)
		}
	}
}

func TestAPolicyCannotBeChangedThroughACopy(t *testing.T) {
	u, dir := newUser(t), project(t, "Game")
	u.says(`{"toolsets":["-debug"],"allowed_projects":[{"path":"` + dir + `"}],
		"approval":{"webhook":"https://a.example/","secrets":["` + goodSecret + `"]}}`)
	s := u.loads(nil)
	copied := s.PolicyFor(dir)
	copied.Toolsets[0], copied.Allowed[0].Path, copied.Approval.Secrets[0] = "all", "/other", "x"
	s.SourcesFor(dir)[0].Value = "x"
	assert.Equal(t, "-debug", s.Policy.Toolsets[0])
	assert.Equal(t, dir, s.Policy.Allowed[0].Path)
	assert.Equal(t, goodSecret, s.PolicyFor(dir).Approval.Secrets[0])
	assert.NotEqual(t, "x", s.Sources[0].Value)
}
