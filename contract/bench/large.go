package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

const (
	switches = 300
	// switched is how many scenes are open when they are switched between.
	switched = 30
	// openSeconds is what a call may take: opening a scene of 100,000 nodes is slow on a busy machine.
	openSeconds = 120
	// longestFrame is how long a read may hold the editor, in ms.
	longestFrame = 100
)

// largeCall is a call in the large project; its figures are the median and the longest time, and the longest frame of
// the editor meanwhile, whole and what the editor worked in it.
type largeCall struct {
	name  string
	tool  string
	with  args
	times int
	fails protocol.Code // empty: it must succeed
}

// nodeCalls are about the scene of 100,000 nodes.
func nodeCalls() []largeCall {
	return []largeCall{
		{"tree_first", "get_scene_tree", args{"limit": rowsPerPage}, 20, ""},
		{"tree_middle", "get_scene_tree", args{"limit": rowsPerPage, "offset": largeNodes / 2}, 20, ""},
		{"tree_last", "get_scene_tree", args{"limit": 1000, "offset": largeNodes - 1000}, 20, ""},
		{"find_nodes", "find_nodes", args{"name": "*l*9*7*", "limit": rowsPerPage}, 10, ""},
		{"find_by_type", "find_nodes", args{"type": "Sprite2D"}, 10, ""},
		{"get_node", "get_node", args{"node_path": "Chain400/" + strings.Repeat("N/", chainLength-2) + "N"}, 50, ""},
		{"get_root", "get_node", args{"node_path": "."}, 50, ""},
		{"no_node", "get_node", args{"node_path": "Flat99999"}, 10, protocol.ResourceNotFound},
	}
}

// fileCalls are about the 10,000 files.
func fileCalls() []largeCall {
	whole := args{"directory": largeRes}
	with := func(more args) args {
		all := maps.Clone(whole)
		maps.Copy(all, more)
		return all
	}
	move := args{"path": ramp(0, 0), "new_path": largeRes + "/moved.tres", "dry_run": true}
	return []largeCall{
		{"search_names", "search_files", with(args{"name_glob": "*s*9*.gd", "limit": 1000}), 10, ""},
		{"search_files", "search_files", with(args{"content": "needle", "limit": 1000}), 5, ""},
		{"search_everywhere", "search_files", with(args{"content": "value", "limit": 1000}), 3, ""},
		{"filesystem_tree", "get_filesystem_tree", with(args{"limit": 1000, "offset": 5000}), 10, ""},
		{"find_references", "find_references", args{"path": ramp(0, 0)}, 5, ""},
		{"dependencies", "get_dependencies", args{"path": largeRes + "/needs.tscn", "limit": 1000}, 10, ""},
		{"scripts_list", "scripts_list", with(args{"limit": 2000}), 10, ""},
		{"list_scenes", "list_scenes", args{"limit": 2000}, 10, ""},
		{"no_file", "get_dependencies", args{"path": largeRes + "/d001/q_.xyz"}, 10, protocol.ResourceNotFound},
		{"move_plan", "move_file", move, 3, ""},
		{"delete_plan", "delete_resource_file", args{"path": largeRes + "/needs.tscn", "dry_run": true}, 3, ""},
	}
}

// valueCalls give results of 2 MB, and one that is refused.
func valueCalls() []largeCall {
	return []largeCall{
		{"result_2mb", "get_node", args{"node_path": ".", "properties": valueNames(valuesOf2MB)}, 10, ""},
		{"result_refused", "get_node", args{"node_path": ".", "properties": valueNames(valuesTooLarge)}, 3, protocol.ResponseTooLarge},
	}
}

// largeTargets are the figures of the large project: only the frames have a bound.
func largeTargets() []target {
	found := []target{{"large_start_ms", 0}, {"large_open_ms", 0}, {"large_rest_frame_ms", 0}, {"large_rest_frame_cpu_ms", 0}}
	for _, calls := range [][]largeCall{nodeCalls(), fileCalls(), valueCalls(), {{name: "switch"}}} {
		for _, c := range calls {
			bound := float64(longestFrame)
			if c.name == "switch" {
				bound = 0 // no read
			}
			found = append(found,
				target{c.key("p50_ms"), 0}, target{c.key("max_ms"), 0}, target{c.key("frame_ms"), bound},
				target{c.key("frame_cpu_ms"), bound})
		}
	}
	return append(found, target{"large_switch_300_ms", 0}, target{"large_switch_first_mb", 0},
		target{"large_switch_growth_mb", 0}, target{"large_switch_tabs_extra", 0})
}

func (c largeCall) key(what string) string { return "large_" + c.name + "_" + what }

// largeStage is the stage with the large project on it.
type largeStage struct {
	*stage
	probe *probe
	f     *figures
}

// measureLarge measures reads of a large project, and how long they hold the editor up.
func measureLarge(ctx context.Context, kit *harness.Kit, f *figures) (err error) {
	start := time.Now()
	s, err := openStage(ctx, kit, writeLarge)
	if err != nil {
		return err
	}
	defer closing(&err, s.close)
	f.setMillis("large_start_ms", time.Since(start))
	p, err := openProbe(ctx, s.project)
	if err != nil {
		return err
	}
	defer closing(&err, p.close)
	l := &largeStage{s, p, f}
	for _, measure := range []func(context.Context) error{l.rest, l.files, l.nodes, l.values, l.switchScenes} {
		if err := p.calm(ctx); err != nil {
			return err
		}
		if err := measure(ctx); err != nil {
			return err
		}
	}
	return nil
}

