//go:build !failpoints

package failpoint

// Has returns false, because only tests plant faults (planted_on.go).
func Has(Fault) bool { return false }
