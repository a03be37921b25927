package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"drawbridge/protocol"
)

const (
	// folderName is our folder inside the user's configuration folder. The secret that editors and daemons share lies
	// there too: a daemon that is pointed at another folder finds another policy, but no editor either.
	folderName = "drawbridge"
	// policyName is the policy file inside folderName.
	policyName = "policy.json"
	// mostPolicyBytes is far more than 50 projects need.
	mostPolicyBytes = 64 << 10
	// othersWrite are the bits that a folder may not have, othersAny those that a private file may not have.
	othersWrite = fs.FileMode(0o022)
	othersAny   = fs.FileMode(0o077)
)

// invalid makes the refusal of the policy file.
func invalid(path, format string, args ...any) *protocol.Error {
	return protocol.Fail(protocol.ConfigInvalid, "the policy file %s cannot be used: %s", path, fmt.Sprintf(format, args...)).
		With("setting", "policy file").With("path", path).
		WithHint("correct the policy file, or remove it to have the defaults")
}

// readPolicyFile gives the bytes of the policy file in the user's configuration folder; nil when there is none.
// Whatever cannot be checked is refused: a file that others could have written is not the operator's word, and neither
// is its absence from a folder in which others may remove it.
func readPolicyFile(userDir string) (path string, data []byte, err error) {
	folder := filepath.Join(userDir, folderName)
	path = filepath.Join(folder, policyName)
	info, err := os.Lstat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil, nil
	}
	if err != nil {
		return path, nil, invalid(path, "its folder cannot be checked: %v", err)
	}
	if !info.IsDir() {
		return path, nil, invalid(path, "%s is not a folder (a link is not taken either)", folder)
	}
	if wrong := onlyOurs(info, othersWrite); wrong != "" {
		return path, nil, invalid(path, "its folder is not private: %s; run chmod go-w on it", wrong)
	}
	info, err = os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil, nil
	}
	if err != nil {
		return path, nil, invalid(path, "%v", err)
	}
	if !info.Mode().IsRegular() {
		return path, nil, invalid(path, "it is not a plain file (a link is not taken either)")
	}
	if wrong := onlyOurs(info, othersAny); wrong != "" {
		return path, nil, invalid(path, "it is not private: %s; run chmod 600 on it", wrong)
	}
	data, err = readSame(path, info, mostPolicyBytes)
	if err != nil {
		return path, nil, invalid(path, "%v", err)
	}
	return path, data, nil
}

// readSame reads a file that was looked at before, if it is still that one and has at most the given bytes. The result
// is never nil when there is no error.
func readSame(path string, seen fs.FileInfo, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening it: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("checking it: %w", err)
	}
	if !os.SameFile(seen, info) {
		return nil, errors.New("it changed while it was read")
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, fmt.Errorf("reading it: %w", err)
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("it is larger than %d bytes", most)
	}
	return data, nil
}
