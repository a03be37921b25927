package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// testStructure: names, copies and instances of nodes, changes of many nodes, and the references that follow.
func (r *rig) testStructure(t *testing.T) {
	t.Run("undo", r.structureUndo)
	t.Run("a rename repairs references", r.renameRepairs)
	t.Run("a rename of a unique node", r.renameUnique)
	t.Run("a rename of the root", r.renameRoot)
	t.Run("a move repairs references", r.moveRepairs)
	t.Run("a move of the player", r.movePlayer)
	t.Run("references that stay", r.unsavedMove)
	t.Run("shared animations", r.sharedAnimation)
	t.Run("a reference that does not take", r.stubbornReference)
	t.Run("refused names", r.refusedNames)
	t.Run("taken names", r.takenStructureNames)
	t.Run("refused copies", r.refusedCopies)
	t.Run("copies of code", r.copiesOfCode)
	t.Run("untrue copies", r.untrueCopies)
	t.Run("names that come back", r.namesThatComeBack)
	t.Run("a copy is whole", r.wholeCopy)
	t.Run("a copy leaves out what is not saved", r.copyOfUnsaved)
	t.Run("refused scenes", r.refusedScenes)
	t.Run("cycles", r.cyclicInstances)
	t.Run("an instance stays one", r.instanceStays)
	t.Run("many nodes, one step", r.batchUndo)
	t.Run("named nodes: all or none", r.batchNamed)
	t.Run("nodes of a class: each for itself", r.batchOfClass)
	t.Run("verdicts", r.structureVerdicts)
}

// structureUndo: each change comes back byte for byte, with animations and everything else that it rewrote.
func (r *rig) structureUndo(t *testing.T) {
	for _, e := range structureEdits() {
		t.Run(e.tool+"/"+e.name, func(t *testing.T) { r.checkUndo(t, e) })
	}
}

func rename(node, name string) args { return args{"node_path": node, "new_name": name} }

func copyOf(node string) args { return args{"node_path": node} }

func instanceOf(scene, parent string) args {
	return args{"scene_path": fixture(scene), "parent_path": parent}
}

func fixture(name string) string { return harness.FixtureRes + "/" + name }

func structureEdits() []edit {
	into := func(node, parent string) args { return args{"node_path": node, "new_parent_path": parent} }
	return []edit{
		{"a node that others name", "references", "rename_node", rename("Kid", "Sam")},
		{"a node that much names", "references_deep", "rename_node", rename("Kid", "Sam")},
		{"a unique node", "references_deep", "rename_node", rename("Kid/Deep", "Low")},
		{"a player", "references_deep", "rename_node", rename("Player", "Animations")},
		{"an instance", "instance_editable", "rename_node", rename("Shell", "Case")},
		{"an own node inside an instance", "instance_editable", "rename_node", rename("Shell/Kid/Own", "Mine")},
		{"an exported node", "node_exports", "rename_node", rename("Hud", "Screen")},
		{"the target of a connection", "deep_subtree", "rename_node", rename("After", "Later")},
		{"a name that is taken", "own_nodes", "rename_node", rename("Enemy", "Foo")},
		{"a node that much names", "references_deep", "move_node", into("Kid", "Box")},
		{"a node that names others", "references_deep", "move_node", into("User", "Box")},
		{"a player", "references_deep", "move_node", into("Player", "Box")},
		{"the target of others", "references_deep", "move_node", into("Box", "Kid")},
		{"a branch with an instance", "deep_subtree", "duplicate_node", copyOf("Branch")},
		{"an editable instance", "instance_editable", "duplicate_node", copyOf("Shell")},
		{"a closed instance", "instance_closed", "duplicate_node", copyOf("Shell")},
		{"a node inside an editable instance", "instance_editable", "duplicate_node", copyOf("Shell/Kid/Deep")},
		{"an inherited node", "inherited_one", "duplicate_node", copyOf("Kid")},
		{"a node with exported nodes", "node_exports", "duplicate_node", copyOf("User")},
		{"a container's child", "side_effects", "duplicate_node", copyOf("Box/Inside")},
		{"below the root", "own_nodes", "instance_scene", instanceOf("mid.tscn", ".")},
		{"in front", "own_nodes", "instance_scene", with(instanceOf("nest.tscn", "Player"), "index", 0)},
		{"a model", "own_nodes", "instance_scene", instanceOf("assets/triangle.gltf", ".")},
		{"into an editable instance", "instance_editable", "instance_scene", instanceOf("mid.tscn", "Shell/Kid")},
		{"sliders", "side_effects", "batch_set_property", args{
			"node_type": "Range", "properties": args{"max_value": 10, "min_value": 2},
		}},
		{"a class, instances included", "instance_editable", "batch_set_property", args{
			"node_type": "Node2D", "property": "position", "value": []int{5, 6},
		}},
	}
}

