package recovery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"drawbridge/daemon/internal/safety"
)

// Keep keeps the bytes of the files that the permit names, and gives the hash of each as it was kept: "" for one that
// does not exist, of which there is nothing to keep. When it fails, the caller must not write.
func (s *Store) Keep(ctx context.Context, project string, permit *safety.Permit) (sums map[string]string, err error) {
	order, err := ordered(permit, CommandKeep)
	if err != nil {
		return nil, fmt.Errorf("keeping bytes: %w", err)
	}
	b, err := s.open(ctx, project)
	if err != nil {
		return nil, fmt.Errorf("keeping bytes: %w", err)
	}
	defer func() { err = errors.Join(err, b.close()) }()
	root, err := os.OpenRoot(project)
	if err != nil {
		return nil, fmt.Errorf("keeping bytes: %w", err)
	}
	defer func() { _ = root.Close() }() // opened for reading; nothing can be lost
	sums = make(map[string]string, len(order.Files))
	for _, path := range order.Files {
		entry, err := b.keep(root, path)
		if err != nil {
			return nil, fmt.Errorf("keeping the bytes of %s: %w", path, err)
		}
		sums[path] = entry.SHA256
		if entry.SHA256 == "" {
			continue
		}
		entry.Time, entry.Tool = s.opts.Now().UTC(), order.Tool
		b.index.add(entry)
	}
	if err := b.prune(); err != nil {
		return nil, fmt.Errorf("keeping bytes: %w", err)
	}
	return sums, b.save()
}

// keep copies one file's bytes: one open, one read, for the copy and its hash alike. Links are followed inside of the
// project only.
func (b *box) keep(root *os.Root, path string) (Entry, error) {
	native, err := relative(path)
	if err != nil {
		return Entry{}, err
	}
	info, err := root.Stat(native)
	if missing(err) {
		return Entry{Path: path}, nil
	}
	if err != nil {
		return Entry{}, err
	}
	if !info.Mode().IsRegular() {
		return Entry{}, errors.New("it is not a plain file")
	}
	if info.Size() > b.opts.MaxBytes {
		return Entry{}, fmt.Errorf("it has %d bytes, and at most %d are kept", info.Size(), b.opts.MaxBytes)
	}
	file, err := root.Open(native)
	if err != nil {
		return Entry{}, err
	}
	defer func() { _ = file.Close() }() // opened for reading
	sum, size, err := b.copy(file)
	return Entry{Path: path, SHA256: sum, Size: size}, err
}

// copy keeps all that a reader gives, under its hash.
func (b *box) copy(from io.Reader) (sum string, size int64, err error) {
	f, err := os.CreateTemp(b.path(objectsName), ".new-*")
	if err != nil {
		return "", 0, err
	}
	settled := false
	defer func() {
		if !settled {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	h := sha256.New()
	if size, err = io.Copy(io.MultiWriter(f, h), io.LimitReader(from, b.opts.MaxBytes+1)); err != nil {
		return "", 0, err
	}
	if size > b.opts.MaxBytes {
		return "", 0, fmt.Errorf("it has more than the %d bytes that are kept at most", b.opts.MaxBytes)
	}
	sum = hex.EncodeToString(h.Sum(nil))
	if info, err := os.Lstat(b.object(sum)); err == nil && info.Mode().IsRegular() && info.Size() == size {
		return sum, size, nil
	}
	settled = true
	if err := settle(f, b.object(sum)); err != nil {
		return "", 0, errors.Join(err, os.Remove(f.Name()))
	}
	return sum, size, nil
}

func (b *box) object(sum string) string { return filepath.Join(b.path(objectsName), sum) }

// File is where the bytes with a hash are kept, for a person who wants to copy them by hand.
func (s *Store) File(project, sum string) string {
	return filepath.Join(s.folder(project), objectsName, sum)
}

// Read gives the bytes of an entry, when they are still what they were.
func (s *Store) Read(project string, e Entry) ([]byte, error) {
	if raw, err := hex.DecodeString(e.SHA256); err != nil || len(raw) != sha256.Size {
		return nil, fmt.Errorf("%q is not a hash", e.SHA256)
	}
	bytes, err := os.ReadFile(s.File(project, e.SHA256))
	if missing(err) {
		return nil, ErrNotKept
	}
	if err != nil {
		return nil, fmt.Errorf("reading kept bytes: %w", err)
	}
	if sum := sha256.Sum256(bytes); hex.EncodeToString(sum[:]) != e.SHA256 {
		return nil, fmt.Errorf("the kept bytes of %s are damaged", e.Path)
	}
	return bytes, nil
}
