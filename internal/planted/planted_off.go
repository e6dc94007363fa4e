//go:build !failpoints

package planted

// Has is false: only tests plant faults (planted_on.go).
func Has(Fault) bool { return false }
