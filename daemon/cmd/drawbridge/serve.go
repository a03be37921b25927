package main

import (
	"context"
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
	"drawbridge/daemon/internal/gate"
	"drawbridge/daemon/internal/install"
	"drawbridge/daemon/internal/mcpserver"
	"drawbridge/daemon/internal/recovery"
)

// serve speaks MCP until the client or a signal ends it. Standard output carries nothing else.
func serve(ctx context.Context, args []string, in io.ReadCloser, out, logTo io.Writer) error {
	set := flags("serve", logTo)
	project := set.String("project", "", "the project's `folder`; default: the nearest one upwards with a project.godot")
	verbose := set.Bool("verbose", false, "log every call to standard error")
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if set.NArg() > 0 {
		return fmt.Errorf("serve takes no argument %q", set.Arg(0))
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("finding the current folder: %w", err)
	}
	settings, err := config.Load(*project, dir, os.Getenv)
	if err != nil {
		return err
	}
	level := slog.LevelInfo
	if *verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(logTo, &slog.HandlerOptions{Level: level}))
	return connect(ctx, settings, log, in, out)
}

// connect wires link, gate and MCP server together and runs them.
func connect(ctx context.Context, s config.Serve, log *slog.Logger, in io.ReadCloser, out io.Writer) error {
	tools, err := catalog.New()
	if err != nil {
		return fmt.Errorf("building the tools: %w", err)
	}
	hash, err := addon.Hash()
	if err != nil {
		return err
	}
	link, err := bridge.Listen(ctx, bridge.Options{ConfigDir: s.UserDir, Projects: s.Projects, Log: log})
	if err != nil {
		return err
	}
	for _, warning := range s.Warnings {
		log.Warn("a setting is not understood", "warning", warning)
	}
	kept, err := recovery.New(recovery.Options{Dir: filepath.Join(s.StateDir, "drawbridge", "recovery")})
	if err != nil {
		return errors.Join(err, link.Close())
	}
	chokepoint, err := gate.New(gate.Options{
		Tools: tools, Link: link, Project: s.Project, Asked: s.Asked, AddonHash: hash, Log: log,
		Recovery: kept, MaxAffected: s.MaxAffected, Warnings: s.Warnings,
	})
	if err == nil {
		log.Info("serving", "project", s.Project)
		err = mcpserver.Serve(ctx, mcpserver.Options{Gate: chokepoint, Tools: tools.All(), Log: log}, in, out)
	}
	return errors.Join(err, link.Close())
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
