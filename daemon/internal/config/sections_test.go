package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/config"
)

func TestAProjectsSectionNarrowsItsPolicyAlone(t *testing.T) {
	u, a, b := newUser(t), project(t, "A"), project(t, "B")
	u.says(fmt.Sprintf(`{"max_affected":50,"toolsets":["scene","-debug"],"projects":{%q:{"mode":"dry_run","profile":"guarded",
		"max_affected":5,"rate_limit":10,"toolsets":["-node"],"audit_log":"/var/log/a.jsonl",
		"approval":{"require":true,"timeout_sec":9}}}}`, a))
	s := u.loads(nil, a, b)
	own := s.PolicyFor(a)
	assert.EqualValues(t, "dry_run", own.Mode)
	assert.EqualValues(t, "guarded", own.Profile)
	assert.Equal(t, 120*time.Second, own.TokenTTL)
	assert.Equal(t, 5, own.MaxAffected)
	assert.Equal(t, 10, own.RateLimit)
	assert.Equal(t, []string{"scene", "-debug", "-node"}, own.Toolsets)
	assert.Equal(t, "/var/log/a.jsonl", own.AuditLog)
	assert.True(t, own.Approval.Require)
	assert.Equal(t, 9*time.Second, own.Approval.Timeout)
	assert.Equal(t, s.Policy, s.PolicyFor(b))
	assert.EqualValues(t, "execute", s.Policy.Mode)
	assert.Equal(t, 50, s.Policy.MaxAffected)
	assert.False(t, s.Policy.Approval.Require)
	assert.Equal(t, []string{a}, s.Sections())
	_, from := valueOf(t, s.SourcesFor(a), "token_ttl_sec")
	assert.Equal(t, prof, from)
	value, from := valueOf(t, s.SourcesFor(b), "mode")
	assert.Equal(t, "execute "+dflt, value+" "+from)
	assert.Len(t, s.Warnings, 1, "the section is guarded, but nothing pins the project: %v", s.Warnings)
}

func TestTheEnvironmentNarrowsEverySection(t *testing.T) {
	u, a := newUser(t), project(t, "A")
	u.says(fmt.Sprintf(`{"projects":{%q:{"mode":"suggest","max_affected":5}}}`, a))
	s := u.loads(env{"MODE": "dry_run", "MAX_AFFECTED": "10", "RATE_LIMIT": "7"}, a)
	own := s.PolicyFor(a)
	assert.EqualValues(t, "suggest", own.Mode)
	assert.Equal(t, 5, own.MaxAffected)
	assert.Equal(t, 7, own.RateLimit)
	assert.EqualValues(t, "dry_run", s.Policy.Mode)
	assert.Equal(t, 10, s.Policy.MaxAffected)
	assert.Empty(t, s.Warnings, "what is narrower than the file is no news, although a section is narrower still")
	assert.EqualValues(t, "read_only", u.loads(env{"READ_ONLY": "1"}, a).PolicyFor(a).Mode)
}

func TestASectionKeepsWhatItDoesNotSpeakOf(t *testing.T) {
	u, a := newUser(t), project(t, "A")
	u.says(fmt.Sprintf(`{"mode":"suggest","profile":"guarded","max_affected":3,"rate_limit":4,"token_ttl_sec":50,
		"approval":{"webhook":"https://a.example/","secrets":[%q],"require":true,"fail_open":true,"timeout_sec":20},
		"projects":{%q:{"approval":{"fail_open":false}}}}`, goodSecret, a))
	s := u.loads(env{"APPROVAL_REQUIRE": "no", "APPROVAL_FAIL_OPEN": "1"}, a)
	want := s.Policy
	assert.EqualValues(t, "suggest", want.Mode)
	assert.True(t, want.Approval.FailOpen)
	want.Approval.FailOpen = false
	assert.Equal(t, want, s.PolicyFor(a))
}

func TestASectionMayNameWhoIsAskedWhereTheFileNamesNobody(t *testing.T) {
	u, a := newUser(t), project(t, "A")
	u.says(fmt.Sprintf(`{"projects":{%q:{"approval":{"webhook":"https://a.example/","secrets":[%q]}}}}`, a, goodSecret))
	s := u.loads(env{"APPROVAL_WEBHOOK": "https://env.example/", "APPROVAL_SECRET": otherSecret, "APPROVAL_FAIL_OPEN": "1"}, a)
	assert.Equal(t, "https://a.example/", s.PolicyFor(a).Approval.Webhook)
	assert.Equal(t, []string{goodSecret}, s.PolicyFor(a).Approval.Secrets)
	assert.False(t, s.PolicyFor(a).Approval.FailOpen)
	assert.Equal(t, "https://env.example/", s.Policy.Approval.Webhook)
	assert.True(t, s.Policy.Approval.FailOpen)
}

