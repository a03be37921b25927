package rendezvous

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// privateFolder makes dir, or checks that what is there is a folder that nobody but this user can use. The parent
// is made too when it is missing.
func privateFolder(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return fmt.Errorf("making %s: %w", filepath.Dir(dir), err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("making %s: %w", dir, err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("checking %s: %w", dir, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("checking %s: it is not a folder (a link is not taken either)", dir)
	}
	return onlyOurs(dir, info)
}

// loadSecret reads the secret, and makes it first when there is none. The guard is held, so two daemons never make
// two secrets.
func loadSecret(path string) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		secret := randomHex(secretBytes)
		if err := writePrivate(path, []byte(secret)); err != nil {
			return "", fmt.Errorf("writing the secret: %w", err)
		}
		return secret, nil
	}
	if err != nil {
		return "", fmt.Errorf("checking the secret: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("checking the secret: %s is not a plain file", path)
	}
	if err := onlyOurs(path, info); err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the secret: %w", err)
	}
	if raw, err := hex.DecodeString(string(text)); err != nil || len(raw) != secretBytes {
		return "", fmt.Errorf("reading the secret: %s does not hold %d bytes of hex; remove it to get a new one", path, secretBytes)
	}
	return string(text), nil
}

// writePrivate puts text at path in one step, readable by this user alone: a reader sees the old file or the new.
func writePrivate(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	// CreateTemp gives mode 0600. The name is gone after the rename; removing it then is harmless.
	defer os.Remove(f.Name())
	if _, err := f.Write(text); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
