// Command demo tells Drawbridge's story on a real project: a real MCP client, the real daemon and a real headless
// editor, and at the end a fresh Godot process that says whether what was claimed is what the files hold. It ends
// with an error as soon as anything is not as the story says.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"drawbridge/daemon/harness"
)

// storyLimit bounds the whole demo; on an idle machine with Godot installed it takes about 15 s.
const storyLimit = 5 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, storyLimit)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "\ndemo: "+err.Error())
		os.Exit(1)
	}
}

// run sets the stage, tells the story and clears up in the reverse order.
func run(ctx context.Context) (err error) {
	say("Getting ready: Godot, the daemon, a project of its own in a temporary folder …")
	kit, err := harness.NewKit(ctx, harness.Options{Log: os.Stderr})
	if err != nil {
		return err
	}
	defer closing(&err, kit.Close)
	project, err := kit.NewProject(ctx, harness.ProjectOptions{})
	if err != nil {
		return err
	}
	daemon, err := kit.StartDaemon(ctx, project, harness.DaemonOptions{})
	if err != nil {
		return err
	}
	defer closing(&err, func() error { return daemon.Stop(10 * time.Second) })
	editor, err := kit.StartEditor(ctx, project, harness.EditorOptions{})
	if err != nil {
		return err
	}
	defer closing(&err, func() error { return editor.Stop(10 * time.Second) })
	if _, err := daemon.Initialize(ctx); err != nil {
		return err
	}
	s := &story{ctx: ctx, kit: kit, project: project, client: daemon.Client}
	return s.tell()
}

// closing runs a clean-up and keeps its error unless there is one already.
func closing(err *error, clean func() error) {
	if failed := clean(); failed != nil && *err == nil {
		*err = failed
	}
}

// say prints one line of the story.
func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }
