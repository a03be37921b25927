package approval

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The example of Standard Webhooks 1.0 itself.
func TestTheSignatureIsTheStandards(t *testing.T) {
	secrets, err := parseSecrets([]string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"})
	require.NoError(t, err)
	got := mac(secrets[0], "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	assert.Equal(t, "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", base64.StdEncoding.EncodeToString(got))
}

func TestWhatWeSignIsSigned(t *testing.T) {
	secrets, err := parseSecrets([]string{secretOf("a"), secretOf("b")})
	require.NoError(t, err)
	now := time.Unix(1_700_000_000, 0)
	header := http.Header{}
	sign(header, secrets, "msg_1", now, []byte("x"))
	for _, one := range secrets {
		assert.True(t, signed(header, [][]byte{one}, []byte("x")))
		assert.False(t, signed(header, [][]byte{one}, []byte("y")))
	}
	assert.True(t, fresh(header, now))
	assert.Equal(t, strconv.FormatInt(now.Unix(), 10), header.Get("webhook-timestamp"))
}

// FuzzWebhookAnswer looks at answers whose signature is right: whatever is in them, only the one that says approve to
// this question, in exactly these words, is a yes. Signatures are looked at with it: no other header makes one right.
func FuzzWebhookAnswer(f *testing.F) {
	const id, digest = "Q1", "abcd"
	now := time.Unix(1_700_000_000, 0)
	good := `{"approval_id":"Q1","args_sha256":"abcd","decision":"approve"}`
	for _, body := range []string{
		good, `{"approval_id":"Q1","args_sha256":"abcd","decision":"deny","by":"x","reason":"y"}`, `{}`, `[]`, `null`, ``,
		`{"approval_id":"Q1","args_sha256":"abcd","decision":"approve","decision":"deny"}`, good + good, "\ufeff" + good,
		`{"Approval_ID":"Q1","args_sha256":"abcd","decision":"approve"}`, `{"approval_id":["Q1"]}`, good[:20],
		`{"approval_id":"Q1","args_sha256":"abcd","\u0064ecision":"approve"}`,
	} {
		f.Add([]byte(body), "msg_1", "1700000000", "v1,AAAA")
	}
	f.Add([]byte(good), "a.b", "99999999999999999999", "v1, v1,==== v2,AAAA")
	secrets, err := parseSecrets([]string{secretOf("a")})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, body []byte, messageID, stamp, forged string) {
		w, err := newWebhook(WebhookOptions{
			URL: "https://a.example", Secrets: []string{secretOf("a")}, Now: func() time.Time { return now },
		}, nil)
		require.NoError(t, err)
		q := Question{ID: id, ArgsSHA256: digest}
		header := http.Header{}
		header.Set(headerID, messageID)
		header.Set(headerTime, stamp)
		header.Set(headerSignature, forged)
		v := w.judge(q, header, body)
		assert.Equal(t, Verdict{Reason: "the answer's signature is wrong"}, v, "nobody guesses a signature")
		sign(header, secrets, "msg_1", now, body)
		v = w.judge(q, header, body)
		if !v.Yes {
			assert.NotEmpty(t, v.Reason)
			return
		}
		fields, err := texts(body)
		require.NoError(t, err)
		assert.Equal(t, id, fields["approval_id"])
		assert.Equal(t, digest, fields["args_sha256"])
		assert.Equal(t, "approve", fields["decision"])
		assert.False(t, w.judge(q, header, body).Yes, "once")
	})
}
