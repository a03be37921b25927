// Package safety is the permission model, readable on its own: effects are facts that a tool states, the class is
// what follows from them, and a permit is the only way from a decision to an effect. It is pure: no I/O, no clock,
// no context. Whatever it does not know, it refuses.
package safety

import (
	"fmt"
	"slices"
)

// Effect is a fact about what a tool can do. The set is closed.
type Effect string

// The effects. Their names are also the names on the wire.
const (
	EditsMemory     Effect = "edits_memory"     // a scene or resource in memory; the editor's undo restores it
	ChangesView     Effect = "changes_view"     // what the editor shows: edited scene, selection
	WalksHistory    Effect = "walks_history"    // undo and redo
	KeepsBytes      Effect = "keeps_bytes"      // copies of files, outside of the project; nothing in it changes
	Removes         Effect = "removes"          // a node, connection, script or key goes away
	TouchesDisk     Effect = "touches_disk"     // any file, new ones too
	DiscardsUnsaved Effect = "discards_unsaved" // edits that are nowhere else
	ControlsRun     Effect = "controls_run"     // starts, stops or steers a running game
	ExecutesCode    Effect = "executes_code"    // runs code that the caller gave
	SpawnsProcess   Effect = "spawns_process"   // starts a program
	Records         Effect = "records"          // starts a recorder or sampler
	Reimports       Effect = "reimports"        // makes the importer run
)

// Class is the judgement on a set of effects. The zero Class is none of ours and is refused everywhere.
type Class string

// The classes, from harmless to far-reaching.
const (
	ReadOnly    Class = "read_only"
	Mutating    Class = "mutating"
	Destructive Class = "destructive"
	Runtime     Class = "runtime"
)

// Classes lists the classes in rising order. It returns a fresh slice.
func Classes() []Class { return []Class{ReadOnly, Mutating, Destructive, Runtime} }

// Effects lists every effect, in the order of docs. It returns a fresh slice.
func Effects() []Effect {
	return []Effect{
		EditsMemory, ChangesView, WalksHistory, KeepsBytes,
		Removes, TouchesDisk, DiscardsUnsaved,
		ControlsRun, ExecutesCode, SpawnsProcess, Records, Reimports,
	}
}

// Rank orders the classes; it is -1 for what is not a class.
func (c Class) Rank() int { return slices.Index(Classes(), c) }

// classOf gives the class that one effect alone leads to.
func classOf(e Effect) (Class, error) {
	switch e {
	case EditsMemory, ChangesView, WalksHistory, KeepsBytes:
		return Mutating, nil
	case Removes, TouchesDisk, DiscardsUnsaved:
		return Destructive, nil
	case ControlsRun, ExecutesCode, SpawnsProcess, Records, Reimports:
		return Runtime, nil
	default:
		return "", fmt.Errorf("unknown effect %q", string(e))
	}
}

// Classify gives the class of a set of effects: that of the farthest-reaching one. An unknown effect has no class.
func Classify(effects []Effect) (Class, error) {
	class := ReadOnly
	for _, e := range effects {
		c, err := classOf(e)
		if err != nil {
			return "", err
		}
		if c.Rank() > class.Rank() {
			class = c
		}
	}
	return class, nil
}

// Flags refine the runtime class.
type Flags struct {
	ExecutesCode  bool `json:"executes_code,omitempty"`
	WritesDisk    bool `json:"writes_disk,omitempty"`
	SpawnsProcess bool `json:"spawns_process,omitempty"`
}

// FlagsOf gives the flags of a set of effects; only runtime tools have any.
func FlagsOf(effects []Effect) Flags {
	if class, err := Classify(effects); err != nil || class != Runtime {
		return Flags{}
	}
	return Flags{
		ExecutesCode:  slices.Contains(effects, ExecutesCode),
		WritesDisk:    slices.Contains(effects, TouchesDisk),
		SpawnsProcess: slices.Contains(effects, SpawnsProcess),
	}
}

// Confirm says what a call has to say about confirm.
type Confirm int

// The levels, rising.
const (
	ConfirmNone     Confirm = iota // there is no such parameter
	ConfirmOffered                 // there is one; state may demand it
	ConfirmDemanded                // the call is refused without it, dry runs excepted
)

// Demands are what a call has to offer or to say because of its effects.
type Demands struct {
	DryRun  bool
	Confirm Confirm
}

// DemandsOf derives the demands. Every effect can only add to them, so a tool cannot talk itself out of one by
// declaring more: a runtime tool that also removes something is confirmed like any other removal.
func DemandsOf(effects []Effect) (Demands, error) {
	var d Demands
	for _, e := range effects {
		class, err := classOf(e)
		if err != nil {
			return Demands{}, err
		}
		switch {
		case class == Destructive:
			d.DryRun, d.Confirm = true, ConfirmDemanded
		case e == ExecutesCode:
			d.DryRun, d.Confirm = true, max(d.Confirm, ConfirmOffered)
		case class == Mutating:
			d.DryRun = true
		}
	}
	return d, nil
}

// Annotations are the four MCP hints; all four are always given, because the protocol's defaults differ.
type Annotations struct {
	ReadOnly, Destructive, Idempotent, OpenWorld bool
}

// AnnotationsOf derives the hints from the effects.
func AnnotationsOf(effects []Effect) (Annotations, error) {
	class, err := Classify(effects)
	if err != nil {
		return Annotations{}, err
	}
	flags := FlagsOf(effects)
	return Annotations{
		ReadOnly:    class == ReadOnly,
		Destructive: class == Destructive || flags.WritesDisk || flags.ExecutesCode,
		Idempotent:  class == ReadOnly,
		OpenWorld:   flags.ExecutesCode,
	}, nil
}
