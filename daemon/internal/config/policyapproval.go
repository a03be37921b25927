package config

import (
	"net/url"
	"strconv"
	"strings"
	"time"
)

// approval settles who is asked. The environment may name somebody only where the file names nobody, and may add the
// demand for the client's own yes; it never takes a demand away.
func (r *resolver) approval() {
	var file approvalLayer
	if r.file.approval != nil {
		file = *r.file.approval
	}
	r.webhook(file)
	r.timeout(file)
	r.failOpen(file)
	r.require(file)
}

// webhook settles the address and its secrets. An address that cannot be asked, or could not be believed, must not
// count as none.
func (r *resolver) webhook(file approvalLayer) {
	address, from := ceiling(file.webhook, "")
	secrets := file.secrets
	text, secret := r.get("APPROVAL_WEBHOOK"), r.get("APPROVAL_SECRET")
	switch {
	case text == "" && secret == "":
	case r.file.namesBackend():
		r.ignored(text, secret, "is not followed: the policy file says who is asked")
	case text == "":
		r.ignored("", secret, "is not used: there is no "+prefix+"APPROVAL_WEBHOOK")
	case !goodWebhook(text):
		r.refuse("APPROVAL_WEBHOOK", "has to be an https address, or http on the loopback interface, without user and fragment")
	default:
		address, secrets, from = text, strings.Fields(secret), FromEnvironment
		if wrong := badSecrets(text, secrets); wrong != "" {
			r.refuse("APPROVAL_SECRET", "cannot be used: the secrets %s", wrong)
		}
	}
	r.policy.Approval.Webhook, r.policy.Approval.Secrets = address, secrets
	shownSecret := "none"
	if len(secrets) > 0 {
		shownSecret = secretSet
	}
	r.source("approval_webhook", hostOf(address), from)
	r.source("approval_secret", shownSecret, from)
}

// ignored warns of the settings of a webhook that are set but not used.
func (r *resolver) ignored(webhook, secret, why string) {
	if webhook != "" {
		r.warn("APPROVAL_WEBHOOK", "%s", why)
	}
	if secret != "" {
		r.warn("APPROVAL_SECRET", "%s", why)
	}
}

// hostOf shows an address without what may be secret in it.
func hostOf(address string) string {
	if address == "" {
		return "none"
	}
	u, err := url.Parse(address)
	if err != nil {
		return secretSet
	}
	return u.Scheme + "://" + u.Host
}

// timeout settles how long an answer may take. Whoever names the webhook may also give it the full time.
func (r *resolver) timeout(file approvalLayer) {
	b := timeoutBounds()
	top, from := ceiling(file.timeout, b.standard)
	if file.timeout == 0 && !r.file.namesBackend() && r.get("APPROVAL_TIMEOUT_SEC") != "" {
		top, from = b.most, FromEnvironment
	}
	seconds, from := r.lower(b, "APPROVAL_TIMEOUT_SEC", top, from)
	r.policy.Approval.Timeout = time.Duration(seconds) * time.Second
	r.source("approval_timeout_sec", strconv.Itoa(seconds), from)
}

// failOpen settles whether an unreachable webhook may be waved through, which is a widening: where the file speaks of
// approval at all, it is for the file to say.
func (r *resolver) failOpen(file approvalLayer) {
	open, from := isTrue(file.failOpen), FromDefault
	if file.failOpen != nil {
		from = FromFile
	}
	if text := r.get("APPROVAL_FAIL_OPEN"); text != "" {
		asked, ok := parseSwitch(text)
		switch {
		case !ok:
			r.warn("APPROVAL_FAIL_OPEN", "is %s, which is neither on nor off, so it counts as off", shown(text))
			open, from = false, FromEnvironment
		case asked == open:
		case asked && r.file.approval != nil:
			r.warn("APPROVAL_FAIL_OPEN", "is not followed: the policy file speaks of approval, so fail_open is for it to say")
		default:
			open, from = asked, FromEnvironment
		}
	}
	r.policy.Approval.FailOpen = open
	r.source("approval_fail_open", strconv.FormatBool(open), from)
}

// require settles whether the client's own yes is demanded.
func (r *resolver) require(file approvalLayer) {
	demanded, from := isTrue(file.require), FromDefault
	if file.require != nil {
		from = FromFile
	}
	if text := r.get("APPROVAL_REQUIRE"); text != "" {
		asked, ok := parseSwitch(text)
		if !ok {
			r.warn("APPROVAL_REQUIRE", "is %s, which is neither on nor off, so it counts as on", shown(text))
		}
		switch {
		case asked && !demanded:
			demanded, from = true, FromEnvironment
		case !asked && demanded:
			r.warn("APPROVAL_REQUIRE", "is not followed: the policy file demands a yes")
		}
	}
	r.policy.Approval.Require = demanded
	r.source("approval_require", strconv.FormatBool(demanded), from)
}