func (r *rig) refusedNames(t *testing.T) {
	for _, row := range []struct{ fixture, node, name, reason string }{
		{"instance_editable", "Shell/Kid", "New", "node_from_instance"},
		{"instance_closed", "Shell/Kid", "New", "node_from_instance"},
		{"nested_editable", "Nest/Open", "New", "node_from_instance"},
		{"inherited_one", "Kid", "New", "inherited_node"},
		{"inherited_two", "Added", "New", "inherited_node"},
		{"own_nodes", "Ghost", "New", "node_not_owned"},
		{"own_nodes", "Enemy", "a/b", "invalid_name_chars"},
		{"own_nodes", "Enemy", "a.b", "invalid_name_chars"},
		{"own_nodes", "Enemy", "%a", "invalid_name_chars"},
		{"deep_subtree", "Branch/Twig", "Leaf", "unique_name_taken"},
	} {
		r.open(t, row.fixture)
		r.hand.act(t, "add_ghost", map[string]any{"parent": "."}, nil)
		before := r.state(t)
		failure := r.refused(t, protocol.ValidationError, "rename_node", rename(row.node, row.name))
		assert.Equal(t, row.reason, failure.Details["reason"], "%s %s: %s", row.node, row.name, text(failure))
		assert.NotEmpty(t, failure.Hint)
		r.same(t, before, "a refused name")
	}
	r.open(t, "own_nodes")
	r.refused(t, protocol.ValidationError, "rename_node", rename("Enemy", ""))
	r.refused(t, protocol.ResourceNotFound, "rename_node", rename("Nobody", "New"))
}

// takenStructureNames: the engine numbers a name that is taken; the reply says so, and its path leads to the node.
func (r *rig) takenStructureNames(t *testing.T) {
	r.open(t, "own_nodes")
	for tool, call := range map[string]args{
		"rename_node":    rename("Enemy", "Foo"),
		"duplicate_node": {"node_path": "Title", "node_name": "Foo"},
		"instance_scene": with(instanceOf("mid.tscn", "."), "node_name", "Foo"),
	} {
		reply := r.foretold(t, tool, call)
		name, _ := reply.Data["name"].(string)
		assert.Regexp(t, `^Foo\d$`, name, "%s: %s", tool, reply.Raw)
		assert.Equal(t, "Foo", reply.Data["requested"], "%s: %s", tool, reply.Raw)
		assert.Equal(t, true, reply.Data["renamed"], "%s: %s", tool, reply.Raw)
		read := r.ok(t, "get_node", args{"node_path": reply.Data["path"]})
		assert.Equal(t, name, read.Data["name"], "%s: the path leads to another node: %s", tool, read.Raw)
	}
	reply := r.ok(t, "rename_node", rename("Foo", "Foo"))
	assert.Equal(t, false, reply.Data["changed"], "%s", reply.Raw)
	assert.Equal(t, false, reply.Data["undoable"], "%s", reply.Raw)
	for _, want := range []string{"Player2", "Player3"} {
		reply = r.ok(t, "duplicate_node", copyOf("Player"))
		assert.Equal(t, want, reply.Data["name"], "%s", reply.Raw)
		assert.NotContains(t, reply.Data, "renamed", "nobody asked for a name")
	}
}

