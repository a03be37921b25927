// Package bridge is effect port 1: the loopback listener that editors dial, and the calls that go to them.
//
// One Server serves one daemon. It publishes itself in the rendezvous folder, refuses everything that a browser or a
// stranger could send before the upgrade, and then shakes hands as protocol/hello.go says. Each accepted editor is
// one link with one reader and one writer goroutine. A call is an entry in its link's pending map: it ends by an
// answer, its own deadline, its context, or the loss of the link, whichever comes first, and always ends once.
//
// Query reads and previews; it cannot change anything, because the editor commits in phase apply only. Send is the
// only way to phase apply, and takes a permit.
package bridge
