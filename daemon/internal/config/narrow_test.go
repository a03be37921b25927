package config_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"drawbridge/daemon/internal/config"
	"drawbridge/daemon/internal/safety"
)

// said is what a policy file says, read anew and loosely, to compare with what is made of it.
type said struct {
	Mode        safety.Mode    `json:"mode"`
	Profile     safety.Profile `json:"profile"`
	TTL         int            `json:"token_ttl_sec"`
	MaxAffected int            `json:"max_affected"`
	RateLimit   int            `json:"rate_limit"`
	Toolsets    []string       `json:"toolsets"`
	Allowed     *[]struct {
		Path string `json:"path"`
		Name string `json:"name"`
	} `json:"allowed_projects"`
	AuditLog  string `json:"audit_log"`
	AuthToken string `json:"auth_token"`
	Approval  *struct {
		Webhook  string   `json:"webhook"`
		Secrets  []string `json:"secrets"`
		Timeout  int      `json:"timeout_sec"`
		FailOpen bool     `json:"fail_open"`
		Require  bool     `json:"require"`
	} `json:"approval"`
}

// orNumber is a number, or another for none.
func orNumber(n, other int) int {
	if n == 0 {
		return other
	}
	return n
}

// checkCeiling checks that a policy allows no more than a file says, whatever else was said.
func checkCeiling(t require.TestingT, file said, p config.Policy) {
	top := safety.ModeExecute
	if file.Mode != "" {
		top = file.Mode
	}
	assert.LessOrEqual(t, p.Mode.Rank(), top.Rank())
	assert.GreaterOrEqual(t, p.Mode.Rank(), 0)
	assert.NotEqual(t, safety.ModeDangerous, p.Mode)
	if file.Profile == safety.Guarded {
		assert.Equal(t, safety.Guarded, p.Profile)
	}
	ttl := orNumber(file.TTL, 300)
	if p.Profile != safety.Standard {
		ttl = min(ttl, 120)
	}
	assert.LessOrEqual(t, p.TokenTTL, time.Duration(ttl)*time.Second)
	assert.GreaterOrEqual(t, p.TokenTTL, 30*time.Second)
	assert.LessOrEqual(t, p.MaxAffected, orNumber(file.MaxAffected, 20))
	assert.Positive(t, p.MaxAffected)
	assert.LessOrEqual(t, p.RateLimit, orNumber(file.RateLimit, 5000))
	assert.Positive(t, p.RateLimit)
	for _, entry := range file.Toolsets {
		if name, off := strings.CutPrefix(entry, "-"); off {
			assert.True(t, p.ToolsetOff(name))
		}
	}
	if file.AuditLog != "" {
		assert.Equal(t, file.AuditLog, p.AuditLog)
	}
	if file.AuthToken != "" {
		assert.Equal(t, file.AuthToken, p.AuthToken)
	}
	checkAllowed(t, file, p)
	checkOversight(t, file, p.Approval)
}

// checkAllowed checks that only projects of the file are allowed, each with the file's pin.
func checkAllowed(t require.TestingT, file said, p config.Policy) {
	if file.Allowed == nil {
		return
	}
	require.NotNil(t, p.Allowed, "nil would allow all")
	for _, a := range p.Allowed {
		found := false
		for _, b := range *file.Allowed {
			found = found || a.Path == b.Path && (b.Name == "" || a.Name == b.Name)
		}
		assert.True(t, found, "%v is not what the file allows", a)
	}
}

// checkOversight checks that whoever the file wants asked is asked, in the file's terms.
func checkOversight(t require.TestingT, file said, a config.Approval) {
	assert.Positive(t, a.Timeout)
	assert.LessOrEqual(t, a.Timeout, 2*time.Minute)
	assert.Equal(t, a.Webhook != "", len(a.Secrets) > 0, "no webhook without a secret")
	if file.Approval == nil {
		return
	}
	if file.Approval.Require {
		assert.True(t, a.Require)
	}
	if file.Approval.Webhook != "" {
		assert.Equal(t, file.Approval.Webhook, a.Webhook)
		assert.Equal(t, file.Approval.Secrets, a.Secrets)
	}
	if file.Approval.Require && file.Approval.Webhook == "" {
		assert.Empty(t, a.Webhook, "the environment names nobody beside the file")
	}
	if !file.Approval.FailOpen {
		assert.False(t, a.FailOpen)
	}
	if file.Approval.Timeout != 0 {
		assert.LessOrEqual(t, a.Timeout, time.Duration(file.Approval.Timeout)*time.Second)
	}
}