// namesThatComeBack: what an instance has at a place is there again when the scene is read, so its name stays taken.
func (r *rig) namesThatComeBack(t *testing.T) {
	path := r.open(t, "instance_editable")
	r.ok(t, "delete_node", args{"node_path": "Shell/Kid/Deep", "confirm": true})
	below := args{"node_type": "Node2D", "node_name": "Deep", "parent_path": "Shell/Kid"}
	made := r.foretold(t, "create_node", below)
	assert.Equal(t, "Shell/Kid/Deep2", made.Data["path"], "%s", made.Raw)
	assert.Equal(t, true, made.Data["renamed"], "%s", made.Raw)
	renamed := r.foretold(t, "rename_node", rename("Shell/Kid/Own", "Deep"))
	assert.Equal(t, "Shell/Kid/Deep3", renamed.Data["path"], "%s", renamed.Raw)
	instanced := r.foretold(t, "instance_scene", with(instanceOf("mid.tscn", "Shell/Kid"), "node_name", "Deep"))
	assert.Equal(t, "Shell/Kid/Deep4", instanced.Data["path"], "%s", instanced.Raw)
	r.ok(t, "create_node", args{"node_type": "Node2D", "node_name": "Deep", "parent_path": "."})
	moved := r.foretold(t, "move_node", args{"node_path": "Deep", "new_parent_path": "Shell/Kid"})
	assert.Equal(t, "Shell/Kid/Deep5", moved.Data["path"], "%s", moved.Raw)
	r.save(t)
	nodes := r.read(t, path)[path].Nodes
	for _, name := range []string{"Deep", "Deep2", "Deep3", "Deep4", "Deep5"} {
		assert.Contains(t, nodes, "Shell/Kid/"+name)
	}
}

func (r *rig) refusedCopies(t *testing.T) {
	r.open(t, "own_nodes")
	before := r.state(t)
	r.refused(t, protocol.ProtectedTarget, "duplicate_node", copyOf("."))
	r.refused(t, protocol.ResourceNotFound, "duplicate_node", copyOf("Player/Nobody"))
	r.refused(t, protocol.ValidationError, "duplicate_node", args{"node_path": "Player", "node_name": "a/b"})
	r.same(t, before, "refused copies")
}

// untrueCopies: the engine makes an instance anew and gives each node what the node at the same place has. Where nodes
// are gone or moved that would be another node, so nothing is copied.
func (r *rig) untrueCopies(t *testing.T) {
	for _, row := range []struct {
		fixture, top, tool string
		with               args
	}{
		{"nested_editable", "Nest", "delete_node", args{"node_path": "Nest/Open", "confirm": true}},
		{"nested_editable", "Nest", "delete_node", args{"node_path": "Nest/Open/Kid/Deep", "confirm": true}},
		{"instance_editable", "Shell", "move_node", args{"node_path": "Shell/Kid/Deep", "new_parent_path": "."}},
		{"nested_editable", "Nest", "move_node", args{"node_path": "Nest/Closed", "new_parent_path": "Nest", "index": 0}},
		{"deep_subtree", "Branch", "delete_node", args{"node_path": "Branch/Shell/Kid/Deep", "confirm": true}},
	} {
		path := r.open(t, row.fixture)
		r.ok(t, row.tool, row.with)
		before := r.state(t)
		failure := r.refused(t, protocol.PreconditionFailed, "duplicate_node", copyOf(row.top))
		assert.Equal(t, "reload_scene", failure.Required, "%v: %s", row.with, text(failure))
		r.same(t, before, "a copy that would be untrue")
		r.ok(t, "save_scene", args{"confirm": true})
		r.ok(t, "reload_scene", args{"scene_path": path, "confirm": true})
		r.ok(t, "duplicate_node", copyOf(row.top))
	}
}

