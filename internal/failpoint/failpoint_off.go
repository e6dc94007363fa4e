//go:build !failpoints

package failpoint

// Has returns false, because only tests plant faults (failpoint_on.go).
func Has(Fault) bool { return false }
