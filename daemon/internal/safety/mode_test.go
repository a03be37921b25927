package safety_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"drawbridge/daemon/internal/safety"
)

func TestModes(t *testing.T) {
	for i, m := range safety.Modes() {
		assert.Equal(t, i, m.Rank())
		got, ok := safety.ParseMode(string(m))
		assert.Equal(t, m != safety.ModeDangerous, ok, m)
		if ok {
			assert.Equal(t, m, got)
		}
		for j, other := range safety.Modes() {
			assert.Equal(t, min(i, j), safety.Narrower(m, other).Rank())
		}
	}
	for _, text := range []string{"", "dangerous", "DANGEROUS", "Execute", " execute", "execute\n", "read-only", "write", "1", "true"} {
		got, ok := safety.ParseMode(text)
		assert.False(t, ok, text)
		assert.Equal(t, safety.ModeReadOnly, got, text)
	}
	for _, unknown := range []safety.Mode{"", "Execute", "admin"} {
		assert.Equal(t, -1, unknown.Rank())
		for _, m := range append(safety.Modes(), unknown) {
			assert.Equal(t, safety.ModeReadOnly, safety.Narrower(m, unknown))
			assert.Equal(t, safety.ModeReadOnly, safety.Narrower(unknown, m))
		}
	}
}

func TestProfiles(t *testing.T) {
	for text, want := range map[string]safety.Profile{"standard": safety.Standard, "guarded": safety.Guarded} {
		got, ok := safety.ParseProfile(text)
		assert.True(t, ok)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{"", "Standard", "standard ", "none", "lax"} {
		got, ok := safety.ParseProfile(text)
		assert.False(t, ok, text)
		assert.Equal(t, safety.Guarded, got, text)
	}
	const s, g, none = safety.Standard, safety.Guarded, safety.Profile("none")
	assert.Equal(t, s, safety.StricterProfile(s, s))
	for _, pair := range [][2]safety.Profile{{s, g}, {g, s}, {g, g}, {s, none}, {none, s}, {none, none}, {"", s}} {
		assert.Equal(t, g, safety.StricterProfile(pair[0], pair[1]), pair)
	}
}
