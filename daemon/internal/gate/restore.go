package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"drawbridge/daemon/internal/recovery"
	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
	"drawbridge/protocol"
)

// maxRestored is what of a file fits into one frame, as the text that it travels in.
const maxRestored = (protocol.MaxFrame - 1<<16) / 4 * 3

// fetch gets the kept bytes that a restoring call puts back; they travel with its parameters.
func (g *Gate) fetch(ctx context.Context, c *call) *protocol.Error {
	role := c.tool.Recovery()
	if role == tool.NoRecovery {
		return nil
	}
	if g.opts.Recovery == nil {
		return protocol.Fail(protocol.ResourceNotFound, "nothing is kept: there is no store")
	}
	var extra any
	var failure *protocol.Error
	if role == tool.RestoresFile {
		extra, failure = g.fetchFile(c)
	} else {
		extra, failure = g.fetchCheckpoint(ctx, c)
	}
	if failure != nil {
		return failure
	}
	text, err := encode(extra)
	if err != nil {
		return protocol.Fail(protocol.InternalError, "encoding kept bytes: %v", err)
	}
	c.kept = text
	return nil
}

// restored is one file on its way back. Bytes are written as base64.
type restored struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Bytes  []byte `json:"bytes"`
}

// restoring is what the addon gets of a call that puts files back, beside the call's own parameters.
type restoring struct {
	Files []restored `json:"files"`
	About any        `json:"about,omitempty"`
}

func (g *Gate) fetchFile(c *call) (any, *protocol.Error) {
	path, sum := c.args.Text("path"), strings.ToLower(c.args.Text("sha256"))
	if sum == "latest" {
		sum = ""
	}
	now, err := recovery.Hash(c.project, path)
	if err != nil {
		return nil, protocol.Fail(protocol.PreconditionFailed, "%s cannot be read: %v", path, err).Needs("readable_file")
	}
	entry, err := g.opts.Recovery.Find(c.project, path, sum, now)
	if errors.Is(err, recovery.ErrNotKept) {
		return nil, protocol.Fail(protocol.ResourceNotFound, "no other bytes of %s are kept", path).
			With("path", path).With("sha256", c.args.Text("sha256")).
			WithHint("list_recoverable shows what is kept; a file is kept from its first change by a tool on")
	}
	if err != nil {
		return nil, protocol.Fail(protocol.PreconditionFailed, "%v", err).Needs("recovery_store")
	}
	file, failure := g.fetchEntry(c.project, entry)
	if failure != nil {
		return nil, failure
	}
	return restoring{Files: []restored{file}, About: entry}, nil
}

func (g *Gate) fetchEntry(project string, e recovery.Entry) (restored, *protocol.Error) {
	if e.Size > maxRestored {
		return restored{}, protocol.Fail(protocol.PreconditionFailed,
			"%s has %d bytes, and only %d go to the editor in one frame", e.Path, e.Size, maxRestored).
			Needs("smaller_file").With("path", e.Path).With("kept_at", g.opts.Recovery.File(project, e.SHA256)).
			WithHint("copy it by hand from details.kept_at")
	}
	bytes, err := g.opts.Recovery.Read(project, e)
	if err != nil {
		return restored{}, protocol.Fail(protocol.ResourceNotFound, "the kept bytes of %s cannot be had: %v", e.Path, err).
			With("path", e.Path).WithHint("list_recoverable shows what else is kept of it")
	}
	return restored{e.Path, e.SHA256, bytes}, nil
}

// aboutCheckpoint is what a restoring call says of the checkpoint, and of what it leaves alone.
type aboutCheckpoint struct {
	Name        string           `json:"checkpoint"`
	Time        string           `json:"checkpoint_time"`
	NotRestored []map[string]any `json:"not_restored,omitempty"`
	Newer       []string         `json:"newer_files_left,omitempty"`
	NewerTotal  int              `json:"newer_files_total"`
	Edits       undoBack         `json:"undo_back"`
	Note        string           `json:"note"`
}

