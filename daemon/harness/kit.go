package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Options say where a Kit finds things. The zero value is right for tests inside the repository.
type Options struct {
	// Root is the repository; empty: the nearest folder upwards whose go.mod names this module.
	Root string
	// Godot is the engine's binary; empty: GODOT_BIN, else what scripts/godot.sh gives.
	Godot string
	// Race builds the daemon with the race detector.
	Race bool
	// Log gets progress and the output of helpers; nil: nothing is shown.
	Log io.Writer
}

// Kit is the workshop of one test process: it builds the daemon once, prepares the project template once, and owns
// one temporary folder that holds everything. Safe for concurrent use.
type Kit struct {
	root  string
	godot string
	dir   string
	race  bool
	log   io.Writer

	binary   once[string]
	template once[template]
}

// NewKit finds the repository and the engine and makes the temporary folder.
func NewKit(ctx context.Context, o Options) (*Kit, error) {
	log := o.Log
	if log == nil {
		log = io.Discard
	}
	root := o.Root
	if root == "" {
		found, err := findRoot()
		if err != nil {
			return nil, err
		}
		root = found
	}
	godot, err := findGodot(ctx, root, o.Godot, log)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "drawbridge-kit-")
	if err != nil {
		return nil, fmt.Errorf("making the kit's folder: %w", err)
	}
	// Links are resolved so that paths in the daemon's and the editor's answers compare equal to ours.
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	return &Kit{root: root, godot: godot, dir: dir, race: o.Race, log: log}, nil
}

// Close removes everything below the kit's temporary folder. Stop daemons and editors first.
func (k *Kit) Close() error {
	if err := removeAll(k.dir); err != nil {
		return fmt.Errorf("cleaning the kit's folder: %w", err)
	}
	return nil
}

// Root is the repository's folder.
func (k *Kit) Root() string { return k.root }

// Godot is the engine's binary.
func (k *Kit) Godot() string { return k.godot }

// TempDir makes a fresh folder that goes away with the kit.
func (k *Kit) TempDir(prefix string) (string, error) {
	dir, err := os.MkdirTemp(k.dir, prefix+"-")
	if err != nil {
		return "", fmt.Errorf("making a temporary folder: %w", err)
	}
	return dir, nil
}

// Binary is the daemon's executable, built at the first call.
func (k *Kit) Binary(ctx context.Context) (string, error) {
	return k.binary.do(func() (string, error) { return k.build(ctx) })
}

// build compiles the daemon into the kit's folder.
func (k *Kit) build(ctx context.Context) (string, error) {
	name := "drawbridge"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	out := filepath.Join(k.dir, name)
	args := []string{"build", "-o", out}
	if k.race {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./daemon/cmd/drawbridge")...)
	cmd.Dir = k.root
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the daemon: %w\n%s", err, text)
	}
	return out, nil
}

// findRoot walks upwards to the module's go.mod.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the repository: %w", err)
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(text, []byte("module drawbridge\n")) {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("finding the repository: no go.mod of module drawbridge upwards of here")
		}
		dir = parent
	}
}

// findGodot takes the given binary, else GODOT_BIN, else asks scripts/godot.sh, which may install one.
func findGodot(ctx context.Context, root, given string, log io.Writer) (string, error) {
	if given != "" {
		return given, nil
	}
	if env := os.Getenv("GODOT_BIN"); env != "" {
		return env, nil
	}
	cmd := exec.CommandContext(ctx, "bash", filepath.Join(root, "scripts", "godot.sh"))
	cmd.Stderr = log
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("getting Godot with scripts/godot.sh: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// once keeps the result of the first successful call; a failure is given again, never retried in silence.
type once[T any] struct {
	mu   sync.Mutex
	done bool
	val  T
	err  error
}

// do runs make at the first call only. The lock is held meanwhile, so concurrent callers wait for the one result.
func (o *once[T]) do(make func() (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.done {
		o.val, o.err = make()
		o.done = true
	}
	return o.val, o.err
}
