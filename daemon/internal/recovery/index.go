package recovery

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const indexVersion = 1

// Entry is one file as it was at one time.
type Entry struct {
	Path   string    `json:"path"`
	SHA256 string    `json:"sha256"`
	Size   int64     `json:"size"`
	Time   time.Time `json:"time"`
	// Tool is the call because of which it was kept.
	Tool string `json:"tool"`
}

// index lists what a project's folder holds, oldest first.
type index struct {
	Version     int          `json:"version"`
	Project     string       `json:"project"`
	Entries     []Entry      `json:"entries"`
	Checkpoints []Checkpoint `json:"checkpoints,omitempty"`
}

// readIndex reads the list; there is none before something was kept. One that cannot be read is an error: to begin a
// new one would lose what is kept.
func readIndex(dir string) (index, error) {
	text, err := os.ReadFile(filepath.Join(dir, indexName))
	if missing(err) {
		return index{Version: indexVersion}, nil
	}
	if err != nil {
		return index{}, fmt.Errorf("reading the recovery index: %w", err)
	}
	var read index
	if err := json.Unmarshal(text, &read); err != nil {
		return index{}, fmt.Errorf("reading the recovery index %s: %w", filepath.Join(dir, indexName), err)
	}
	if read.Version != indexVersion {
		return index{}, fmt.Errorf("the recovery index %s has the unknown version %d", filepath.Join(dir, indexName), read.Version)
	}
	return read, nil
}

// add lists what was kept. A file that has not changed since it was kept last has one entry, of the later time.
func (x *index) add(e Entry) {
	if at := x.newest(e.Path); at >= 0 && x.Entries[at].SHA256 == e.SHA256 {
		x.Entries = slices.Delete(x.Entries, at, at+1)
	}
	x.Entries = append(x.Entries, e)
}

// newest is the place of a path's last entry; -1 when it has none.
func (x *index) newest(path string) int {
	for at := len(x.Entries) - 1; at >= 0; at-- {
		if x.Entries[at].Path == path {
			return at
		}
	}
	return -1
}

// save writes the list.
func (b *box) save() error {
	b.index.Version = indexVersion
	text, err := json.Marshal(b.index)
	if err != nil {
		return fmt.Errorf("writing the recovery index: %w", err)
	}
	return put(b.path(indexName), text)
}

// Page is a part of what is kept, newest first.
type Page struct {
	Entries []Entry
	Total   int
}

// List shows what is kept of a project's files whose path holds the text.
func (s *Store) List(project, text string, offset, limit int) (Page, error) {
	x, err := readIndex(s.folder(project))
	if err != nil {
		return Page{}, err
	}
	slices.Reverse(x.Entries)
	if text != "" {
		text = strings.ToLower(text)
		x.Entries = slices.DeleteFunc(x.Entries, func(e Entry) bool {
			return !strings.Contains(strings.ToLower(e.Path), text)
		})
	}
	total := len(x.Entries)
	from := min(max(offset, 0), total)
	return Page{Entries: x.Entries[from:min(from+max(limit, 0), total)], Total: total}, nil
}

// Find looks for a file as it was: the newest that is unlike `now`, or, when sum is given, the one with that hash.
func (s *Store) Find(project, path, sum, now string) (Entry, error) {
	x, err := readIndex(s.folder(project))
	if err != nil {
		return Entry{}, err
	}
	for _, e := range slices.Backward(x.Entries) {
		if e.Path == path && (e.SHA256 == sum || sum == "" && e.SHA256 != now) {
			return e, nil
		}
	}
	return Entry{}, ErrNotKept
}
