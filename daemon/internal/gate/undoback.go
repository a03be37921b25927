package gate

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"drawbridge/daemon/internal/recovery"
	"drawbridge/protocol"
)

const (
	// historyCommand is the read that tells what undo and redo would walk over.
	historyCommand = "list_history"
	// historySteps is how far it is looked, as far as one undo goes.
	historySteps = 100
	historyWait  = 2 * time.Second
)

// undoBack says how the edits since a checkpoint are taken back: by one call of the tool undo or redo, or why not.
// To restore files and to walk the history are two calls: each has its own dry run, and can fail by itself. It is about
// the edits of the scene that was edited then, and the project's own; those of other scenes are not looked at.
type undoBack struct {
	Tool  string `json:"tool,omitempty"`
	Count int    `json:"count,omitempty"`
	Scene string `json:"scene,omitempty"`
	There bool   `json:"already_there,omitempty"`
	Why   string `json:"not_possible,omitempty"`
}

// histories is what is read of the answer of list_history.
type histories struct {
	Undo, Redo side
	CanWalk    bool `json:"can_walk"`
	Histories  []struct {
		Scene string `json:"scene"`
		Root  string `json:"root_id"`
	} `json:"histories"`
}

type side struct {
	Actions      []action `json:"actions"`
	OrderUnknown bool     `json:"order_unknown"`
}

type action struct {
	Name   string `json:"name"`
	Ours   bool   `json:"ours"`
	Number int64  `json:"number"`
	// Blocked says why the step cannot be taken; empty when it can.
	Blocked string `json:"blocked"`
}

// editsNow is where the undo history is; nil when no editor can tell.
func (g *Gate) editsNow(ctx context.Context, project string) *recovery.Edits {
	editor, seen, ok := g.histories(ctx, project)
	if !ok || seen.Undo.OrderUnknown {
		return nil
	}
	now := recovery.Edits{Editor: editor, Scene: seen.Histories[0].Scene, Root: seen.Histories[0].Root}
	if len(seen.Undo.Actions) > 0 {
		if now.Number = seen.Undo.Actions[0].Number; now.Number == 0 {
			return nil // an action from before the addon came
		}
	}
	return &now
}

// histories asks the editor, if one is there.
func (g *Gate) histories(ctx context.Context, project string) (editor string, seen histories, ok bool) {
	at, linked := g.opts.Link.Editor(project)
	if !linked {
		return "", seen, false
	}
	ctx, cancel := context.WithTimeout(ctx, historyWait)
	defer cancel()
	params, _ := json.Marshal(map[string]int{"count": historySteps}) // a map of numbers has a text
	response, err := g.opts.Link.Query(ctx, project, protocol.Request{
		ID: g.opts.Link.NewID(), Command: historyCommand, Phase: protocol.PhaseQuery, Params: params,
		DeadlineUnixMS: time.Now().Add(historyWait).UnixMilli(),
	})
	if err != nil || !response.OK || response.Result == nil || json.Unmarshal(response.Result.Data, &seen) != nil {
		return "", seen, false
	}
	now, linked := g.opts.Link.Editor(project)
	// The edited scene's history comes first, the global one last.
	return at.Hello.Editor, seen, len(seen.Histories) > 0 && linked && now.Hello.Editor == at.Hello.Editor
}

// undoBack finds the way from the history as it is now to where it was then.
func (g *Gate) undoBack(ctx context.Context, project string, then *recovery.Edits) undoBack {
	if then == nil {
		return undoBack{Why: "where the undo history was then is not known"}
	}
	editor, seen, ok := g.histories(ctx, project)
	switch {
	case !ok:
		return undoBack{Why: "the editor does not tell its undo history"}
	case editor != then.Editor:
		return undoBack{Why: "the editor was started anew since then"}
	case !seen.CanWalk:
		return undoBack{Why: "the editor's menu for undo and redo was not found"}
	case seen.Histories[0].Scene != then.Scene:
		return undoBack{Why: "another scene is edited" + openFirst(then.Scene)}
	case seen.Histories[0].Root != then.Root:
		return undoBack{Why: "the scene was read from its file since then, which cleared its undo history"}
	}
	way := seen.way(then.Number)
	way.Scene = then.Scene
	return way
}

// openFirst is what to do when another scene is edited than at that time; nothing when no tool can do it.
func openFirst(scene string) string {
	if !strings.HasPrefix(scene, "res://") {
		return ""
	}
	return ": open_scene " + scene + " and call again with dry_run"
}

// way leads to the history in which the action with this number is the newest that is done.
func (h histories) way(number int64) undoBack {
	is := func(a action) bool { return number != 0 && a.Number == number } // 0: it came before the addon
	back := slices.IndexFunc(h.Undo.Actions, is)
	if number == 0 && len(h.Undo.Actions) < historySteps {
		back = len(h.Undo.Actions)
	}
	if back >= 0 {
		return walk("undo", h.Undo, back)
	}
	if forth := slices.IndexFunc(h.Redo.Actions, is); forth >= 0 {
		return walk("redo", h.Redo, forth+1)
	}
	return undoBack{Why: "the undo history no longer leads there, or not within one call of undo"}
}

// walk is so many steps of one kind, if a tool may take them all.
func walk(name string, along side, count int) undoBack {
	if count == 0 {
		return undoBack{There: true}
	}
	if along.OrderUnknown {
		return undoBack{Why: "which of two histories is newer is not known"}
	}
	for _, a := range along.Actions[:count] {
		if !a.Ours {
			return undoBack{Why: "the action " + a.Name + " is not Drawbridge's: undo it in the editor"}
		}
		if a.Blocked != "" {
			return undoBack{Why: "the action " + a.Name + " cannot be walked over: " + a.Blocked}
		}
	}
	return undoBack{Tool: name, Count: count}
}
