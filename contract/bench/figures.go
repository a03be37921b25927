package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"
)

// target is a figure's key and the budget of the design; 0: for comparison only.
type target struct {
	key string
	max float64
}

// targets are the figures in the order of the report.
func targets() []target {
	return append([]target{
		{"floor_p50_ms", 0},
		{"roundtrip_p50_ms", 0.5},
		{"roundtrip_p99_ms", 3},
		{"roundtrip_unfocused_p50_ms", 0.5},
		{"roundtrip_after_pause_p50_ms", 12},
		{"set_property_p50_ms", 0.8},
		{"set_property_p99_ms", 0},
		{"pipelined_1000_ms", 200},
		{"bridge_pipelined_1000_ms", 40},
		{"tree_1000_ms", 5},
		{"tree_10000_ms", 40},
		{"gate_us", 100},
		{"initialize_ms", 60},
		{"daemon_rss_mb", 30},
		{"tools_list_bytes", 30000},
		{"tools_listed", 40},
		{"idle_cpu_percent", 0},
		{"idle_cpu_extra_percent", 1},
	}, largeTargets()...)
}

// figures are what was measured, by key.
type figures struct {
	values map[string]float64
}

// newFigures has nothing yet.
func newFigures() *figures { return &figures{values: map[string]float64{}} }

// set keeps one figure.
func (f *figures) set(key string, value float64) { f.values[key] = value }

// setMillis keeps a duration in milliseconds.
func (f *figures) setMillis(key string, d time.Duration) {
	f.set(key, float64(d)/float64(time.Millisecond))
}

// print shows each figure that was measured with its target, and its ratio to the floor where that means something.
func (f *figures) print(out io.Writer) {
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "figure\tvalue\ttarget\tof target\t")
	for _, t := range targets() {
		value, measured := f.values[t.key]
		switch {
		case !measured:
		case t.max == 0:
			fmt.Fprintf(table, "%s\t%.3f\t\t\t\n", t.key, value)
		default:
			fmt.Fprintf(table, "%s\t%.3f\t%g\t%.0f %%%s\n", t.key, value, t.max, 100*value/t.max, mark(value > t.max))
		}
	}
	// The report goes to a terminal or a file; what cannot be shown is no failure of the measurement.
	_ = table.Flush()
	floor := f.values["floor_p50_ms"]
	if floor > 0 {
		fmt.Fprintf(out, "\nA read through MCP takes %.1f times the floor, a property set with every check and undo %.1f times.\n",
			f.values["roundtrip_p50_ms"]/floor, f.values["set_property_p50_ms"]/floor)
	}
}

// mark shows a figure over its target.
func mark(over bool) string {
	if over {
		return "\tOVER"
	}
	return "\t"
}

// write puts the figures into a file as one flat JSON object; without a name it does nothing.
func (f *figures) write(name string) error {
	if name == "" {
		return nil
	}
	text, err := json.MarshalIndent(f.values, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the figures: %w", err)
	}
	if err := os.WriteFile(name, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("writing the figures: %w", err)
	}
	return nil
}

// percentile gives the p-th percentile (0 to 100) of the times, by the nearest rank.
func percentile(times []time.Duration, p float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Clone(times)
	slices.Sort(sorted)
	return sorted[min(len(sorted)-1, int(float64(len(sorted))*p/100))]
}
