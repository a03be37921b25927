package addon_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/addon"
)

func TestTheEmbeddedFilesAreAWholeAddon(t *testing.T) {
	for _, name := range []string{"plugin.cfg", "plugin.gd", "protocol.gd", "router.gd", "link/peer.gd"} {
		text, err := fs.ReadFile(addon.Files(), name)
		require.NoError(t, err)
		assert.NotEmpty(t, text)
	}
	own, err := addon.Hash()
	require.NoError(t, err)
	again, err := addon.HashOf(addon.Files())
	require.NoError(t, err)
	assert.Equal(t, own, again)
}

func TestTheHashIsOverNamesAndBytesOfTheAddonsFiles(t *testing.T) {
	files := fstest.MapFS{
		"plugin.cfg":      {Data: []byte("cfg")},
		"b.gd":            {Data: []byte("two")},
		"a/b.gd":          {Data: []byte("one")},
		"b.gd.uid":        {Data: []byte("made by the editor")},
		"a/plugin.cfg":    {Data: []byte("not ours")},
		"embed.go":        {Data: []byte("not installed")},
		"icon.svg.import": {Data: []byte("made by the editor")},
	}
	got, err := addon.HashOf(files)
	require.NoError(t, err)
	// sha256 of "a/b.gd\0one\0b.gd\0two\0plugin.cfg\0cfg\0"
	assert.Equal(t, "b4cac586b06f5175ade9639d040da6e9c5f4282323af7d31e6566cb3936088df", got)

	files["b.gd"] = &fstest.MapFile{Data: []byte("changed")}
	changed, err := addon.HashOf(files)
	require.NoError(t, err)
	assert.NotEqual(t, got, changed)
}
