package harness_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDisplaysDoNotCollide(t *testing.T) {
	ctx, kit := newKit(t)
	first, err := kit.StartXvfb(ctx)
	require.NoError(t, err)
	second, err := kit.StartXvfb(ctx)
	require.NoError(t, err)
	assert.NotEqual(t, first.Display, second.Display)
	socket := "/tmp/.X11-unix/X" + first.Display[1:]
	_, err = os.Stat(socket)
	assert.NoError(t, err)
	assert.NoError(t, first.Close())
	assert.NoError(t, second.Close())
	assert.NoFileExists(t, socket)
}
