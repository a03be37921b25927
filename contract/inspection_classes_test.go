package contract

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// classFacts is what a fresh process says of a class.
type classFacts struct {
	Base       string   `json:"base"`
	Can        bool     `json:"can"`
	Core       bool     `json:"core"`
	Properties []string `json:"properties"`
	Methods    []string `json:"methods"`
	Signals    []string `json:"signals"`
	Enums      []string `json:"enums"`
	Constants  []string `json:"constants"`
}

// classReport is the answer of describe_class.
type classReport struct {
	Inherits   []string      `json:"inherits"`
	Subclasses []string      `json:"subclasses"`
	Can        bool          `json:"can_instantiate"`
	Source     string        `json:"source"`
	Script     string        `json:"script"`
	Concrete   []string      `json:"concrete"`
	Properties []classMember `json:"properties"`
	Methods    []classMember `json:"methods"`
	Signals    []classMember `json:"signals"`
	Enums      []classMember `json:"enums"`
	Constants  []classMember `json:"constants"`
	Total      int           `json:"total"`
	Truncated  bool          `json:"truncated"`
	NextOffset int           `json:"next_offset"`
}

type classMember struct {
	Name    string         `json:"name"`
	Type    string         `json:"type"`
	From    string         `json:"from"`
	Returns string         `json:"returns"`
	Flags   []string       `json:"flags"`
	Args    []classMember  `json:"args"`
	Default any            `json:"default"`
	Options map[string]int `json:"options"`
	Values  map[string]int `json:"values"`
	Value   any            `json:"value"`
}

func memberNames(members []classMember) []string {
	names := []string{}
	for _, member := range members {
		names = append(names, member.Name)
	}
	return names
}

func (r *rig) describe(t *testing.T, with args) classReport {
	t.Helper()
	var out classReport
	reply := r.ok(t, "describe_class", with)
	assert.LessOrEqual(t, len([]rune(string(reply.Raw))), maxContent)
	assert.Empty(t, engineErrors(t, reply), "%v", with)
	decodeData(t, reply, &out)
	return out
}

// describeAll reads all pages of a class as one.
func (r *rig) describeAll(t *testing.T, name string) classReport {
	t.Helper()
	whole := r.describe(t, args{"class_name": name, "limit": 500})
	for whole.Truncated {
		next := r.describe(t, args{"class_name": name, "limit": 500, "offset": whole.NextOffset})
		whole.Properties = append(whole.Properties, next.Properties...)
		whole.Methods = append(whole.Methods, next.Methods...)
		whole.Signals = append(whole.Signals, next.Signals...)
		whole.Enums = append(whole.Enums, next.Enums...)
		whole.Constants = append(whole.Constants, next.Constants...)
		whole.Truncated, whole.NextOffset = next.Truncated, next.NextOffset
	}
	return whole
}

// classes: what describe_class says of classes is what a fresh process says of them.
func (r *rig) classes(t *testing.T) {
	t.Run("every class of the engine", r.everyClass)
	t.Run("pages fit together", r.classPages)
	t.Run("a class of the project", r.projectClass)
	t.Run("an abstract class names concrete ones", r.abstractClasses)
	t.Run("no such class", r.noSuchClass)
	t.Run("what members are like", r.classMembers)
}

func (r *rig) everyClass(t *testing.T) {
	out, err := r.kit.RunGodot(r.ctx, r.project, "-s", "res://gd/classes.gd")
	require.NoError(t, err, out)
	var report struct {
		Classes map[string]classFacts `json:"classes"`
	}
	require.NoError(t, json.Unmarshal([]byte(lastJSON(out)), &report))
	require.Greater(t, len(report.Classes), 700)
	for name, facts := range report.Classes {
		got := r.describeAll(t, name)
		if facts.Core { // the editor's own can be made in the editor only
			assert.Equal(t, facts.Can, got.Can, name)
		}
		assert.Equal(t, "engine", got.Source, name)
		if facts.Base != "" && assert.NotEmpty(t, got.Inherits, name) {
			assert.Equal(t, facts.Base, got.Inherits[0], name)
			assert.Equal(t, "Object", got.Inherits[len(got.Inherits)-1], name)
		}
		assert.ElementsMatch(t, facts.Properties, memberNames(got.Properties), "%s: properties", name)
		assert.ElementsMatch(t, facts.Methods, memberNames(got.Methods), "%s: methods", name)
		assert.ElementsMatch(t, facts.Signals, memberNames(got.Signals), "%s: signals", name)
		assert.ElementsMatch(t, facts.Enums, memberNames(got.Enums), "%s: enums", name)
		assert.ElementsMatch(t, facts.Constants, memberNames(got.Constants), "%s: constants", name)
		if t.Failed() {
			return // one class is enough to look into
		}
	}
}

func (r *rig) classPages(t *testing.T) {
	whole := r.describe(t, args{"class_name": "Control", "limit": 500})
	all := slices.Concat(memberNames(whole.Properties), memberNames(whole.Methods), memberNames(whole.Signals),
		memberNames(whole.Enums), memberNames(whole.Constants))
	require.Len(t, all, whole.Total)
	var paged []string
	for offset, more := 0, true; more; {
		page := r.describe(t, args{"class_name": "Control", "limit": 60, "offset": offset})
		paged = append(paged, slices.Concat(memberNames(page.Properties), memberNames(page.Methods),
			memberNames(page.Signals), memberNames(page.Enums), memberNames(page.Constants))...)
		offset, more = page.NextOffset, page.Truncated
	}
	assert.Equal(t, all, paged)
	for filter, want := range map[string]string{
		"set_anchor_": "set_anchor_and_offset",
		"s*_preset":   "set_anchors_and_offsets_preset set_anchors_preset set_offsets_preset",
		"ANCHOR_*":    "anchor_bottom anchor_left anchor_right anchor_top",
		"nothing":     "",
	} {
		kind := "methods"
		if strings.HasPrefix(want, "anchor") {
			kind = "properties"
		}
		got := r.describe(t, args{"class_name": "Control", "filter": filter, "kind": kind})
		names := append(memberNames(got.Methods), memberNames(got.Properties)...)
		slices.Sort(names)
		assert.Equal(t, want, strings.Join(names, " "), filter)
	}
	inherited := r.describe(t, args{"class_name": "Button", "include_inherited": true, "filter": "visible", "kind": "properties"})
	require.Equal(t, []string{"visible"}, memberNames(inherited.Properties))
	assert.Equal(t, "CanvasItem", inherited.Properties[0].From)
	assert.Empty(t, r.describe(t, args{"class_name": "Button", "filter": "visible", "kind": "properties"}).Properties)
}

