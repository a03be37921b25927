// Command drawbridge is the daemon between MCP clients and Godot editors. It only wires the parts together.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"drawbridge/protocol"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], pollable(os.Stdin), os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

const usage = `Drawbridge lets an AI client work in a live Godot editor.

  drawbridge serve [--project PATH]... [--verbose]   speak MCP on stdin and stdout
  drawbridge install PROJECT                         put the addon into a project and enable it
  drawbridge audit show|tail|verify                  read the record of what was done, and check it
  drawbridge contract verify|show                    check what the tools may do, or show it as JSON
  drawbridge version                                 show the version
  drawbridge help                                    show this text

serve takes the nearest folder upwards with a project.godot when --project is not given.
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

// flags makes a flag set that reports errors instead of ending the process.
func flags(command string, log io.Writer) *flag.FlagSet {
	set := flag.NewFlagSet("drawbridge "+command, flag.ContinueOnError)
	set.SetOutput(log)
	return set
}