// rest measures the frames of an editor that nobody calls.
func (l *largeStage) rest(context.Context) error {
	if _, err := l.probe.longest(); err != nil {
		return err
	}
	time.Sleep(2 * time.Second)
	longest, err := l.probe.longest()
	l.f.setMillis("large_rest_frame_ms", longest.whole)
	l.f.setMillis("large_rest_frame_cpu_ms", longest.worked)
	return err
}

func (l *largeStage) files(ctx context.Context) error { return l.all(ctx, fileCalls()) }

// nodes measures in the scene of 100,000 nodes, and closes it again.
func (l *largeStage) nodes(ctx context.Context) error {
	start := time.Now()
	if err := l.openLarge(ctx, "nodes"); err != nil {
		return err
	}
	l.f.setMillis("large_open_ms", time.Since(start))
	if err := l.probe.calm(ctx); err != nil {
		return err
	}
	if err := l.all(ctx, nodeCalls()); err != nil {
		return err
	}
	return l.call(ctx, "close_scene", args{"scene_path": largeRes + "/nodes.tscn", "confirm": true, "timeout_seconds": openSeconds})
}

func (l *largeStage) openLarge(ctx context.Context, name string) error {
	return l.call(ctx, "open_scene", args{"scene_path": largeRes + "/" + name + ".tscn", "timeout_seconds": openSeconds})
}

func (l *largeStage) values(ctx context.Context) error {
	if err := l.openLarge(ctx, "values"); err != nil {
		return err
	}
	if err := l.probe.calm(ctx); err != nil {
		return err
	}
	if err := l.all(ctx, valueCalls()); err != nil {
		return err
	}
	return l.call(ctx, "close_scene", args{"scene_path": largeRes + "/values.tscn", "confirm": true, "timeout_seconds": openSeconds})
}

func (l *largeStage) all(ctx context.Context, calls []largeCall) error {
	for _, c := range calls {
		if err := l.one(c.name, c.times, func(int) (time.Time, error) { return l.run(ctx, c) }); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// one measures a call many times.
func (l *largeStage) one(name string, times int, call func(i int) (time.Time, error)) error {
	if _, err := l.probe.longest(); err != nil {
		return err
	}
	i := -1
	took, err := repeat(times, func() (time.Time, error) { i++; return call(i) })
	if err != nil {
		return err
	}
	longest, err := l.probe.longest()
	if err != nil {
		return err
	}
	c := largeCall{name: name}
	l.f.setMillis(c.key("p50_ms"), percentile(took, 50))
	l.f.setMillis(c.key("max_ms"), percentile(took, 100))
	l.f.setMillis(c.key("frame_ms"), longest.whole)
	l.f.setMillis(c.key("frame_cpu_ms"), longest.worked)
	return nil
}

// run makes a call and looks whether it ended as it has to.
func (l *largeStage) run(ctx context.Context, c largeCall) (time.Time, error) {
	with := maps.Clone(c.with)
	with["timeout_seconds"] = openSeconds
	if c.fails == "" {
		return l.timed(ctx, c.tool, with)
	}
	p, err := l.daemon.Start(c.tool, with)
	if err != nil {
		return time.Time{}, err
	}
	at, err := p.Arrived(ctx)
	if err != nil {
		return time.Time{}, err
	}
	reply, err := p.Wait(ctx)
	if err != nil {
		return time.Time{}, err
	}
	if reply.OK || reply.Error.Code != c.fails {
		return time.Time{}, fmt.Errorf("not %s: %.300s", c.fails, reply.Raw)
	}
	return at, nil
}

// switchScenes opens scenes and switches between them again and again; memory has to stay where the first round left
// it, and no tab may be open that nobody asked for.
func (l *largeStage) switchScenes(ctx context.Context) error {
	before, tabs, err := l.weigh(ctx)
	if err != nil {
		return err
	}
	var first float64
	start := time.Now()
	err = l.one("switch", switches, func(i int) (time.Time, error) {
		if i == switched {
			if first, err = rss(l.editor.PID()); err != nil {
				return time.Time{}, err
			}
		}
		return l.timed(ctx, "open_scene", args{"scene_path": smallScene(i % switched)})
	})
	if err != nil {
		return err
	}
	l.f.setMillis("large_switch_300_ms", time.Since(start))
	after, now, err := l.weigh(ctx)
	if err != nil {
		return err
	}
	l.f.set("large_switch_first_mb", first-before)
	l.f.set("large_switch_growth_mb", after-first)
	l.f.set("large_switch_tabs_extra", now-tabs-switched)
	return nil
}

// weigh gives the editor's memory in MB and the number of open scenes.
func (l *largeStage) weigh(ctx context.Context) (memory, tabs float64, err error) {
	p, err := l.daemon.Start("list_open_scenes", args{})
	if err != nil {
		return 0, 0, err
	}
	reply, err := p.Wait(ctx)
	if err != nil {
		return 0, 0, err
	}
	if !reply.OK {
		return 0, 0, reply.Error
	}
	tabs, _ = reply.Data["total"].(float64)
	memory, err = rss(l.editor.PID())
	return memory, tabs, err
}

// rss is a process's resident set in MB.
func rss(pid int) (float64, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, fmt.Errorf("reading a process's memory: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) > 1 && fields[0] == "VmRSS:" {
			kib, err := strconv.ParseFloat(fields[1], 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("reading a process's memory: no VmRSS")
}
