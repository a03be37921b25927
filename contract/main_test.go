package contract

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// TestContract runs everything that shares one editor and one daemon, because starting them costs five seconds. Each
// test works on its own copy of a fixture scene, which is closed without saving when the test ends.
func TestContract(t *testing.T) {
	r := newRig(t)
	for _, part := range []struct {
		name string
		run  func(*testing.T)
	}{
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
		{"scripts", r.testScripts},
		{"scene files", r.testSceneFiles},
		{"extracted scenes", r.testExtract},
		{"structure", r.testStructure},
		{"traits", r.testTraits},
		{"resources", r.testResources},
		{"recovery", r.testRecovery},
		{"batch", r.testBatch},
		{"atomic", r.testAtomic},
		{"persistence", r.testPersistence},
		{"project", r.testProject},
		{"inspection", r.testInspection},
		{"no scene open", r.testNoScene}, // last: it closes everything
	} {
		t.Run(part.name, part.run)
	}
}
