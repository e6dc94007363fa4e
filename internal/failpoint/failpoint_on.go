//go:build failpoints

package failpoint

import "sync/atomic"

var current atomic.Value

// Plant plants a fault; "" removes it.
func Plant(name string) { current.Store(Fault(name)) }

// Has reports whether a fault is planted.
func Has(f Fault) bool { return current.Load() == f }
