package audit

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"drawbridge/daemon/internal/lock"
)

const (
	headSuffix = ".head"
	lockSuffix = ".lock"
	runSuffix  = ".run-"
	keyName    = "audit.key"
	keyBytes   = 32
	// genDigits is the width of the number of a file that was rotated away.
	genDigits = 6
)

// makeFolder makes a folder for this user alone, or checks the one there.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making %s: %w", dir, err)
	}
	return checkFolder(dir)
}

// checkFolder refuses a folder in which others can put files.
func checkFolder(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("checking %s: %w", dir, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("checking %s: it is not a folder (a link is not taken either)", dir)
	}
	return ours(dir, info, othersWrite)
}

// checkFile refuses what is not a plain file of this user that nobody else can write.
func checkFile(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("checking %s: it is not a plain file (a link is not taken either)", path)
	}
	return ours(path, info, othersWrite)
}

// The modes that are refused.
const (
	othersWrite fs.FileMode = 0o022
	othersAny   fs.FileMode = 0o077
)

// handle is an open file that is looked up by its name again before each use: someone may have put another there.
type handle struct {
	path string
	flag int
	file *os.File
	info fs.FileInfo
	// busy is read-held while the file is synced, which goes on after the chain was let go.
	busy sync.RWMutex
}

// fresh gives what is at the path now, and whether that is another file than last time.
func (h *handle) fresh() (info fs.FileInfo, changed bool, err error) {
	info, err = os.Lstat(h.path)
	if err != nil {
		return nil, false, err
	}
	if h.file != nil && os.SameFile(info, h.info) && info.Mode() == h.info.Mode() {
		return info, false, nil
	}
	if err := checkFile(h.path, info); err != nil {
		return nil, false, err
	}
	file, err := os.OpenFile(h.path, h.flag|noFollow, 0)
	if err != nil {
		return nil, false, err
	}
	opened, err := file.Stat()
	if err == nil && !os.SameFile(info, opened) {
		err = fmt.Errorf("opening %s: it was replaced meanwhile", h.path)
	}
	if err != nil {
		return nil, false, errors.Join(err, file.Close())
	}
	h.close()
	h.file, h.info = file, opened
	return opened, true, nil
}

// create makes the file, which must not be there.
func (h *handle) create() error {
	file, err := os.OpenFile(h.path, h.flag|noFollow|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	h.close()
	h.file, h.info = file, info
	return nil
}

// close lets the file go. Nothing is lost by an error: what has to be on the disk was synced before.
func (h *handle) close() {
	h.busy.Lock()
	defer h.busy.Unlock()
	if h.file != nil {
		_ = h.file.Close()
		h.file = nil
	}
}

// loadKey reads the secret; make says whether it is made when there is none.
func loadKey(dir string, mayMake bool) ([]byte, error) {
	path := filepath.Join(dir, keyName)
	if mayMake {
		if err := makeFolder(dir); err != nil {
			return nil, err
		}
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			if err := makeKey(path); err != nil {
				return nil, fmt.Errorf("making the audit key: %w", err)
			}
		}
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("reading the audit key: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("reading the audit key: %s is not a plain file", path)
	}
	if err := ours(path, info, othersAny); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the audit key: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != keyBytes {
		return nil, fmt.Errorf("reading the audit key: %s does not hold %d bytes of hex", path, keyBytes)
	}
	return key, nil
}

// makeKey writes a new secret, unless another daemon was faster.
func makeKey(path string) error {
	guard := lock.NewFile(path + lockSuffix)
	if err := hold(guard, holdWait); err != nil {
		return err
	}
	defer guard.Close()
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	secret := make([]byte, keyBytes)
	_, _ = rand.Read(secret) // it never fails: it ends the process instead
	return writeWhole(path, []byte(hex.EncodeToString(secret)))
}

// writeWhole puts a file in place in one step, with its bytes on the disk.
func writeWhole(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone after the rename, and then this is harmless
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// The waits for a lock: how long one is held is a few µs, so that whoever holds it for seconds is stopped or stuck.
const (
	holdWait  = 5 * time.Second
	firstPoll = 20 * time.Microsecond
	lastPoll  = 2 * time.Millisecond
)

// hold takes a lock within a time.
func hold(file *lock.File, wait time.Duration) error {
	var deadline time.Time
	for poll := firstPoll; ; poll = min(2*poll, lastPoll) {
		got, err := file.TryLock()
		if err != nil {
			return fmt.Errorf("locking %s: %w", file.Path(), err)
		}
		if got {
			return nil
		}
		switch now := time.Now(); {
		case deadline.IsZero():
			deadline = now.Add(wait)
		case now.After(deadline):
			return fmt.Errorf("locking %s: another process has held it for %v", file.Path(), wait)
		}
		time.Sleep(poll)
	}
}

// olderPath is the name of the file with a number once it was rotated away.
func olderPath(path string, gen uint64) string { return fmt.Sprintf("%s.%0*d", path, genDigits, gen) }

// older lists the numbers of the files that were rotated away, in order.
func older(path string) ([]uint64, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("listing audit files: %w", err)
	}
	var gens []uint64
	for _, entry := range entries {
		digits, isOne := strings.CutPrefix(entry.Name(), filepath.Base(path)+".")
		gen, err := strconv.ParseUint(digits, 10, 64)
		if isOne && err == nil && olderPath(path, gen) == filepath.Join(filepath.Dir(path), entry.Name()) {
			gens = append(gens, gen)
		}
	}
	slices.Sort(gens)
	return gens, nil
}

// exists tells whether there is anything at a path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
