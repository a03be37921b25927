package protocol

import "fmt"

// Code is a stable error code. The set is closed: codes lists every one with its meaning and hint.
type Code string

// The codes. Meaning and hint of each stand in codes below; docs and the addon's constants are made from there.
const (
	ValidationError      Code = "VALIDATION_ERROR"
	PreconditionFailed   Code = "PRECONDITION_FAILED"
	ResourceNotFound     Code = "RESOURCE_NOT_FOUND"
	AlreadyExists        Code = "ALREADY_EXISTS"
	ValueRejected        Code = "VALUE_REJECTED"
	DiskChanged          Code = "DISK_CHANGED"
	SceneMismatch        Code = "SCENE_MISMATCH"
	Timeout              Code = "TIMEOUT"
	BridgeDisconnected   Code = "BRIDGE_DISCONNECTED"
	BridgeProtocolError  Code = "BRIDGE_PROTOCOL_ERROR"
	ResponseTooLarge     Code = "RESPONSE_TOO_LARGE"
	EditorBlocked        Code = "EDITOR_BLOCKED"
	ReadOnlyMode         Code = "READ_ONLY_MODE"
	InvalidPath          Code = "INVALID_PATH"
	PathOutsideProject   Code = "PATH_OUTSIDE_PROJECT"
	ProtectedTarget      Code = "PROTECTED_TARGET"
	CodePatternBlocked   Code = "CODE_PATTERN_BLOCKED"
	ConfirmTokenInvalid  Code = "CONFIRM_TOKEN_INVALID"
	ConfirmTokenExpired  Code = "CONFIRM_TOKEN_EXPIRED"
	ConfirmTokenAction   Code = "CONFIRM_TOKEN_ACTION_MISMATCH"
	ConfirmTokenArgs     Code = "CONFIRM_TOKEN_ARGS_MISMATCH"
	ConfirmTokenContext  Code = "CONFIRM_TOKEN_CONTEXT_MISMATCH"
	StateChanged         Code = "STATE_CHANGED_SINCE_PREPARE"
	SessionAmbiguous     Code = "SESSION_AMBIGUOUS"
	PeerRejected         Code = "PEER_REJECTED"
	ScriptFault          Code = "SCRIPT_FAULT"
	InternalError        Code = "INTERNAL_ERROR"
	ApprovalDenied       Code = "APPROVAL_DENIED"
	ApprovalUnavailable  Code = "APPROVAL_UNAVAILABLE"
	ModeForbids          Code = "MODE_FORBIDS"
	ToolsetDisabled      Code = "TOOLSET_DISABLED"
	AddonVersionMismatch Code = "ADDON_VERSION_MISMATCH"
	TooManyTargets       Code = "TOO_MANY_TARGETS"
	NothingToSave        Code = "NOTHING_TO_SAVE"
	ProjectWriteLocked   Code = "PROJECT_WRITE_LOCKED"
	ProjectQuarantined   Code = "PROJECT_QUARANTINED"
	AuditUnavailable     Code = "AUDIT_UNAVAILABLE"
	RateLimited          Code = "RATE_LIMITED"
	ConfigInvalid        Code = "CONFIG_INVALID"
	AlreadyRunning       Code = "ALREADY_RUNNING"
	PortInUse            Code = "PORT_IN_USE"
)

// CodeInfo says what a code means and what the caller can do about it.
type CodeInfo struct {
	Code    Code
	Meaning string
	// Hint is the remedy given when the failure itself names none.
	Hint string
}