// copiesOfCode: what a node's own code makes beside its children is no reason to refuse a copy.
func (r *rig) copiesOfCode(t *testing.T) {
	path := r.open(t, "own_nodes")
	script := r.script(t, "@tool\nextends Node2D\n\n\nfunc _init() -> void:\n\tadd_child(Node2D.new())\n")
	r.ok(t, "create_node", args{"node_type": "Node2D", "node_name": "Maker", "parent_path": "."})
	r.ok(t, "attach_script", args{"node_path": "Maker", "script_path": script})
	r.ok(t, "create_node", args{
		"node_type": "Node2D", "node_name": "Below", "parent_path": "Maker", "properties": args{"position": []int{3, 4}},
	})
	r.foretold(t, "duplicate_node", args{"node_path": "Maker", "node_name": "Twin"})
	r.save(t)
	nodes := r.read(t, path)[path].Nodes
	require.Contains(t, nodes, "Twin/Below")
	assert.Equal(t, nodes["Maker/Below"].Properties["position"], nodes["Twin/Below"].Properties["position"])
}

// wholeCopy: a fresh process finds in the copy what it finds in the original.
func (r *rig) wholeCopy(t *testing.T) {
	path := r.open(t, "deep_subtree")
	reply := r.ok(t, "duplicate_node", args{"node_path": "Branch", "node_name": "Copy"})
	assert.Equal(t, []any{"Copy/Twig", "Copy/Twig/Leaf"}, reply.Data["not_unique"], "%s", reply.Raw)
	override := r.open(t, "instance_editable")
	r.ok(t, "duplicate_node", args{"node_path": "Shell", "node_name": "Copy"})
	r.save(t)
	r.ok(t, "open_scene", args{"scene_path": path})
	r.save(t)
	scenes, err := r.kit.Read(r.ctx, r.project, path, override)
	require.NoError(t, err)
	sameBranch(t, scenes[path], "Branch", "Copy")
	sameBranch(t, scenes[override], "Shell", "Copy")
	connections := text(scenes[path].Connections)
	assert.Contains(t, connections, `"source":"Copy/Twig/Leaf"`, "a connection from inside is copied")
	assert.Contains(t, connections, `"source":"Copy","signal":"hit","target":"After"`)
	assert.NotContains(t, connections, `"target":"Copy/Twig/Leaf"`, "a connection from outside is not")
	assert.Contains(t, r.file(t, path), `[editable path="Copy/Shell"]`)
}

// sameBranch compares two branches of a scene node by node, but for names and unique names.
func sameBranch(t *testing.T, s harness.Scene, from, to string) {
	t.Helper()
	count := 0
	for path, node := range s.Nodes {
		if path != from && !strings.HasPrefix(path, from+"/") {
			continue
		}
		count++
		twin, there := s.Nodes[to+strings.TrimPrefix(path, from)]
		if !assert.True(t, there, "the copy of %s is missing: %v", path, s.Order) {
			continue
		}
		if path == from {
			twin.Index = node.Index
		}
		twin.UniqueName = node.UniqueName
		delete(node.Properties, "unique_name_in_owner")
		delete(twin.Properties, "unique_name_in_owner")
		twin.Owner = strings.Replace(twin.Owner, to, from, 1)
		assert.Equal(t, node, twin, "%s and its copy", path)
	}
	assert.Greater(t, count, 2)
}

func (r *rig) copyOfUnsaved(t *testing.T) {
	r.open(t, "own_nodes")
	r.hand.act(t, "add_ghost", map[string]any{"parent": "Enemy"}, nil)
	reply := r.ok(t, "duplicate_node", copyOf("Enemy"))
	assert.Equal(t, []any{"Enemy/Ghost"}, reply.Data["unowned_below"], "%s", reply.Raw)
	groups := r.ok(t, "get_node", args{"node_path": "Enemy2"}).Data["groups"]
	assert.Equal(t, []any{"enemies"}, groups)
}

