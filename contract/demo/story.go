package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"drawbridge/daemon/harness"
	"drawbridge/protocol"
)

// sceneRes is the scene of the story: nodes of its own beside an instance whose children are not editable.
const sceneRes = harness.FixtureRes + "/instance_closed.tscn"

// linkLimit is how long the editor may take to start on a slow machine.
const linkLimit = time.Minute

// linkPause is the time between two tries to reach the starting editor.
const linkPause = 200 * time.Millisecond

// args are the arguments of a tool call.
type args = map[string]any

// story holds what the chapters share.
type story struct {
	ctx     context.Context
	kit     *harness.Kit
	project *harness.Project
	client  *harness.Client
}

// tell goes through the chapters and stops at the first that does not come true.
func (s *story) tell() error {
	chapters := []struct {
		title string
		run   func() error
	}{
		{"The editor comes up and finds the daemon by itself", s.meet},
		{"The agent looks at the scene", s.look},
		{"A dry run, then the same call for real: same targets, same verdict", s.rehearse},
		{"An edit that a save would lose is called so", s.warn},
		{"Delete is refused without confirm, done with it, and undone", s.remove},
		{"Saved, and a fresh Godot process agrees", s.save},
	}
	for i, chapter := range chapters {
		say("\n%d. %s", i+1, chapter.title)
		if err := chapter.run(); err != nil {
			return fmt.Errorf("chapter %d (%s): %w", i+1, chapter.title, err)
		}
	}
	say("\nAll of it came true.")
	return nil
}

// meet waits for the link and opens the scene.
func (s *story) meet() error {
	ctx, cancel := context.WithTimeout(s.ctx, linkLimit)
	defer cancel()
	pause := time.NewTicker(linkPause)
	defer pause.Stop()
	for ; ; <-pause.C {
		reply, err := s.client.Call(ctx, "open_scene", args{"scene_path": sceneRes})
		if err != nil {
			return err
		}
		if reply.OK {
			return s.show("open_scene", args{"scene_path": sceneRes}, reply)
		}
		if reply.Error.Code != protocol.BridgeDisconnected && reply.Error.Code != protocol.PreconditionFailed {
			return reply.Error
		}
	}
}

// look reads the tree.
func (s *story) look() error {
	_, err := s.must("get_scene_tree", args{})
	return err
}

// rehearse makes a node twice: as a dry run and for real.
func (s *story) rehearse() error {
	call := args{"parent_path": ".", "node_type": "Sprite2D", "node_name": "Hero", "properties": args{"position": []int{64, 32}}}
	dry := args{"dry_run": true}
	for key, value := range call {
		dry[key] = value
	}
	preview, err := s.must("create_node", dry)
	if err != nil {
		return err
	}
	real, err := s.must("create_node", call)
	if err != nil {
		return err
	}
	switch {
	case preview.Safety.Executed || !real.Safety.Executed:
		return errors.New("executed should be false in the dry run and true in the real one")
	case !reflect.DeepEqual(preview.Persistence, real.Persistence):
		return fmt.Errorf("the verdicts differ: %v and %v", preview.Persistence, real.Persistence)
	case !reflect.DeepEqual(preview.Data["targets"], real.Data["targets"]):
		return fmt.Errorf("the targets differ: %v and %v", preview.Data["targets"], real.Data["targets"])
	}
	return nil
}

// warn changes a node that the scene's file will not keep.
func (s *story) warn() error {
	reply, err := s.must("set_node_property", args{"node_path": "Shell/Kid", "property": "position", "value": []int{9, 9}})
	if err != nil {
		return err
	}
	if len(reply.Persistence) == 0 || reply.Persistence[0].Persisted == nil || *reply.Persistence[0].Persisted {
		return errors.New("the reply should say persisted:false")
	}
	return nil
}

// remove tries to delete, is refused, confirms, and takes it back.
func (s *story) remove() error {
	refused, err := s.call("delete_node", args{"node_path": "Hero"})
	if err != nil {
		return err
	}
	if refused.OK || refused.Error.Required != "confirm" {
		return errors.New("the delete should have been refused with [required=confirm]")
	}
	if _, err := s.must("delete_node", args{"node_path": "Hero", "confirm": true}); err != nil {
		return err
	}
	if _, err := s.must("undo", args{}); err != nil {
		return err
	}
	_, err = s.must("get_node", args{"node_path": "Hero", "properties": []string{"position"}})
	return err
}

// save writes the scene and has a fresh process read it.
func (s *story) save() error {
	if _, err := s.must("save_scene", args{"confirm": true}); err != nil {
		return err
	}
	read, err := s.kit.Read(s.ctx, s.project, sceneRes)
	if err != nil {
		return err
	}
	scene := read[sceneRes]
	hero, kept := scene.Nodes["Hero"]
	if scene.Error != "" || !kept {
		return fmt.Errorf("the file does not have the new node (%s)", scene.Error)
	}
	if err := expect(hero, "position", []any{64.0, 32.0}); err != nil {
		return err
	}
	if expect(scene.Nodes["Shell/Kid"], "position", []any{9.0, 9.0}) == nil {
		return errors.New("the edit inside the closed instance was kept, although the daemon said that it would not be")
	}
	say("   fresh Godot process: Hero is in %s at (64, 32); the edit of Shell/Kid is not, as foretold.", sceneRes)
	return nil
}

// expect compares one property that the fresh process read.
func expect(node harness.Node, property string, want any) error {
	raw, ok := node.Properties[property]
	if !ok {
		return fmt.Errorf("the file has no %s", property)
	}
	got, err := harness.Plain(raw)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%s is %v in the file, not %v", property, got, want)
	}
	return nil
}

// call runs a tool and shows call and reply.
func (s *story) call(tool string, with args) (harness.Reply, error) {
	reply, err := s.client.Call(s.ctx, tool, with)
	if err != nil {
		return reply, err
	}
	return reply, s.show(tool, with, reply)
}

// must is call for a tool that has to succeed.
func (s *story) must(tool string, with args) (harness.Reply, error) {
	reply, err := s.call(tool, with)
	if err == nil && !reply.OK {
		err = reply.Error
	}
	return reply, err
}

// show prints a call and what came back, shortened to what a reader wants to see.
func (s *story) show(tool string, with args, reply harness.Reply) error {
	asked, err := json.Marshal(with)
	if err != nil {
		return err
	}
	say("   → %s %s", tool, asked)
	const most = 460
	text := reply.Text
	if len(text) > most {
		text = text[:most] + " …"
	}
	say("   ← %s", text)
	return nil
}
