package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// testInspection: what the reads of project, editor, classes and nodes say is so.
func (r *rig) testInspection(t *testing.T) {
	for _, part := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"a healthy link", r.healthy},
		{"the edited scene and the open ones", r.openScenes},
		{"a scene counts as unsaved after each edit", r.openScenesAgree},
		{"selected nodes", r.selectedNodes},
		{"the history foretells undo and redo", r.historyForetells},
		{"the history of another hand", r.historyOfOthers},
		{"the project", r.projectInfo},
		{"settings changed behind the editor", r.settingsOutOfSync},
		{"scene files", r.sceneFiles},
		{"one property", r.oneProperty},
		{"one property says what the node says", r.propertiesAgree},
		{"no such property", r.noSuchProperty},
		{"verdicts are those of the change", r.verdictsForetold},
		{"connections", r.connections},
		{"errors since a cursor", r.editorErrors},
		{"errors by the hundred", r.manyErrors},
	} {
		t.Run(part.name, part.run)
	}
	t.Run("classes", r.classes)
}

func (r *rig) healthy(t *testing.T) {
	r.silent(t, "health_check", func() {
		reply := r.ok(t, "health_check", args{})
		assert.Equal(t, "linked", reply.Data["link"], "%s", reply.Raw)
		assert.Equal(t, true, reply.Data["healthy"], "%s", reply.Raw)
		editors, _ := reply.Data["editors"].([]any)
		require.Len(t, editors, 1, "%s", reply.Raw)
		editor, _ := editors[0].(map[string]any)
		assert.EqualValues(t, "linked", editor["state"])
		assert.Less(t, editor["beat_age_ms"], float64(protocol.BlockedAfter.Milliseconds()))
	})
}

// openScene is an entry of list_open_scenes, and the answer of get_active_scene.
type openScene struct {
	IsOpen   bool    `json:"is_open"`
	ID       string  `json:"id"`
	Path     *string `json:"path"`
	Name     string  `json:"name"`
	Type     string  `json:"type"`
	Dirty    bool    `json:"dirty"`
	IsActive bool    `json:"is_active"`
}

func (r *rig) activeScene(t *testing.T) openScene {
	t.Helper()
	var out openScene
	decodeData(t, r.ok(t, "get_active_scene", args{}), &out)
	return out
}

func (r *rig) openSceneList(t *testing.T) map[string]openScene {
	t.Helper()
	var out struct {
		Scenes []openScene `json:"scenes"`
	}
	reply := r.ok(t, "list_open_scenes", args{})
	decodeData(t, reply, &out)
	byID := map[string]openScene{}
	var order []string
	for _, scene := range out.Scenes {
		byID[scene.ID] = scene
		order = append(order, scene.ID)
	}
	assert.Equal(t, r.hand.glance(t).Scenes, order, "the order of the tabs: %s", reply.Raw)
	return byID
}

func (r *rig) openScenes(t *testing.T) {
	first := r.open(t, "own_nodes")
	scene := r.activeScene(t)
	require.NotNil(t, scene.Path)
	assert.Equal(t, openScene{IsOpen: true, ID: first, Path: scene.Path, Name: "Own", Type: "Node2D"}, scene)
	assert.Equal(t, first, *scene.Path)
	for _, step := range []struct {
		about string
		do    func()
		dirty bool
	}{
		{"an edit", func() { r.ok(t, "set_node_property", setPriority(1)) }, true},
		{"its undo", func() { r.ok(t, "undo", args{}) }, false},
		{"its redo", func() { r.ok(t, "redo", args{}) }, true},
		{"a save", func() { r.save(t) }, false},
		{"an edit by hand", func() { r.hand.set(t, "Player", "process_priority", "i:4", "By hand") }, true},
		{"a save by hand", func() { r.hand.act(t, "save", nil, nil) }, false},
		{"an edit that changes nothing", func() { r.ok(t, "set_node_property", setPriority(1)) }, false},
		{"another edit", func() { r.ok(t, "set_node_property", setPriority(2)) }, true},
	} {
		step.do()
		assert.Equal(t, step.dirty, r.activeScene(t).Dirty, step.about)
		assert.Equal(t, step.dirty, r.openSceneList(t)[first].Dirty, step.about)
	}
	second := r.open(t, "mid")
	open := r.openSceneList(t)
	assert.True(t, open[second].IsActive)
	assert.False(t, open[second].Dirty)
	assert.False(t, open[first].IsActive)
	assert.True(t, open[first].Dirty, "a scene in another tab stays unsaved")
}