func TestASectionThatIsWiderStopsTheStart(t *testing.T) {
	u, a := newUser(t), project(t, "A")
	const narrow = `"mode":"dry_run","profile":"guarded","token_ttl_sec":60,"max_affected":10,"rate_limit":100,
		"approval":{"require":true,"timeout_sec":10}`
	for _, row := range [][3]string{
		{narrow, `"mode":"execute"`, "mode"},
		{narrow, `"profile":"standard"`, "profile"},
		{narrow, `"token_ttl_sec":61`, "token_ttl_sec"},
		{narrow, `"max_affected":11`, "max_affected"},
		{narrow, `"rate_limit":101`, "rate_limit"},
		{narrow, `"approval":{"timeout_sec":11}`, "timeout_sec"},
		{narrow, `"approval":{"require":false}`, "require"},
		{narrow, `"approval":{"fail_open":true}`, "fail_open"},
		{narrow, `"approval":{"webhook":"https://a.example/","secrets":["` + goodSecret + `"]}`, "webhook"},
		{`"mode":"execute"`, `"max_affected":21`, "max_affected"},
		{`"mode":"execute"`, `"approval":{"fail_open":true}`, "fail_open"},
		{`"mode":"execute"`, `"approval":{"timeout_sec":31}`, "timeout_sec"},
		// What is not for a section to say.
		{narrow, `"auth_token":"` + goodToken + `"`, "not a known key"},
		{narrow, `"allowed_projects":[]`, "not a known key"},
		{narrow, `"projects":{}`, "not a known key"},
		{narrow, `"mode":"dangerous"`, "has to be read_only"},
		{narrow, `"max_affected":"5"`, "whole number"},
	} {
		u.says(fmt.Sprintf(`{%s,"projects":{%q:{%s}}}`, row[0], a, row[1]))
		assert.Contains(t, u.refuses(nil, a).Message, row[2], row[1])
	}
	u.says(fmt.Sprintf(`{%s,"projects":{%q:{%s}}}`, narrow, a, narrow))
	u.loads(nil, a)
}

func TestSectionsAreForOneFolderEach(t *testing.T) {
	u, a := newUser(t), project(t, "A")
	link := filepath.Join(realDir(t), "link")
	require.NoError(t, os.Symlink(a, link))
	for key, want := range map[string]string{
		"a": "absolute path", "": "absolute path", "/a\\n": "absolute path", link: "has a section already",
	} {
		u.says(fmt.Sprintf(`{"projects":{%q:{"mode":"suggest"},"%s":{"mode":"execute"}}}`, a, key))
		assert.Contains(t, u.refuses(nil, a).Message, want, key)
	}
	u.says(fmt.Sprintf(`{"projects":{%q:{"mode":"suggest"}}}`, link))
	assert.EqualValues(t, "suggest", u.loads(nil, link).PolicyFor(a).Mode)
	gone := filepath.Join(realDir(t), "gone")
	u.says(fmt.Sprintf(`{"projects":{%q:{"mode":"suggest"}}}`, gone))
	s := u.loads(nil, a)
	assert.Equal(t, []string{gone}, s.Sections())
	assert.Len(t, s.Warnings, 1)
}

func TestSectionsAreCounted(t *testing.T) {
	u := newUser(t)
	text := func(n int) string {
		sections := ""
		for i := range n {
			sections += fmt.Sprintf(`,"/gone/%d":{}`, i)
		}
		return `{"projects":{` + sections[1:] + `}}`
	}
	u.says(text(config.MostProjects))
	u.loads(nil)
	u.says(text(config.MostProjects + 1))
	assert.Contains(t, u.refuses(nil).Message, "more than 50")
}

func TestAnAuditLogOfASectionIsCheckedToo(t *testing.T) {
	u, a := newUser(t), project(t, "A")
	u.says(fmt.Sprintf(`{"projects":{%q:{"audit_log":%q}}}`, a, filepath.Join(a, "a.jsonl")))
	assert.Contains(t, u.refuses(nil, a).Message, "audit_log lies inside")
}
