package mcpserver_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/catalog"
	"drawbridge/daemon/internal/mcpserver"
	"drawbridge/daemon/internal/tool"
)

func TestRegisteredIsWhatAClientGets(t *testing.T) {
	tools, err := catalog.New()
	require.NoError(t, err)
	got, err := mcpserver.Registered(t.Context(), mcpserver.Options{Tools: tools.All()})
	require.NoError(t, err)
	p := open(t, fine)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	assert.Equal(t, `{"jsonrpc":"2.0","id":2,"result":`+string(got)+"}\n", p.next().line)

	every := func(*tool.Tool) bool { return true }
	got, err = mcpserver.Registered(t.Context(), mcpserver.Options{Tools: tools.All(), Listed: every})
	require.NoError(t, err)
	var list struct{ Tools []mcpTool }
	require.NoError(t, json.Unmarshal(got, &list))
	assert.Len(t, list.Tools, len(tools.All()))

	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = mcpserver.Registered(over, mcpserver.Options{Tools: tools.All()})
	require.Error(t, err)
}

func TestTheSafetyContractIsTheOneResource(t *testing.T) {
	const document = `{"schema_version":1,"tools":[]}`
	p := dial(t, fine, func(o *mcpserver.Options) {
		o.Contract = func() json.RawMessage { return json.RawMessage(document) }
	})
	p.send(initialize)
	opening := p.next()
	assert.Contains(t, opening.line, `"resources":{}`, "the list of resources never changes, and nothing is watched")
	assert.Contains(t, opening.line, `"tools":{}`)
	p.send(initialized)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`)
	list := p.next()
	require.Nil(t, list.Error)
	assert.Contains(t, list.line, `"uri":"safety://contract"`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`)
	assert.Equal(t, list.line, p.next().line)

	p.send(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"safety://contract"}}`)
	var read struct {
		Result struct {
			Contents []struct{ URI, MIMEType, Text string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(p.next().line), &read))
	require.Len(t, read.Result.Contents, 1)
	assert.Equal(t, document, read.Result.Contents[0].Text)
	assert.Equal(t, "application/json", read.Result.Contents[0].MIMEType)
	for _, uri := range []string{"safety://other", "safety://contract/../x", "file:///etc/passwd", "res://project.godot", ""} {
		p.send(`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"` + uri + `"}}`)
		assert.NotNil(t, p.next().Error, uri)
	}
}

func TestWithoutAContractThereAreNoResources(t *testing.T) {
	p := dial(t, fine)
	p.send(initialize)
	assert.NotContains(t, p.next().line, `"resources"`)
}
