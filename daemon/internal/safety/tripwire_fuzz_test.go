package safety_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"drawbridge/daemon/internal/safety"
)

// hostile are texts that would be slow for a reader that looks back or ahead without bound.
func hostile(n int) map[string]string {
	return map[string]string{
		"quotes":     strings.Repeat(`"`, n),
		"backslash":  `"` + strings.Repeat(`\`, n),
		"calls":      strings.Repeat("call_group(", n/11),
		"open":       strings.Repeat("FileAccess.open(", n/16),
		"paths":      "$" + strings.Repeat("OS/", n/3),
		"slashes":    strings.Repeat("OS/", n/3),
		"dots":       strings.Repeat("OS.", n/3),
		"unended":    strings.Repeat(`'''a" `, n/6),
		"comments":   strings.Repeat("#\r", n/2),
		"one line":   strings.Repeat("a ", n/2) + "OS.crash()",
		"get_var":    strings.Repeat("a.get_var(", n/10),
		"escapes":    `"` + strings.Repeat(`\u006`, n/5) + `"`,
		"annotation": strings.Repeat("@", n),
	}
}

// No timing, which a busy machine spoils: how often a token is looked at is counted.
func TestHostileTextsTakeLinearTime(t *testing.T) {
	for name, code := range hostile(1 << 16) {
		tokens, looks := safety.LooksOf(code)
		assert.Less(t, looks, 200*(tokens+1), name)
		checkFindings(t, code)
		safety.IsToolScript(code)
	}
}

// checkFindings fails when findings are not what they promise to be.
func checkFindings(t *testing.T, code string) {
	t.Helper()
	findings := safety.Tripwire(code)
	lines := strings.Count(code, "\n") + 1
	assert.LessOrEqual(t, len(findings), 100)
	for _, f := range findings {
		assert.True(t, f.Line >= 1 && f.Line <= lines, "line %d of %d", f.Line, lines)
		assert.NotEmpty(t, f.Pattern)
		assert.NotEmpty(t, f.Why)
		assert.True(t, utf8.ValidString(f.Text) && utf8.RuneCountInString(f.Text) <= 80, f.Text)
		assert.Negative(t, strings.IndexFunc(f.Text, func(r rune) bool { return !unicode.IsPrint(r) }), "%q", f.Text)
	}
}

func FuzzTripwire(f *testing.F) {
	for code := range wires() {
		f.Add(code)
	}
	for _, code := range hostile(100) {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		checkFindings(t, code)
		// What stands before plain code never hides it, unless it takes it into a text or comment.
		if after := code + "\n\nOS.crash()\n"; len(safety.Tripwire(after)) == 0 {
			assert.True(t, strings.ContainsAny(code, `"'`+"$/"), "%q hides code", code)
		}
	})
}

func FuzzIsToolScript(f *testing.F) {
	for _, code := range []string{"@tool", "# @tool", `"@tool"`, "@ tool", "r'@tool", "\ufeff@tool\r\n", "'''\n@tool'''", "@to\\\nol"} {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		is := safety.IsToolScript(code)
		if is && utf8.ValidString(code) && !strings.Contains(code, "tool") && !strings.ContainsAny(code, `"'`) {
			assert.Positive(t, strings.IndexFunc(code, unicode.IsControl)+1, "%q", code)
		}
		// A comment below it changes nothing, unless it is in a text.
		if !is {
			assert.False(t, safety.IsToolScript(code+"\n# @tool"), "%q", code)
		}
	})
}
