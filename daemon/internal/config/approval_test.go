package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const (
	hook     = `"webhook":"https://file.example/","secrets":["` + goodSecret + `"]`
	hookFile = `{"approval":{` + hook + `}}`
	askFile  = `{"approval":{"require":true}}`
)

func TestWhoIsAsked(t *testing.T) {
	fromEnv := env{"APPROVAL_WEBHOOK": "https://env.example/x", "APPROVAL_SECRET": goodSecret + " " + otherSecret}
	checkRows(t, "approval_webhook", []settingRow{
		{"", nil, "none", dflt, 0},
		{hookFile, nil, "https://file.example", file, 0},
		{"", fromEnv, "https://env.example", envi, 0},
		{"{}", fromEnv, "https://env.example", envi, 0},
		{`{"approval":{}}`, fromEnv, "https://env.example", envi, 0},
		{`{"approval":{"require":false,"fail_open":false}}`, fromEnv, "https://env.example", envi, 0},
		// Once the file names somebody, the environment can name nobody else.
		{hookFile, fromEnv, "https://file.example", file, 2},
		{askFile, fromEnv, "none", dflt, 2},
		{hookFile, env{"APPROVAL_SECRET": otherSecret}, "https://file.example", file, 1},
		{hookFile, env{"APPROVAL_WEBHOOK": "nonsense"}, "https://file.example", file, 1},
		{"", env{"APPROVAL_SECRET": otherSecret}, "none", dflt, 1},
		{"", env{"APPROVAL_WEBHOOK": "http://127.0.0.1:9/x", "APPROVAL_SECRET": goodSecret}, "http://127.0.0.1:9", envi, 0},
		{"", env{"APPROVAL_WEBHOOK": "http://[::1]:9", "APPROVAL_SECRET": goodSecret}, "http://[::1]:9", envi, 0},
		{"", env{"APPROVAL_WEBHOOK": "http://localhost:9", "APPROVAL_SECRET": goodSecret}, "http://localhost:9", envi, 0},
	})
	checkRows(t, "approval_secret", []settingRow{
		{"", nil, "none", dflt, 0},
		{hookFile, nil, "set", file, 0},
		{"", fromEnv, "set", envi, 0},
	})
}

func TestTheFilesWebhookKeepsItsOwnSecrets(t *testing.T) {
	u := newUser(t)
	u.says(hookFile)
	s := u.loads(env{"APPROVAL_SECRET": otherSecret})
	assert.Equal(t, []string{goodSecret}, s.Policy.Approval.Secrets)
	assert.True(t, s.Policy.Approval.Configured())
}

func TestHowLongAnAnswerMayTake(t *testing.T) {
	fromEnv := func(seconds string) env {
		return env{"APPROVAL_WEBHOOK": "https://env.example/x", "APPROVAL_SECRET": goodSecret, "APPROVAL_TIMEOUT_SEC": seconds}
	}
	checkRows(t, "approval_timeout_sec", []settingRow{
		{"", nil, "30", dflt, 0},
		{`{"approval":{"timeout_sec":120}}`, nil, "120", file, 0},
		{`{"approval":{"timeout_sec":1}}`, nil, "1", file, 0},
		{"", fromEnv("5"), "5", envi, 0},
		{"", fromEnv("120"), "120", envi, 0},
		{"", fromEnv("121"), "1", envi, 1},
		{"", fromEnv("0"), "1", envi, 1},
		{"", fromEnv("30s"), "1", envi, 1},
		{askFile, env{"APPROVAL_TIMEOUT_SEC": "31"}, "30", dflt, 1},
		{askFile, env{"APPROVAL_TIMEOUT_SEC": "29"}, "29", envi, 0},
		{`{"approval":{"timeout_sec":60}}`, env{"APPROVAL_TIMEOUT_SEC": "61"}, "60", file, 1},
		{`{"approval":{"timeout_sec":60}}`, env{"APPROVAL_TIMEOUT_SEC": "10"}, "10", envi, 0},
	})
}

