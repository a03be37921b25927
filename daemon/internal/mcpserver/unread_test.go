package mcpserver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheIDOfALineThatIsNotRead(t *testing.T) {
	long := `,"params":{"x":"` + strings.Repeat("x", maxHead)
	for line, want := range map[string]any{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call"`:       int64(7),
		`{"method":"tools/call","id":-7,"jsonrpc":"2.0"`:      int64(-7),
		`  { "id" : "a b" , "method" : "m" `:                  "a b",
		`{"params":{"id":5,"method":"x"},"id":6,"method":"m"`: int64(6),
		`{"id":9007199254740991,"method":"m"`:                 int64(9007199254740991),
		`{"id":9007199254740993,"method":"m"`:                 nil, // clients that count in floats cannot hold it
		`{"id":1.5,"method":"m"`:                              nil,
		`{"id":1e3,"method":"m"`:                              nil,
		`{"id":null,"method":"m"`:                             nil,
		`{"id":[1],"method":"m"`:                              nil,
		`{"id":true,"method":"m"`:                             nil,
		"{\"id\":\"\xff\",\"method\":\"m\"":                   nil,
		`{"id":"\ud800","method":"m"`:                         nil,
		`{"id":1,"method":5`:                                  nil,
		`{"id":1,"id":2,"method":"m"`:                         nil,
		`{"ID":1,"method":"m"`:                                nil,
		`{"id":1,"result":{}`:                                 nil, // an answer of the client's
		`{"jsonrpc":"2.0"`:                                    nil,
		`{"params":{"id":5,"method":"m"}`:                     nil,
		`[{"id":1,"method":"m"}`:                              nil,
		`"id"`:                                                nil,
		`{"id":1 "method":"m"`:                                nil,
		`{"id":1,}`:                                           nil,
		`{"id":1}`:                                            nil,
		``:                                                    nil,
		`{"` + strings.Repeat("x", maxHead) + `":1,"id":1,"method":"m"`: nil,
	} {
		assert.Equal(t, want, headID([]byte(line+long)).Raw(), "%.60s", line)
	}
	cut := `{"method":"m","id":`
	assert.Nil(t, headID([]byte(strings.Repeat(" ", maxHead-len(cut)-2)+cut+"12345,")).Raw(), "an id that goes on behind the head")
}
