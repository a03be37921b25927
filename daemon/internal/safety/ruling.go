package safety

import (
	"slices"

	"drawbridge/protocol"
)

// What a refused call has to bring, as the values of required.
const (
	NeedsConfirm = "confirm"
	NeedsToken   = "confirm_token"
)

// Ask is everything that the ruling on one call depends on.
type Ask struct {
	Effects []Effect // of this call, which can be fewer than the tool's
	Mode    Mode
	Profile Profile
	// HasDryRun says that the tool has a dry run; DryRun that the call asks for it.
	HasDryRun, DryRun bool
	Confirmed         bool // the call says confirm:true
	HasToken          bool // the call presents a confirm_token
	Approval          bool // the operator configured an approval back end
	ToolScript        bool // the call carries the text of a @tool script: it counts as executes_code
	Overwrites        bool // the state is such that the call has to be confirmed: it would replace something
}

// Ruling is what is to be done with a call. The zero Ruling lets it pass as it is.
type Ruling struct {
	Code       protocol.Code // not empty: refused with it
	Required   string        // with PRECONDITION_FAILED: what is missing
	Simulate   bool          // the call ends as its dry run, although it asked for the real one
	IssueToken bool          // the dry run prepares: it gives a confirm_token
	SpendToken bool          // the presented token is checked and spent
	AskHuman   bool          // the approval back ends are asked, last of all
	FailOpen   bool          // a back end that cannot be reached may be waved through, if the operator said so
}

// Rule is the one decision on a call. It is total, and what it does not know it refuses: an effect, a mode or a profile
// that is none of ours is a fault of ours, so it is INTERNAL_ERROR, for reads too.
//
// Adding an effect never makes it milder, nor does a stricter mode or profile. That is why what is asked of a call
// follows from any single effect and not from the class: a run that also edits is still put to the human.
func Rule(a Ask) Ruling {
	effects := a.effects()
	class, err := Classify(effects)
	if err != nil {
		return refused(protocol.InternalError)
	}
	demands, err := DemandsOf(effects)
	if err != nil || a.Mode.Rank() < 0 || (a.Profile != Standard && a.Profile != Guarded) {
		return refused(protocol.InternalError)
	}
	switch {
	case class == ReadOnly:
		return Ruling{}
	case a.Mode == ModeReadOnly:
		return refused(protocol.ReadOnlyMode)
	case a.Mode == ModeSuggest && (a.Confirmed || a.HasToken):
		return refused(protocol.ModeForbids)
	case a.DryRun && (!a.HasDryRun || a.HasToken):
		return refused(protocol.ValidationError) // there is nothing to run, or nothing to prepare
	case a.Mode.Rank() < ModeExecute.Rank():
		return a.withoutEffect()
	case a.DryRun:
		return Ruling{IssueToken: prepared(demands)}
	}
	return a.real(class, demands)
}

// effects are those that the ruling goes by. A read that is given the text of a @tool script still runs nothing.
func (a Ask) effects() []Effect {
	if !a.ToolScript || len(a.Effects) == 0 {
		return a.Effects
	}
	return append(slices.Clone(a.Effects), ExecutesCode)
}

// withoutEffect rules on a call in a mode in which nothing happens.
func (a Ask) withoutEffect() Ruling {
	if !a.HasDryRun {
		return refused(protocol.ModeForbids)
	}
	return Ruling{Simulate: !a.DryRun}
}

// real rules on a call that is to have its effect. A token that is presented is always spent, also where none is
// needed: then it was made for something else, and spending it says so.
func (a Ask) real(class Class, demands Demands) Ruling {
	byToken := a.Profile == Guarded && prepared(demands)
	switch {
	case !a.Confirmed && (demands.Confirm == ConfirmDemanded || a.Overwrites || byToken):
		return missing(NeedsConfirm)
	case byToken && !a.HasToken:
		return missing(NeedsToken)
	}
	ask := a.Approval && demands.DryRun // just the edits, removals, file writes and code have one by their effects
	return Ruling{
		SpendToken: a.HasToken,
		AskHuman:   ask,
		FailOpen:   ask && class == Mutating && !a.Overwrites,
	}
}

// prepared says whether a dry run of the call gives a token: it removes, writes, discards or executes code.
func prepared(d Demands) bool { return d.Confirm != ConfirmNone }

func refused(code protocol.Code) Ruling { return Ruling{Code: code} }

func missing(what string) Ruling {
	return Ruling{Code: protocol.PreconditionFailed, Required: what}
}
