package tool

import "encoding/json"

// Reply is the finished answer to a call: Body is the envelope as JSON, Text what a client shows.
type Reply struct {
	Body   json.RawMessage
	Text   string
	Failed bool
}
