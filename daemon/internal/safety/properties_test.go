package safety_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"drawbridge/daemon/internal/safety"
)

// anyMode draws what a source, a fault or an attacker may put where a mode belongs.
func anyMode(t *rapid.T, label string) safety.Mode {
	return safety.Mode(rapid.OneOf(
		rapid.SampledFrom([]string{"read_only", "suggest", "dry_run", "execute", "dangerous", "", "Execute", "EXECUTE ", "admin"}),
		rapid.String(),
	).Draw(t, label))
}

func anyAsk(t *rapid.T) safety.Ask {
	flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
	return safety.Ask{
		Effects: rapid.SliceOfN(rapid.SampledFrom(append(safety.Effects(), "unknown")), 0, 5).Draw(t, "effects"),
		Mode:    anyMode(t, "mode"),
		Profile: rapid.SampledFrom([]safety.Profile{safety.Standard, safety.Guarded, "unknown", ""}).Draw(t, "profile"),

		HasDryRun: flag("has_dry_run"), DryRun: flag("dry_run"), Confirmed: flag("confirm"), HasToken: flag("token"),
		Approval: flag("approval"), ToolScript: flag("tool_script"), Overwrites: flag("overwrites"),
	}
}

// acts says whether a ruling lets the call have its effect.
func acts(a safety.Ask) bool {
	r := safety.Rule(a)
	return r.Code == "" && !r.Simulate && (!a.DryRun || len(a.Effects) == 0)
}

// No sequence of sources lifts a mode above its ceiling, whatever they say and in whatever order: what is parsed may
// come from the environment, what is not from any fault.
func TestNoSequenceLiftsTheModeAboveItsCeiling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ceiling, _ := safety.ParseMode(string(anyMode(t, "ceiling")))
		if ceiling == safety.ModeDangerous {
			t.Fatal("a source reached the reserved mode")
		}
		mode, profile := ceiling, safety.Standard
		guarded := false
		t.Repeat(map[string]func(*rapid.T){
			"parsed": func(t *rapid.T) {
				asked, _ := safety.ParseMode(string(anyMode(t, "text")))
				mode = safety.Narrower(mode, asked)
			},
			"raw":     func(t *rapid.T) { mode = safety.Narrower(mode, anyMode(t, "mode")) },
			"swapped": func(t *rapid.T) { mode = safety.Narrower(anyMode(t, "mode"), mode) },
			"profile": func(t *rapid.T) {
				asked, known := safety.ParseProfile(rapid.SampledFrom([]string{"standard", "guarded", "none"}).Draw(t, "text"))
				profile = safety.StricterProfile(profile, asked)
				guarded = guarded || !known || asked == safety.Guarded
			},
			"": func(t *rapid.T) {
				if mode.Rank() > ceiling.Rank() || mode.Rank() < 0 {
					t.Fatalf("%q is above %q", mode, ceiling)
				}
				if guarded != (profile == safety.Guarded) {
					t.Fatalf("profile %q, guarded was asked for: %v", profile, guarded)
				}
			},
		})
	})
}

func TestAddingAnEffectNeverMakesTheRulingMilder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ask := anyAsk(t)
		more := ask
		more.Effects = append(slices.Clone(ask.Effects), rapid.SampledFrom(append(safety.Effects(), "x")).Draw(t, "more"))
		stricter(t, ask, more)
		script := ask
		script.ToolScript = true
		stricter(t, ask, script)
		over := ask
		over.Overwrites = true
		stricter(t, ask, over)
	})
}

// stricter fails when the ruling on b is milder than that on a in any respect.
func stricter(t *rapid.T, a, b safety.Ask) {
	ra, rb := safety.Rule(a), safety.Rule(b)
	switch {
	case acts(b) && !acts(a):
		t.Fatalf("%+v does not act, %+v does", a, b)
	case ra.Code != "" && rb.Code == "":
		t.Fatalf("%+v is refused, %+v is not", a, b)
	case rb.Code != "":
		return
	case ra.SpendToken && !rb.SpendToken, ra.AskHuman && !rb.AskHuman, ra.AskHuman && rb.FailOpen && !ra.FailOpen:
		t.Fatalf("%+v gives %+v, but %+v gives %+v", a, ra, b, rb)
	}
}

