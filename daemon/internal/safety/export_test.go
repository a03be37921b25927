package safety

// LooksOf gives how many tokens a text has and how often the tripwire looks at one.
func LooksOf(code string) (tokenCount, looks int) {
	w := wire{code: code, tokens: tokens(code)}
	for i := range w.tokens {
		w.look(i)
	}
	return len(w.tokens), w.looks
}
