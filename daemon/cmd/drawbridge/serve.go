package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"drawbridge/addon"
	"drawbridge/daemon/internal/bridge"
	"drawbridge/daemon/internal/catalog"
	"drawbridge/daemon/internal/config"
	"drawbridge/daemon/internal/contract"
	"drawbridge/daemon/internal/gate"
	"drawbridge/daemon/internal/install"
	"drawbridge/daemon/internal/lock"
	"drawbridge/daemon/internal/mcpserver"
	"drawbridge/daemon/internal/recovery"
	"drawbridge/daemon/internal/tool"
)

// serve speaks MCP until the client or a signal ends it. Standard output carries nothing else.
func serve(ctx context.Context, args []string, in io.ReadCloser, out, logTo io.Writer) error {
	set := flags("serve", logTo)
	var asked []string
	set.Func("project", "a project's `folder`, once for each; default: the nearest one upwards with a project.godot",
		func(dir string) error {
			asked = append(asked, dir)
			return nil
		})
	verbose := set.Bool("verbose", false, "log every call to standard error")
	if err := parseAlone(set, args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("finding the current folder: %w", err)
	}
	tools, err := catalog.New()
	if err != nil {
		return fmt.Errorf("building the tools: %w", err)
	}
	settings, err := config.Load(config.Options{
		Projects: asked, Dir: dir, Env: os.Getenv, Names: environment(), Toolsets: toolsets(tools.All()),
	})
	if err != nil {
		return err
	}
	level := slog.LevelInfo
	if *verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(logTo, &slog.HandlerOptions{Level: level}))
	return connect(ctx, settings, tools, log, in, out)
}

// connect wires link, gate and MCP server together and runs them.
func connect(ctx context.Context, s config.Serve, tools *catalog.Catalog, log *slog.Logger, in io.ReadCloser, out io.Writer) (err error) {
	hash, err := addon.Hash()
	if err != nil {
		return err
	}
	operated, err := operate(s, tools.All())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, operated.close()) }()
	link, err := bridge.Listen(ctx, bridge.Options{ConfigDir: s.UserDir, Projects: s.Dirs, Admit: s.Refuses, Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, link.Close()) }()
	warnings := append(s.Warnings, operated.warnings...)
	for _, warning := range warnings {
		log.Warn("look at the settings", "warning", warning)
	}
	var front mcpserver.Options
	chokepoint, err := chokepoint(s, tools, link, operated, gate.Options{
		AddonHash: hash, Log: log, Warnings: warnings, Front: func() contract.Front { return registered(ctx, front) },
	})
	if err != nil {
		return err
	}
	log.Info("serving", "projects", s.Dirs())
	front = mcpserver.Options{
		Gate: chokepoint, Tools: tools.All(), Log: log, Elicits: operated.elicits(),
		Listed: func(t *tool.Tool) bool {
			return chokepoint.Visible(t) && (t.Listed() || s.Policy.ToolsetListed(t.Toolset()))
		},
		Contract: func() json.RawMessage { return contract.Of(tools.All()).JSON() },
	}
	return mcpserver.Serve(ctx, front, in, out)
}

// chokepoint makes the gate.
func chokepoint(s config.Serve, tools *catalog.Catalog, link *bridge.Server, operated *operation, o gate.Options) (*gate.Gate, error) {
	kept, err := recovery.New(recovery.Options{Dir: filepath.Join(s.StateDir, "drawbridge", "recovery")})
	if err != nil {
		return nil, err
	}
	locks, err := lock.New(filepath.Join(s.StateDir, "drawbridge", "locks"))
	if err != nil {
		return nil, err
	}
	o.Tools, o.Link, o.Recovery, o.Locks = tools, link, kept, locks
	o.Projects, o.Mode, o.Rate = operated.projects, s.Policy.Mode, s.Policy.RateLimit
	o.Off, o.Sources = toolsetsOff(s.Policy, tools.All()), sources(s)
	if operated.daemon != nil {
		o.Audit = operated.daemon
	}
	return gate.New(o)
}

// installAddon puts the embedded addon into a project.
func installAddon(args []string, out, logTo io.Writer) error {
	set := flags("install", logTo)
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if set.NArg() != 1 {
		return errors.New("install takes one argument, the project's folder")
	}
	project, err := config.Canonical(set.Arg(0))
	if err != nil {
		return err
	}
	report, err := install.Install(project, addon.Files())
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, report.String())
	return err
}
