package recovery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// The bounds of a checkpoint.
const (
	maxCheckpointFile  = 16 << 20
	maxCheckpointFiles = 20_000
	maxLeftOutShown    = 5
)

// ErrTaken is the error for a checkpoint's name that is in use.
var ErrTaken = errors.New("there is a checkpoint of this name")

// Checkpoint is what the list says of one: the project's scenes, resources, scripts and settings as files.
type Checkpoint struct {
	Name  string    `json:"name"`
	Time  time.Time `json:"time"`
	Files int       `json:"files"`
	Bytes int64     `json:"bytes"`
	// LeftOut says what of the project is not in it, and why.
	LeftOut []LeftOut `json:"left_out,omitempty"`
	// Edits says how far the editor's undo history was; nil when that could not be told.
	Edits *Edits `json:"edits,omitempty"`
}

// Edits is a place in the undo history of one scene, in one run of the editor.
type Edits struct {
	Editor string `json:"editor"`
	Scene  string `json:"scene"`
	// Root is the scene's root node: another one when the scene was read again, which begins a new history.
	Root string `json:"root"`
	// Number is that of the newest action that was done; 0 when there was none.
	Number int64 `json:"number"`
}

// LeftOut are files that a checkpoint does not hold.
type LeftOut struct {
	Reason string   `json:"reason"`
	Files  int      `json:"files"`
	Such   []string `json:"such_as"`
}

// The reasons for which a file is left out.
const (
	leftKind   = "not_a_scene_resource_script_or_setting"
	leftLarge  = "larger_than_16_mib"
	leftBound  = "more_than_a_checkpoint_holds"
	leftNoRead = "not_a_plain_file"
)

// kinds are the endings of the files that a checkpoint holds.
func kinds() []string {
	return []string{
		".tscn", ".scn", ".tres", ".res", ".gd", ".cs", ".gdshader", ".gdshaderinc", ".godot", ".cfg", ".import",
		".uid", ".gdextension", ".json", ".txt", ".md", ".csv", ".po",
	}
}

// survey is a walk through a project: the files for a checkpoint, and what is left out.
type survey struct {
	files []Entry // without hashes
	bytes int64
	most  int64
	left  []LeftOut
}

// survey lists what a checkpoint holds. Links are not followed.
func (s *Store) survey(ctx context.Context, root *os.Root) (*survey, error) {
	found := &survey{most: s.opts.MaxBytes / 2}
	err := fs.WalkDir(root.FS(), ".", func(rel string, d fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && (isHidden(rel) || "res://"+rel == protocol.DefaultAddonPath) {
				return fs.SkipDir
			}
			return nil
		}
		if skipped(rel) && rel != "project.godot" {
			return nil
		}
		return found.add(rel, d)
	})
	if err != nil {
		return nil, fmt.Errorf("going through the project: %w", err)
	}
	return found, nil
}

// skipped tells whether a file is hidden, or one that no tool may change.
func skipped(rel string) bool {
	res, failure := protocol.ParseResPath("res://" + rel)
	return failure != nil || isHidden(rel) || protocol.Protected(res, protocol.DefaultAddonPath) != nil
}

func isHidden(rel string) bool { return strings.HasPrefix(path.Base(rel), ".") }

func (v *survey) add(rel string, d fs.DirEntry) error {
	res := "res://" + rel
	info, err := d.Info()
	switch {
	case err != nil:
		return err
	case !slices.Contains(kinds(), strings.ToLower(path.Ext(rel))):
		v.leave(leftKind, res)
	case !info.Mode().IsRegular():
		v.leave(leftNoRead, res)
	case info.Size() > maxCheckpointFile:
		v.leave(leftLarge, res)
	case len(v.files) >= maxCheckpointFiles || v.bytes+info.Size() > v.most:
		v.leave(leftBound, res)
	default:
		v.files = append(v.files, Entry{Path: res, Size: info.Size()})
		v.bytes += info.Size()
	}
	return nil
}

func (v *survey) leave(reason, res string) {
	at := slices.IndexFunc(v.left, func(l LeftOut) bool { return l.Reason == reason })
	if at < 0 {
		at = len(v.left)
		v.left = append(v.left, LeftOut{Reason: reason})
	}
	v.left[at].Files++
	if len(v.left[at].Such) < maxLeftOutShown {
		v.left[at].Such = append(v.left[at].Such, res)
	}
}

// Survey tells what a checkpoint made now would hold.
func (s *Store) Survey(ctx context.Context, project, name string) (Checkpoint, error) {
	x, err := readIndex(s.folder(project))
	if err != nil {
		return Checkpoint{}, err
	}
	if x.checkpoint(name) >= 0 {
		return Checkpoint{}, ErrTaken
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("opening the project: %w", err)
	}
	defer func() { _ = root.Close() }() // opened for reading
	v, err := s.survey(ctx, root)
	if err != nil {
		return Checkpoint{}, err
	}
	return Checkpoint{Name: name, Time: s.opts.Now().UTC(), Files: len(v.files), Bytes: v.bytes, LeftOut: v.left}, nil
}

