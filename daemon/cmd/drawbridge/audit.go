package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"drawbridge/daemon/internal/audit"
	"drawbridge/daemon/internal/config"
)

const auditUsage = `drawbridge audit reads the record of what was asked and what became of it.

  drawbridge audit show [flags]     show the last calls
  drawbridge audit tail [flags]     show the last calls, and each new one until interrupted
  drawbridge audit verify [flags]   check that no line was changed, moved, removed or cut off

Each takes --project PATH (default: the nearest folder upwards with a project.godot) or --file FILE, and --json.
show and tail take only the lines that -n, --since, --kind, --tool, --outcome and --client leave; verify takes --keys.
See -h of each.
`

// errNotWhole is the error for a log that does not verify.
var errNotWhole = errors.New("the audit log is not whole")

// tailPoll is how often tail looks for new lines: quick for a person, nothing for a machine.
const tailPoll = 200 * time.Millisecond

// auditPlace is where the audit of a project is, and the folder with the key. Each project has a file of its own, also
// when the operator names one file and several are served.
func auditPlace(s config.Serve, project string) (path, keyDir string) {
	named := s.PolicyFor(project).AuditLog
	path = audit.PathFor(filepath.Join(s.StateDir, "drawbridge", "audit"), project)
	switch {
	case named != "" && len(s.Served) < 2:
		path = named
	case named != "":
		ext := filepath.Ext(named)
		path = strings.TrimSuffix(named, ext) + "-" + filepath.Base(path)
	}
	return path, auditKeys(s.UserDir)
}

// auditKeys is the folder with the key below the user's configuration folder: not beside the logs, so that whoever
// copies or mounts the logs does not have it.
func auditKeys(userDir string) string { return filepath.Join(userDir, "drawbridge") }

// auditCommand is drawbridge audit.
func auditCommand(ctx context.Context, args []string, out, logTo io.Writer) error {
	shown := func(command string) func([]string) error {
		return func(args []string) error { return auditShow(ctx, command, args, out, logTo) }
	}
	return among("audit", auditUsage, args, out, map[string]func([]string) error{
		"show": shown("show"), "tail": shown("tail"),
		"verify": func(args []string) error { return auditVerify(args, out, logTo) },
	})
}

// auditFlags are the flags that every command of audit has.
type auditFlags struct {
	set           *flag.FlagSet
	project, file *string
	json          *bool
}

func newAuditFlags(command string, logTo io.Writer) auditFlags {
	set := flags("audit "+command, logTo)
	return auditFlags{
		set:     set,
		project: set.String("project", "", "the project's `folder`; default: the nearest one upwards with a project.godot"),
		file:    set.String("file", "", "the log's `file`, instead of the project's"),
		json:    set.Bool("json", false, "answer in JSON"),
	}
}

// place parses the flags and finds the log and the key.
func (f auditFlags) place(args []string) (path, keyDir string, err error) {
	if err := parseAlone(f.set, args); err != nil {
		return "", "", err
	}
	if *f.file != "" && *f.project != "" {
		return "", "", errors.New("give either --file or --project")
	}
	if *f.file != "" { // also where the policy cannot be used
		return namedLog(*f.file)
	}
	return projectLog(*f.project)
}

func namedLog(file string) (path, keyDir string, err error) {
	user, err := os.UserConfigDir()
	if err != nil {
		return "", "", fmt.Errorf("finding the key: %w", err)
	}
	if path, err = filepath.Abs(file); err != nil {
		return "", "", fmt.Errorf("finding %s: %w", file, err)
	}
	return path, auditKeys(user), nil
}

func projectLog(project string) (path, keyDir string, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", "", fmt.Errorf("finding the current folder: %w", err)
	}
	var asked []string
	if project != "" {
		asked = []string{project}
	}
	settings, err := config.Load(config.Options{Projects: asked, Dir: dir, Env: os.Getenv})
	if err != nil {
		return "", "", err
	}
	if settings.Project == "" {
		return "", "", errors.New("there is no project here; give --project or --file")
	}
	path, keyDir = auditPlace(settings, settings.Project)
	return path, keyDir, nil
}

// auditShow is audit show and audit tail.
func auditShow(ctx context.Context, command string, args []string, out, logTo io.Writer) error {
	f := newAuditFlags(command, logTo)
	n := f.set.Int("n", 20, "how many `lines` at most")
	var filter audit.Filter
	f.set.StringVar(&filter.Tool, "tool", "", "only calls of this `tool`")
	f.set.StringVar(&filter.Outcome, "outcome", "", "only calls that ended so: read, denied, simulated, applied, failed, unknown")
	f.set.StringVar(&filter.Client, "client", "", "only calls of the client with this `id`")
	f.set.StringVar(&filter.Kind, "kind", "", "only lines of this `kind`: intent, outcome, start, stop, note, rotated")
	since := f.set.Duration("since", 0, "only what is not older than this `time`, such as 2h")
	path, _, err := f.place(args)
	if err != nil {
		return err
	}
	if *n < 0 || *since < 0 {
		return errors.New("-n and --since cannot be negative")
	}
	if filter.JSON = *f.json; *since > 0 {
		filter.Since = time.Now().Add(-*since)
	}
	if command == "tail" {
		return audit.Follow(ctx, out, path, *n, filter, tailPoll)
	}
	return audit.Show(out, path, *n, filter)
}

// auditVerify is audit verify. A log that is not whole is an error, and so is one that cannot be checked.
func auditVerify(args []string, out, logTo io.Writer) error {
	f := newAuditFlags("verify", logTo)
	keys := f.set.String("keys", "", "the `folder` with audit.key; default: the user's configuration folder of drawbridge")
	path, keyDir, err := f.place(args)
	if *keys != "" && err == nil {
		keyDir, err = filepath.Abs(*keys)
	}
	if err != nil {
		return err
	}
	report, err := audit.Verify(path, keyDir)
	if err != nil {
		return err
	}
	if *f.json {
		err = json.NewEncoder(out).Encode(report)
	} else {
		err = report.Write(out)
	}
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if !report.OK {
		return fmt.Errorf("%w: %d problems in %s", errNotWhole, len(report.Problems), path)
	}
	return nil
}
