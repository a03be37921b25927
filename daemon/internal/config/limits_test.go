package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/config"
)

func TestTheLimitOnTargetsIsReadAndNeverWidenedByMistake(t *testing.T) {
	for value, want := range map[string]int{
		"": 20, "1": 1, "5": 5, "1000": 1000, "0": 1, "-3": 1, "1001": 1, "many": 1, "1.5": 1, " 5": 1,
	} {
		s, err := config.Load("", t.TempDir(), func(name string) string {
			if name == "GODOT_MCP_MAX_AFFECTED" {
				return value
			}
			return ""
		})
		require.NoError(t, err)
		assert.Equal(t, want, s.MaxAffected, "%q", value)
		understood := value == "" || value == "1" || value == "5" || value == "1000"
		assert.Equal(t, understood, len(s.Warnings) == 0, "%q: %v", value, s.Warnings)
	}
}
