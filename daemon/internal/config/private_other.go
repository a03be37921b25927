//go:build !unix

package config

import "io/fs"

// onlyOurs has nothing to check where modes mean nothing: the user's configuration folder is private there by its
// access list.
func onlyOurs(fs.FileInfo, fs.FileMode) string { return "" }