func (r *rig) projectClass(t *testing.T) {
	mover := r.describe(t, args{"class_name": "FixtureMover"})
	assert.Equal(t, "project", mover.Source)
	assert.Equal(t, harness.FixtureRes+"/scripts/fixture_mover.gd", mover.Script)
	assert.Equal(t, []string{"Node2D", "CanvasItem", "Node", "Object"}, mover.Inherits)
	assert.True(t, mover.Can)
	require.Equal(t, []string{"speed"}, memberNames(mover.Properties))
	assert.Equal(t, "float", mover.Properties[0].Type)
	assert.InDelta(t, 100.0, mover.Properties[0].Default, 0)
	thing := r.describe(t, args{"class_name": "FixtureThing"})
	assert.Contains(t, memberNames(thing.Properties), "label")
	whole := r.describe(t, args{"class_name": "FixtureMover", "include_inherited": true, "kind": "properties", "limit": 500})
	assert.Contains(t, memberNames(whole.Properties), "position")
	assert.Equal(t, "FixtureMover", whole.Properties[0].From)
	below := r.describe(t, args{"class_name": "Node2D", "limit": 1})
	assert.Contains(t, below.Subclasses, "FixtureMover", "the project's own subclasses")
}

// abstractClasses: BR-041.
func (r *rig) abstractClasses(t *testing.T) {
	for name, concrete := range map[string]string{
		"Shape3D": "BoxShape3D", "CanvasItem": "Control", "Joint2D": "PinJoint2D",
		"InputEvent": "InputEventKey", "Shape2D": "CircleShape2D",
	} {
		got := r.describe(t, args{"class_name": name, "limit": 1})
		assert.False(t, got.Can, name)
		assert.Contains(t, got.Concrete, concrete, name)
		for _, below := range got.Concrete[:min(5, len(got.Concrete))] {
			assert.True(t, r.describe(t, args{"class_name": below, "limit": 1}).Can, "%s below %s", below, name)
		}
	}
	assert.False(t, r.describe(t, args{"class_name": "FixtureAbstract"}).Can)
	assert.Empty(t, r.describe(t, args{"class_name": "Sprite2D", "limit": 1}).Concrete)
}

func (r *rig) noSuchClass(t *testing.T) {
	for name, want := range map[string]string{
		"Sprite2": "Sprite2D", "sprite2d": "Sprite2D", "CharacterBody": "CharacterBody2D", "FixtureMovr": "FixtureMover",
	} {
		failure := r.refused(t, protocol.ValidationError, "describe_class", args{"class_name": name})
		assert.Equal(t, "unknown_class", failure.Details["reason"], name)
		assert.Contains(t, failure.Details["suggestions"], want, name)
	}
	for _, name := range []string{"Vector2", "int", "PackedByteArray"} {
		failure := r.refused(t, protocol.ValidationError, "describe_class", args{"class_name": name})
		assert.Equal(t, "value_type", failure.Details["reason"], name)
	}
}

func (r *rig) classMembers(t *testing.T) {
	only := func(class, kind, name string) classMember {
		t.Helper()
		got := r.describe(t, args{"class_name": class, "kind": kind, "filter": name, "limit": 500})
		for _, member := range slices.Concat(got.Properties, got.Methods, got.Signals, got.Enums, got.Constants) {
			if member.Name == name {
				return member
			}
		}
		require.Fail(t, "no such member", "%s of %s", name, class)
		return classMember{}
	}
	add := only("Node", "methods", "add_child")
	assert.Equal(t, "void", add.Returns)
	assert.Equal(t, []string{"node", "force_readable_name", "internal"}, memberNames(add.Args))
	assert.Equal(t, "Node", add.Args[0].Type)
	assert.Nil(t, add.Args[0].Default)
	assert.Equal(t, false, add.Args[1].Default)
	assert.Equal(t, "Node.InternalMode", add.Args[2].Type)
	assert.Equal(t, []string{"virtual"}, only("Node", "methods", "_ready").Flags)
	assert.Equal(t, []string{"const"}, only("Node", "methods", "get_child_count").Flags)
	assert.Equal(t, "Variant", only("Object", "methods", "get_meta").Returns)
	mode := only("Node", "properties", "process_mode")
	assert.Equal(t, 3, mode.Options["Always"])
	assert.InDelta(t, 0, mode.Default, 0)
	assert.Equal(t, []string{"node"}, memberNames(only("Node", "signals", "child_entered_tree").Args))
	assert.Equal(t, 4, only("Node", "enums", "ProcessMode").Values["PROCESS_MODE_DISABLED"])
	assert.InDelta(t, 13, only("Node", "constants", "NOTIFICATION_READY").Value, 0)
	assert.Equal(t, "bool", only("Sprite2D", "properties", "centered").Type)
	assert.Equal(t, true, only("Sprite2D", "properties", "centered").Default)
}
