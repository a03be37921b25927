package session

import "context"

// Accepted is the action of an answer that was sent off, in contrast to a question that was declined or closed. It is
// a yes only together with Approve.
const Accepted = "accept"

// Answer is what came back on a question that a call led to. Nothing of it is to be trusted before the gate has opened
// State: a client can send any answer with any call.
type Answer struct {
	// State is what the question was sent with, as the client gave it back.
	State string
	// Action is Accepted, or why there is no answer: a word for the log.
	Action string
	// Approve is what the human ticked; it is false with every other action.
	Approve bool
}

// Yes tells whether the answer is an explicit yes. The question that it belongs to is in State.
func (a Answer) Yes() bool { return a.Action == Accepted && a.Approve }

type (
	answerKey      struct{} // the key of a context's answer
	elicitationKey struct{} // the key of what the client can
)

// WithAnswer gives a context whose call comes with an answer.
func WithAnswer(ctx context.Context, a Answer) context.Context {
	return context.WithValue(ctx, answerKey{}, a)
}

// AnswerOf gives the answer that a call comes with, and whether there is one.
func AnswerOf(ctx context.Context) (Answer, bool) {
	a, ok := ctx.Value(answerKey{}).(Answer)
	return a, ok
}

// WithElicitation gives a context that says whether the client of the call can be asked.
func WithElicitation(ctx context.Context, can bool) context.Context {
	return context.WithValue(ctx, elicitationKey{}, can)
}

// CanElicit tells whether the client of the call said that it can ask its human. Where nobody said so, it cannot.
func CanElicit(ctx context.Context) bool {
	can, _ := ctx.Value(elicitationKey{}).(bool)
	return can
}
