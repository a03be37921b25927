// Package harness starts the real thing for tests, the demo and the benchmarks: temporary Godot projects with the
// addon in its installed layout, the daemon's binary over stdio with a raw JSON-RPC client, editors, a display, and
// one fresh engine process that reads saved scenes in bulk.
//
// It is not for production code: only tests, contract/ and the commands below it import it. It holds no assertions
// (callers bring their own), keeps no globals, and ends only processes that it started. Everything hangs on a Kit,
// which owns the temporary folder and is closed last.
package harness
