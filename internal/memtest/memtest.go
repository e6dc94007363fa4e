package memtest

import (
	"runtime"
	"testing"
)

// Flood is how many distinct values a flood has.
const Flood = 100_000

// maxGrowth is how much the memory in use may grow in a flood, in bytes.
const maxGrowth = 20 << 20

// CheckBounded calls flood with distinct numbers, and fails when the memory in use grows by more than 20 MB. kept stays
// alive meanwhile. Nothing else may run at the same time.
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
	runtime.GC() // what pools kept through the first goes at the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