func TestWhetherAnUnreachableWebhookIsWavedThrough(t *testing.T) {
	openFile := `{"approval":{"fail_open":true}}`
	checkRows(t, "approval_fail_open", []settingRow{
		{"", nil, "false", dflt, 0},
		{"", env{"APPROVAL_FAIL_OPEN": "true"}, "true", envi, 0},
		{"", env{"APPROVAL_FAIL_OPEN": "0"}, "false", dflt, 0},
		{"", env{"APPROVAL_FAIL_OPEN": "yep"}, "false", envi, 1},
		{`{"approval":{}}`, env{"APPROVAL_FAIL_OPEN": "true"}, "false", dflt, 1},
		{hookFile, env{"APPROVAL_FAIL_OPEN": "1"}, "false", dflt, 1},
		{`{"approval":{"fail_open":false}}`, env{"APPROVAL_FAIL_OPEN": "1"}, "false", file, 1},
		{openFile, nil, "true", file, 0},
		{openFile, env{"APPROVAL_FAIL_OPEN": "1"}, "true", file, 0},
		{openFile, env{"APPROVAL_FAIL_OPEN": "off"}, "false", envi, 0},
		{openFile, env{"APPROVAL_FAIL_OPEN": "TRUE "}, "false", envi, 1},
	})
}

func TestWhetherTheClientsYesIsDemanded(t *testing.T) {
	checkRows(t, "approval_require", []settingRow{
		{"", nil, "false", dflt, 0},
		{askFile, nil, "true", file, 0},
		{"", env{"APPROVAL_REQUIRE": "1"}, "true", envi, 0},
		{"", env{"APPROVAL_REQUIRE": "no"}, "false", dflt, 0},
		{"", env{"APPROVAL_REQUIRE": "if you like"}, "true", envi, 1},
		// A demand may be added to the file's, never taken away.
		{hookFile, env{"APPROVAL_REQUIRE": "1"}, "true", envi, 0},
		{`{"approval":{"require":false}}`, env{"APPROVAL_REQUIRE": "1"}, "true", envi, 0},
		{askFile, env{"APPROVAL_REQUIRE": "false"}, "true", file, 1},
		{askFile, env{"APPROVAL_REQUIRE": "1"}, "true", file, 0},
		{askFile, env{"APPROVAL_REQUIRE": "hm"}, "true", file, 1},
	})
}

func TestOversightThatCannotBeGivenStopsTheStart(t *testing.T) {
	u := newUser(t)
	for _, address := range []string{
		"nonsense", "ftp://a.example/", "http://a.example/", "http://10.0.0.1/", "http://127.0.0.1.example/",
		"https://", "https:///x", "https:a.example", "https://u@a.example/", "https://u:p@a.example/", "https://a.example/#x",
		"https://a.example/#", "//a.example/", "HTTP://a.example/", "http://localhost.example/", "http://0.0.0.0/",
		"https://a example/", "http://[::ffff:10.0.0.1]/", "file:///etc/x", "http://2130706433/", "https://a.example/\n",
	} {
		failure := u.refuses(env{"APPROVAL_WEBHOOK": address, "APPROVAL_SECRET": goodSecret})
		assert.Equal(t, "GODOT_MCP_APPROVAL_WEBHOOK", failure.Details["setting"], address)
	}
	for _, secret := range []string{
		"", "secret", "whsec_", "whsec_c2hvcnQ=", "whsec_!!!!", goodSecret + " nonsense", strings.TrimPrefix(goodSecret, "whsec_"),
		goodSecret + ";" + otherSecret, "whsec_" + strings.Repeat("QUFB", 22), goodSecret + "=",
	} {
		failure := u.refuses(env{"APPROVAL_WEBHOOK": "https://a.example/", "APPROVAL_SECRET": secret})
		assert.Equal(t, "GODOT_MCP_APPROVAL_SECRET", failure.Details["setting"], secret)
	}
	for _, token := range []string{"short", goodToken + " ", goodToken + "é", goodToken + "\n", strings.Repeat("x", 513)} {
		failure := u.refuses(env{"AUTH_TOKEN": token})
		assert.Equal(t, "GODOT_MCP_AUTH_TOKEN", failure.Details["setting"], token)
	}
	// The first of several is told.
	assert.Equal(t, "GODOT_MCP_AUTH_TOKEN", u.refuses(env{"AUTH_TOKEN": "x", "APPROVAL_WEBHOOK": "x"}).Details["setting"])
}
