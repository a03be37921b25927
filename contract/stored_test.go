package contract

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
)

// TestStoredPropertiesHoldInTheEngine sets every property that is not stored itself, of every node class, and compares
// what that does to stored ones with what the addon says of it. An engine that differs from the measured one fails here.
func TestStoredPropertiesHoldInTheEngine(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	kit, err := harness.NewKit(ctx, harness.Options{Log: os.Stderr})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, kit.Close()) })
	project, err := kit.NewProject(ctx, harness.ProjectOptions{})
	require.NoError(t, err)
	out, err := kit.RunGodot(ctx, project, "-s", "res://gd/stored_sweep.gd")
	line := lastJSON(out)
	require.NotEmpty(t, line, "no report: %v\n%s", err, out)
	var report struct {
		OK       bool           `json:"ok"`
		Counts   map[string]int `json:"counts"`
		Failed   int            `json:"failed"`
		Failures []string       `json:"failures"`
	}
	require.NoError(t, json.Unmarshal([]byte(line), &report), line)
	require.NoError(t, err)
	assert.True(t, report.OK, "%d properties fare otherwise than the addon says", report.Failed)
	for _, failure := range report.Failures {
		assert.Fail(t, failure)
	}
	t.Logf("%v", report.Counts)
	assert.Greater(t, report.Counts["classes"], 200)
	assert.Greater(t, report.Counts["kept"], 2500, "properties whose change a save keeps")
	assert.Greater(t, report.Counts["lost"], 500, "properties whose change a save loses")
	assert.Less(t, report.Counts["mute"], 60, "properties that took no value, so that nothing is known of them")
}
