package audit

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// The kinds of a line.
const (
	KindStart   = "start"   // a daemon opened the log
	KindIntent  = "intent"  // something is about to be changed
	KindOutcome = "outcome" // how a call ended
	KindNote    = "note"    // the log says something about itself: Event names it, Note tells it
	KindRotated = "rotated" // the first line of every file but the first
	KindStop    = "stop"    // a daemon closed the log
)

// The outcomes of a call. Any other word is written as OutcomeUnknown.
const (
	OutcomeRead      = "read"
	OutcomeDenied    = "denied"
	OutcomeSimulated = "simulated"
	OutcomeApplied   = "applied"
	OutcomeFailed    = "failed"
	OutcomeUnknown   = "unknown"
)

// The events of a note.
const (
	EventTorn        = "torn"         // a line that was only half written was taken off
	EventForeign     = "foreign"      // something that this log did not write was taken off its end
	EventCut         = "cut"          // the end of the file was gone
	EventHeadRebuilt = "head_rebuilt" // the head file was gone or not ours
	EventLost        = "lost"         // outcomes that could not be written were more than are kept
)

// The bounds of a line, in bytes before escaping. A control character takes six bytes escaped, so the sum times six
// stays below maxLine, the longest line that a reader takes.
const (
	maxName      = 200
	maxWord      = 128
	maxTarget    = 512
	maxTargetSum = 3 << 10
	maxTargets   = 32
	maxLine      = 64 << 10
)

// Entry is one line. The caller fills in what it knows of a call; the fields of the first group are the log's own,
// whatever the caller put there.
type Entry struct {
	Kind string `json:"kind"`
	Seq  uint64 `json:"seq"`
	// Intent is the Seq of the intent that an outcome belongs to.
	Intent uint64    `json:"intent,omitempty"`
	Time   time.Time `json:"time"`
	Boot   string    `json:"boot,omitempty"`
	// Run names one open Log: a boot has one for each file.
	Run   string `json:"run,omitempty"`
	PID   int    `json:"pid,omitempty"`
	Event string `json:"event,omitempty"`
	Note  string `json:"note,omitempty"`
	// Files is how many older files there are beside a rotated one.
	Files int `json:"files,omitempty"`

	Client string `json:"client,omitempty"`
	// ClientName is what the client calls itself: untrusted.
	ClientName string   `json:"client_name,omitempty"`
	Project    string   `json:"project,omitempty"`
	Editor     string   `json:"editor,omitempty"`
	Tool       string   `json:"tool,omitempty"`
	Class      string   `json:"class,omitempty"`
	Mode       string   `json:"mode,omitempty"`
	Outcome    string   `json:"outcome,omitempty"`
	Targets    []string `json:"targets,omitempty"`
	// TargetsLeftOut counts the targets that did not fit.
	TargetsLeftOut int    `json:"targets_left_out,omitempty"`
	ArgsDigest     string `json:"args_digest,omitempty"`
	RequestID      string `json:"request_id,omitempty"`
	IdempotencyKey string `json:"idempotency_key,omitempty"`
	// TokenDigest is the start of the hash of a confirm token, never the token.
	TokenDigest string `json:"token_digest,omitempty"`
	Code        string `json:"code,omitempty"`
	DurationMS  int64  `json:"duration_ms,omitempty"`
	// Approval is the back end that said yes, or "fail_open".
	Approval       string `json:"approval,omitempty"`
	MayHaveApplied bool   `json:"may_have_applied,omitempty"`
	// Trace is the caller's traceparent.
	Trace string `json:"trace,omitempty"`

	// Durable asks Intent to see the line on the disk before it returns. It is not written.
	Durable bool `json:"-"`
}

// Mark names an intent, for its outcome. Only this package makes marks.
type Mark interface{ intent() uint64 }

// mark is the Seq of an intent.
type mark uint64

func (m mark) intent() uint64 { return uint64(m) }

// Mark names the entry as the intent of an outcome that is still to be written: how a dangling one is settled.
func (e Entry) Mark() Mark { return mark(e.Seq) }

// capped is the entry with every text cut to its bound.
func (e Entry) capped() Entry {
	for _, text := range []*string{&e.Client, &e.ClientName, &e.Project, &e.Editor, &e.Trace} {
		*text = cut(*text, maxName)
	}
	for _, text := range []*string{
		&e.Boot, &e.Tool, &e.Class, &e.Mode, &e.Outcome, &e.ArgsDigest, &e.RequestID, &e.IdempotencyKey,
		&e.TokenDigest, &e.Code, &e.Approval, &e.Event,
	} {
		*text = cut(*text, maxWord)
	}
	e.Note = cut(e.Note, maxTargetSum)
	e.cutTargets()
	return e
}

// cutTargets keeps the first targets, as many as fit.
func (e *Entry) cutTargets() {
	if len(e.Targets) == 0 {
		return
	}
	kept := make([]string, 0, min(len(e.Targets), maxTargets))
	sum := 0
	for _, target := range e.Targets {
		target = cut(target, maxTarget)
		if sum += len(target); len(kept) == maxTargets || sum > maxTargetSum {
			break
		}
		kept = append(kept, target)
	}
	e.TargetsLeftOut += len(e.Targets) - len(kept)
	e.Targets = kept
}

// cut shortens a text to about max bytes and says how much is missing.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	at := most
	for at > most-utf8.UTFMax && !utf8.RuneStart(text[at]) {
		at--
	}
	return fmt.Sprintf("%s…[+%d bytes]", text[:at], len(text)-at)
}

// settled is the outcome word that is written for the caller's.
func settled(outcome string) string {
	known := []string{OutcomeRead, OutcomeDenied, OutcomeSimulated, OutcomeApplied, OutcomeFailed, OutcomeUnknown}
	if slices.Contains(known, outcome) {
		return outcome
	}
	return OutcomeUnknown
}
