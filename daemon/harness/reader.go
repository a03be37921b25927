package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// readerLimit bounds the reader process; it needs 0.2 s and 2 ms a scene.
const readerLimit = 2 * time.Minute

// Scenes is what a fresh engine process read, by res:// path.
type Scenes map[string]Scene

// Scene is one saved scene as a fresh process sees it. Error is set when it did not load; the rest is empty then.
type Scene struct {
	Error string `json:"error"`
	// Root is the name of the root node.
	Root string `json:"root"`
	// Nodes are the nodes by their path from the root; "." is the root. Order is tree order, by path.
	Nodes map[string]Node `json:"nodes"`
	Order []string        `json:"order"`
	// Connections are the persistent ones, sorted.
	Connections []Connection `json:"connections"`
}

// Node is one node. Properties are all stored ones, each in the encoding that Plain undoes; equal values have equal
// bytes.
type Node struct {
	Type       string                     `json:"type"`
	Owner      string                     `json:"owner"`
	Index      int                        `json:"index"`
	InstanceOf string                     `json:"instance_of"`
	Editable   bool                       `json:"editable_children"`
	Script     string                     `json:"script"`
	UniqueName bool                       `json:"unique_name"`
	Groups     []string                   `json:"groups"`
	Metadata   map[string]json.RawMessage `json:"metadata"`
	Properties map[string]json.RawMessage `json:"properties"`
}

// Connection is one persistent signal connection; source and target are node paths.
type Connection struct {
	Source string          `json:"source"`
	Signal string          `json:"signal"`
	Target string          `json:"target"`
	Method string          `json:"method"`
	Flags  int             `json:"flags"`
	Binds  json.RawMessage `json:"binds"`
}

// Read loads the scenes in one fresh engine process without any cache, so that it sees what is on the disk and
// nothing that an editor remembers. Files that do not load have their Error set; Read's own error means that the
// process failed.
func (k *Kit) Read(ctx context.Context, p *Project, scenes ...string) (Scenes, error) {
	dir, err := k.TempDir("reader")
	if err != nil {
		return nil, err
	}
	ask, answer := filepath.Join(dir, "ask.json"), filepath.Join(dir, "answer.json")
	list, err := json.Marshal(scenes)
	if err != nil {
		return nil, fmt.Errorf("listing scenes for the reader: %w", err)
	}
	if err := os.WriteFile(ask, list, 0o600); err != nil {
		return nil, fmt.Errorf("asking the reader: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, readerLimit)
	defer cancel()
	out, runErr := k.RunGodot(ctx, p, "-s", "res://gd/reader.gd", "--", ask, answer)
	text, err := os.ReadFile(answer)
	if runErr != nil || err != nil {
		return nil, fmt.Errorf("reading scenes in a fresh process: %w\n%s", firstError(runErr, err), out)
	}
	var read Scenes
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, fmt.Errorf("reading the reader's answer: %w\n%s", err, out)
	}
	for _, scene := range scenes {
		if _, ok := read[scene]; !ok {
			return nil, fmt.Errorf("the reader said nothing about %s\n%s", scene, out)
		}
	}
	return read, os.RemoveAll(dir)
}

// firstError gives the first that is set.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Plain turns a value of the reader into plain Go: bool, int64, float64, string, nil, a flat list of numbers for
// vectors and the like, lists for arrays (dictionaries are lists of pairs), and maps for nodes ({"$node": path}) and
// resources ({"$resource": class, "path", "inside", "script", "properties", "metadata"}; path is empty for a
// sub-resource, inside is the file that holds it). Type names of vectors and typed containers are dropped: compare
// bytes where they matter.
func Plain(raw json.RawMessage) (any, error) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, fmt.Errorf("reading a value: %w", err)
	}
	return plain(v)
}

// plain undoes the encoding of one decoded value.
func plain(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return plainText(v)
	case []any:
		return plainList(v)
	case map[string]any:
		if args, ok := v["args"].([]any); ok {
			return args, nil
		}
		if items, ok := v["$items"].([]any); ok {
			return plainList(items)
		}
		return plainMap(v)
	default:
		return v, nil
	}
}

// plainList undoes each element.
func plainList(list []any) (any, error) {
	out := make([]any, len(list))
	for i, item := range list {
		value, err := plain(item)
		if err != nil {
			return nil, err
		}
		out[i] = value
	}
	return out, nil
}

// plainMap undoes the values of a resource and keeps its marks as they are.
func plainMap(m map[string]any) (any, error) {
	out := make(map[string]any, len(m))
	for key, item := range m {
		values, nested := item.(map[string]any)
		if !nested {
			out[key] = item
			continue
		}
		inner := make(map[string]any, len(values))
		for name, value := range values {
			done, err := plain(value)
			if err != nil {
				return nil, err
			}
			inner[name] = done
		}
		out[key] = inner
	}
	return out, nil
}

// plainText undoes "i:1", "f:1.5", "s:text", "sn:name" and "np:path".
func plainText(text string) (any, error) {
	kind, rest, _ := strings.Cut(text, ":")
	switch kind {
	case "i":
		return strconv.ParseInt(rest, 10, 64)
	case "f":
		return strconv.ParseFloat(rest, 64)
	case "s", "sn", "np":
		return rest, nil
	}
	return nil, fmt.Errorf("not a value of the reader: %q", text)
}