// checkEnvironment checks that what the environment asks for is not overheard.
func checkEnvironment(t require.TestingT, e env, p config.Policy) {
	off := []string{"", "0", "false", "no", "off"}
	if !slices.Contains(off, strings.ToLower(e["READ_ONLY"])) {
		assert.Equal(t, safety.ModeReadOnly, p.Mode)
	}
	if !slices.Contains(off, strings.ToLower(e["DRY_RUN"])) {
		assert.LessOrEqual(t, p.Mode.Rank(), safety.ModeDryRun.Rank())
	}
	if e["MODE"] != "" {
		asked, _ := safety.ParseMode(e["MODE"])
		assert.LessOrEqual(t, p.Mode.Rank(), asked.Rank())
	}
	if e["PROFILE"] != "" && e["PROFILE"] != "standard" {
		assert.Equal(t, safety.Guarded, p.Profile)
	}
	if !slices.Contains(off, strings.ToLower(e["APPROVAL_REQUIRE"])) {
		assert.True(t, p.Approval.Require)
	}
	if e["APPROVAL_WEBHOOK"] != "" {
		assert.True(t, p.Approval.Configured(), "who asks for oversight gets some, or no start at all")
	}
	if e["ALLOWED_PROJECTS"] != "" {
		assert.NotNil(t, p.Allowed)
		for _, a := range p.Allowed {
			assert.Contains(t, e["ALLOWED_PROJECTS"], a.Path)
		}
	}
}

// drawEnv draws an environment: for each setting nothing, something that makes sense, or anything.
func drawEnv(t *rapid.T, places []string) env {
	flags := []string{"1", "true", "YES", "on", "0", "False", "no", "OFF", "2", " "}
	numbers := []string{"1", "5", "20", "21", "30", "45", "120", "121", "300", "301", "5000", "5001", "0", "-1", "15abc", "1e3", "05"}
	var lists []string
	for _, place := range places {
		lists = append(lists, place, place+"|A", place+"|B", place+";"+places[0], place+"|A;"+place)
	}
	e := env{}
	choices := map[string][]string{
		"MODE": {"read_only", "suggest", "dry_run", "execute", "dangerous", "Execute", "all"}, "READ_ONLY": flags, "DRY_RUN": flags,
		"PROFILE": {"standard", "guarded", "none", "Standard"}, "TOKEN_TTL_SEC": numbers, "MAX_AFFECTED": numbers, "RATE_LIMIT": numbers,
		"ALLOWED_PROJECTS": append(lists, ";", "x", "|"), "TOOLSETS": {"all", "node", "-node", "node;-debug", "-all", "?", "-x"},
		"AUDIT_LOG": {"/var/log/e.jsonl", "e.jsonl"}, "AUTH_TOKEN": {goodToken + "e", goodToken},
		"APPROVAL_WEBHOOK": {"https://env.example/", "http://127.0.0.1:1/"}, "APPROVAL_SECRET": {goodSecret, otherSecret},
		"APPROVAL_TIMEOUT_SEC": numbers, "APPROVAL_FAIL_OPEN": flags, "APPROVAL_REQUIRE": flags,
	}
	for _, name := range slices.Sorted(maps.Keys(choices)) {
		values := choices[name]
		switch rapid.IntRange(0, 9).Draw(t, name+" how") {
		case 0, 1, 2, 3, 4:
		case 9:
			e[name] = rapid.String().Draw(t, name)
		default:
			e[name] = rapid.SampledFrom(values).Draw(t, name)
		}
	}
	return e
}

// drawFields draws some of the keys of an object of the policy file: one in so many.
func drawFields(t *rapid.T, label string, oneIn int, choices map[string][]any) map[string]any {
	fields := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(choices)) {
		if rapid.IntRange(1, oneIn).Draw(t, label+key) == 1 {
			fields[key] = rapid.SampledFrom(choices[key]).Draw(t, label+key+" value")
		}
	}
	return fields
}

// drawLayer draws what the whole file and a section have in common.
func drawLayer(t *rapid.T, label string, oneIn int) map[string]any {
	fields := drawFields(t, label, oneIn, map[string][]any{
		"mode": {"read_only", "suggest", "dry_run", "execute"}, "profile": {"standard", "guarded"}, "token_ttl_sec": {30, 60, 200, 300},
		"max_affected": {1, 20, 21, 1000}, "rate_limit": {1, 100, 5000}, "audit_log": {"/var/log/f.jsonl"},
		"toolsets": {[]string{}, []string{"node"}, []string{"-node"}, []string{"all", "-debug"}},
	})
	if rapid.Bool().Draw(t, label+"approval") {
		approval := drawFields(t, label+"approval.", oneIn, map[string][]any{
			"timeout_sec": {1, 30, 60, 120}, "fail_open": {true, false}, "require": {true, false},
		})
		if rapid.Bool().Draw(t, label+"hook") {
			approval["webhook"], approval["secrets"] = "https://"+label+"file.example/", []string{goodSecret}
		}
		fields["approval"] = approval
	}
	return fields
}

