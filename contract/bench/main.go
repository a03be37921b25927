// Command bench measures Drawbridge's speed: a raw JSON-RPC client against the real daemon and a real headless
// editor, side by side in one run with the floor, an echo over the same kind of link to the same editor. It prints
// each figure beside its target and the floor; with BENCH_JSON=file it also writes them there as flat keys. A figure
// over its target is marked and is no error: machines are shared and noisy. Arguments choose parts: start, trips,
// unfocused, idle, large.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"time"

	"drawbridge/daemon/harness"
)

// benchLimit bounds the whole run, which takes about four minutes.
const benchLimit = 15 * time.Minute

func main() {
	runtime.GOMAXPROCS(1) // as the daemon's link has it; a client that spreads takes time from what is measured
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, benchLimit)
	defer cancel()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench: "+err.Error())
		os.Exit(1)
	}
}

// part is some of the figures, measured together.
type part struct {
	name, says string
	measure    func(context.Context, *harness.Kit, *figures) error
}

// parts are all there is to measure, in order.
func parts() []part {
	return []part{
		{"start", "start-up and tool list", measureStart},
		{"trips", "round trips", measureTrips},
		{"unfocused", "an unfocused editor", measureUnfocused},
		{"idle", "an idle editor", measureIdle},
		{"large", "a large project", measureLarge},
	}
}

// chosen are the parts with the names; all of them when there are none.
func chosen(names []string) ([]part, error) {
	var list []part
	for _, p := range parts() {
		if len(names) == 0 || slices.Contains(names, p.name) {
			list = append(list, p)
		}
	}
	if len(names) > len(list) {
		return nil, fmt.Errorf("the parts are start, trips, unfocused, idle and large, each once, not %q", names)
	}
	return list, nil
}

// run measures the parts with the names and reports.
func run(ctx context.Context, names []string) (err error) {
	list, err := chosen(names)
	if err != nil {
		return err
	}
	kit, err := harness.NewKit(ctx, harness.Options{Log: os.Stderr})
	if err != nil {
		return err
	}
	defer closing(&err, kit.Close)
	all := newFigures()
	for _, p := range list {
		fmt.Fprintf(os.Stderr, "bench: measuring %s …\n", p.says)
		if err := p.measure(ctx, kit, all); err != nil {
			return fmt.Errorf("measuring %s: %w", p.says, err)
		}
	}
	all.print(os.Stdout)
	return all.write(os.Getenv("BENCH_JSON"))
}

// closing runs a clean-up and keeps its error unless there is one already.
func closing(err *error, clean func() error) {
	if failed := clean(); failed != nil && *err == nil {
		*err = failed
	}
}
