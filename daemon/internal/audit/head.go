package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// headBytes is the size of the head file: one sector of a disk, so that it is never half the old and half the new.
const headBytes = 512

// head says where the chain ends. It stands in a file beside the log and has a mac of its own: lines that are cut
// off the end of the log are missed.
type head struct {
	Seq uint64 `json:"seq"`
	MAC string `json:"mac"`
	// File is the log's name, Gen its number: how often it was rotated, from 1.
	File string `json:"file"`
	Gen  uint64 `json:"gen"`
	// Size is how many bytes of the file belong to the chain.
	Size int64 `json:"size"`
}

const (
	tagKey = `,"tag":"`
	tagEnd = "\"}"
)

// encodeHead is the text of the head file.
func (k *keys) encodeHead(h head) ([]byte, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encoding the audit head: %w", err)
	}
	text = text[:len(text)-1]
	text = append(append(append(text, tagKey...), sign(k.head, text)...), tagEnd...)
	if len(text) >= headBytes {
		return nil, fmt.Errorf("encoding the audit head: the name %q is too long", h.File)
	}
	padded := bytes.Repeat([]byte{' '}, headBytes)
	copy(padded, text)
	padded[headBytes-1] = '\n'
	return padded, nil
}

// parseHead reads the head file of the log with a name; false when we did not write it for that one.
func (k *keys) parseHead(text []byte, file string) (head, bool) {
	text = bytes.TrimRight(text, " \n")
	at := len(text) - len(tagKey) - macChars - len(tagEnd)
	if at < 1 {
		return head{}, false
	}
	if string(text[at:]) != tagKey+sign(k.head, text[:at])+tagEnd {
		return head{}, false
	}
	var h head
	if json.Unmarshal(text, &h) != nil || len(h.MAC) != macChars || h.Size < 0 || h.Gen == 0 || h.File != file {
		return head{}, false
	}
	return h, true
}
