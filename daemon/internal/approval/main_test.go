package approval

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWhatPeopleWroteIsKeptShortAndPrintable(t *testing.T) {
	assert.Equal(t, "a b", said("  a\n \u202eb\x00\xff "))
	assert.Len(t, []rune(said(strings.Repeat("é", 500))), 200)
	assert.NotEqual(t, NewID(), NewID())
}

func TestAZeroVerdictIsANo(t *testing.T) {
	assert.False(t, Verdict{}.Yes)
	assert.Equal(t, Verdict{Reachable: true, Reason: "x"}, no("x"))
	assert.Equal(t, Verdict{Reason: "x"}, lost("x"))
}
