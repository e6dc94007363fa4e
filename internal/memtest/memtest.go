package memtest

import (
	"runtime"
	"testing"
)

// Flood is the number of distinct values in a flood.
const Flood = 100_000

// maxGrowth is the maximum growth of the memory in use in a flood, in bytes.
const maxGrowth = 20 << 20

// CheckBounded calls flood with distinct numbers, and fails the test if the memory in use grows by more than 20 MB.
// kept stays alive during the calls. Nothing else may run at the same time.
func CheckBounded(t testing.TB, kept any, flood func(n int)) {
	t.Helper()
	before := inUse()
	for n := range Flood {
		flood(n)
	}
	grown := inUse() - before
	runtime.KeepAlive(kept)
	if grown > maxGrowth {
		t.Errorf("%d distinct values: %d MB more are in use, want at most %d", Flood, grown>>20, maxGrowth>>20)
	}
}

func inUse() int64 {
	runtime.GC()
	runtime.GC() // objects that pools kept through the first call are freed by the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
