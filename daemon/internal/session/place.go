package session

import "context"

// placeKey is the key of a context's place.
type placeKey struct{}

// WithPlace gives a context whose call tells by Placed that the client's next call may begin. Only so are calls that a
// client sends without waiting begun in their order, and writes get their turns in it.
func WithPlace(ctx context.Context, placed func()) context.Context {
	return context.WithValue(ctx, placeKey{}, placed)
}

// Placed says that the call has its place: from here on it waits for others. It may be said more than once.
func Placed(ctx context.Context) {
	if placed, ok := ctx.Value(placeKey{}).(func()); ok {
		placed()
	}
}
