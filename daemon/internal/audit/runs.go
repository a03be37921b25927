package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drawbridge/daemon/internal/lock"
)

// Dangling lists the intents of daemons that ran no more when the log was opened and that nobody knows the end of,
// oldest first: what they wanted may have happened. An Outcome with an entry's Mark that says more than "it may have
// applied" takes it off the list. The first call reads the log, which takes a quarter of a second when it is full; so
// Open does not.
func (l *Log) Dangling() ([]Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.found != nil {
		list, err := dangling(l.keys, l.found, l.living)
		if err != nil {
			return nil, fmt.Errorf("looking through the audit log: %w", err)
		}
		l.found.close()
		l.found, l.dangling = nil, list
	}
	return slices.Clone(l.dangling), nil
}

// Recheck looks for dangling intents again, those of daemons that died after Open included.
func (l *Log) Recheck() ([]Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, ErrClosed
	}
	found, living, err := l.look()
	if err != nil {
		return nil, fmt.Errorf("looking through the audit log: %w", err)
	}
	defer found.close()
	list, err := dangling(l.keys, found, append(living, l.run))
	if err != nil {
		return nil, fmt.Errorf("looking through the audit log: %w", err)
	}
	l.found.close()
	l.found, l.dangling = nil, list
	return slices.Clone(list), nil
}

// look opens the files as they are at one moment, and lists who lives at that moment.
func (l *Log) look() (files, []string, error) {
	if err := hold(l.guard, holdWait); err != nil {
		return nil, nil, err
	}
	defer l.free()
	living, err := running(l.opts.Path)
	if err != nil {
		return nil, nil, err
	}
	found, err := openFiles(l.opts.Path)
	return found, living, err
}

// running lists the runs whose Log is open, and sweeps what dead ones left. The lock is held: no Log is between making
// its file and locking it.
func running(path string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("listing audit files: %w", err)
	}
	var living []string
	for _, entry := range entries {
		run, isOne := strings.CutPrefix(entry.Name(), filepath.Base(path)+runSuffix)
		if !isOne {
			continue
		}
		file := path + runSuffix + run
		held := lock.NewFile(file)
		if got, err := held.TryLock(); err != nil || !got {
			_ = held.Close()
			living = append(living, run) // one that cannot be tried counts as alive: its calls may be in flight
			continue
		}
		if err := errors.Join(os.Remove(file), held.Close()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("sweeping a dead run: %w", err)
		}
	}
	return living, nil
}
