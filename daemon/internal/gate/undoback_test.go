package gate

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWayBackAlongTheHistory(t *testing.T) {
	ours := func(numbers ...int64) side {
		var s side
		for _, n := range numbers {
			s.Actions = append(s.Actions, action{Name: "x", Ours: true, Number: n})
		}
		return s
	}
	unknown, foreign, long := ours(5, 4), ours(5, 4), side{Actions: make([]action, historySteps)}
	unknown.OrderUnknown, foreign.Actions[0].Ours = true, false
	for name, row := range map[string]struct {
		undo, redo side
		then       int64
		want       undoBack
	}{
		"there":                  {ours(5, 4), ours(), 5, undoBack{There: true}},
		"some back":              {ours(5, 4, 3), ours(), 3, undoBack{Tool: "undo", Count: 2}},
		"all back":               {ours(5, 4), ours(), 0, undoBack{Tool: "undo", Count: 2}},
		"nothing there, nor now": {ours(), ours(5), 0, undoBack{There: true}},
		"forth":                  {ours(3), ours(4, 5), 5, undoBack{Tool: "redo", Count: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, row.want, histories{Undo: row.undo, Redo: row.redo}.way(row.then))
		})
	}
	for name, row := range map[string]struct {
		undo side
		then int64
	}{
		"another branch": {ours(5, 3), 4}, "too far": {long, 0}, "unknown order": {unknown, 4}, "a person's action": {foreign, 4},
	} {
		t.Run(name, func(t *testing.T) {
			way := histories{Undo: row.undo}.way(row.then)
			assert.Empty(t, way.Tool)
			assert.False(t, way.There)
			assert.NotEmpty(t, way.Why)
		})
	}
}
