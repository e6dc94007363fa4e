//go:build linux || darwin || freebsd

package db

import "syscall"

// freeBytes returns the number of bytes that a program can still write to the disk of a directory.
func freeBytes(folder string) (int64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true //nolint:unconvert // the types differ between systems
}