func (r *rig) refusedScenes(t *testing.T) {
	r.open(t, "own_nodes")
	before := r.state(t)
	for path, code := range map[string]protocol.Code{
		fixture("none.tscn"):               protocol.ResourceNotFound,
		fixture("garbage.tscn"):            protocol.ValidationError,
		fixture("broken_dependency.tscn"):  protocol.PreconditionFailed,
		fixture("assets/red.png"):          protocol.ValidationError,
		fixture("scripts/broken.gd"):       protocol.ValidationError,
		fixture("assets/no_such.gltf"):     protocol.ResourceNotFound,
		"res://../own_nodes.tscn":          protocol.PathOutsideProject,
		fixture("assets/moves.tres"):       protocol.ValidationError,
		fixture("scenes_that/are_not.scn"): protocol.ResourceNotFound,
	} {
		r.refused(t, code, "instance_scene", args{"scene_path": path})
	}
	r.refused(t, protocol.ResourceNotFound, "instance_scene", instanceOf("mid.tscn", "Nobody"))
	r.refused(t, protocol.ValidationError, "instance_scene", with(instanceOf("mid.tscn", "."), "index", 50))
	r.refused(t, protocol.ValidationError, "instance_scene", with(instanceOf("mid.tscn", "."), "node_name", "a/b"))
	r.same(t, before, "refused instances")
}

// cyclicInstances: a scene in itself, straight, through another, through a base, and through a reference.
func (r *rig) cyclicInstances(t *testing.T) {
	path := r.copyFixture(t, "own_nodes")
	head := "[gd_scene format=3]\n\n[ext_resource type=\"PackedScene\" path=\"%s\" id=\"1\"]\n\n[node name=\"A\" "
	holds, inherits, deeper := workRes+"/cycle_holds.tscn", workRes+"/cycle_inherits.tscn", workRes+"/cycle_deeper.tscn"
	r.write(t, holds, fmt.Sprintf(head, path)+"type=\"Node\"]\n\n[node name=\"B\" parent=\".\" instance=ExtResource(\"1\")]\n")
	r.write(t, inherits, fmt.Sprintf(head, path)+"instance=ExtResource(\"1\")]\n")
	r.write(t, deeper, fmt.Sprintf(head, holds)+"type=\"Node\"]\n\n[node name=\"B\" parent=\".\" instance=ExtResource(\"1\")]\n")
	refers := r.refer(t, "cycle_refers", path)
	r.openPath(t, path)
	before := r.state(t)
	for target, reason := range map[string]string{
		path: "cyclic_instance", holds: "cyclic_instance", inherits: "cyclic_instance", deeper: "cyclic_instance",
		refers: "cyclic_reference",
	} {
		for _, parent := range []string{".", "Player"} {
			call := args{"scene_path": target, "parent_path": parent}
			failure := r.refused(t, protocol.ValidationError, "instance_scene", call)
			assert.Equal(t, reason, failure.Details["reason"], "%s: %s", target, text(failure))
			chain, _ := failure.Details["chain"].([]any)
			require.NotEmpty(t, chain)
			assert.Equal(t, path, chain[0], "%s: %s", target, text(failure))
			assert.Equal(t, path, chain[len(chain)-1], "%s: %s", target, text(failure))
			assert.Contains(t, chain, target)
		}
	}
	r.same(t, before, "refused cycles")
}

// instanceStays: the file names the other scene and holds none of its nodes; a later change in there shows.
func (r *rig) instanceStays(t *testing.T) {
	inner := r.copyFixture(t, "mid")
	r.write(t, inner, strings.Replace(r.file(t, inner), ` uid="uid://cfixturemid1"`, "", 1)) // that one is another file's
	path := r.open(t, "own_nodes")
	reply := r.ok(t, "instance_scene", args{"scene_path": inner})
	assert.Equal(t, "Mid", reply.Data["name"], "the root's own name: %s", reply.Raw)
	assert.Equal(t, "Node2D", reply.Data["type"], "%s", reply.Raw)
	mark := r.ok(t, "get_scene_tree", args{})
	assert.Contains(t, text(mark.Data["marks"]), inner, "%s", mark.Raw)
	r.save(t)
	file := r.file(t, path)
	assert.Regexp(t, `\[node name="Mid" parent="\." .*instance=ExtResource\(`, file)
	assert.NotContains(t, file, `name="Kid"`, "nodes of the other scene are not in the file")
	r.write(t, inner, strings.ReplaceAll(r.file(t, inner), `"Deep"`, `"Deeper"`))
	scenes, err := r.kit.Read(r.ctx, r.project, path)
	require.NoError(t, err)
	assert.Contains(t, scenes[path].Nodes, "Mid/Kid/Deeper")
}
