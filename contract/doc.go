// Package contract proves what must hold between the two halves: the real daemon over stdio on one side, a real
// headless editor with the addon on the other. It is tests only.
//
// Properties come first: what follows from a tool's declared facts is checked for every tool of the catalog, so a new
// tool is covered the moment that it is declared. Situations that no declaration tells (which node a save keeps) are
// rows of data, judged by a fresh engine process and never by the reply. It is not the place for tests of one half
// alone, nor for killed processes and drawn editors beyond what the files named so hold.
package contract
