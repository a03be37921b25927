package safety_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/safety"
	"drawbridge/protocol"
)

// links is a disk on which some paths lead elsewhere; an empty target leads out of the project.
type links map[string]string

func (l links) Resolve(rel string) (string, error) {
	target, linked := l[rel]
	switch {
	case !linked:
		return rel, nil
	case target == "":
		return "", &safety.Outside{Target: "/etc/hostname"}
	case target == "?":
		return "", errors.New("nobody knows")
	}
	return target, nil
}

// Exists: what is named leads somewhere, and so is there; an existing thing of an odd name is named.
func (l links) Exists(rel string) bool {
	_, there := l[rel]
	return there
}

// What is there under a name that Windows cannot hold stays reachable; a new name, at any depth, is refused.
func TestContainNew(t *testing.T) {
	disk := links{"odd?": "odd?", "odd?/a*b.gd": "odd?/a*b.gd"}
	for path, illegal := range map[string][]string{
		"res://a.gd": nil, "res://": nil, "res://odd?": nil, "res://odd?/a*b.gd": nil, "res://odd?/new.gd": nil,
		"res://new?": {"?"}, "res://a|b/c.gd": {"|"}, "res://odd?/x*y*.gd": {"*"}, `res://<">`: {"<", `"`, ">"},
	} {
		failure := safety.ContainNew(path, disk)
		if illegal == nil {
			assert.Nil(t, failure, path)
		} else if assert.NotNil(t, failure, path) {
			assert.Equal(t, protocol.InvalidPath, failure.Code, path)
			assert.Equal(t, "unportable_name", failure.Details["reason"], path)
			assert.Equal(t, illegal, failure.Details["chars"], path)
		}
	}
	assert.NotNil(t, safety.ContainNew("res://../x", disk), "no path at all")
}

func TestContain(t *testing.T) {
	disk := links{
		"leak": "", "odd": "?", "alias": ".git/hooks/x", "fine": "sub/real.tscn", "up": ".",
		"mine": "addons/drawbridge/plugin.gd",
	}
	const ok = protocol.Code("")
	cases := []struct {
		path        string
		read, write protocol.Code
	}{
		{"res://a/b.tscn", ok, ok},
		{"res://..foo/x", ok, ok},
		{"res://fine", ok, ok},
		{"res://../x", protocol.PathOutsideProject, protocol.PathOutsideProject},
		{`res://..\x`, protocol.PathOutsideProject, protocol.PathOutsideProject},
		{"res://a/../../x", protocol.PathOutsideProject, protocol.PathOutsideProject},
		{"res://leak", protocol.PathOutsideProject, protocol.PathOutsideProject},
		{"res://odd", protocol.PathOutsideProject, protocol.PathOutsideProject},
		{"/etc/passwd", protocol.InvalidPath, protocol.InvalidPath},
		{"user://x", protocol.InvalidPath, protocol.InvalidPath},
		{"res://a\x00b", protocol.InvalidPath, protocol.InvalidPath},
		{"", protocol.InvalidPath, protocol.InvalidPath},
		{"res://.git/hooks/x", ok, protocol.ProtectedTarget},
		{"res://.godot/x", ok, protocol.ProtectedTarget},
		{"res://project.godot", ok, protocol.ProtectedTarget},
		{"res://override.cfg", ok, protocol.ProtectedTarget},
		{"res://", ok, protocol.ProtectedTarget},
		{"res://addons/drawbridge/plugin.gd", ok, protocol.ProtectedTarget},
		{"res://alias", ok, protocol.ProtectedTarget},
		{"res://mine", ok, protocol.ProtectedTarget},
		{"res://up", ok, protocol.ProtectedTarget},
	}
	for _, c := range cases {
		t.Run(c.path, func(t *testing.T) {
			for writes, want := range map[bool]protocol.Code{false: c.read, true: c.write} {
				failure := safety.Contain(c.path, disk, "res://addons/drawbridge", writes)
				if want == ok {
					assert.Nil(t, failure, "writes: %v", writes)
				} else if assert.NotNil(t, failure, "writes: %v", writes) {
					assert.Equal(t, want, failure.Code, "writes: %v", writes)
				}
			}
		})
	}
}