func (g *Gate) fetchCheckpoint(ctx context.Context, c *call) (any, *protocol.Error) {
	name, filter := c.args.Text("name"), c.args.Text("filter")
	found, err := g.opts.Recovery.Compare(ctx, c.project, name)
	if errors.Is(err, recovery.ErrNotKept) {
		return nil, protocol.Fail(protocol.ResourceNotFound, "there is no checkpoint %q", name).With("param", "name").
			WithHint("list_checkpoints shows those there are")
	}
	if err != nil {
		return nil, protocol.Fail(protocol.PreconditionFailed, "%v", err).Needs("recovery_store")
	}
	about := aboutCheckpoint{
		Name: name, Time: found.Time.Format("2006-01-02T15:04:05Z"), Note: filesOnly + "; no edit was undone, and undo_back is about the scene that it names",
		Newer: found.Newer[:min(len(found.Newer), 20)], NewerTotal: len(found.Newer), Edits: g.undoBack(ctx, c.project, found.Edits),
	}
	out := restoring{Files: []restored{}}
	var size int64
	for _, e := range found.Differ {
		if !strings.Contains(strings.ToLower(e.Path), strings.ToLower(filter)) {
			continue
		}
		if failure := g.mayRestore(c, e.Path); failure != nil {
			about.NotRestored = append(about.NotRestored, map[string]any{
				"path": e.Path, "code": failure.Code, "why": failure.Message,
			})
			continue
		}
		if size += e.Size; size > maxRestored {
			return nil, protocol.Fail(protocol.TooManyTargets,
				"the files that differ have more than the %d bytes that go to the editor in one frame", maxRestored).
				With("differ", len(found.Differ)).WithHint("restore part of it: filter takes a part of the paths")
		}
		file, failure := g.fetchEntry(c.project, e)
		if failure != nil {
			return nil, failure
		}
		out.Files = append(out.Files, file)
	}
	out.About = about
	return out, nil
}

// mayRestore tells why a file of a checkpoint is one that no tool writes: it is then left alone, and told.
func (g *Gate) mayRestore(c *call, path string) *protocol.Error {
	return safety.Contain(path, disk{dir: c.project}, c.editor.Hello.AddonPath, true)
}

// withKept adds what the store gave to a call's parameters.
func withKept(params, kept json.RawMessage) (json.RawMessage, error) {
	if kept == nil {
		return params, nil
	}
	if !json.Valid(params) || params[0] != '{' {
		return nil, fmt.Errorf("the parameters are not an object")
	}
	return objectOf(append(membersOf(params), member{quoted: json.RawMessage(`"kept"`), value: kept})), nil
}

// recoverable is one file in the answer of list_recoverable.
type recoverable struct {
	recovery.Entry
	OnDisk bool `json:"is_on_disk"`
}

// Recoverable lists files of a project as they were before they were changed.
func (g *Gate) Recoverable(project, text string, offset, limit int) (any, *protocol.Error) {
	dir, failure := g.storeOf(project)
	if failure != nil {
		return nil, failure
	}
	page, err := g.opts.Recovery.List(dir, text, offset, limit)
	if err != nil {
		return nil, protocol.Fail(protocol.PreconditionFailed, "%v", err).Needs("recovery_store")
	}
	files := make([]recoverable, 0, len(page.Entries))
	for _, e := range page.Entries {
		now, err := recovery.Hash(dir, e.Path)
		files = append(files, recoverable{e, err == nil && now == e.SHA256})
	}
	answer := map[string]any{
		"files": files, "total": page.Total, "returned": len(files), "truncated": offset+len(files) < page.Total,
	}
	if offset+len(files) < page.Total {
		answer["next_offset"] = offset + len(files)
	}
	return answer, nil
}

// Checkpoints lists a project's checkpoints.
func (g *Gate) Checkpoints(project string) (any, *protocol.Error) {
	dir, failure := g.storeOf(project)
	if failure != nil {
		return nil, failure
	}
	list, err := g.opts.Recovery.Checkpoints(dir)
	if err != nil {
		return nil, protocol.Fail(protocol.PreconditionFailed, "%v", err).Needs("recovery_store")
	}
	if list == nil {
		list = []recovery.Checkpoint{}
	}
	return map[string]any{"checkpoints": list, "total": len(list), "note": filesOnly}, nil
}

// storeOf gives the folder of the project that a local tool is asked about, if there is a store.
func (g *Gate) storeOf(project string) (string, *protocol.Error) {
	at, failure := g.about(project)
	if failure != nil {
		return "", failure
	}
	if g.opts.Recovery == nil {
		return "", protocol.Fail(protocol.PreconditionFailed, "there is no store of kept bytes").Needs("recovery_store")
	}
	return at.Dir, nil
}
