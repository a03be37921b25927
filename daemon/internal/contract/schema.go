package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// node is a schema, as far as the contract looks at it. What is not known is kept, so that it can be refused.
type node struct {
	Type       any                        `json:"type"`
	Desc       string                     `json:"description"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
	Additional any                        `json:"additionalProperties"`
	Items      json.RawMessage            `json:"items"`
	Enum       []string                   `json:"enum"`
	Minimum    json.Number                `json:"minimum"`
	Maximum    json.Number                `json:"maximum"`
	MinItems   json.Number                `json:"minItems"`
	MaxItems   json.Number                `json:"maxItems"`
	Default    json.RawMessage            `json:"default"`
}

// readNode reads a schema. A keyword that the contract does not know could loosen what the known ones say.
func readNode(raw json.RawMessage) (node, error) {
	var n node
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&n); err != nil {
		return node{}, fmt.Errorf("reading a schema: %w", err)
	}
	return n, nil
}

// schema checks a tool's input schema: that it is closed, that numbers have bounds, and that it says the same of each
// parameter as the table.
func (c *check) schema(e Entry) {
	c.want(Hash(e.Schema) == e.SchemaSHA256, e.Name, "schema_hash", "the hash is not the schema's")
	root, err := readNode(e.Schema)
	if err != nil || root.Type != "object" {
		c.err(e.Name, "schema_unreadable", "%v", err)
		return
	}
	c.want(root.Additional == false, e.Name, "schema_open", "additionalProperties is not false")
	known := map[string]bool{}
	for _, p := range e.Parameters {
		c.want(!known[p.Name], e.Name, "parameter_twice", "%s", p.Name)
		known[p.Name] = true
		raw, there := root.Properties[p.Name]
		if !there {
			c.err(e.Name, "parameter_not_in_schema", "%s", p.Name)
			continue
		}
		n, err := readNode(raw)
		if err != nil {
			c.err(e.Name, "schema_unreadable", "%s: %v", p.Name, err)
			continue
		}
		c.parameter(e.Name, p, n, slices.Contains(root.Required, p.Name))
	}
	for _, name := range keysOf(root.Properties) {
		c.want(known[name], e.Name, "parameter_not_in_table", "%s", name)
		c.bounded(e.Name, name, root.Properties[name])
	}
	for _, name := range root.Required {
		c.want(known[name], e.Name, "parameter_not_in_table", "%s is required", name)
	}
}

// parameter compares a parameter with its schema.
func (c *check) parameter(name string, p Parameter, n node, required bool) {
	typ, known := jsonTypes()[p.Kind]
	text, _ := n.Type.(string)
	same := known && text == typ && p.Required == required && slices.Equal(p.Enum, n.Enum)
	low, high := n.Minimum, n.Maximum
	if p.Kind == "calls" {
		low, high = n.MinItems, n.MaxItems
	}
	same = same && number(p.Minimum) == low && number(p.Maximum) == high
	same = same && bytes.Equal(p.Default, n.Default)
	c.want(same, name, "parameter_differs", "%s: table and schema do not say the same", p.Name)
	c.want(p.Shared || n.Desc != "", name, "parameter_untold", "%s has no description", p.Name)
}

// bounded looks for numbers without bounds and for objects that name properties and take others, at any depth.
func (c *check) bounded(name, at string, raw json.RawMessage) {
	n, err := readNode(raw)
	if err != nil {
		c.err(name, "schema_unreadable", "%s: %v", at, err)
		return
	}
	if n.Type == "integer" || n.Type == "number" {
		low, lowErr := n.Minimum.Float64()
		high, highErr := n.Maximum.Float64()
		c.want(lowErr == nil && highErr == nil && low < high, name, "number_unbounded", "%s", at)
	}
	if len(n.Properties) > 0 {
		c.want(n.Additional == false, name, "schema_open", "%s: additionalProperties is not false", at)
	}
	for _, inner := range keysOf(n.Properties) {
		c.bounded(name, at+"."+inner, n.Properties[inner])
	}
	if len(n.Items) > 0 {
		c.bounded(name, at+"[]", n.Items)
	}
}

func number(n *int64) json.Number {
	if n == nil {
		return ""
	}
	return json.Number(strconv.FormatInt(*n, 10))
}

// jsonTypes gives the type of each kind in a schema; a value may be of any.
func jsonTypes() map[string]string {
	types := map[string]string{
		"integer": "integer", "boolean": "boolean", "strings": "array", "calls": "array", "values": "object",
		"object": "object", "value": "",
	}
	for _, kind := range []string{
		"string", "node_path", "node_name", "class_name", "property_name", "res_path", "scene_path", "scene", "tool_name",
	} {
		types[kind] = "string"
	}
	return types
}
