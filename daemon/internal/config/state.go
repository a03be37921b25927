package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// stateHome is the XDG name of the folder for what a program remembers.
const stateHome = "XDG_STATE_HOME"

// stateDir is the user's folder for what the daemon remembers between its runs: $XDG_STATE_HOME or ~/.local/state,
// and what stands for it on other systems.
func stateDir(env func(string) string) (string, error) {
	switch runtime.GOOS {
	case "windows":
		return os.UserCacheDir() // %LocalAppData%
	case "darwin", "ios":
		return os.UserConfigDir() // ~/Library/Application Support
	}
	if dir := env(stateHome); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("looking for the user's folder: %w", err)
	}
	return filepath.Join(home, ".local", "state"), nil
}