func setPriority(value int) args {
	return args{"node_path": ".", "property": "process_priority", "value": value}
}

// openScenesAgree: BR-015. Each edit's own scene_dirty is what the list says afterwards, and what the tab shows.
func (r *rig) openScenesAgree(t *testing.T) {
	for _, tool := range r.tools {
		if tool.Carries || !tool.InScene || !slices.Contains(tool.Effects, "edits_memory") {
			continue
		}
		t.Run(tool.Name, func(t *testing.T) {
			scene := tool.ExampleScene
			path := r.open(t, scene)
			call := r.exampleHere(t, tool)
			reply := r.ok(t, tool.Name, call)
			listed := r.openSceneList(t)[path].Dirty
			assert.Equal(t, reply.Data["scene_dirty"], listed, "%s", reply.Raw)
			assert.Equal(t, listed, r.activeScene(t).Dirty)
			assert.Equal(t, listed, slices.Contains(r.hand.look(t).Starred, starName(path)), "the tab's star")
			if listed { // and is not lost without a word
				failure := r.refused(t, protocol.PreconditionFailed, "close_scene", args{"scene_path": path, "confirm": true})
				assert.Equal(t, []any{path}, failure.Details["discards"], "%s", text(failure))
			}
		})
	}
}

// starName is what a tab shows of a scene.
func starName(path string) string {
	name := path[strings.LastIndex(path, "/")+1:]
	return strings.TrimSuffix(name, ".tscn")
}

func (r *rig) selectedNodes(t *testing.T) {
	path := r.open(t, "own_nodes")
	for _, row := range [][]string{{}, {"."}, {"Player/Body"}, {"Player", "Enemy", "Foo"}} {
		r.hand.act(t, "select", map[string]any{"paths": row}, nil)
		reply := r.ok(t, "get_selected_nodes", args{})
		assert.ElementsMatch(t, row, selectedPaths(reply), "%s", reply.Raw)
		assert.EqualValues(t, len(row), reply.Data["total"])
		assert.Equal(t, path, reply.Data["scene"])
	}
	reply := r.ok(t, "get_selected_nodes", args{"offset": 1, "limit": 1})
	assert.Len(t, selectedPaths(reply), 1)
	assert.Equal(t, true, reply.Data["truncated"], "%s", reply.Raw)
	assert.EqualValues(t, 2, reply.Data["next_offset"], "%s", reply.Raw)
	r.open(t, "mid")
	reply = r.ok(t, "get_selected_nodes", args{})
	for _, path := range selectedPaths(reply) {
		assert.NotContains(t, []string{"Player", "Enemy", "Foo"}, path, "nodes of another tab: %s", reply.Raw)
	}
}

func selectedPaths(reply harness.Reply) []string {
	paths := []string{}
	nodes, _ := reply.Data["nodes"].([]any)
	for _, item := range nodes {
		node, _ := item.(map[string]any)
		path, _ := node["path"].(string)
		paths = append(paths, path)
	}
	return paths
}

// historyList is the answer of list_history.
type historyList struct {
	Undo      historySide   `json:"undo"`
	Redo      historySide   `json:"redo"`
	Histories []historyTops `json:"histories"`
	CanWalk   bool          `json:"can_walk"`
}

type historySide struct {
	Available    bool            `json:"available"`
	Actions      []historyAction `json:"actions"`
	OrderUnknown bool            `json:"order_unknown"`
}

type historyAction struct {
	Name    string `json:"name"`
	History string `json:"history"`
	Ours    bool   `json:"ours"`
}

