package harness_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The GDScript check is worth something only if it fails: for a script that does not parse, and for each kind of
// warning that project.godot makes an error.
func TestGDScriptCheckRefuses(t *testing.T) {
	ctx, kit := newKit(t)
	check := func(t *testing.T, code string) (string, error) {
		t.Helper()
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "sample.gd"), []byte(code), 0o600))
		cmd := exec.CommandContext(ctx, "bash", filepath.Join(kit.Root(), "scripts", "check.sh"), folder)
		cmd.Env = append(os.Environ(), "GODOT_BIN="+kit.Godot())
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for name, code := range map[string]string{
		"a parse error":           "extends Node\n\n\nfunc f(:\n\tpass\n",
		"no type":                 "extends Node\n\nvar x = 1\n",
		"an inferred type":        "extends Node\n\nvar x := 1\n",
		"an unsafe call":          "extends Node\n\n\nfunc f(v: Variant) -> void:\n\tv.foo()\n",
		"an unused parameter":     "extends Node\n\n\nfunc f(v: int) -> void:\n\tpass\n",
		"a discarded result":      "extends Node\n\n\nfunc f() -> void:\n\tadd_user_signal(\"x\")\n\tg()\n\n\nfunc g() -> int:\n\treturn 1\n",
		"a preload of nothing":    "extends Node\n\nconst A: GDScript = preload(\"./gone.gd\")\n",
		"an unsafe cast":          "extends Node\n\n\nfunc f(v: Variant) -> Node:\n\treturn v as Node\n",
		"a name that hides":       "extends Node\n\n\nfunc f(name: String) -> String:\n\treturn name\n",
		"a lost integer division": "extends Node\n\n\nfunc f() -> int:\n\treturn 5 / 2\n",
	} {
		t.Run(name, func(t *testing.T) {
			out, err := check(t, code)
			assert.Error(t, err, out)
			assert.Contains(t, out, "ERROR")
		})
	}
	t.Run("but not a clean script", func(t *testing.T) {
		out, err := check(t, "extends Node\n## Clean.\n\nvar x: int = 1\n")
		assert.NoError(t, err, out)
	})
}