// A stricter mode may say that a call would be simulated where a laxer one says that it lacks something; it never has
// an effect, asks for less, or gives a token, where the laxer does not.
func TestAStricterModeOrProfileNeverAllowsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lax := anyAsk(t)
		strict := lax
		strict.Mode = safety.Narrower(lax.Mode, anyMode(t, "other"))
		if lax.Mode.Rank() < 0 {
			strict.Mode = lax.Mode // Narrower makes a mode of it; here the call itself is compared
		}
		strict.Profile = rapid.SampledFrom([]safety.Profile{lax.Profile, safety.Guarded}).Draw(t, "stricter")
		if lax.Profile != safety.Standard {
			strict.Profile = lax.Profile
		}
		rl, rs := safety.Rule(lax), safety.Rule(strict)
		switch {
		case acts(strict) && !acts(lax):
			t.Fatalf("%+v acts, %+v does not", strict, lax)
		case rl.Code != "" && rs.Code == "" && !rs.Simulate:
			t.Fatalf("%+v is refused, %+v passes as %+v", lax, strict, rs)
		case rs.IssueToken && !rl.IssueToken, rs.FailOpen && !rl.FailOpen:
			t.Fatalf("%+v gives %+v, %+v gives %+v", lax, rl, strict, rs)
		case acts(strict) && rl.AskHuman && !rs.AskHuman, acts(strict) && rl.SpendToken && !rs.SpendToken:
			t.Fatalf("%+v asks less than %+v", strict, lax)
		}
	})
}

// Whatever runs although it removes, writes, discards or executes was confirmed where that is demanded, and prepared
// where the profile asks for it; nothing simulated or refused gives or spends anything.
func TestWhatTheRulingsPromise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ask := anyAsk(t)
		r := safety.Rule(ask)
		demands, err := safety.DemandsOf(ask.Effects)
		if (r.Code != "" || r.Simulate) && (r.SpendToken || r.IssueToken || r.AskHuman || r.FailOpen || r.Code != "" && r.Simulate) {
			t.Fatalf("%+v does nothing, but %+v", ask, r)
		}
		if r.FailOpen && !r.AskHuman || r.IssueToken && !ask.DryRun || r.SpendToken && !ask.HasToken || r.AskHuman && !ask.Approval {
			t.Fatalf("%+v does not go with %+v", r, ask)
		}
		if !acts(ask) || len(ask.Effects) == 0 {
			return
		}
		switch {
		case err != nil || ask.Mode.Rank() < safety.ModeExecute.Rank():
			t.Fatalf("%+v runs", ask)
		case demands.Confirm == safety.ConfirmDemanded && !ask.Confirmed, ask.Overwrites && !ask.Confirmed:
			t.Fatalf("%+v runs unconfirmed", ask)
		case ask.Profile == safety.Guarded && demands.Confirm != safety.ConfirmNone && !(ask.Confirmed && r.SpendToken):
			t.Fatalf("%+v runs unprepared", ask)
		case ask.Approval && demands.DryRun && !r.AskHuman:
			t.Fatalf("%+v runs unasked", ask)
		}
	})
}

// The golden table shows one set of effects for each class and demands. Any other set is ruled on like its own.
func TestTheTablesRowsStandForAllSetsOfEffects(t *testing.T) {
	like := func(set []safety.Effect) any {
		class, err := safety.Classify(set)
		demands, _ := safety.DemandsOf(set)
		return [3]any{class, demands, err != nil}
	}
	rapid.Check(t, func(t *rapid.T) {
		ask := anyAsk(t)
		shown := ask
		found := false
		for _, set := range representatives() {
			if like(set) == like(ask.Effects) {
				shown.Effects, found = set, true
			}
		}
		if !found {
			t.Fatalf("no row stands for %v", ask.Effects)
		}
		if safety.Rule(ask) != safety.Rule(shown) {
			t.Fatalf("%+v and %+v are ruled on differently", ask, shown)
		}
	})
}
