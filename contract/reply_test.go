package contract

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// checkReply checks what holds for every reply of every tool, whatever the test is about.
func (r *rig) checkReply(t *testing.T, tool string, with any, reply harness.Reply) {
	t.Helper()
	about := tool + " " + text(with)
	assert.Equal(t, !reply.OK, reply.IsError, "%s: ok and isError contradict: %s", about, reply.Raw)
	if reply.OK {
		assert.JSONEq(t, string(reply.Raw), reply.Text, "%s: text and structured content differ", about)
		checkSuccess(t, about, reply)
	} else {
		require.NotNil(t, reply.Error, "%s: failed without an error: %s", about, reply.Raw)
		assert.Equal(t, reply.Error.Error(), reply.Text, "%s: the text form of the failure", about)
		checkFailure(t, about, reply.Error)
	}
	if facts, known := r.byName[tool]; known && !facts.Carries {
		assert.Equal(t, facts.Class, reply.Safety.Class, "%s: class in the reply", about)
	}
	for _, prose := range proseOf(reply) {
		r.checkProse(t, about, withoutArguments(prose, with))
	}
	assert.NotContains(t, string(reply.Raw), "<Object#", "%s: an object without a form", about)
}

// checkSuccess checks that a success is a plain one.
func checkSuccess(t *testing.T, about string, reply harness.Reply) {
	t.Helper()
	for _, verdict := range reply.Persistence {
		if verdict.Persisted != nil && *verdict.Persisted {
			assert.Empty(t, verdict.Reason, "%s: a reason beside persisted:true", about)
			continue
		}
		assert.NotEmpty(t, verdict.Reason, "%s: no reason for %s", about, verdict.Target)
		assert.NotEmpty(t, verdict.Hint, "%s: no hint for %s", about, verdict.Target)
		assert.True(t, knownReason(verdict.Reason), "%s: reason %q is none of the protocol's", about, verdict.Reason)
	}
	if reply.Data["undoable"] == true {
		assert.NotEqual(t, false, reply.Data["changed"], "%s: nothing is changed, and can be undone: %s", about, reply.Raw)
	}
	if reply.Safety.DryRun {
		assert.False(t, reply.Safety.Executed, "%s: a dry run says that it executed", about)
		assert.Equal(t, "simulated", reply.Safety.Outcome, about)
	}
	for _, e := range engineErrors(t, reply) {
		assert.False(t, e.Script && strings.Contains(e.File, "addons/drawbridge"),
			"%s: ok beside a script error of the addon: %+v", about, e)
	}
}

// engineErrors are the engine's errors that a reply tells of.
func engineErrors(t *testing.T, reply harness.Reply) []protocol.EngineError {
	t.Helper()
	var body struct {
		Data struct {
			EngineErrors []protocol.EngineError `json:"engine_errors"`
		} `json:"data"`
	}
	require.NoError(t, json.Unmarshal(reply.Raw, &body))
	return body.Data.EngineErrors
}

// checkFailure checks that a failure is complete.
func checkFailure(t *testing.T, about string, failure *protocol.Error) {
	t.Helper()
	_, known := protocol.LookupCode(failure.Code)
	assert.True(t, known, "%s: %q is none of the protocol's codes", about, failure.Code)
	assert.NotEmpty(t, failure.Message, "%s: no message", about)
	assert.NotEmpty(t, failure.Hint, "%s: no hint", about)
	assert.NotEqual(t, protocol.InternalError, failure.Code, "%s: %s %v", about, failure.Message, failure.Details)
	if failure.Code == protocol.PreconditionFailed {
		assert.NotEmpty(t, failure.Required, "%s: a precondition without a name", about)
	}
}

func knownReason(reason protocol.Reason) bool {
	for _, info := range protocol.Reasons() {
		if info.Reason == reason {
			return true
		}
	}
	return false
}

// proseOf are the texts of a reply that are written for people.
func proseOf(reply harness.Reply) []string {
	var prose []string
	if reply.Error != nil {
		prose = append(prose, reply.Error.Message, reply.Error.Hint)
	}
	for _, verdict := range reply.Persistence {
		prose = append(prose, verdict.Hint)
	}
	return prose
}

// withoutArguments takes out what the caller wrote itself.
func withoutArguments(prose string, with any) string {
	raw, err := json.Marshal(with)
	if err != nil {
		return prose
	}
	for _, own := range regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`).FindAllStringSubmatch(string(raw), -1) {
		var plain string
		// "tool" is how calls name a tool, "action" how they name an input action; both are part of tools' names.
		if json.Unmarshal([]byte(own[0]), &plain) == nil && len(plain) > 1 && plain != "tool" && plain != "action" && plain != "scene" {
			prose = strings.ReplaceAll(prose, plain, "")
			prose = strings.ReplaceAll(prose, own[1], "")
		}
	}
	return prose
}

// toolLike are words that can only be meant as a tool's name.
func toolLike(word string) bool {
	verbs := []string{
		"get", "set", "create", "delete", "move", "open", "save", "find", "list", "call", "preview", "close", "reload",
		"rename", "duplicate", "instance", "attach", "run", "play", "stop", "connect", "disconnect", "select",
	}
	verb, rest, two := strings.Cut(word, "_")
	for _, known := range verbs {
		if two && rest != "" && verb == known {
			return true
		}
	}
	return false
}

// checkProse checks a text written for people: nothing is left unformatted, and the tools that it names exist.
func (r *rig) checkProse(t *testing.T, about, prose string) {
	t.Helper()
	assert.NotRegexp(t, `%[a-z]`, prose, "%s: unformatted", about)
	for _, word := range regexp.MustCompile(`[a-z]+(?:_[a-z]+)+`).FindAllString(prose, -1) {
		if toolLike(word) && !r.isParameter(word) {
			assert.Contains(t, r.byName, word, "%s: the text names a tool that is not there: %q", about, prose)
		}
	}
}

func (r *rig) isParameter(word string) bool {
	for _, tool := range r.tools {
		for _, p := range tool.Params {
			if p.Name == word {
				return true
			}
		}
	}
	return false
}

// testList checks that what the client is shown is what the catalog says.
func (r *rig) testList(t *testing.T) {
	listed, err := r.daemon.Tools(r.ctx)
	require.NoError(t, err)
	shown := map[string]bool{}
	for _, tool := range listed {
		shown[tool.Name] = true
		facts, known := r.byName[tool.Name]
		require.True(t, known, "%s is listed but not in the catalog", tool.Name)
		assert.Equal(t, facts.Class, tool.Meta["safety_class"], "%s: _meta.safety_class", tool.Name)
		assert.Equal(t, facts.Class == "read_only", tool.Annotations["readOnlyHint"], "%s: readOnlyHint", tool.Name)
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			assert.Contains(t, tool.Annotations, hint, "%s: all four annotations are given", tool.Name)
		}
		r.checkProse(t, tool.Name+": description", tool.Description)
	}
	for _, tool := range r.tools {
		assert.Equal(t, tool.Listed, shown[tool.Name], "%s: listed", tool.Name)
	}
	for _, info := range protocol.Codes() {
		r.checkProse(t, "hint of "+string(info.Code), info.Hint)
	}
	var report struct {
		Valid    bool  `json:"valid"`
		Findings []any `json:"findings"`
		Editors  int   `json:"editors"`
	}
	decodeData(t, r.ok(t, "validate_safety_contract", args{}), &report)
	assert.True(t, report.Valid)
	assert.Empty(t, report.Findings, "the table, the list, the golden and the editor's hello agree")
	assert.Equal(t, 1, report.Editors)
}