// Codes lists every code, in the order in which docs show them. It returns a fresh slice.
func Codes() []CodeInfo {
	return []CodeInfo{
		{ValidationError, "an argument is missing, unknown, of the wrong type, or refused", "correct the argument named in details and call again"},
		{PreconditionFailed, "something has to be true first; required names it", "bring about what required names, then call again"},
		{ResourceNotFound, "no node, scene, resource or file at that path", "list what is there first: get_scene_tree or find_nodes show real node paths"},
		{AlreadyExists, "the target exists already", "choose another name, or pass overwrite:true where the tool has it"},
		{ValueRejected, "the engine did not keep what was asked; the old state is back unless may_have_applied is set", "read details and choose what the engine accepts"},
		{DiskChanged, "a file changed on disk since the editor read it; nothing was written", "reload_scene takes the scene from its file; or decide which version to keep"},
		{SceneMismatch, "another scene is edited than the call is for", "open_scene the scene that you mean, then call again"},
		{Timeout, "no answer before the deadline", "when may_have_applied is true, ask command_outcome or re-read; do not simply retry"},
		{BridgeDisconnected, "no editor is linked, or the link was lost", "open the project in Godot with the Drawbridge addon enabled"},
		{BridgeProtocolError, "the peer sent something that is not the protocol", "update daemon and addon to the same version"},
		{ResponseTooLarge, "the result does not fit one frame", "ask for less: max_depth, limit and offset page it"},
		{EditorBlocked, "the editor's main loop has been silent", "look at the editor: a dialog or a long task holds it"},
		{ReadOnlyMode, "the operator allows reads only", "ask the operator; no tool argument changes it"},
		{InvalidPath, "not a usable path", "give a path like res://folder/file.tscn"},
		{PathOutsideProject, "the path leaves the project", "use a path inside res://"},
		{ProtectedTarget, "this target is never changed by a tool", "name another target; find_tools shows the tools that there are for this one"},
		{CodePatternBlocked, "the code holds a construct that is never run", "rewrite it without the construct named in details"},
		{ConfirmTokenInvalid, "unknown or spent confirm token", "prepare again with dry_run"},
		{ConfirmTokenExpired, "the confirm token is too old", "prepare again with dry_run"},
		{ConfirmTokenAction, "the confirm token is for another tool", "prepare this tool with dry_run"},
		{ConfirmTokenArgs, "the confirm token is for other arguments", "prepare these arguments with dry_run"},
		{ConfirmTokenContext, "the confirm token is for another client, project or editor", "prepare again here"},
		{StateChanged, "the project changed after the prepare step", "prepare anew and show the new preview"},
		{SessionAmbiguous, "several editors fit", "pass project with one of the choices in details"},
		{PeerRejected, "the other side refused the link", "read reason: it names what did not match"},
		{ScriptFault, "the code that was run failed", "correct the line named in details"},
		{InternalError, "a fault inside Drawbridge", "re-read the state; report it with the details if it returns"},
		{ApprovalDenied, "a human said no", "do not retry; ask the user"},
		{ApprovalUnavailable, "nobody could be asked", "ask the operator to set up approval"},
		{ModeForbids, "the operator mode does not allow this", "ask the operator; no tool argument changes it"},
		{ToolsetDisabled, "the toolset of this tool is switched off", "ask the operator to enable the toolset"},
		{AddonVersionMismatch, "the addon in the editor lacks this command", "run drawbridge install on the project and restart the editor"},
		{TooManyTargets, "the call would affect more nodes or files than allowed", "split the call"},
		{NothingToSave, "nothing is unsaved", "no save is needed"},
		{ProjectWriteLocked, "another writer holds the project", "wait for the holder named in details"},
		{ProjectQuarantined, "an earlier write has an unknown outcome", "settle it with command_outcome, or re-read, then go on"},
		{AuditUnavailable, "the audit log cannot be written, so nothing is changed", "make the audit log writable"},
		{RateLimited, "too many calls at once", "slow down"},
		{ConfigInvalid, "the configuration cannot be used", "correct the setting named in details"},
		{AlreadyRunning, "another daemon does this already", "use the running one, or stop it"},
		{PortInUse, "the port is taken", "choose another port"},
	}
}

// LookupCode returns the description of a code, and whether the code is one of ours.
func LookupCode(c Code) (CodeInfo, bool) {
	for _, info := range Codes() {
		if info.Code == c {
			return info, true
		}
	}
	return CodeInfo{}, false
}

// Error is a failure as it travels on the link and to the client. Message says what happened in one sentence,
// Hint what to do, Required (with PRECONDITION_FAILED always) what has to be true first.
type Error struct {
	Code     Code           `json:"code"`
	Message  string         `json:"message"`
	Hint     string         `json:"hint,omitempty"`
	Required string         `json:"required,omitempty"`
	Details  map[string]any `json:"details,omitempty"`
	// MayHaveApplied is set when the effect may have happened although no answer says so.
	MayHaveApplied bool `json:"may_have_applied,omitempty"`
}

// Fail makes an Error; the message is formatted, the hint is the code's own.
func Fail(code Code, format string, args ...any) *Error {
	info, ok := LookupCode(code)
	if !ok {
		return &Error{Code: InternalError, Message: fmt.Sprintf("unknown error code %q", string(code))}
	}
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Hint: info.Hint}
}

// Error is the text form: `CODE: message [required=token]`.
func (e *Error) Error() string {
	if e.Required == "" {
		return string(e.Code) + ": " + e.Message
	}
	return fmt.Sprintf("%s: %s [required=%s]", e.Code, e.Message, e.Required)
}

// With adds one detail and returns e, for chaining at the place of failure.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// Needs names what has to be true first.
func (e *Error) Needs(required string) *Error {
	e.Required = required
	return e
}

// WithHint replaces the code's general hint by a better one.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}
