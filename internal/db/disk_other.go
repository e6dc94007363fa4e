//go:build !linux && !darwin && !freebsd

package db

// freeBytes returns false, because the value is unknown on this system.
func freeBytes(string) (int64, bool) { return 0, false }