func TestNothingWidensWhatThePolicyFileSays(t *testing.T) {
	u, places := newUser(t), []string{project(t, "A"), project(t, "B"), project(t, "C")}
	loaded, sections := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		whole := drawLayer(t, "", 2)
		if rapid.Bool().Draw(t, "token") {
			whole["auth_token"] = goodToken
		}
		if rapid.Bool().Draw(t, "allowed") {
			allowed := []map[string]any{}
			for _, place := range places {
				allowed = append(allowed, rapid.SampledFrom([]map[string]any{
					{"path": place}, {"path": place, "name": "A"}, {"path": place, "name": "B"},
				}).Draw(t, "allowed "+place))
			}
			whole["allowed_projects"] = allowed[:rapid.IntRange(0, len(allowed)).Draw(t, "how many")]
		}
		own := map[string]any{}
		if rapid.Bool().Draw(t, "section") {
			own = drawLayer(t, "own.", 4) // one that says little is seldom wider than the file
			whole["projects"] = map[string]any{places[0]: own}
		}
		text, err := json.Marshal(whole)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(u.file(), text, 0o600))
		for range 10 { // a file costs more draws than an environment
			e := drawEnv(t, places)
			s, err := u.load(e, places...)
			if err != nil {
				assert.ErrorContains(t, err, "CONFIG_INVALID")
				continue
			}
			loaded++
			sections += len(s.Sections())
			checkLoaded(t, text, own, e, s, places)
		}
	})
	assert.Greater(t, loaded, 100, "most files and environments have to be taken")
	assert.Greater(t, sections, 20, "some sections have to be taken")
}

// checkLoaded checks all policies of a daemon against its file, the file's section for the first project, and the
// environment.
func checkLoaded(t require.TestingT, text []byte, own map[string]any, e env, s config.Serve, places []string) {
	var file, section said
	require.NoError(t, json.Unmarshal(text, &file))
	raw, err := json.Marshal(own)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &section)) // what the section leaves open is for the file to say
	require.NoError(t, json.Unmarshal(raw, &section))
	for _, place := range places {
		p := s.PolicyFor(place)
		over := file
		if len(own) > 0 && place == places[0] {
			checkCeiling(t, section, p)
			// Where the audit goes is for the section alone; in all else it is no wider than the file.
			over.AuditLog = ""
		}
		checkCeiling(t, over, p)
		checkEnvironment(t, e, p)
		taken := slices.Contains(s.Projects(), place)
		assert.Equal(t, taken, p.Allows(place) == nil)
		if p.Allowed != nil {
			assert.Equal(t, taken, slices.ContainsFunc(p.Allowed, func(a config.Allowed) bool {
				name, err := config.ProjectName(place)
				return err == nil && a.Path == place && (a.Name == "" || a.Name == name)
			}))
		}
	}
	for _, list := range [][]config.Source{s.Sources, s.SourcesFor(places[0])} {
		assert.Len(t, list, 14)
		for _, source := range list {
			assert.Contains(t, []string{dflt, config.FromFile, envi, prof}, source.From)
			assert.NotContains(t, fmt.Sprint(source), goodSecret)
			assert.NotContains(t, fmt.Sprint(source), goodToken)
		}
	}
}

func FuzzPolicyFile(f *testing.F) {
	for _, seed := range []string{
		"", "{}", `{"mode":"execute"}`, `{"mode":"dangerous"}`, `{"mode":"suggest","mode":"execute"}`, "\xef\xbb\xbf{}", "{}x", `{"Mode":"x"}`,
		`{"profile":"guarded","token_ttl_sec":90,"max_affected":5,"rate_limit":15,"toolsets":["-node"]}`, hookFile, askFile,
		`{"allowed_projects":[{"path":"/a","name":"A"},{"path":"/b"}],"auth_token":"` + goodToken + `","audit_log":"/var/log/a"}`,
		`{"projects":{"/a":{"mode":"read_only"},"/b":{"approval":{"require":true}}}}`, `{"max_affected":15abc}`, `{"token_ttl_sec":3e1}`,
	} {
		f.Add([]byte(seed), "execute", "1000", "/a|A;/b")
	}
	u := newUser(f)
	f.Fuzz(func(t *testing.T, data []byte, mode, number, allowed string) {
		require.NoError(t, os.WriteFile(u.file(), data, 0o600))
		e := env{"MODE": mode, "PROFILE": mode, "MAX_AFFECTED": number, "TOKEN_TTL_SEC": number, "ALLOWED_PROJECTS": allowed, "APPROVAL_REQUIRE": "0"}
		s, err := u.load(e)
		if err != nil {
			assert.ErrorContains(t, err, "CONFIG_INVALID")
			return
		}
		var file said
		require.NoError(t, json.Unmarshal(data, &file), "what is taken is JSON")
		if file.AuditLog != "" {
			file.AuditLog = s.Policy.AuditLog // a path is cleaned
		}
		if file.Allowed != nil {
			file.Allowed = nil
			assert.NotNil(t, s.Policy.Allowed)
		}
		checkCeiling(t, file, s.Policy)
		for _, warning := range s.Warnings {
			assert.NotContains(t, warning, "\n")
		}
	})
}
