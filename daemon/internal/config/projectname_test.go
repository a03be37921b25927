package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"drawbridge/daemon/internal/config"
)

// head is what Godot writes at the top of a project.godot.
const head = "; Engine configuration file.\n;   [section] ; section goes between []\n\nconfig_version=5\n\n"

func TestTheNameOfAProject(t *testing.T) {
	dir := realDir(t)
	for text, want := range map[string]string{
		head + "[application]\n\nconfig/name=\"My Game\"\nconfig/features=PackedStringArray(\"4.6\")\n": "My Game",
		"[application]\r\n\r\nconfig/name=\"My Game\"\r\n":                                              "My Game",
		"[application]\nconfig/name=\"My Game\"":                                                        "My Game",
		"[application]\n  config/name = \"My Game\" \n":                                                 "My Game",
		"[application]\nconfig/name=\"\"\n":                                                             "",
		`[application]` + "\n" + `config/name="a \"b\" \\ \u00e9 \U01f600 \t\n"`:                        "a \"b\" \\ é 😀 \t\n",
		"[application]\nconfig/name=\"two\nlines\"\n":                                                   "two\nlines",
		"[application/config]\nname=\"odd\"\n":                                                          "odd",
		"application/config/name=\"odd\"\n[application]\nrun/main_scene=\"res://a.tscn\"\n":             "odd",
		"[application]\nconfig/name=\"é=;[]\"\n":                                                        "é=;[]",
		// Values of other settings that look like the name.
		"[application]\nconfig/description=\"\n[application]\nconfig/name=\\\"Other\\\"\n\"\nconfig/name=\"Mine\"\n":                        "Mine",
		"[input]\njump={\n\"deadzone\": 0.5,\n\"events\": [Object(InputEventKey,\"k\":1)\n, 2]\n}\n\n[application]\nconfig/name=\"Mine\"\n": "Mine",
		"[other]\nconfig/name=\"Other\"\n[application]\nconfig/name=\"Mine\"\n":                                                             "Mine",
		"[application]\nconfig/name.windows=\"Other\"\nconfig/name=\"Mine\"\nconfig/icon=&\"x\"\n":                                          "Mine",
		";config/name=\"Other\"\n[application]\n;config/name=\"Other\"\nconfig/name=\"Mine\"\n":                                             "Mine",
	} {
		writeProject(t, dir, text)
		name, err := config.ProjectName(dir)
		require.NoError(t, err, text)
		assert.Equal(t, want, name, text)
	}
}

func TestANameThatCannotBeReadForSureIsNone(t *testing.T) {
	dir := realDir(t)
	for text, want := range map[string]string{
		"":                                    "has no",
		head:                                  "has no",
		"[application]\n":                     "has no",
		"[other]\nconfig/name=\"x\"\n":        "has no",
		"[application]\nConfig/name=\"x\"\n":  "has no",
		"[application]\n;config/name=\"x\"\n": "has no",
		"[application]\nconfig/description=\"\nconfig/name=\"\n":            "has no",
		"[application]\nconfig/name=\"a\"\nconfig/name=\"a\"\n":             "line 3: application/config/name comes twice",
		"application/config/name=\"a\"\n[application]\nconfig/name=\"b\"\n": "comes twice",
		"[application]\nconfig/name=null\n":                                 "not one text",
		"[application]\nconfig/name=5\n":                                    "not one text",
		"[application]\nconfig/name=&\"x\"\n":                               "not one text",
		"[application]\nconfig/name=\"a\" \"b\"\n":                          "not one text",
		"[application]\nconfig/name=\"a\" + \"b\"\n":                        "not one text",
		"[application]\nconfig/name=[\"a\"]\n":                              "not one text",
		"[application]\nconfig/name=\n\"a\"\n":                              "no value on its line",
		"[application]\nconfig/name=\"a\n":                                  "does not end",
		"[application]\nconfig/name=\"a\\\"\n":                              "does not end",
		"[application]\nconfig/name=\"a\" ; b\n":                            "a comment follows",
		"[application]\nconfig/name=\"a\" x=1\n":                            "share a line",
		"[application]\nx=1 config/name=\"a\"\n":                            "share a line",
		"[application]\nx=1\rconfig/name=\"a\"\n":                           "share a line",
		"[application]\nconfig/name=\"\\q\"\n":                              "escape that is not known",
		"[application]\nconfig/name=\"\\u12\"\n":                            "not a character",
		"[application]\nconfig/name=\"\\ud800\"\n":                          "not a character",
		"[application]\nconfig/name=\"\\u0000\"\n":                          "not a character",
		"[application]\nconfig/name=\"\\U110000\"\n":                        "not a character",
		"[application]\nx={\n":                                              "does not end",
		"[application]\nx=)\n":                                              "a bracket closes",
		"[application\nconfig/name=\"a\"\n":                                 "a section cannot be read",
		"[application] config/name=\"a\"\n":                                 "a section cannot be read",
		"[ application ]\nconfig/name=\"a\"\n":                              "a section cannot be read",
		"[application]\n\"config/name\"=\"a\"\n":                            "a setting cannot be read",
		"[application]\nconfig / name=\"a\"\n":                              "a setting cannot be read",
		"[application]\nconfig/name\n":                                      "a setting cannot be read",
		"[application]\n=1\n":                                               "a setting cannot be read",
		"[application]\n\u00a0config/name=\"a\"\n":                          "has no",
		"\xef\xbb\xbf[application]\nconfig/name=\"a\"\n":                    "not plain UTF-8",
		"[application]\nconfig/name=\"\xff\"\n":                             "not plain UTF-8",
		"[application]\nconfig/name=\"a\x00\"\n":                            "not plain UTF-8",
		"[application]\nconfig/name=\"a\"\n" + strings.Repeat(";\n", 3<<20): "larger than",
	} {
		writeProject(t, dir, text)
		_, err := config.ProjectName(dir)
		assert.ErrorContains(t, err, want, "%.80q", text)
	}
}

func TestALinkIsNoIdentity(t *testing.T) {
	dir, other := realDir(t), project(t, "A")
	require.NoError(t, os.Symlink(filepath.Join(other, config.ProjectFile), filepath.Join(dir, config.ProjectFile)))
	_, err := config.ProjectName(dir)
	assert.ErrorContains(t, err, "not a plain file")
	_, err = config.ProjectName(realDir(t))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestTheFixturesNameIsRead(t *testing.T) {
	name, err := config.ProjectName(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	assert.Equal(t, "Drawbridge", name)
}

func FuzzProjectName(f *testing.F) {
	f.Add([]byte(head + "[application]\nconfig/name=\"a\"\n"))
	f.Add([]byte("[input]\na={\n\"b\": [1, \"\\\"\"]\n}\n[application]\nconfig/name=\"\\u0041\\U01f600\"\n"))
	f.Add([]byte("[application]\nconfig/description=\"\n[application]\nconfig/name=\\\"x\\\"\"\nconfig/name=\"y\""))
	dir := realDir(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		writeProject(t, dir, string(data))
		name, err := config.ProjectName(dir)
		if err != nil {
			return
		}
		assert.Contains(t, string(data), "name")
		// A second name, wherever it can stand on a line of its own, is noticed.
		writeProject(t, dir, string(data)+"\n[application]\nconfig/name=\"z\"\n")
		_, err = config.ProjectName(dir)
		assert.ErrorContains(t, err, "comes twice", name)
	})
}
