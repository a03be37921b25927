package contract

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// part is a test that shares its editor and daemon with others, because starting them costs five seconds. Each works
// on its own copy of a fixture scene, which is closed without saving when the test ends.
type part struct {
	name string
	run  func(*testing.T)
}

// runParts runs parts in their order.
func runParts(t *testing.T, parts []part) {
	t.Helper()
	for _, p := range parts {
		t.Run(p.name, p.run)
	}
}

// TestClocked holds what looks at the clock. Its parts mostly wait, so two of them run side by side; those that work all
// the time come after them.
func TestClocked(t *testing.T) {
	for _, p := range []part{{"kills", testKills}, {"faults", testFaults}, {"drawn", testDrawn}} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p.run(t)
		})
	}
}

// TestContract holds what is true of every tool, and what the spine promises. It and the other long ones (TestTools,
// TestWalks, TestPlatformer) run side by side, after TestClocked.
func TestContract(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	runParts(t, []part{
		{"the list", r.testList},
		{"schema", r.testSchema},
		{"confirm", r.testConfirm},
		{"paths", r.testPaths},
		{"reads change nothing", r.testReads},
		{"reading", r.testReading},
		{"dry runs change nothing", r.testDryRuns},
		{"calls sent again", r.testKeys},
		{"disk is touched only as declared", r.testDisk},
		{"undo", r.testUndo},
		{"undo order", r.testUndoOrder},
		{"freed", r.testFreed},
		{"values", r.testValues},
		{"value vectors", r.testValueVectors},
		{"round trips", r.testRoundTrips},
		{"scenes", r.testScenes},
		{"names", r.testNames},
		{"saves", r.testSaves},
		{"persistence", r.testPersistence},
		{"no scene open", r.testNoScene}, // last: it closes everything
	})
}

// TestTools holds what each domain of tools promises beside that.
func TestTools(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	runParts(t, []part{
		{"inspection", r.testInspection}, // first: it lists the project, which grows
		{"project", r.testProject},
		{"scripts", r.testScripts},
		{"scene files", r.testSceneFiles},
		{"extracted scenes", r.testExtract},
		{"cross scene", r.testCrossScene},
		{"scenes made anew", r.testRemade},
		{"structure", r.testStructure},
		{"traits", r.testTraits},
		{"own getters", r.testGetters},
		{"found by walks", r.testFoundByWalks},
		{"resources", r.testResources},
		{"recovery", r.testRecovery},
		{"batch", r.testBatch},
		{"atomic", r.testAtomic},
		{"large", r.testLarge},
	})
}
