package gate

import (
	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// containPlanned checks a file that the plan names, like one that an argument names. project.godot may be planned by
// the settings tools, which may plan nothing else, and by those that repair what it names.
func (c *call) containPlanned(path string) *protocol.Error {
	here := disk{dir: c.project}
	if c.tool.Settings() {
		return safety.ContainSettings(path, here)
	}
	if c.tool.Repairs() && path == "res://project.godot" {
		return safety.ContainSettings(path, here)
	}
	return safety.Contain(path, here, c.editor.Hello.AddonPath, true)
}
