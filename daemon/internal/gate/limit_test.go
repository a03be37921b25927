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
