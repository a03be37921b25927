package gate

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// wide answers every plan with so many files.
func (r *rig) wide(files int) {
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		response := good(q)
		if response.Result.Plan != nil {
			response.Result.Plan.Files = nil
			for i := range files {
				response.Result.Plan.Files = append(response.Result.Plan.Files,
					protocol.FileState{Path: fmt.Sprintf("res://f%d.tscn", i)})
			}
		}
		return response, nil
	}
}

func TestAFileWritingCallOverTheLimitIsRefused(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Projects[0].Policy.MaxAffected = 3 })
	for _, arguments := range []string{`{"confirm":true}`, `{"dry_run":true}`} {
		r.wide(4)
		r.link.forget()
		got := r.call("save_scene", arguments)
		require.False(t, got.OK)
		assert.Equal(t, protocol.TooManyTargets, got.Error.Code, got.text)
		assert.EqualValues(t, 4, got.Error.Details["count"])
		assert.EqualValues(t, 3, got.Error.Details["limit"])
		for _, frame := range r.link.sent() {
			assert.NotEqual(t, protocol.PhaseApply, frame.Phase)
		}
		r.wide(3)
		assert.True(t, r.call("save_scene", arguments).OK)
	}
}

func TestWithoutASettingTheLimitIsTwenty(t *testing.T) {
	r := newRig(t)
	r.wide(21)
	assert.Equal(t, protocol.TooManyTargets, r.call("save_scene", `{"dry_run":true}`).Error.Code)
	r.wide(20)
	assert.True(t, r.call("save_scene", `{"dry_run":true}`).OK)
}

func TestABatchIsOneCallToTheLimit(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Projects[0].Policy.MaxAffected = 3 })
	for what, batch := range map[string]string{
		"named by the arguments": list(
			"create_scene", `{"scene_path":"res://a.tscn","root_type":"Node2D","confirm":true}`,
			"create_scene", `{"scene_path":"res://b.tscn","root_type":"Node2D","confirm":true}`,
			"create_scene", `{"scene_path":"res://c.tscn","root_type":"Node2D","confirm":true}`,
			"create_scene", `{"scene_path":"res://d.tscn","root_type":"Node2D","confirm":true}`,
		),
		"deleted": list(
			"delete_resource_file", `{"path":"res://a.tres","confirm":true}`,
			"delete_resource_file", `{"path":"res://b.tres","confirm":true}`,
			"delete_resource_file", `{"path":"res://c.tres","confirm":true}`,
			"delete_resource_file", `{"path":"res://d.tres","confirm":true}`,
		),
	} {
		r.link.forget()
		got := r.call("run_commands", batch)
		require.False(t, got.OK, what)
		assert.Equal(t, protocol.TooManyTargets, got.Error.Code, "%s: %s", what, got.text)
		assert.EqualValues(t, 4, got.Error.Details["count"], what)
		assert.Empty(t, r.link.sent(), "%s: nothing of it may run", what)
	}
}

// TestTheLimitAddsUpWhatPlansReach: the plans tell of files that no argument names.
func TestTheLimitAddsUpWhatPlansReach(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Projects[0].Policy.MaxAffected = 3 })
	calls, round := 0, 0
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		response := good(q)
		if response.Result.Plan == nil {
			return response, nil
		}
		if q.Phase == protocol.PhaseApply {
			calls++
		} else {
			round++
		}
		response.Result.Plan.Files = []protocol.FileState{
			{Path: fmt.Sprintf("res://f%d.tres", 2*round)}, {Path: fmt.Sprintf("res://f%d.tres", 2*round+1)},
		}
		return response, nil
	}
	got := r.call("run_commands", list("save_scene", `{"confirm":true}`, "save_scene", `{"confirm":true}`))
	assert.Contains(t, got.text, string(protocol.TooManyTargets))
	assert.Equal(t, 1, calls, "the second one is one too many")
}

// TestTheLimitCountsFilesBesideTargets: calls that are about one and the same node can each write another file.
func TestTheLimitCountsFilesBesideTargets(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Projects[0].Policy.MaxAffected = 2 })
	plans := 0
	r.link.answer = func(q protocol.Request) (*protocol.Response, error) {
		response := good(q)
		if response.Result.Plan != nil && q.Phase == protocol.PhasePlan {
			plans++
			response.Result.Plan.Targets = []string{"."}
			response.Result.Plan.Files = []protocol.FileState{{Path: fmt.Sprintf("res://f%d.tscn", plans)}}
		}
		return response, nil
	}
	save := `{"confirm":true}`
	got := r.call("run_commands", list("save_scene", save, "save_scene", save, "save_scene", save))
	assert.Contains(t, got.text, string(protocol.TooManyTargets))
	assert.Equal(t, 3, plans)
}
