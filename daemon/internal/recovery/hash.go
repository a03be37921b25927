package recovery

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
)

// Hash gives the hash of a project's file as hex; "" when there is none.
func Hash(project, path string) (string, error) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return "", fmt.Errorf("opening the project: %w", err)
	}
	defer func() { _ = root.Close() }() // opened for reading
	return hashOf(root, path)
}

func hashOf(root *os.Root, path string) (string, error) {
	native, err := relative(path)
	if err != nil {
		return "", err
	}
	info, err := root.Stat(native)
	if missing(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is not a plain file")
	}
	file, err := root.Open(native)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // opened for reading
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
