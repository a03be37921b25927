package config

import "strconv"

// bounds are a numeric setting: the values it may have and the one it has when nobody says anything, which is also
// the most that the environment may ask for where the policy file says nothing.
type bounds struct {
	setting               string
	least, most, standard int
}

// DefaultMaxAffected is how many targets or files one file-writing call may have when nobody says anything.
const DefaultMaxAffected = 20

// guardedTTL is the longest life of a confirm token in the guarded profile, in seconds.
const guardedTTL = 120

// The numeric settings. The lives of tokens are seed 003's (300 s, 120 s in guarded), the limit on targets is its 20;
// 1,000 targets is the largest batch that was measured. 5,000 calls a second is what the link was built for. A webhook
// has 30 s, and 120 s at most, so that a client's own time limit does not end the call first.
func tokenTTLBounds() bounds    { return bounds{"token_ttl_sec", 30, 300, 300} }
func maxAffectedBounds() bounds { return bounds{"max_affected", 1, 1000, DefaultMaxAffected} }
func rateLimitBounds() bounds   { return bounds{"rate_limit", 1, 5000, 5000} }
func timeoutBounds() bounds     { return bounds{"timeout_sec", 1, 120, 30} }

// parseWhole reads a number in the one form in which it is written: no sign, no space, no leading zero, no exponent.
func parseWhole(text string, b bounds) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && strconv.Itoa(n) == text && n >= b.least && n <= b.most
}
