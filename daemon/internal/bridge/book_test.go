package bridge

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAFullNonceBookStartsAnewWithAnotherBootNonce(t *testing.T) {
	renewed := 0
	b := &nonceBook{max: 2, spent: map[string]struct{}{}, renew: func() error { renewed++; return nil }}
	assert.True(t, b.spend("a"))
	assert.False(t, b.spend("a"))
	assert.True(t, b.spend("b"))
	assert.False(t, b.spend("c"), "its proof was made over the boot nonce that is gone now")
	assert.Equal(t, 1, renewed)
	assert.True(t, b.spend("d"))
}

func TestANonceBookThatCannotRenewLetsNobodyIn(t *testing.T) {
	b := &nonceBook{max: 1, spent: map[string]struct{}{}, renew: func() error { return errors.New("disk full") }}
	assert.True(t, b.spend("a"))
	assert.False(t, b.spend("b"))
	assert.False(t, b.spend("a"))
}

func TestTheIdIsFoundInTheHeadOfAFrame(t *testing.T) {
	for head, want := range map[string]string{
		`{"id":"x-1","ok":true,"result":{"data":"aaaa`: "x-1",
		`{"ok":true,"id":"x-1"`:                        "",
		`{"id":1,`:                                     "",
		`{"id":"x`:                                     "",
		`["id","x"]`:                                   "",
		``:                                             "",
	} {
		assert.Equal(t, want, idInHead([]byte(head)), head)
	}
}
