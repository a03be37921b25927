package contract

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

// The opcodes of WebSocket frames that matter here.
const (
	wsText  = 1
	wsClose = 8
)

// impostor listens where a daemon should, takes the editor's dial, and gives orders without any proof.
type impostor struct {
	listener net.Listener
	caught   chan loot
}

// loot is what an impostor got.
type loot struct {
	request string
	frames  []wsFrame
}

// wsFrame is a frame that the editor sent, unmasked.
type wsFrame struct {
	opcode byte
	text   string
}

// newImpostor listens for one connection; it ends with the test.
func newImpostor(t *testing.T) *impostor {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	i := &impostor{listener: listener, caught: make(chan loot, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		i.caught <- i.play(conn)
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return i
}

// wait gives what the impostor got once the editor has hung up.
func (i *impostor) wait(t *testing.T) loot {
	t.Helper()
	select {
	case caught := <-i.caught:
		return caught
	case <-time.After(20 * time.Second):
		require.Fail(t, "the editor did not dial the impostor and hang up")
		return loot{}
	}
}

// play answers the upgrade like a daemon, sends a false welcome, an accept and a command, and takes down everything
// until the editor hangs up.
func (i *impostor) play(conn net.Conn) loot {
	_ = conn.SetDeadline(time.Now().Add(15 * time.Second)) // a failure shows in what is caught
	in := bufio.NewReader(conn)
	request, err := http.ReadRequest(in)
	if err != nil {
		return loot{request: "no request: " + err.Error()}
	}
	got := loot{request: request.Method + " " + request.URL.String()}
	for name, values := range request.Header {
		for _, value := range values {
			got.request += "\n" + name + ": " + value
		}
	}
	sum := sha1.Sum([]byte(request.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	answer := "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
		base64.StdEncoding.EncodeToString(sum[:]) + "\r\nSec-WebSocket-Protocol: " + protocol.Subprotocol + "\r\n\r\n"
	_, _ = io.WriteString(conn, answer)
	for _, order := range []string{
		`{"welcome":{"proof":"00","boot_id":"ffffffffffffffffffffffffffffffff","protocol":1,"version":"0.1.0"}}`,
		`{"accept":{"project":"/"}}`,
		`{"id":"evil-1","command":"create_node","phase":"apply","params":{"node_type":"Node","node_name":"Evil"},` +
			`"deadline_unix_ms":99999999999999,"effects":["edits_memory"],"action":"Evil"}`,
	} {
		_, _ = conn.Write(serverFrame(order))
	}
	for {
		frame, err := readFrame(in)
		if err != nil {
			return got
		}
		got.frames = append(got.frames, frame)
	}
}

// serverFrame is a text frame as a server sends it, not masked.
func serverFrame(text string) []byte {
	head := []byte{0x80 | wsText}
	if len(text) < 126 {
		head = append(head, byte(len(text)))
	} else {
		head = append(head, 126)
		head = binary.BigEndian.AppendUint16(head, uint16(len(text)))
	}
	return append(head, text...)
}

// readFrame reads a client's frame and takes the mask off.
func readFrame(in io.Reader) (wsFrame, error) {
	var head [2]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return wsFrame{}, err
	}
	size := uint64(head[1] & 0x7f)
	extended := map[uint64]int{126: 2, 127: 8}[size]
	if extended > 0 {
		raw := make([]byte, 8)
		if _, err := io.ReadFull(in, raw[8-extended:]); err != nil {
			return wsFrame{}, err
		}
		size = binary.BigEndian.Uint64(raw)
	}
	var mask [4]byte
	if head[1]&0x80 != 0 {
		if _, err := io.ReadFull(in, mask[:]); err != nil {
			return wsFrame{}, err
		}
	}
	text := make([]byte, min(size, protocol.MaxFrame))
	if _, err := io.ReadFull(in, text); err != nil {
		return wsFrame{}, err
	}
	for i := range text {
		text[i] ^= mask[i%4]
	}
	return wsFrame{opcode: head[0] & 0x0f, text: string(text)}, nil
}