type historyTops struct {
	History    string `json:"history"`
	Scene      string `json:"scene"`
	Undo       int    `json:"undo"`
	Redo       int    `json:"redo"`
	UndoAction string `json:"undo_action"`
	RedoAction string `json:"redo_action"`
}

func (s historySide) names() []string {
	names := []string{}
	for _, action := range s.Actions {
		names = append(names, action.Name)
	}
	return names
}

func (r *rig) historyNow(t *testing.T, with args) historyList {
	t.Helper()
	var out historyList
	decodeData(t, r.ok(t, "list_history", with), &out)
	require.NotEmpty(t, out.Histories)
	assert.Equal(t, "global", out.Histories[len(out.Histories)-1].History)
	return out
}

func (r *rig) historyForetells(t *testing.T) {
	r.hand.act(t, "clear_global", nil, nil)
	path := r.open(t, "own_nodes")
	empty := r.historyNow(t, args{})
	assert.Equal(t, historySide{Actions: []historyAction{}}, empty.Undo)
	assert.Equal(t, historySide{Actions: []historyAction{}}, empty.Redo)
	assert.Equal(t, historyTops{History: "scene", Scene: path}, empty.Histories[0])
	assert.True(t, empty.CanWalk)
	var made []string
	for value := range 4 {
		reply := r.ok(t, "set_node_property", setPriority(value+10))
		name, _ := reply.Data["undo_action"].(string)
		made = append([]string{name}, made...)
	}
	before := r.historyNow(t, args{})
	assert.Equal(t, made, before.Undo.names())
	assert.Equal(t, historyTops{History: "scene", Scene: path, Undo: 4, UndoAction: made[0]}, before.Histories[0])
	assert.Equal(t, made[:2], r.historyNow(t, args{"count": 2}).Undo.names())
	for _, action := range before.Undo.Actions {
		assert.True(t, action.Ours)
		assert.Equal(t, "scene", action.History)
	}
	undone := r.ok(t, "undo", args{"count": 3})
	assert.Equal(t, before.Undo.names()[:3], namesIn(undone.Data["actions"]), "%s", undone.Raw)
	after := r.historyNow(t, args{})
	assert.Equal(t, made[3:], after.Undo.names())
	assert.Equal(t, historyTops{
		History: "scene", Scene: path, Undo: 1, Redo: 3, UndoAction: made[3], RedoAction: made[2],
	}, after.Histories[0])
	redone := r.ok(t, "redo", args{"count": 3})
	assert.Equal(t, after.Redo.names(), namesIn(redone.Data["actions"]), "%s", redone.Raw)
}

func namesIn(list any) []string {
	names := []string{}
	items, _ := list.([]any)
	for _, item := range items {
		names = append(names, fmt.Sprint(item))
	}
	return names
}

func (r *rig) historyOfOthers(t *testing.T) {
	r.hand.act(t, "clear_global", nil, nil)
	r.open(t, "own_nodes")
	r.ok(t, "set_node_property", setPriority(1))
	r.hand.set(t, "Player", "process_priority", "i:4", "By hand")
	seen := r.historyNow(t, args{})
	assert.Equal(t, "By hand", seen.Undo.Actions[0].Name)
	assert.False(t, seen.Undo.Actions[0].Ours)
	assert.True(t, seen.Undo.Actions[1].Ours)
	ramp := map[string]any{"path": harness.FixtureRes + "/assets/ramp.tres", "value": "", "action": "On a resource"}
	r.hand.act(t, "set_global", ramp, nil)
	seen = r.historyNow(t, args{})
	assert.Equal(t, historyAction{Name: "On a resource", History: "global"}, seen.Undo.Actions[0])
	assert.Equal(t, "On a resource", seen.Histories[1].UndoAction)
	failure := r.refused(t, protocol.PreconditionFailed, "undo", args{})
	assert.Equal(t, seen.Undo.Actions[0].Name, failure.Details["top"], "undo and the list agree on the top")
	r.ok(t, "undo", args{"expect_action": "On a resource"})
	r.ok(t, "undo", args{"expect_action": "By hand"})
	assert.Equal(t, []string{"By hand", "On a resource"}, r.historyNow(t, args{}).Redo.names())
}
