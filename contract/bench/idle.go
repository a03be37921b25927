package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"drawbridge/daemon/harness"
)

const (
	// coolDown is how long the addon keeps the editor ready after the last call, plus a margin.
	coolDown = 33 * time.Second
	// ticksPerSecond is the unit of /proc/<pid>/stat on Linux.
	ticksPerSecond = 100
	// startUp is how long an editor without a daemon is given to come to rest.
	startUp = 12 * time.Second
)

// measureIdle compares the processor time of an idle editor with and without the addon.
func measureIdle(ctx context.Context, kit *harness.Kit, f *figures) (err error) {
	s, err := openStage(ctx, kit, func(*harness.Project) error { return nil })
	if err != nil {
		return err
	}
	defer closing(&err, s.close)
	project, err := kit.NewProject(ctx, harness.ProjectOptions{Bare: true})
	if err != nil {
		return err
	}
	plain, err := kit.StartEditor(ctx, project, harness.EditorOptions{})
	if err != nil {
		return err
	}
	defer closing(&err, func() error { return plain.Stop(10 * time.Second) })
	time.Sleep(max(coolDown, startUp))
	with, without, err := compareCPU(s.editor.PID(), plain.PID())
	if err != nil {
		return err
	}
	f.set("idle_cpu_percent", with)
	f.set("idle_cpu_extra_percent", with-without)
	return nil
}

// compareCPU measures two processes over the same span, in percent of a core.
func compareCPU(a, b int) (float64, float64, error) {
	pids := [2]int{a, b}
	var before, after [2]float64
	for i, pid := range pids {
		ticks, err := cpuTicks(pid)
		if err != nil {
			return 0, 0, err
		}
		before[i] = ticks
	}
	time.Sleep(idleTime)
	for i, pid := range pids {
		ticks, err := cpuTicks(pid)
		if err != nil {
			return 0, 0, err
		}
		after[i] = ticks
	}
	percent := func(i int) float64 {
		return 100 * (after[i] - before[i]) / ticksPerSecond / idleTime.Seconds()
	}
	return percent(0), percent(1), nil
}

// cpuTicks is user plus system time of a process.
func cpuTicks(pid int) (float64, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, fmt.Errorf("reading a process's time: %w", err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("reading a process's time: %q", text)
	}
	user, err := strconv.ParseFloat(fields[11], 64)
	if err != nil {
		return 0, fmt.Errorf("reading a process's time: %w", err)
	}
	system, err := strconv.ParseFloat(fields[12], 64)
	return user + system, err
}
