package safety_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/safety"
)

// subsets calls f for every set of effects there is.
func subsets(f func(set []safety.Effect)) {
	all := safety.Effects()
	for bits := range 1 << len(all) {
		var set []safety.Effect
		for i, e := range all {
			if bits&(1<<i) != 0 {
				set = append(set, e)
			}
		}
		f(set)
	}
}

func TestNoEffectIsReadOnly(t *testing.T) {
	class, err := safety.Classify(nil)
	require.NoError(t, err)
	assert.Equal(t, safety.ReadOnly, class)
}

func TestTheClassOfEachEffectAlone(t *testing.T) {
	want := map[safety.Effect]safety.Class{
		safety.EditsMemory: safety.Mutating, safety.ChangesView: safety.Mutating, safety.WalksHistory: safety.Mutating,
		safety.KeepsBytes: safety.Mutating,
		safety.Removes:    safety.Destructive, safety.TouchesDisk: safety.Destructive,
		safety.DiscardsUnsaved: safety.Destructive,
		safety.ControlsRun:     safety.Runtime, safety.ExecutesCode: safety.Runtime, safety.SpawnsProcess: safety.Runtime,
		safety.Records: safety.Runtime, safety.Reimports: safety.Runtime,
	}
	for _, e := range safety.Effects() {
		class, err := safety.Classify([]safety.Effect{e})
		require.NoError(t, err)
		assert.Equal(t, want[e], class, e)
	}
	assert.Len(t, want, len(safety.Effects()))
}

func TestAddingAnEffectNeverLowersAnything(t *testing.T) {
	subsets(func(set []safety.Effect) {
		class, err := safety.Classify(set)
		require.NoError(t, err)
		demands, err := safety.DemandsOf(set)
		require.NoError(t, err)
		for _, e := range safety.Effects() {
			more := append(append([]safety.Effect{}, set...), e)
			higher, err := safety.Classify(more)
			require.NoError(t, err)
			require.GreaterOrEqual(t, higher.Rank(), class.Rank(), "%v + %s", set, e)
			stricter, err := safety.DemandsOf(more)
			require.NoError(t, err)
			require.GreaterOrEqual(t, stricter.Confirm, demands.Confirm, "%v + %s", set, e)
			require.True(t, stricter.DryRun || !demands.DryRun, "%v + %s", set, e)
		}
	})
}

func TestTheOrderOfEffectsDoesNotMatter(t *testing.T) {
	subsets(func(set []safety.Effect) {
		backward := make([]safety.Effect, 0, len(set))
		for i := len(set) - 1; i >= 0; i-- {
			backward = append(backward, set[i])
		}
		a, errA := safety.Classify(set)
		b, errB := safety.Classify(backward)
		require.Equal(t, a, b)
		require.Equal(t, errA, errB)
		da, _ := safety.DemandsOf(set)
		db, _ := safety.DemandsOf(backward)
		require.Equal(t, da, db)
	})
}

func TestWhatEachClassDemands(t *testing.T) {
	subsets(func(set []safety.Effect) {
		class, err := safety.Classify(set)
		require.NoError(t, err)
		demands, err := safety.DemandsOf(set)
		require.NoError(t, err)
		flags := safety.FlagsOf(set)
		switch class {
		case safety.ReadOnly:
			require.Equal(t, safety.Demands{}, demands)
		case safety.Mutating:
			require.Equal(t, safety.Demands{DryRun: true}, demands)
		case safety.Destructive:
			require.Equal(t, safety.Demands{DryRun: true, Confirm: safety.ConfirmDemanded}, demands)
		case safety.Runtime:
			if flags.WritesDisk || flags.ExecutesCode {
				require.True(t, demands.DryRun)
				require.NotEqual(t, safety.ConfirmNone, demands.Confirm)
			}
		}
	})
}

func TestHintsFollowTheClass(t *testing.T) {
	type hints = safety.Annotations
	cases := map[string]struct {
		effects []safety.Effect
		want    hints
	}{
		"read_only":             {nil, hints{ReadOnly: true, Idempotent: true}},
		"mutating":              {[]safety.Effect{safety.EditsMemory}, hints{}},
		"destructive":           {[]safety.Effect{safety.Removes}, hints{Destructive: true}},
		"runtime":               {[]safety.Effect{safety.ControlsRun}, hints{}},
		"runtime writes_disk":   {[]safety.Effect{safety.SpawnsProcess, safety.TouchesDisk}, hints{Destructive: true}},
		"runtime executes_code": {[]safety.Effect{safety.ExecutesCode}, hints{Destructive: true, OpenWorld: true}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := safety.AnnotationsOf(c.effects)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestAnUnknownEffectHasNoClassWhateverElseIsThere(t *testing.T) {
	for _, unknown := range []safety.Effect{"", "Edits_Memory", "none", "read_only"} {
		subsets(func(set []safety.Effect) {
			set = append(append([]safety.Effect{}, set...), unknown)
			class, err := safety.Classify(set)
			require.Error(t, err)
			require.Empty(t, class)
			demands, err := safety.DemandsOf(set)
			require.Error(t, err)
			require.Empty(t, demands)
			hints, err := safety.AnnotationsOf(set)
			require.Error(t, err)
			require.False(t, hints.ReadOnly)
		})
	}
}

func TestAnUnknownClassRanksBelowAll(t *testing.T) {
	for _, c := range []safety.Class{"", "admin", "READ_ONLY"} {
		assert.Equal(t, -1, c.Rank())
	}
}
