package config

import (
	"encoding/base64"
	"fmt"
	"strings"
)

const (
	// secretPrefix starts a secret in the Standard Webhooks form; base64 of 24 to 64 bytes follows, as it demands.
	secretPrefix = "whsec_"
	leastSecret  = 24
	mostSecret   = 64
	// leastToken keeps a bearer token from being guessed, mostToken keeps it inside a header.
	leastToken = 16
	mostToken  = 512
)

// badSecrets says what is wrong with the secrets of a webhook; empty when nothing is. It never repeats a secret.
func badSecrets(webhook string, secrets []string) string {
	if webhook == "" && secrets != nil {
		return "are there, but no webhook is"
	}
	if webhook != "" && len(secrets) == 0 {
		return "are missing: without one no answer of the webhook can be believed"
	}
	for i, secret := range secrets {
		text, ok := strings.CutPrefix(secret, secretPrefix)
		key, err := base64.StdEncoding.Strict().DecodeString(text)
		if !ok || err != nil || len(key) < leastSecret || len(key) > mostSecret {
			return fmt.Sprintf("have an entry, number %d, that is not %s and base64 of %d to %d bytes",
				i+1, secretPrefix, leastSecret, mostSecret)
		}
	}
	return ""
}

// goodToken says whether a bearer token can be used.
func goodToken(text string) bool {
	plain := !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
	return plain && len(text) >= leastToken && len(text) <= mostToken
}
