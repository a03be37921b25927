package recovery

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// aged is something that may be dropped: an entry, or a checkpoint as a whole.
type aged struct {
	time       time.Time
	entry      int
	checkpoint int
	sums       map[string]int64 // what it needs, with sizes
}

// prune drops the oldest of what is too old or too much, never the newest of a path and never the newest checkpoint,
// and then the bytes that nothing needs any more.
func (b *box) prune() error {
	if b.isSmallAndYoung() {
		return nil
	}
	needed, sizes, all, err := b.needs()
	if err != nil {
		return err
	}
	var total int64
	for _, size := range sizes {
		total += size
	}
	cutoff := b.opts.Now().Add(-b.opts.MaxAge)
	var entries, checkpoints []int
	for _, one := range all {
		if total <= b.opts.MaxBytes && !one.time.Before(cutoff) {
			continue
		}
		for sum, size := range one.sums {
			if needed[sum]--; needed[sum] == 0 {
				total -= size
			}
		}
		if one.checkpoint >= 0 {
			checkpoints = append(checkpoints, one.checkpoint)
		} else {
			entries = append(entries, one.entry)
		}
	}
	if len(entries)+len(checkpoints) == 0 {
		return nil
	}
	return b.drop(entries, checkpoints, needed)
}

// needs counts who needs which bytes, and lists what may be dropped, oldest first.
func (b *box) needs() (needed map[string]int, sizes map[string]int64, all []aged, err error) {
	needed, sizes = map[string]int{}, map[string]int64{}
	newest := map[string]int{}
	for i, e := range b.index.Entries {
		newest[e.Path] = i
		needed[e.SHA256]++
		sizes[e.SHA256] = e.Size
	}
	for i, e := range b.index.Entries {
		if newest[e.Path] != i {
			all = append(all, aged{e.Time, i, -1, map[string]int64{e.SHA256: e.Size}})
		}
	}
	for i, c := range b.index.Checkpoints {
		files, err := readManifest(b.dir, c.Name)
		if err != nil {
			return nil, nil, nil, err
		}
		sums := map[string]int64{}
		for _, f := range files {
			sums[f.SHA256] = f.Size
			sizes[f.SHA256] = f.Size
		}
		for sum := range sums {
			needed[sum]++
		}
		if i < len(b.index.Checkpoints)-1 {
			all = append(all, aged{c.Time, -1, i, sums})
		}
	}
	slices.SortStableFunc(all, func(x, y aged) int { return x.time.Compare(y.time) })
	return needed, sizes, all, nil
}

// drop takes entries and checkpoints off the list, writes it, and only then removes files: a list that names bytes
// which are gone would be a lie.
func (b *box) drop(entries, checkpoints []int, needed map[string]int) error {
	var manifests []string
	for _, at := range checkpoints {
		manifests = append(manifests, manifestPath(b.dir, b.index.Checkpoints[at].Name))
	}
	b.index.Entries = without(b.index.Entries, entries)
	b.index.Checkpoints = without(b.index.Checkpoints, checkpoints)
	if err := b.save(); err != nil {
		return err
	}
	files, err := os.ReadDir(b.path(objectsName))
	if err != nil {
		return fmt.Errorf("listing kept bytes: %w", err)
	}
	var errs []error
	for _, f := range files { // also what a daemon that died left half written: the folder is locked
		if needed[f.Name()] <= 0 {
			errs = append(errs, os.Remove(b.object(f.Name())))
		}
	}
	for _, name := range manifests {
		if err := os.Remove(name); !missing(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func without[T any](list []T, places []int) []T {
	var out []T
	for i, one := range list {
		if !slices.Contains(places, i) {
			out = append(out, one)
		}
	}
	return out
}

// isSmallAndYoung tells whether there is nothing to drop, without looking at what each checkpoint needs.
func (b *box) isSmallAndYoung() bool {
	var most int64
	cutoff := b.opts.Now().Add(-b.opts.MaxAge)
	for _, e := range b.index.Entries {
		most += e.Size
		if e.Time.Before(cutoff) {
			return false
		}
	}
	for _, c := range b.index.Checkpoints {
		most += c.Bytes
		if c.Time.Before(cutoff) {
			return false
		}
	}
	return most <= b.opts.MaxBytes
}
