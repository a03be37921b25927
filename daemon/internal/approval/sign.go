package approval

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The names, the form of the signature and the tolerance are those of Standard Webhooks 1.0.
const (
	headerID        = "webhook-id"
	headerTime      = "webhook-timestamp"
	headerSignature = "webhook-signature"
	secretPrefix    = "whsec_"
	signatureV1     = "v1,"
	// tolerance is how far the other side's clock may be off.
	tolerance = 5 * time.Minute
	// Secrets have 24 to 64 bytes; more than a few are no rotation any more.
	minSecret, maxSecret, maxSecrets = 24, 64, 8
	// maxSignatures bounds the work of checking.
	maxSignatures = 16
)

// messageID is what an answer may be called. Without dots and of bounded length, so that id, time and body cannot be
// split in two ways.
var messageID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// parseSecrets reads secrets. No error repeats one.
func parseSecrets(texts []string) ([][]byte, error) {
	if len(texts) == 0 || len(texts) > maxSecrets {
		return nil, fmt.Errorf("there have to be 1 to %d secrets, not %d", maxSecrets, len(texts))
	}
	var secrets [][]byte
	for i, text := range texts {
		encoded, prefixed := strings.CutPrefix(text, secretPrefix)
		secret, err := base64.StdEncoding.Strict().DecodeString(encoded)
		if !prefixed || err != nil || len(secret) < minSecret || len(secret) > maxSecret {
			return nil, fmt.Errorf("secret %d is not %s followed by base64 of %d to %d bytes", i+1, secretPrefix, minSecret, maxSecret)
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

// mac is the signature of one message with one secret.
func mac(secret []byte, id, stamp string, body []byte) []byte {
	h := hmac.New(sha256.New, secret)
	_, _ = fmt.Fprintf(h, "%s.%s.", id, stamp) // a hash takes everything
	_, _ = h.Write(body)
	return h.Sum(nil)
}

// sign sets the three headers of a message, with a signature for each secret.
func sign(header http.Header, secrets [][]byte, id string, now time.Time, body []byte) {
	stamp := strconv.FormatInt(now.Unix(), 10)
	var signatures []string
	for _, secret := range secrets {
		signatures = append(signatures, signatureV1+base64.StdEncoding.EncodeToString(mac(secret, id, stamp, body)))
	}
	header.Set(headerID, id)
	header.Set(headerTime, stamp)
	header.Set(headerSignature, strings.Join(signatures, " "))
}

// signed tells whether one of the signatures of a message is right.
func signed(header http.Header, secrets [][]byte, body []byte) bool {
	id, stamp := header.Get(headerID), header.Get(headerTime)
	fields := strings.Fields(header.Get(headerSignature))
	if !messageID.MatchString(id) || len(fields) > maxSignatures || len(header.Values(headerSignature)) != 1 ||
		len(header.Values(headerID)) != 1 || len(header.Values(headerTime)) != 1 {
		return false
	}
	for _, field := range fields {
		encoded, ours := strings.CutPrefix(field, signatureV1)
		given, err := base64.StdEncoding.Strict().DecodeString(encoded)
		if !ours || err != nil {
			continue // a version that we do not know
		}
		for _, secret := range secrets {
			if hmac.Equal(given, mac(secret, id, stamp, body)) {
				return true
			}
		}
	}
	return false
}

// fresh tells whether a message was made about now.
func fresh(header http.Header, now time.Time) bool {
	text := header.Get(headerTime)
	stamp, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(stamp, 10) != text {
		return false
	}
	off := now.Unix() - stamp // where that does not fit, it wraps to far away
	return off <= int64(tolerance/time.Second) && off >= -int64(tolerance/time.Second)
}

// answer is the body of an answer.
type answer struct {
	ApprovalID string
	ArgsSHA256 string
	Approve    bool
	By, Reason string
}

// parseAnswer reads an answer strictly: one object of known keys, each at most once, all of them texts.
func parseAnswer(body []byte) (answer, error) {
	fields, err := texts(body)
	if err != nil {
		return answer{}, err
	}
	a := answer{
		ApprovalID: fields["approval_id"], ArgsSHA256: fields["args_sha256"], By: fields["by"], Reason: fields["reason"],
	}
	decision := fields["decision"]
	for _, name := range []string{"approval_id", "args_sha256", "decision"} {
		if fields[name] == "" {
			return answer{}, fmt.Errorf("%s is missing", name)
		}
		delete(fields, name)
	}
	delete(fields, "by")
	delete(fields, "reason")
	switch {
	case len(fields) > 0:
		return answer{}, errors.New("it has unknown keys")
	case decision != "approve" && decision != "deny":
		return answer{}, errors.New("decision is neither approve nor deny")
	}
	a.Approve = decision == "approve"
	return a, nil
}

// texts reads one JSON object whose values are texts. Keys are taken as they are written, which encoding/json's own
// reading into a struct does not do.
func texts(body []byte) (map[string]string, error) {
	if !json.Valid(body) { // also: nothing follows
		return nil, errors.New("it is not JSON")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return nil, errors.New("it is no object")
	}
	fields := map[string]string{}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("reading a key: %w", err)
		}
		value, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("reading a value: %w", err)
		}
		name, isText := key.(string)
		text, isTextToo := value.(string)
		if _, twice := fields[name]; !isText || !isTextToo || twice {
			return nil, errors.New("it has a key twice, or a value that is no text")
		}
		fields[name] = text
	}
	return fields, nil
}
