package protocol

import "encoding/json"

// Phase says how far a command may go in the editor.
type Phase string

// The phases. Only apply may change anything, and only the gate sends it.
const (
	PhaseQuery Phase = "query" // a read
	PhasePlan  Phase = "plan"  // a dry run: the handler's plan, not committed
	PhaseApply Phase = "apply" // plan again and commit in the same frame
)

// Request is one command for the editor, one text frame. Numbers inside Params reach Godot as floats, so 64-bit
// integers and every caller's value travel in the tagged form of EncodeValue.
type Request struct {
	ID             string          `json:"id"`
	Command        string          `json:"command"`
	Phase          Phase           `json:"phase"`
	Params         json.RawMessage `json:"params"`
	DeadlineUnixMS int64           `json:"deadline_unix_ms"`
	// Scene is the scene the command is for: its path, or its id when it was never saved. Empty means the edited one.
	Scene string `json:"scene,omitempty"`
	// Confirmed is true when the gate saw the confirmation that the tool demands. The addon refuses a plan that
	// removes or writes without it.
	Confirmed bool `json:"confirmed,omitempty"`
	// Effects are the tool's declared effects; a plan that does more is refused.
	Effects        []string `json:"effects,omitempty"`
	Expect         *Expect  `json:"expect,omitempty"`
	IdempotencyKey string   `json:"idempotency_key,omitempty"`
	// Digest is the hash of command and canonical arguments: the same key with another digest is refused.
	Digest string `json:"digest,omitempty"`
	// Action is the name of the undo action, as the user sees it in the editor's history.
	Action string `json:"action,omitempty"`
}

// Expect is the state that the addon checks in the frame in which it commits. Empty fields are not checked.
type Expect struct {
	Editor string            `json:"editor,omitempty"`
	Rev    int64             `json:"rev,omitempty"`
	Target string            `json:"target,omitempty"`
	Files  map[string]string `json:"files,omitempty"` // res:// path -> sha256 hex, "" for a file that must not exist
}

// Cancel withdraws a request that has not started.
type Cancel struct {
	Cancel string `json:"cancel"`
}

// Response answers one request. Result is set when OK, Error otherwise.
type Response struct {
	ID     string  `json:"id"`
	OK     bool    `json:"ok"`
	Result *Result `json:"result,omitempty"`
	Error  *Error  `json:"error,omitempty"`
}

// Answers is one frame with several responses, in the order in which they were given.
type Answers struct {
	Answers []Response `json:"answers"`
}

// Result is what a command gave. Data is the handler's own answer. Plan is set for plan and apply; Done for apply.
type Result struct {
	Data json.RawMessage `json:"data"`
	// Scene is the scene that was read or written.
	Scene string `json:"scene,omitempty"`
	Plan  *Plan  `json:"plan,omitempty"`
	Done  *Done  `json:"done,omitempty"`
	// EngineErrors are errors that the engine logged while the command ran.
	EngineErrors []EngineError `json:"engine_errors,omitempty"`
}

// Plan is what a command is going to change: the same object for a dry run and for the real run.
type Plan struct {
	Targets     []string     `json:"targets"`
	Effects     []string     `json:"effects"`
	Removes     bool         `json:"removes"`
	Writes      bool         `json:"writes"`
	Undoable    bool         `json:"undoable"`
	Files       []FileState  `json:"files,omitempty"`
	Persistence []Verdict    `json:"persistence,omitempty"`
	Fingerprint *Fingerprint `json:"fingerprint,omitempty"`
}

// FileState is a file that a plan would write, as it is now. SHA256 is empty when the file does not exist.
type FileState struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Fingerprint is the state that a plan was made on.
type Fingerprint struct {
	Editor  string `json:"editor"`
	Scene   string `json:"scene"`
	Rev     int64  `json:"rev"`
	Unsaved bool   `json:"unsaved"`
	Target  string `json:"target"`
}

// Done is what an apply did. Of a call that an earlier sending carried out it is what that one did, but for SceneDirty,
// which is of now.
type Done struct {
	Undoable     bool        `json:"undoable"`
	UndoAction   string      `json:"undo_action,omitempty"`
	SceneDirty   bool        `json:"scene_dirty"`
	OnDisk       []FileState `json:"on_disk,omitempty"`
	AlsoWritten  []FileState `json:"also_written,omitempty"`
	Deduplicated bool        `json:"deduplicated,omitempty"`
}

// EngineError is one line of the engine's error log. Script is true for a GDScript error.
type EngineError struct {
	Message string `json:"message"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Script  bool   `json:"script,omitempty"`
}

// OutcomeState is what the addon's ledger knows of a request.
type OutcomeState string

// The states of the ledger. Unknown also means: older than the ledger, or another editor run.
const (
	OutcomeUnknown      OutcomeState = "unknown"
	OutcomeQueued       OutcomeState = "queued"
	OutcomeRunning      OutcomeState = "running"
	OutcomeApplied      OutcomeState = "applied"
	OutcomeFailed       OutcomeState = "failed"
	OutcomeNeverStarted OutcomeState = "never_started"
)
