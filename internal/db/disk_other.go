//go:build !linux && !darwin && !freebsd

package db

// freeBytes is not known on this system.
func freeBytes(string) (int64, bool) { return 0, false }
