// Package rendezvous is the folder by which addons find daemons: one file for each daemon, a lock beside it that
// says whether the daemon lives, and the secret that both sides know. Everything in it is private to the user, and
// whatever could not be checked is refused.
package rendezvous

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"drawbridge/protocol"
)

const (
	// folderName is our folder inside the user's configuration folder.
	folderName = "drawbridge"
	// daemonsName is the folder of the rendezvous files inside folderName.
	daemonsName = "daemons"
	// secretName is the file that holds the secret, inside folderName.
	secretName = "link.secret"
	// guardName is the lock that is held while files here come and go.
	guardName = "daemons.lock"
	// secretBytes is the length of the secret before hex.
	secretBytes = 32
	// bootIDBytes is the length of a boot id before hex.
	bootIDBytes = 16
)

// Entry is this daemon's place in the folder. It stays until Close, or until the process dies: the lock then
// frees itself, and the next daemon removes what is left.
type Entry struct {
	folder string
	url    string
	bootID string
	secret string
	lock   *flock.Flock

	mu        sync.Mutex
	bootNonce string
}

// Publish checks the folder, clears away what dead daemons left, and writes this daemon's file for url. configDir
// is the user's configuration folder, which Godot calls OS.get_config_dir().
func Publish(ctx context.Context, configDir, url string) (*Entry, error) {
	folder := filepath.Join(configDir, folderName)
	for _, dir := range []string{folder, filepath.Join(folder, daemonsName)} {
		if err := privateFolder(dir); err != nil {
			return nil, err
		}
	}
	free, err := hold(ctx, filepath.Join(folder, guardName))
	if err != nil {
		return nil, err
	}
	defer free()
	secret, err := loadSecret(filepath.Join(folder, secretName))
	if err != nil {
		return nil, err
	}
	if err := sweep(filepath.Join(folder, daemonsName)); err != nil {
		return nil, err
	}
	e := &Entry{folder: folder, url: url, bootID: randomHex(bootIDBytes), secret: secret}
	if err := e.publish(); err != nil {
		return nil, err
	}
	return e, nil
}

// publish takes the lock and writes the file, in this order: a file without a held lock is a dead daemon's.
func (e *Entry) publish() error {
	e.lock = flock.New(e.path(".lock"), flock.SetPermissions(0o600))
	got, err := e.lock.TryLock()
	if err != nil {
		return fmt.Errorf("locking the rendezvous: %w", err)
	}
	if !got {
		return errors.New("locking the rendezvous: someone else holds this boot id")
	}
	if err := e.Renew(); err != nil {
		return errors.Join(err, e.Close())
	}
	return nil
}

// Renew writes the file anew with a fresh boot nonce, which makes every proof made so far worthless.
func (e *Entry) Renew() error {
	nonce := randomHex(protocol.NonceBytes)
	text, err := json.Marshal(protocol.Rendezvous{
		Protocol: protocol.Version, URL: e.url, BootID: e.bootID, BootNonce: nonce,
		SecretFile: secretName, PID: os.Getpid(),
	})
	if err != nil {
		return fmt.Errorf("encoding the rendezvous: %w", err)
	}
	if err := writePrivate(e.path(".json"), text); err != nil {
		return fmt.Errorf("writing the rendezvous: %w", err)
	}
	e.mu.Lock()
	e.bootNonce = nonce
	e.mu.Unlock()
	return nil
}

// BootID names this run of the daemon.
func (e *Entry) BootID() string { return e.bootID }

// Secret is the hex text that both sides key their proofs with.
func (e *Entry) Secret() string { return e.secret }

// BootNonce is the nonce in the file now.
func (e *Entry) BootNonce() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.bootNonce
}

// Close takes the file away and frees the lock.
func (e *Entry) Close() error {
	err := remove(e.path(".json"))
	if cerr := e.lock.Close(); cerr != nil {
		err = errors.Join(err, fmt.Errorf("freeing the rendezvous lock: %w", cerr))
	}
	return errors.Join(err, remove(e.path(".lock")))
}

func (e *Entry) path(suffix string) string {
	return filepath.Join(e.folder, daemonsName, e.bootID+suffix)
}

// sweep removes the files of daemons that are gone: those whose lock is free. The guard is held, so no daemon is
// between making its lock and taking it.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("reading the rendezvous folder: %w", err)
	}
	for _, entry := range entries {
		id, isFile := strings.CutSuffix(entry.Name(), ".json")
		if !isFile {
			if id, isFile = strings.CutSuffix(entry.Name(), ".lock"); !isFile {
				continue
			}
		}
		if err := sweepOne(filepath.Join(dir, id)); err != nil {
			return err
		}
	}
	return nil
}

// sweepOne removes one dead daemon's file and lock. A lock that cannot be tried counts as held.
func sweepOne(base string) error {
	lock := flock.New(base+".lock", flock.SetPermissions(0o600))
	defer lock.Close()
	if got, err := lock.TryLock(); err != nil || !got {
		return nil
	}
	return errors.Join(remove(base+".json"), remove(base+".lock"))
}

// hold takes the lock at path and gives what frees it.
func hold(ctx context.Context, path string) (func(), error) {
	lock := flock.New(path, flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return nil, fmt.Errorf("waiting for %s: %w", path, err)
	}
	return func() { _ = lock.Close() }, nil
}

// remove removes a file; one that is gone already is fine.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing a rendezvous file: %w", err)
	}
	return nil
}

// randomHex gives n random bytes as hex text. crypto/rand never fails: it ends the process instead.
func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}
