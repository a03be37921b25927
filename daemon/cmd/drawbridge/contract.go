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
	"text/tabwriter"

	"drawbridge/daemon/internal/catalog"
	"drawbridge/daemon/internal/contract"
	"drawbridge/daemon/internal/mcpserver"
	"drawbridge/daemon/internal/tool"
)

const contractUsage = `drawbridge contract is about what the tools may do: the safety contract.

  drawbridge contract verify [--json] [--repository DIR]   check that it holds
  drawbridge contract show                                 show it as JSON

verify compares the tools with what was committed and with what clients get. With --repository it also compares the
documents in a checkout. What an editor knows is looked at by the tool validate_safety_contract of a running daemon.
`

// errContract is the error for a contract that does not hold.
var errContract = errors.New("the safety contract does not hold")

// contractCommand is drawbridge contract.
func contractCommand(ctx context.Context, args []string, out, logTo io.Writer) error {
	return among("contract", contractUsage, args, out, map[string]func([]string) error{
		"verify": func(args []string) error { return contractVerify(ctx, args, out, logTo) },
		"show":   func(args []string) error { return contractShow(args, out, logTo) },
	})
}

// contractShow is contract show.
func contractShow(args []string, out, logTo io.Writer) error {
	set := flags("contract show", logTo)
	if err := parseAlone(set, args); err != nil {
		return err
	}
	tools, err := catalog.New()
	if err != nil {
		return fmt.Errorf("building the tools: %w", err)
	}
	if _, err := out.Write(contract.Render(contract.Of(tools.All()))); err != nil {
		return fmt.Errorf("writing the contract: %w", err)
	}
	return nil
}

// contractVerify is contract verify.
func contractVerify(ctx context.Context, args []string, out, logTo io.Writer) error {
	set := flags("contract verify", logTo)
	asJSON := set.Bool("json", false, "write one finding a line, as JSON")
	repository := set.String("repository", "", "also compare the documents in this `folder`, a checkout of Drawbridge")
	if err := parseAlone(set, args); err != nil {
		return err
	}
	tools, err := catalog.New()
	if err != nil {
		return fmt.Errorf("building the tools: %w", err)
	}
	facts := contract.Facts{Document: contract.Of(tools.All()), Golden: contract.Golden()}
	every := func(*tool.Tool) bool { return true }
	for _, listed := range []func(*tool.Tool) bool{(*tool.Tool).Listed, every} {
		facts.Fronts = append(facts.Fronts, registered(ctx, mcpserver.Options{Tools: tools.All(), Listed: listed}))
	}
	if *repository != "" {
		if facts.Files, err = hashes(*repository, facts.Document.Documents); err != nil {
			return err
		}
	}
	return tell(out, contract.Check(facts), *asJSON)
}

// parseAlone parses flags that no argument follows.
func parseAlone(set *flag.FlagSet, args []string) error {
	if err := set.Parse(args); err != nil {
		return err
	}
	if set.NArg() > 0 {
		return fmt.Errorf("%s takes no argument %q", set.Name(), set.Arg(0))
	}
	return nil
}

// registered gives what a client of a server with these options gets. A list that cannot be had is a finding.
func registered(ctx context.Context, o mcpserver.Options) contract.Front {
	var front contract.Front
	for _, t := range o.Tools {
		if o.Listed(t) {
			front.Listed = append(front.Listed, t.Name())
		}
	}
	list, err := mcpserver.Registered(ctx, o)
	if err == nil {
		front.List = list
	}
	return front
}

// hashes reads the documents of a checkout. One that is not there has no hash, which is a finding.
func hashes(root string, documents map[string]string) (map[string]string, error) {
	out := map[string]string{}
	for name := range documents {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("reading the documents: %w", err)
		default:
			out[name] = contract.Hash(text)
		}
	}
	return out, nil
}

// tell writes a report: a table, or one finding a line. Errors in it are an error.
func tell(out io.Writer, r contract.Report, asJSON bool) error {
	var err error
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	lines := json.NewEncoder(out)
	for _, f := range r.Findings {
		var wrong error
		if asJSON {
			wrong = lines.Encode(f)
		} else {
			_, wrong = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", f.Level, f.Subject, f.Rule, f.Detail)
		}
		err = errors.Join(err, wrong)
	}
	if !asJSON {
		_, wrong := fmt.Fprintf(table, "%d tools, %d errors, %d warnings, contract %s\n", r.Tools, r.Errors, r.Warnings, r.SHA256)
		err = errors.Join(err, wrong, table.Flush())
	}
	if err != nil {
		return fmt.Errorf("writing the findings: %w", err)
	}
	if !r.Valid {
		return fmt.Errorf("%w: %d errors", errContract, r.Errors)
	}
	return nil
}
