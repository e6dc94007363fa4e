package memtest

import (
	"runtime"
	"testing"
)

// Flood is how many distinct values a flood has.
const Flood = 100_000

// most is how much the memory in use may grow in a flood, in bytes.
const most = 20 << 20

// Holds floods kept with distinct values, and fails when the memory in use grows by more than 20 MB.
// Nothing else may run at the same time.
func Holds(t testing.TB, kept any, flood func(n int)) {
	t.Helper()
	before := inUse()
	for n := range Flood {
		flood(n)
	}
	grown := inUse() - before
	runtime.KeepAlive(kept)
	if grown > most {
		t.Errorf("%d distinct values: %d MB more are in use, want at most %d", Flood, grown>>20, most>>20)
	}
}

func inUse() int64 {
	runtime.GC()
	runtime.GC() // what pools kept through the first goes at the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
