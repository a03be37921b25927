// Command drawbridge is the daemon between MCP clients and Godot editors. It only wires the parts together.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"drawbridge/protocol"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	in, polled := pollable(os.Stdin)
	if polled && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(processors)
	}
	code := run(ctx, os.Args[1:], in, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// processors is how many the daemon works on at a time. It hands frames from one goroutine to the next; a second
// processor only looks for work at each hand-over, and takes that time from the editor and the client: on two cores a
// read took 0.55 ms instead of 0.40. Where the input is not polled it must not be one: the thread that sleeps in the
// read would keep it.
const processors = 1

const usage = `Drawbridge lets an AI client work in a live Godot editor.

  drawbridge serve [--project PATH]... [--verbose]
      speak MCP on stdin and stdout
  drawbridge install PROJECT
      put the addon into a project and enable it
  drawbridge audit show|tail [--project PATH | --file FILE] [-n LINES] [--since TIME] [--kind KIND]
                             [--tool TOOL] [--outcome OUTCOME] [--client ID] [--json]
      read the record of what was done; tail goes on until it is interrupted
  drawbridge audit verify [--project PATH | --file FILE] [--keys FOLDER] [--json]
      check that no line of the record was changed, moved, removed or cut off
  drawbridge contract verify [--repository DIR] [--json]
      check what the tools may do
  drawbridge contract show
      show what the tools may do, as JSON
  drawbridge version
      show the version
  drawbridge help
      show this text

Where --project is not given it is the nearest folder upwards with a project.godot. -h after a command explains its flags.
`

// run is the program without its process; the result is the exit code.
func run(ctx context.Context, args []string, in io.ReadCloser, out, log io.Writer) int {
	command := "help"
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	var err error
	switch command {
	case "serve":
		err = serve(ctx, args, in, out, log)
	case "install":
		err = installAddon(args, out, log)
	case "audit":
		err = auditCommand(ctx, args, out, log)
	case "contract":
		err = contractCommand(ctx, args, out, log)
	case "version", "--version":
		_, err = fmt.Fprintf(out, "drawbridge %s\n", protocol.ProductVersion)
	case "help", "--help", "-h":
		_, err = io.WriteString(out, usage)
	default:
		fmt.Fprintf(log, "drawbridge: there is no command %q\n\n%s", command, usage)
		return 2
	}
	if err != nil {
		fmt.Fprintf(log, "drawbridge: %v\n", err)
		return 1
	}
	return 0
}

// among runs the one of a command's own commands that the first argument names; without one it shows the usage. Asking
// for help is no error.
func among(command, usage string, args []string, out io.Writer, own map[string]func(args []string) error) error {
	if len(args) == 0 || slices.Contains([]string{"help", "--help", "-h"}, args[0]) {
		_, err := io.WriteString(out, usage)
		return err
	}
	run, known := own[args[0]]
	if !known {
		return fmt.Errorf("there is no command %s %q; there are %s", command, args[0],
			strings.Join(slices.Sorted(maps.Keys(own)), ", "))
	}
	err := run(args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	return err
}

// flags makes a flag set that reports errors instead of ending the process.
func flags(command string, log io.Writer) *flag.FlagSet {
	set := flag.NewFlagSet("drawbridge "+command, flag.ContinueOnError)
	set.SetOutput(log)
	return set
}
