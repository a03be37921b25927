package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"drawbridge/daemon/harness"
)

// args are the arguments of a tool call.
type args = map[string]any

// linkLimit is how long the editor may take to start; one with 10,000 new files reads them all first.
const linkLimit = 4 * time.Minute

// stage is one project with a daemon and an editor.
type stage struct {
	project *harness.Project
	daemon  *harness.Daemon
	editor  *harness.Editor
}

// openStage starts daemon and editor and waits until they are linked and a scene is open.
func openStage(ctx context.Context, kit *harness.Kit, prepare func(*harness.Project) error) (*stage, error) {
	project, err := kit.NewProject(ctx, harness.ProjectOptions{})
	if err != nil {
		return nil, err
	}
	if err := prepare(project); err != nil {
		return nil, err
	}
	s := &stage{project: project}
	if s.daemon, err = kit.StartDaemon(ctx, project, harness.DaemonOptions{}); err != nil {
		return nil, err
	}
	if s.editor, err = kit.StartEditor(ctx, project, harness.EditorOptions{}); err != nil {
		s.daemon.Kill()
		return nil, err
	}
	if err := s.ready(ctx); err != nil {
		s.daemon.Kill()
		s.editor.Kill()
		return nil, err
	}
	return s, nil
}

// ready opens the session and the scene that the calls work on.
func (s *stage) ready(ctx context.Context) error {
	if _, err := s.daemon.Initialize(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, linkLimit)
	defer cancel()
	for {
		err := s.open(ctx, "own_nodes")
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// open makes a fixture scene the edited one.
func (s *stage) open(ctx context.Context, fixture string) error {
	return s.call(ctx, "open_scene", args{"scene_path": harness.FixtureRes + "/" + fixture + ".tscn"})
}

// call runs a tool that must succeed.
func (s *stage) call(ctx context.Context, tool string, with args) error {
	_, err := s.timed(ctx, tool, with)
	return err
}

// timed runs a tool that must succeed, and tells when its answer was there: reading it is no part of a measurement.
func (s *stage) timed(ctx context.Context, tool string, with args) (time.Time, error) {
	p, err := s.daemon.Start(tool, with)
	if err != nil {
		return time.Time{}, err
	}
	at, err := p.Arrived(ctx)
	if err != nil {
		return time.Time{}, err
	}
	return at, succeeded(ctx, p)
}

// succeeded reads an answer that must be no failure.
func succeeded(ctx context.Context, p *harness.Pending) error {
	reply, err := p.Wait(ctx)
	if err != nil {
		return err
	}
	if !reply.OK {
		return reply.Error
	}
	return nil
}

// close stops both.
func (s *stage) close() error {
	err := s.daemon.Stop(10 * time.Second)
	if failed := s.editor.Stop(10 * time.Second); failed != nil && err == nil {
		err = failed
	}
	return err
}

// repeat times n calls, one after the other. A call tells when it was over.
func repeat(n int, call func() (time.Time, error)) ([]time.Duration, error) {
	times := make([]time.Duration, n)
	for i := range times {
		start := time.Now()
		end, err := call()
		if err != nil {
			return nil, err
		}
		times[i] = end.Sub(start)
	}
	return times, nil
}

// writeTree makes a scene file with n nodes: groups of ten below the root.
func writeTree(p *harness.Project, name string, n int) error {
	var text strings.Builder
	text.WriteString("[gd_scene format=3]\n\n[node name=\"Root\" type=\"Node2D\"]\n")
	parent := "."
	for i := 1; i < n; i++ {
		node := fmt.Sprintf("Node%d", i)
		if i%10 == 1 {
			parent = "."
		}
		fmt.Fprintf(&text, "\n[node name=%q type=\"Node2D\" parent=%q]\n", node, parent)
		if i%10 == 1 {
			parent = node
		}
	}
	if err := os.WriteFile(p.Path(harness.FixtureRes+"/"+name+".tscn"), []byte(text.String()), 0o600); err != nil {
		return fmt.Errorf("writing a scene of %d nodes: %w", n, err)
	}
	return nil
}

// rowsPerPage is the largest page of get_scene_tree.
const rowsPerPage = 5000
