package tool

import (
	"encoding/json"
	"time"
)

// Reply is the finished answer to a call: Body is the envelope as JSON, Text what a client shows.
type Reply struct {
	Body   json.RawMessage
	Text   string
	Failed bool
	// Ask, when it is there, is all of the reply: nothing has happened, and the call comes again with the answer.
	Ask *Elicit
}

// Elicit is a question for the human at the client. The front end that carries it decides nothing: whatever comes back
// is given to the gate with State, and everything but an explicit yes as a no.
type Elicit struct {
	// Message is what the human reads.
	Message string
	// State says to the gate what was asked. It travels through the client, so the gate has to seal it.
	State string
	// Expires is when an answer comes too late. Zero: the front end has a bound of its own.
	Expires time.Time
}