// Checkpoint keeps the project's files under the name that the permit gives.
func (s *Store) Checkpoint(ctx context.Context, project string, permit *safety.Permit) (made Checkpoint, err error) {
	order, err := ordered(permit, CommandCheckpoint)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("making a checkpoint: %w", err)
	}
	b, err := s.open(ctx, project)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("making a checkpoint: %w", err)
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if b.index.checkpoint(order.Name) >= 0 {
		return Checkpoint{}, ErrTaken
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("opening the project: %w", err)
	}
	defer func() { _ = root.Close() }() // opened for reading
	v, err := s.survey(ctx, root)
	if err != nil {
		return Checkpoint{}, err
	}
	made = Checkpoint{Name: order.Name, Time: s.opts.Now().UTC(), LeftOut: v.left, Edits: order.Edits}
	var files []Entry
	for _, f := range v.files {
		if err := ctx.Err(); err != nil {
			return Checkpoint{}, err
		}
		kept, err := b.keep(root, f.Path)
		if err != nil {
			return Checkpoint{}, fmt.Errorf("keeping the bytes of %s: %w", f.Path, err)
		}
		if kept.SHA256 != "" { // it has just gone
			files = append(files, kept)
			made.Bytes += kept.Size
		}
	}
	made.Files = len(files)
	return made, b.enlist(made, files)
}

// enlist writes what a checkpoint holds, and then names it.
func (b *box) enlist(made Checkpoint, files []Entry) error {
	text, err := json.Marshal(files)
	if err != nil {
		return fmt.Errorf("writing a checkpoint: %w", err)
	}
	if err := put(manifestPath(b.dir, made.Name), text); err != nil {
		return err
	}
	b.index.Checkpoints = append(b.index.Checkpoints, made)
	if err := b.prune(); err != nil {
		return err
	}
	return b.save()
}

// Checkpoints lists a project's checkpoints, newest first.
func (s *Store) Checkpoints(project string) ([]Checkpoint, error) {
	x, err := readIndex(s.folder(project))
	slices.Reverse(x.Checkpoints)
	return x.Checkpoints, err
}

// checkpoint is the place of a name; -1 when there is none.
func (x *index) checkpoint(name string) int {
	return slices.IndexFunc(x.Checkpoints, func(c Checkpoint) bool { return c.Name == name })
}

// manifestPath is the file that lists a checkpoint's files. Names are free text, so they are hashed.
func manifestPath(dir, name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(dir, manifestName, hex.EncodeToString(sum[:16])+".json")
}

func readManifest(dir, name string) ([]Entry, error) {
	text, err := os.ReadFile(manifestPath(dir, name))
	if err != nil {
		return nil, fmt.Errorf("reading the checkpoint %q: %w", name, err)
	}
	var files []Entry
	if err := json.Unmarshal(text, &files); err != nil {
		return nil, fmt.Errorf("reading the checkpoint %q: %w", name, err)
	}
	return files, nil
}

// Comparison is a checkpoint beside the project as it is now.
type Comparison struct {
	Checkpoint
	// Differ are the files that are not as they were then, as they were then.
	Differ []Entry
	// Newer are files of the same kinds that have come since.
	Newer []string
}

// Compare tells what has changed since a checkpoint.
func (s *Store) Compare(ctx context.Context, project, name string) (Comparison, error) {
	dir := s.folder(project)
	x, err := readIndex(dir)
	if err != nil {
		return Comparison{}, err
	}
	at := x.checkpoint(name)
	if at < 0 {
		return Comparison{}, ErrNotKept
	}
	then, err := readManifest(dir, name)
	if err != nil {
		return Comparison{}, err
	}
	root, err := os.OpenRoot(project)
	if err != nil {
		return Comparison{}, fmt.Errorf("opening the project: %w", err)
	}
	defer func() { _ = root.Close() }() // opened for reading
	now, err := s.survey(ctx, root)
	if err != nil {
		return Comparison{}, err
	}
	out := Comparison{Checkpoint: x.Checkpoints[at]}
	known := map[string]bool{}
	for _, e := range then {
		known[e.Path] = true
		sum, err := hashOf(root, e.Path)
		if err != nil {
			return Comparison{}, fmt.Errorf("reading %s: %w", e.Path, err)
		}
		if sum != e.SHA256 {
			out.Differ = append(out.Differ, e)
		}
	}
	for _, f := range now.files {
		if !known[f.Path] {
			out.Newer = append(out.Newer, f.Path)
		}
	}
	return out, nil
}
