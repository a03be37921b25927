package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"drawbridge/daemon/harness"
)

const (
	starts    = 12   // spawns of the daemon
	trips     = 2000 // sequential calls
	pipelined = 1000 // calls sent without waiting, as the budget's name says
	rounds    = 5    // repetitions of what takes long; the median counts
	pauses    = 40   // calls after a pause
	idleTime  = 10 * time.Second
	// unfocusedSleepUsec is what the editor sleeps a frame when its window is not in front.
	unfocusedSleepUsec = 100000
)

// measureStart spawns the daemon and asks for its tools, without an editor.
func measureStart(ctx context.Context, kit *harness.Kit, f *figures) error {
	project, err := kit.NewProject(ctx, harness.ProjectOptions{Bare: true})
	if err != nil {
		return err
	}
	if _, err := kit.Binary(ctx); err != nil {
		return err
	}
	times := make([]time.Duration, starts)
	for i := range times {
		start := time.Now()
		daemon, err := kit.StartDaemon(ctx, project, harness.DaemonOptions{})
		if err != nil {
			return err
		}
		if _, err := daemon.Initialize(ctx); err != nil {
			return err
		}
		times[i] = time.Since(start)
		if i == starts-1 {
			if err := measureList(ctx, daemon, f); err != nil {
				return err
			}
		}
		if err := daemon.Stop(10 * time.Second); err != nil {
			return err
		}
	}
	f.setMillis("initialize_ms", percentile(times, 50))
	gateTimes, err := harness.GateTimes(ctx, project, 5*trips)
	if err != nil {
		return err
	}
	f.set("gate_us", float64(percentile(gateTimes, 50))/float64(time.Microsecond))
	return nil
}

// measureList weighs the answer of tools/list.
func measureList(ctx context.Context, daemon *harness.Daemon, f *figures) error {
	result, err := daemon.Request(ctx, "tools/list", args{})
	if err != nil {
		return err
	}
	var list struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(result, &list); err != nil {
		return fmt.Errorf("reading tools/list: %w", err)
	}
	f.set("tools_list_bytes", float64(len(result)))
	f.set("tools_listed", float64(len(list.Tools)))
	return nil
}

// measureTrips measures calls one by one and pipelined, reads and writes, beside the floor.
func measureTrips(ctx context.Context, kit *harness.Kit, f *figures) (err error) {
	s, err := openStage(ctx, kit, func(p *harness.Project) error {
		if err := writeTree(p, "tree_1000", 1000); err != nil {
			return err
		}
		return writeTree(p, "tree_10000", 10000)
	})
	if err != nil {
		return err
	}
	defer closing(&err, s.close)
	floor, err := harness.OpenFloor(ctx, s.project)
	if err != nil {
		return err
	}
	defer closing(&err, floor.Close)
	if err := floor.Linked(ctx); err != nil {
		return err
	}
	for _, measure := range []func(context.Context, *stage, *harness.Floor, *figures) error{
		measureSequential, measurePipelines, measurePauses, measureTrees, measureMemory,
	} {
		if err := measure(ctx, s, floor, f); err != nil {
			return err
		}
	}
	return nil
}

// measureSequential alternates floor, read and write in slices, so that noise hits all three alike.
func measureSequential(ctx context.Context, s *stage, floor *harness.Floor, f *figures) error {
	var echo, read, write []time.Duration
	x := 0
	for range 10 {
		for _, part := range []struct {
			into *[]time.Duration
			call func() (time.Time, error)
		}{
			{&echo, func() (time.Time, error) { err := floor.Echo(ctx); return time.Now(), err }},
			{&read, func() (time.Time, error) { return s.read(ctx) }},
			{&write, func() (time.Time, error) { x++; return s.move(ctx, x) }},
		} {
			times, err := repeat(trips/10, part.call)
			if err != nil {
				return err
			}
			*part.into = append(*part.into, times...)
		}
	}
	f.setMillis("floor_p50_ms", percentile(echo, 50))
	f.setMillis("roundtrip_p50_ms", percentile(read, 50))
	f.setMillis("roundtrip_p99_ms", percentile(read, 99))
	f.setMillis("set_property_p50_ms", percentile(write, 50))
	f.setMillis("set_property_p99_ms", percentile(write, 99))
	return nil
}

// read is the smallest useful read.
func (s *stage) read(ctx context.Context) (time.Time, error) {
	return s.timed(ctx, "get_node", smallRead())
}

// smallRead asks for one property of the root.
func smallRead() args { return args{"node_path": ".", "properties": []string{"position"}} }

// move is a plain write: one property, read back, undoable.
func (s *stage) move(ctx context.Context, x int) (time.Time, error) {
	return s.timed(ctx, "set_node_property", args{"node_path": ".", "property": "position", "value": []int{x, 1}})
}

