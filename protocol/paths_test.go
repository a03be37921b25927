package protocol_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/protocol"
)

func TestResPathsHaveOneSpelling(t *testing.T) {
	for _, row := range rows[struct{ Path, Canonical, Rel string }](t, "valid/paths.json") {
		path, err := protocol.ParseResPath(row.Path)
		require.Nil(t, err, row.Path)
		assert.Equal(t, row.Canonical, string(path))
		assert.Equal(t, row.Rel, path.Rel())
		again, err := protocol.ParseResPath(string(path))
		require.Nil(t, err)
		assert.Equal(t, path, again)
	}
}

func TestHostilePathsAreRefused(t *testing.T) {
	type row struct {
		Path   string
		Code   protocol.Code
		Reason string
	}
	for _, row := range rows[row](t, "invalid/paths.json") {
		path, err := protocol.ParseResPath(row.Path)
		require.NotNil(t, err, "%q became %q", row.Path, path)
		assert.Empty(t, path)
		assert.Equal(t, row.Code, err.Code, "%q", row.Path)
		if row.Reason != "" {
			assert.Equal(t, row.Reason, err.Details["reason"], "%q", row.Path)
		}
	}
}

func TestNamesThatOnlySomeSystemsHoldAreNotGiven(t *testing.T) {
	for _, row := range rows[struct {
		Name  string
		Chars []string
	}](t, "invalid/new_names.json") {
		path, err := protocol.ParseResPath("res://" + row.Name)
		require.Nil(t, err, "%q is a path: what has this name already stays reachable", row.Name)
		err = protocol.NewName(path, row.Name)
		require.NotNil(t, err, row.Name)
		assert.Equal(t, protocol.InvalidPath, err.Code)
		assert.Equal(t, "unportable_name", err.Details["reason"])
		assert.Equal(t, row.Chars, err.Details["chars"], row.Name)
	}
	for _, row := range rows[struct{ Name string }](t, "valid/new_names.json") {
		assert.Nil(t, protocol.NewName("res://x", row.Name), row.Name)
	}
}

func TestTextThatIsNotUTF8IsNoPath(t *testing.T) {
	for _, row := range rows[struct{ Hex string }](t, "invalid/paths_utf8.json") {
		raw, err := hex.DecodeString(row.Hex)
		require.NoError(t, err)
		_, failure := protocol.ParseResPath(string(raw))
		require.NotNil(t, failure, row.Hex)
		assert.Equal(t, protocol.InvalidPath, failure.Code)
		_, failure = protocol.ParseNodePath(string(raw))
		assert.NotNil(t, failure, row.Hex)
		_, failure = protocol.ParseNodeName(string(raw))
		assert.NotNil(t, failure, row.Hex)
	}
}

func TestReferencesMayBeUIDs(t *testing.T) {
	for _, row := range rows[struct{ Ref string }](t, "valid/uids.json") {
		ref, err := protocol.ParseResOrUID(row.Ref)
		require.Nil(t, err, row.Ref)
		assert.Equal(t, row.Ref, string(ref))
		assert.Equal(t, strings.HasPrefix(row.Ref, "uid"), ref.IsUID())
	}
	type row struct {
		Ref  string
		Code protocol.Code
	}
	for _, row := range rows[row](t, "invalid/uids.json") {
		ref, err := protocol.ParseResOrUID(row.Ref)
		require.NotNil(t, err, row.Ref)
		assert.Empty(t, ref)
		assert.Equal(t, row.Code, err.Code, "%q", row.Ref)
	}
}

func TestProtectedTargets(t *testing.T) {
	type row struct {
		Path      string
		Reason    string
		AddonPath string `json:"addon_path"`
	}
	for _, row := range rows[row](t, "invalid/protected.json") {
		path, err := protocol.ParseResPath(row.Path)
		require.Nil(t, err, row.Path)
		err = protocol.Protected(path, row.AddonPath)
		require.NotNil(t, err, row.Path)
		assert.Equal(t, protocol.ProtectedTarget, err.Code)
		assert.Equal(t, row.Reason, err.Details["reason"], row.Path)
		assert.NotContains(t, err.Hint, "find_tools", "%s: the hint is about this very target", row.Path)
		if row.Reason == "project_settings" {
			assert.Contains(t, err.Hint, "set_setting")
			assert.Contains(t, err.Hint, "register_autoload")
		}
	}
	for _, row := range rows[row](t, "valid/unprotected.json") {
		path, err := protocol.ParseResPath(row.Path)
		require.Nil(t, err, row.Path)
		assert.Nil(t, protocol.Protected(path, row.AddonPath), row.Path)
		assert.Nil(t, protocol.Protected(path, ""), row.Path)
	}
}

func TestWhereTheAddonCannotBeToldEverythingIsProtected(t *testing.T) {
	for _, addon := range []string{"/p/addons/drawbridge", "res://../x", "addons"} {
		err := protocol.Protected("res://main.tscn", addon)
		require.NotNil(t, err, addon)
		assert.Equal(t, protocol.ProtectedTarget, err.Code)
	}
	assert.NotNil(t, protocol.Protected("", ""), "the zero path is the project's folder")
	assert.NotNil(t, protocol.Protected("res://main.tscn", "res://"), "an addon at the root holds everything")
}

func TestNodePaths(t *testing.T) {
	for _, row := range rows[struct{ Path, Canonical string }](t, "valid/node_paths.json") {
		path, err := protocol.ParseNodePath(row.Path)
		require.Nil(t, err, row.Path)
		assert.Equal(t, row.Canonical, path)
	}
	for _, row := range rows[struct{ Path, Reason string }](t, "invalid/node_paths.json") {
		_, err := protocol.ParseNodePath(row.Path)
		require.NotNil(t, err, row.Path)
		assert.Equal(t, protocol.ValidationError, err.Code)
		assert.Equal(t, row.Reason, err.Details["reason"], row.Path)
	}
}

func TestNodeNames(t *testing.T) {
	for _, row := range rows[struct{ Name string }](t, "valid/node_names.json") {
		name, err := protocol.ParseNodeName(row.Name)
		require.Nil(t, err, row.Name)
		assert.Equal(t, row.Name, name)
	}
	type row struct {
		Name   string
		Reason string
		Chars  []string
	}
	for _, row := range rows[row](t, "invalid/node_names.json") {
		_, err := protocol.ParseNodeName(row.Name)
		require.NotNil(t, err, row.Name)
		assert.Equal(t, protocol.ValidationError, err.Code)
		assert.Equal(t, row.Reason, err.Details["reason"], row.Name)
		if row.Chars != nil {
			assert.Equal(t, row.Chars, err.Details["chars"], row.Name)
		}
	}
}
