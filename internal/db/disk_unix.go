//go:build linux || darwin || freebsd

package db

import "syscall"

// freeBytes returns how much a program may still write to the disk of a folder.
func freeBytes(folder string) (int64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true //nolint:unconvert // the types differ between systems
}
