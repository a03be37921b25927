package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/coder/websocket"

	"drawbridge/protocol"
)

// The close codes of a refused hello.
const (
	closeRejected     websocket.StatusCode = 4000
	closeSecondEditor websocket.StatusCode = 4001
)

// keep shakes hands on an upgraded socket and serves the link until it ends.
func (s *Server) keep(conn socket, clientNonce string) {
	defer conn.CloseNow()
	if conn.Subprotocol() != protocol.Subprotocol {
		conn.goodbye(websocket.StatusPolicyViolation, "subprotocol", rejectGrace)
		return
	}
	hello, err := s.greet(conn, clientNonce)
	if err != nil {
		s.opts.Log.Info("a handshake ended", "error", err)
		return
	}
	link, reject := s.admit(conn, hello)
	if reject != nil {
		s.reject(conn, hello, reject)
		return
	}
	if err := s.accept(link); err != nil {
		s.opts.Log.Info("a handshake ended", "error", err)
		s.editors.remove(link)
		link.end(lost)
		return
	}
	s.opts.Log.Info("an editor is linked", "project", link.project, "godot", hello.GodotVersion, "editor", hello.Editor)
	link.run(s.ctx, s.editors.remove)
	s.opts.Log.Info("an editor's link ended", "project", link.project, "editor", hello.Editor, "why", link.why())
}

// greet proves this daemon to the addon and reads its hello. A hello that is refused for itself is told so here.
func (s *Server) greet(conn socket, clientNonce string) (protocol.Hello, error) {
	ctx, cancel := context.WithTimeout(s.ctx, s.opts.HelloTimeout)
	defer cancel()
	welcome := protocol.Welcome{
		Proof:  protocol.DaemonProof(s.entry.Secret(), s.entry.BootNonce(), clientNonce),
		BootID: s.entry.BootID(), Protocol: protocol.Version, Version: protocol.ProductVersion,
	}
	if err := writeFrame(ctx, conn, map[string]any{"welcome": welcome}); err != nil {
		return protocol.Hello{}, fmt.Errorf("sending the welcome: %w", err)
	}
	conn.SetReadLimit(helloLimit)
	kind, frame, err := conn.Read(ctx)
	if err != nil {
		return protocol.Hello{}, fmt.Errorf("reading the hello: %w", err)
	}
	if kind != websocket.MessageText {
		conn.goodbye(websocket.StatusUnsupportedData, "text frames only", rejectGrace)
		return protocol.Hello{}, errors.New("reading the hello: not a text frame")
	}
	hello, reject := parseHello(protocol.RepairJSON(frame))
	if reject != nil {
		s.reject(conn, protocol.Hello{}, reject)
		return protocol.Hello{}, fmt.Errorf("reading the hello: refused, %s", reject.Reason)
	}
	return hello, nil
}

// admit finds the project of a hello and enters the link, unless it is not ours or another editor has it.
func (s *Server) admit(conn socket, hello protocol.Hello) (*link, *protocol.Reject) {
	project, ok := matchProject(s.opts.Projects(), hello.ProjectPath)
	if !ok {
		return nil, refuse(reasonProject, "project_path", hello.ProjectPath)
	}
	if why := s.opts.Admit(project); why != "" {
		return nil, refuse(reasonNotAllowed, "project_path", project, "why", why)
	}
	l := newLink(conn, project, hello, s.opts)
	return l, s.editors.add(l)
}

// accept tells the addon that it is in, before any call can be written.
func (s *Server) accept(l *link) error {
	ctx, cancel := context.WithTimeout(s.ctx, s.opts.HelloTimeout)
	defer cancel()
	if err := writeFrame(ctx, l.conn, map[string]any{"accept": protocol.Accept{Project: l.project}}); err != nil {
		return fmt.Errorf("sending the accept: %w", err)
	}
	l.heard(time.Now())
	return nil
}

// reject tells the addon why it is not taken, closes, and remembers it for people who ask.
func (s *Server) reject(conn socket, hello protocol.Hello, r *protocol.Reject) {
	level := slog.LevelDebug // an addon dials for ever: one line is enough for a lasting refusal
	if s.editors.remember(Refusal{Time: time.Now(), ProjectPath: hello.ProjectPath, Editor: hello.Editor, Reject: *r}) {
		level = slog.LevelWarn
	}
	s.opts.Log.Log(s.ctx, level, "an editor was refused", "code", r.Code, "reason", r.Reason,
		"project", clip(hello.ProjectPath), "editor", clip(hello.Editor))
	ctx, cancel := context.WithTimeout(s.ctx, s.opts.HelloTimeout)
	defer cancel()
	if err := writeFrame(ctx, conn, map[string]any{"reject": r}); err != nil {
		return
	}
	// Godot gives no frame out any more once it has seen the close, so the addon gets time to read why and to hang up
	// itself. The close says the reason too, for an editor that was too slow.
	hungUp := conn.CloseRead(ctx)
	timer := time.NewTimer(rejectLinger)
	defer timer.Stop()
	select {
	case <-hungUp.Done():
	case <-timer.C:
	}
	code := closeRejected
	if r.Reason == reasonSecondEditor {
		code = closeSecondEditor
	}
	conn.goodbye(code, string(r.Code)+" "+r.Reason, rejectGrace)
}

// writeFrame sends one JSON object as a text frame.
func writeFrame(ctx context.Context, conn socket, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding a frame: %w", err)
	}
	return conn.Write(ctx, websocket.MessageText, text)
}
