package virtual

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/griot/gateway"
)

func TestFaults_NextIsConcurrent(t *testing.T) {
	t.Parallel()
	f := newFaults()
	var taken atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for !stop.Load() {
				if f.next(gateway.SMS) != none {
					taken.Add(1)
				}
				runtime.Gosched()
			}
		})
	}
	const ordered = 5_000
	for range ordered {
		f.set(gateway.SMS, timeout, 1)
		for o, _ := f.get(gateway.SMS); o != none; o, _ = f.get(gateway.SMS) {
			runtime.Gosched()
		}
	}
	stop.Store(true)
	wg.Wait()
	if n := taken.Load(); n != ordered {
		t.Errorf("a fault of %d sends was returned %d times", ordered, n)
	}
}
