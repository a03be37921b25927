package protocol

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// The link opens in four steps. 1. The addon's HTTP upgrade carries ProofHeader: AddonProof over the daemon's boot
// nonce (from the rendezvous file) and a fresh client nonce. 2. The daemon's first frame is Welcome with its own
// proof over both nonces; an addon that does not get it hangs up. 3. The addon sends Hello. 4. The daemon answers
// with Accept, or with Reject and a close. The secret itself never crosses the wire.

// ProofHeader carries "<client nonce hex> <proof hex>" in the upgrade request.
const ProofHeader = "X-Drawbridge-Proof"

// NonceBytes is the length of boot and client nonces, in bytes before hex.
const NonceBytes = 16

// AddonProof shows the daemon that the dialler knows the secret. All arguments and the result are hex text.
func AddonProof(secret, bootNonce, clientNonce string) string {
	return proof("drawbridge-addon", secret, bootNonce, clientNonce)
}

// DaemonProof shows the addon that the listener knows the secret.
func DaemonProof(secret, bootNonce, clientNonce string) string {
	return proof("drawbridge-daemon", secret, bootNonce, clientNonce)
}

// proof is HMAC-SHA256 keyed by the secret's text over role, boot nonce and client nonce, joined by newlines; the
// role keeps a proof from being played back in the other direction.
func proof(role, secret, bootNonce, clientNonce string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(role + "\n" + bootNonce + "\n" + clientNonce))
	return hex.EncodeToString(mac.Sum(nil))
}

// Rendezvous is the file by which an addon finds a daemon: <user config>/drawbridge/daemons/<boot id>.json, 0600.
// It is stale when the lock file beside it (<boot id>.lock) is free.
type Rendezvous struct {
	Protocol  int    `json:"protocol"`
	URL       string `json:"url"` // ws://127.0.0.1:PORT/link
	BootID    string `json:"boot_id"`
	BootNonce string `json:"boot_nonce"`
	// SecretFile is a file name inside <user config>/drawbridge, 0600, holding the secret as hex text.
	SecretFile string `json:"secret_file"`
	PID        int    `json:"pid"`
}

// Welcome is the daemon's first frame: {"welcome": {…}}.
type Welcome struct {
	Proof    string `json:"proof"`
	BootID   string `json:"boot_id"`
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
}

// Hello is the addon's first frame: {"hello": {…}}.
type Hello struct {
	Protocol     int    `json:"protocol"`
	AddonVersion string `json:"addon_version"`
	// AddonHash is the sha256 over the addon's files: for each file name (sorted, .gd and plugin.cfg, paths relative
	// to the addon's folder) the name, a NUL, the bytes, a NUL.
	AddonHash    string `json:"addon_hash"`
	GodotVersion string `json:"godot_version"`
	// ProjectPath is the absolute path of res://, as the editor sees it; the daemon resolves links itself.
	ProjectPath string `json:"project_path"`
	ProjectName string `json:"project_name"`
	// Editor is a fresh random id for each run of the editor's addon.
	Editor string `json:"editor"`
	PID    int    `json:"pid"`
	// AddonPath is the addon's own folder as res:// path, e.g. res://addons/drawbridge.
	AddonPath string `json:"addon_path"`
	// Commands are the public methods of all handlers, sorted.
	Commands []string `json:"commands"`
	Headless bool     `json:"headless"`
	// Scene is the edited scene (path or id), empty when none is open.
	Scene string `json:"scene"`
}

// Accept ends the handshake: {"accept": {…}}.
type Accept struct {
	Project string `json:"project"`
}

// Reject refuses the link: {"reject": {…}}, then the socket closes. The addon shows the reason and keeps trying
// with bounded back-off.
type Reject struct {
	Code    Code           `json:"code"`
	Reason  string         `json:"reason"`
	Details map[string]any `json:"details,omitempty"`
}

// Event is something the addon reports unasked: {"event": name, "data": {…}}.
type Event struct {
	Event string    `json:"event"`
	Data  EventData `json:"data"`
}

// EventData is the state after the event. Scene is the edited scene now (path or id; empty: none).
type EventData struct {
	Scene string `json:"scene"`
	Rev   int64  `json:"rev"`
}

// The events. Beat comes each second from the editor's main loop.
const (
	EventBeat       = "beat"
	EventScene      = "scene_changed"
	EventSelection  = "selection_changed"
	EventFilesystem = "filesystem_changed"
)
