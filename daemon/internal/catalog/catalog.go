// Package catalog is the list of tools, one file per domain, and a table to look them up. It decides nothing: what
// follows from a tool's facts is derived in package tool.
package catalog

import (
	"fmt"
	"slices"
	"strings"

	"drawbridge/daemon/internal/tool"
)

// Catalog is the table of all tools.
type Catalog struct {
	byName map[string]*tool.Tool
	all    []*tool.Tool
}

// domains lists the domains, one line each.
func domains() [][]tool.Spec {
	return [][]tool.Spec{
		meta(),
		carriers(),
		batches(),
		recoveries(),
		outcomes(),
		sceneReads(),
		nodes(),
		structure(),
		traits(),
		scenes(),
		scripts(),
		sceneFiles(),
		crossScene(),
		resources(),
		project(),
		history(),
		inspection(),
	}
}

// New builds every tool. It fails when one leaves a fact out or two share a name.
func New() (*Catalog, error) { return Of(slices.Concat(domains()...)) }

// Of builds a catalog of the given tools; tests use it for tools of their own.
func Of(specs []tool.Spec) (*Catalog, error) {
	c := &Catalog{byName: map[string]*tool.Tool{}}
	for _, spec := range specs {
		t, err := tool.New(spec)
		if err != nil {
			return nil, err
		}
		if c.byName[t.Name()] != nil {
			return nil, fmt.Errorf("tool %q is there twice", t.Name())
		}
		c.byName[t.Name()] = t
		c.all = append(c.all, t)
	}
	slices.SortFunc(c.all, func(a, b *tool.Tool) int { return strings.Compare(a.Name(), b.Name()) })
	return c, nil
}

// All lists every tool by name. It returns a fresh slice.
func (c *Catalog) All() []*tool.Tool { return slices.Clone(c.all) }

// Lookup finds a tool by its name.
func (c *Catalog) Lookup(name string) (*tool.Tool, bool) {
	t, ok := c.byName[name]
	return t, ok
}

// Commands lists the names that the addon's handlers must know, sorted. Asking for an outcome is the ledger's.
func (c *Catalog) Commands() []string {
	var names []string
	for _, t := range c.all {
		if (t.InEditor() && !t.Settles()) || t.Batches() {
			names = append(names, t.Name())
		}
	}
	return names
}
