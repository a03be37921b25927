package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"drawbridge/daemon/harness"
)

// The large project: folders with scripts, resources and scenes in each, 10,000 files together, and a scene of 100,000
// nodes, half of them below the root and half in chains.
const (
	largeRes       = "res://large"
	folders        = 100
	scriptsEach    = 40
	resourcesEach  = 30
	scenesEach     = 30
	flatNodes      = 50_000
	chains         = 500
	chainLength    = 100
	largeNodes     = 1 + flatNodes + chains*chainLength
	needs          = 300
	valueLength    = 700_000 // characters; a value of over a million is not shown
	valuesOf2MB    = 3
	valuesTooLarge = 25 // 17.5 MB: a frame of the link holds 16 MiB
)

// writeLarge makes the large project and installs the probe.
func writeLarge(p *harness.Project) error {
	if err := installProbe(p); err != nil {
		return err
	}
	for folder := range folders {
		for name, text := range largeFolder(folder) {
			if err := writeRes(p, fmt.Sprintf("%s/d%03d/%s", largeRes, folder, name), text); err != nil {
				return err
			}
		}
	}
	for name, text := range map[string]string{
		"nodes.tscn": largeScene(), "needs.tscn": needyScene(), "values.tscn": valuesScene(),
	} {
		if err := writeRes(p, largeRes+"/"+name, text); err != nil {
			return err
		}
	}
	return nil
}

func writeRes(p *harness.Project, res, text string) error {
	name := p.Path(res)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("making the large project: %w", err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		return fmt.Errorf("making the large project: %w", err)
	}
	return nil
}

// largeFolder is the content of one folder, by file name.
func largeFolder(folder int) map[string]string {
	files := map[string]string{}
	for i := range scriptsEach {
		var text strings.Builder
		if i == 0 {
			fmt.Fprintf(&text, "class_name Large%03d\n", folder)
		}
		fmt.Fprintf(&text, "extends Node\n\nconst RAMP: Gradient = preload(%q)\n", ramp(folder, i))
		for line := range 30 {
			fmt.Fprintf(&text, "\n\nfunc step_%d(value: int) -> int:\n\treturn value + %d\n", line, i+line)
		}
		if i%10 == 0 {
			text.WriteString("# a needle in the haystack\n")
		}
		files[fmt.Sprintf("s%02d.gd", i)] = text.String()
	}
	for i := range resourcesEach {
		files[fmt.Sprintf("r%02d.tres", i)] = "[gd_resource type=\"Gradient\" format=3]\n\n[resource]\n"
	}
	for i := range scenesEach {
		var text strings.Builder
		fmt.Fprintf(&text, "[gd_scene format=3]\n\n[ext_resource type=\"Gradient\" path=%q id=\"1\"]\n\n", ramp(folder, i))
		text.WriteString("[node name=\"Root\" type=\"Node2D\"]\nmetadata/ramp = ExtResource(\"1\")\n")
		for node := range 20 {
			fmt.Fprintf(&text, "\n[node name=\"Node%d\" type=\"Node2D\" parent=\".\"]\nposition = Vector2(%d, 1)\n", node, node)
		}
		files[fmt.Sprintf("c%02d.tscn", i)] = text.String()
	}
	return files
}

// ramp is a resource of the folder; most are needed twice or three times.
func ramp(folder, i int) string {
	return fmt.Sprintf("%s/d%03d/r%02d.tres", largeRes, folder, i%resourcesEach)
}

// smallScene is a scene of the large project that is quick to open.
func smallScene(i int) string {
	return fmt.Sprintf("%s/d%03d/c%02d.tscn", largeRes, i%folders, i%scenesEach)
}

func largeScene() string {
	var text strings.Builder
	text.WriteString("[gd_scene format=3]\n\n[node name=\"Root\" type=\"Node2D\"]\n")
	for i := range flatNodes {
		fmt.Fprintf(&text, "\n[node name=\"Flat%d\" type=\"Node2D\" parent=\".\"]\n", i)
	}
	for i := range chains {
		parent := "."
		name := fmt.Sprintf("Chain%d", i)
		for range chainLength {
			fmt.Fprintf(&text, "\n[node name=%q type=\"Node2D\" parent=%q]\n", name, parent)
			if parent = strings.TrimPrefix(parent+"/"+name, "./"); name != "N" {
				name = "N"
			}
		}
	}
	return text.String()
}

// needyScene needs hundreds of files.
func needyScene() string {
	var text strings.Builder
	text.WriteString("[gd_scene format=3]\n\n")
	for i := range needs {
		fmt.Fprintf(&text, "[ext_resource type=\"Gradient\" path=%q id=\"%d\"]\n", ramp(i%folders, i/folders), i)
	}
	text.WriteString("\n[node name=\"Root\" type=\"Node2D\"]\n")
	for i := range needs {
		fmt.Fprintf(&text, "metadata/need_%d = ExtResource(\"%d\")\n", i, i)
	}
	return text.String()
}

// valuesScene has long texts: some that make a result of 2 MB, and more that do not fit.
func valuesScene() string {
	var text strings.Builder
	text.WriteString("[gd_scene format=3]\n\n[node name=\"Root\" type=\"Node\"]\n")
	for i := range valuesTooLarge {
		fmt.Fprintf(&text, "metadata/value_%d = %q\n", i, strings.Repeat("lorem ipsum ", valueLength/12))
	}
	return text.String()
}

// valueNames are the first of the long values' names.
func valueNames(count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprintf("metadata/value_%d", i)
	}
	return names
}