func TestALinkOutOfTheProjectNamesItsTarget(t *testing.T) {
	failure := safety.Contain("res://leak", links{"leak": ""}, "", false)
	require.NotNil(t, failure)
	assert.Equal(t, "/etc/hostname", failure.Details["resolved"])
}

func TestContainValue(t *testing.T) {
	disk := links{"leak.tres": ""}
	cases := map[string]protocol.Code{
		`1`:                                   "",
		`"../x is just text"`:                 "",
		`"res://a.tres"`:                      "",
		`"res://a b:c is text"`:               "",
		`"res://../x"`:                        protocol.PathOutsideProject,
		`"\u0072es://../x"`:                   protocol.PathOutsideProject,
		`"res://leak.tres"`:                   protocol.PathOutsideProject,
		`[[{"a":"res://leak.tres"}]]`:         protocol.PathOutsideProject,
		`{"res://leak.tres":1}`:               protocol.PathOutsideProject,
		`{"$resource":"res://a.tres"}`:        "",
		`{"$resource":"uid://cfixtureramp1"}`: "",
		`{"$resource":"uid://../x"}`:          protocol.InvalidPath,
		`{"$resource":"/etc/passwd"}`:         protocol.InvalidPath,
		`{"$resource":"user://x"}`:            protocol.InvalidPath,
		`{"$resource":"a.tres"}`:              protocol.InvalidPath,
		`{"$resource":"../x"}`:                protocol.PathOutsideProject,
		`{"$resource":"res://leak.tres"}`:     protocol.PathOutsideProject,
		`{"$resource":"res://leak.tres::1"}`:  protocol.PathOutsideProject,
		`{"x":[{"$resource":"res://../x"}]}`:  protocol.PathOutsideProject,
		`{"$resource":1}`:                     protocol.ValidationError,

		`{"$resource":"Thing","path":"res://a.tres"}`:           "",
		`{"$resource":"Thing","path":"uid://cfixtureramp1"}`:    "",
		`{"$resource":"Thing","path":null}`:                     "",
		`{"$resource":"res://../x","path":null}`:                protocol.PathOutsideProject,
		`{"$resource":"Thing","path":"/etc/passwd"}`:            protocol.InvalidPath,
		`{"$resource":"Thing","path":"res://leak.tres"}`:        protocol.PathOutsideProject,
		`{"$resource":"res://leak.tres","path":"res://a.tres"}`: protocol.PathOutsideProject,
		`{"$resource":"Thing","path":1}`:                        protocol.ValidationError,
	}
	for raw, want := range cases {
		t.Run(raw, func(t *testing.T) {
			failure := safety.ContainValue(json.RawMessage(raw), disk)
			if want == "" {
				assert.Nil(t, failure)
			} else if assert.NotNil(t, failure) {
				assert.Equal(t, want, failure.Code)
			}
		})
	}
}

func TestContainSettings(t *testing.T) {
	const file = "res://project.godot"
	assert.Nil(t, safety.ContainSettings(file, links{}))
	for _, other := range []string{
		"", "res://", "project.godot", "res://Project.godot", "res://project.godot/", "res://a/project.godot", "res://a.gd",
		"res://../project.godot", "res://project.godot::x", "res://override.cfg",
	} {
		failure := safety.ContainSettings(other, links{})
		require.NotNil(t, failure, other)
		assert.Equal(t, protocol.ProtectedTarget, failure.Code, other)
	}
	for target, code := range map[string]protocol.Code{
		"override.cfg": protocol.ProtectedTarget, "": protocol.PathOutsideProject, "?": protocol.PathOutsideProject,
	} {
		failure := safety.ContainSettings(file, links{"project.godot": target})
		require.NotNil(t, failure, target)
		assert.Equal(t, code, failure.Code, target)
	}
}