// measurePipelines sends a thousand calls without waiting: through MCP, and over the bare link.
func measurePipelines(ctx context.Context, s *stage, floor *harness.Floor, f *figures) error {
	mcp, err := repeat(rounds, func() (time.Time, error) { return s.pipeline(ctx) })
	if err != nil {
		return err
	}
	link, err := repeat(rounds, func() (time.Time, error) { err := pipelineEchoes(ctx, floor); return time.Now(), err })
	if err != nil {
		return err
	}
	f.setMillis("pipelined_1000_ms", percentile(mcp, 50))
	f.setMillis("bridge_pipelined_1000_ms", percentile(link, 50))
	return nil
}

// pipeline sends the reads and then waits for all answers. They are read when the last one is there: a client that
// shares the processors with daemon and editor would slow them down.
func (s *stage) pipeline(ctx context.Context) (last time.Time, err error) {
	waiting := make([]*harness.Pending, pipelined)
	for i := range waiting {
		if waiting[i], err = s.daemon.Start("get_node", smallRead()); err != nil {
			return last, err
		}
	}
	for _, p := range waiting {
		at, err := p.Arrived(ctx)
		if err != nil {
			return last, err
		}
		if at.After(last) {
			last = at
		}
	}
	for _, p := range waiting {
		if err := succeeded(ctx, p); err != nil {
			return last, err
		}
	}
	return last, nil
}

// pipelineEchoes is the same over the bare link.
func pipelineEchoes(ctx context.Context, floor *harness.Floor) error {
	done := make(chan error, pipelined)
	for range pipelined {
		go func() { done <- floor.Echo(ctx) }()
	}
	var first error
	for range pipelined {
		if err := <-done; err != nil && first == nil {
			first = err
		}
	}
	return first
}

// measurePauses calls after the link has been quiet for a while, as an agent that thinks does.
func measurePauses(ctx context.Context, s *stage, _ *harness.Floor, f *figures) error {
	var times []time.Duration
	for range pauses {
		time.Sleep(400*time.Millisecond + rand.N(400*time.Millisecond))
		one, err := repeat(1, func() (time.Time, error) { return s.read(ctx) })
		if err != nil {
			return err
		}
		times = append(times, one...)
	}
	f.setMillis("roundtrip_after_pause_p50_ms", percentile(times, 50))
	return nil
}

// measureTrees reads whole trees.
func measureTrees(ctx context.Context, s *stage, _ *harness.Floor, f *figures) error {
	for _, size := range []string{"1000", "10000"} {
		if err := s.open(ctx, "tree_"+size); err != nil {
			return err
		}
		times, err := repeat(8*rounds, func() (time.Time, error) {
			return s.timed(ctx, "get_scene_tree", args{"limit": rowsPerPage})
		})
		if err != nil {
			return err
		}
		f.setMillis("tree_"+size+"_ms", percentile(times, 50))
	}
	return nil
}

// measureMemory reads the daemon's resident set after all the work above.
func measureMemory(_ context.Context, s *stage, _ *harness.Floor, f *figures) error {
	memory, err := rss(s.daemon.PID())
	f.set("daemon_rss_mb", memory)
	return err
}

// measureUnfocused gives the editor the sleep of an unfocused window.
func measureUnfocused(ctx context.Context, kit *harness.Kit, f *figures) (err error) {
	s, err := openStage(ctx, kit, sleepLikeUnfocused)
	if err != nil {
		return err
	}
	defer closing(&err, s.close)
	times, err := repeat(trips, func() (time.Time, error) { return s.read(ctx) })
	if err != nil {
		return err
	}
	f.setMillis("roundtrip_unfocused_p50_ms", percentile(times, 50))
	return nil
}

// sleepLikeUnfocused writes the editor setting; a headless editor never loses the focus by itself.
func sleepLikeUnfocused(p *harness.Project) error {
	dir := filepath.Join(p.Home, ".config", "godot")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the editor's settings: %w", err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "editor_settings-4*.tres"))
	if err != nil {
		return fmt.Errorf("finding the editor's settings: %w", err)
	}
	line := fmt.Sprintf("interface/editor/low_processor_mode_sleep_usec = %d\n", unfocusedSleepUsec)
	if len(names) == 0 {
		names = []string{filepath.Join(dir, "editor_settings-4.6.tres")}
		line = "[gd_resource type=\"EditorSettings\" format=3]\n\n[resource]\n" + line
	}
	text, err := os.ReadFile(names[0])
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("reading the editor's settings: %w", err)
	}
	return os.WriteFile(names[0], append(text, line...), 0o600)
}
