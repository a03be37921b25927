// Package approval asks humans whether a call may go on: by a signed webhook, on a local page, or, for a question that
// the MCP front end carries, by sealing what was asked. Everything but an explicit yes is a no.
//
// It decides nothing beyond that: which back ends are asked, and what an unreachable one means, is the gate's to say.
package approval

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"
	"unicode"
)

// maxSaid is how many characters are kept of what a human or their receiver wrote.
const maxSaid = 200

// NewID makes the id of a question; ids are never used twice.
func NewID() string { return rand.Text() }

// Question is what a human is asked, and all that they get to see. Whatever comes from a project is in it as data.
type Question struct {
	// ID is from NewID; the answer has to name it.
	ID string `json:"approval_id"`
	// Tool and Class say what the call is; of a batch, Class is the worst of its entries.
	Tool  string `json:"tool"`
	Class string `json:"class"`
	// Project is the canonical folder, Client what the client calls itself.
	Project string `json:"project"`
	Client  string `json:"client"`
	// Targets are the nodes and files that the call is about.
	Targets []string `json:"targets,omitempty"`
	// Preview is the plan, as a dry run shows it.
	Preview json.RawMessage `json:"preview,omitempty"`
	// Code is what the call would write as a script or run.
	Code string `json:"code,omitempty"`
	// Argv is what the call would start, exactly.
	Argv []string `json:"argv,omitempty"`
	// ArgsSHA256 is the digest of the arguments; the answer has to name it.
	ArgsSHA256 string `json:"args_sha256"`
	// Entries are the calls of a batch, in order.
	Entries []Entry `json:"entries,omitempty"`
	// Expires is when an answer comes too late. Zero: when the back end's own time is up.
	Expires time.Time `json:"expires_at,omitzero"`
}

// Entry is one call of a batch.
type Entry struct {
	Tool    string          `json:"tool"`
	Class   string          `json:"class"`
	Targets []string        `json:"targets,omitempty"`
	Preview json.RawMessage `json:"preview,omitempty"`
	Code    string          `json:"code,omitempty"`
}

// Verdict is what came of a question. The zero Verdict is a no of an unreachable back end.
type Verdict struct {
	// Yes is an explicit yes to exactly this question.
	Yes bool
	// Reachable is false when the back end could not be spoken to, and only then: a call that ended, a question that
	// cannot be asked and a wrong answer of somebody who knows the secret are no reason to wave a call through.
	Reachable bool
	// By is who said so, in their own words: a label for the log.
	By string
	// Reason says in a few words why it is a no.
	Reason string
}

// Backend is a way to a human.
type Backend interface {
	// Name names the back end in the audit log.
	Name() string
	// Ask waits for the answer to a question, until it expires, the back end's time is up, or ctx ends.
	Ask(ctx context.Context, q Question) Verdict
}

// no is a refusal of a back end that can be spoken to.
func no(reason string) Verdict { return Verdict{Reachable: true, Reason: reason} }

// lost is the refusal of one that cannot.
func lost(reason string) Verdict { return Verdict{Reason: reason} }

// said makes what somebody wrote fit for a line of a log.
func said(text string) string {
	kept := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, text))
	if len(kept) > maxSaid {
		kept = append(kept[:maxSaid-1], '…')
	}
	return strings.TrimSpace(string(kept))
}
