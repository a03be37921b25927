package safety

import "slices"

// Mode is what the operator lets clients do, whatever their calls say. The zero Mode is none of ours.
type Mode string

// The modes, from strict to lax.
const (
	ModeReadOnly Mode = "read_only" // reads only
	ModeSuggest  Mode = "suggest"   // changes end as their dry run; nothing can be confirmed
	ModeDryRun   Mode = "dry_run"   // changes end as their dry run
	ModeExecute  Mode = "execute"   // changes happen, each with what its effects demand
	// ModeDangerous is reserved: a value of the lattice that no source of configuration reaches, and that lifts nothing.
	ModeDangerous Mode = "dangerous"
)

// Modes lists the modes from strict to lax. It returns a fresh slice.
func Modes() []Mode {
	return []Mode{ModeReadOnly, ModeSuggest, ModeDryRun, ModeExecute, ModeDangerous}
}

// Rank orders the modes, the strictest first; it is -1 for what is not a mode.
func (m Mode) Rank() int { return slices.Index(Modes(), m) }

// ParseMode reads a mode as a source of configuration may say it, in exactly this spelling. Everything else, and
// "dangerous" too, is the strictest mode, and false.
func ParseMode(text string) (Mode, bool) {
	switch m := Mode(text); m {
	case ModeReadOnly, ModeSuggest, ModeDryRun, ModeExecute:
		return m, true
	default:
		return ModeReadOnly, false
	}
}

// Narrower gives the stricter of two modes. One that is none of ours counts as the strictest.
func Narrower(a, b Mode) Mode {
	if a.Rank() < 0 || b.Rank() < 0 {
		return ModeReadOnly
	}
	if b.Rank() < a.Rank() {
		return b
	}
	return a
}

// Profile says how far-reaching calls have to be prepared. The zero Profile is none of ours.
type Profile string

// The profiles.
const (
	Standard Profile = "standard" // confirm is enough
	Guarded  Profile = "guarded"  // confirm and the token of a dry run
)

// ParseProfile reads a profile, in exactly this spelling. Everything else is guarded, and false.
func ParseProfile(text string) (Profile, bool) {
	switch p := Profile(text); p {
	case Standard, Guarded:
		return p, true
	default:
		return Guarded, false
	}
}

// StricterProfile gives the stricter of two profiles. One that is none of ours counts as guarded.
func StricterProfile(a, b Profile) Profile {
	if a == Standard && b == Standard {
		return Standard
	}
	return Guarded
}
