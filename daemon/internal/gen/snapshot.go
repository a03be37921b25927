package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"drawbridge/daemon/internal/safety"
	"drawbridge/daemon/internal/tool"
)

// Snapshot gives a tool's public face as JSON, so that a change of it is a hunk of its own in a review.
func Snapshot(t *tool.Tool) ([]byte, error) {
	hints := t.Annotations()
	text, err := json.Marshal(map[string]any{
		"name": t.Name(), "summary": t.Summary(), "toolset": t.Toolset(), "class": t.Class(),
		"effects": safety.Names(t.Effects()), "listed": t.Listed(), "input_schema": t.Schema(),
		"annotations": map[string]bool{
			"readOnly": hints.ReadOnly, "destructive": hints.Destructive,
			"idempotent": hints.Idempotent, "openWorld": hints.OpenWorld,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("snapshot of %s: %w", t.Name(), err)
	}
	b := &bytes.Buffer{}
	if err := json.Indent(b, text, "", "  "); err != nil {
		return nil, fmt.Errorf("snapshot of %s: %w", t.Name(), err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
