// Command bench measures Drawbridge's speed: a raw JSON-RPC client against the real daemon and a real headless
// editor, side by side in one run with the floor, an echo over the same kind of link to the same editor. It prints
// each figure beside its target and the floor; with BENCH_JSON=file it also writes them there as flat keys. A figure
// over its target is marked and is no error: machines are shared and noisy.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"drawbridge/daemon/harness"
)

// benchLimit bounds the whole run, which takes about four minutes.
const benchLimit = 15 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, benchLimit)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench: "+err.Error())
		os.Exit(1)
	}
}

// run measures everything and reports.
func run(ctx context.Context) (err error) {
	kit, err := harness.NewKit(ctx, harness.Options{Log: os.Stderr})
	if err != nil {
		return err
	}
	defer closing(&err, kit.Close)
	all := newFigures()
	for _, part := range []struct {
		name    string
		measure func(context.Context, *harness.Kit, *figures) error
	}{
		{"start-up and tool list", measureStart},
		{"round trips", measureTrips},
		{"an unfocused editor", measureUnfocused},
		{"an idle editor", measureIdle},
		{"a large project", measureLarge},
	} {
		fmt.Fprintf(os.Stderr, "bench: measuring %s …\n", part.name)
		if err := part.measure(ctx, kit, all); err != nil {
			return fmt.Errorf("measuring %s: %w", part.name, err)
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
