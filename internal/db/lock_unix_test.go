//go:build unix

package db

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// Between fork and exec, a child has its parent's open files. A released lock is free nevertheless.
func TestLock_IsReleasedThoughAChildHasTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	first, err := LockFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LockFile(path); !errors.Is(err, ErrInUse) {
		t.Errorf("two have the lock: %v", err)
	}
	inherited, err := syscall.Dup(int(first.f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(inherited) }()
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	again, err := LockFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Release(); err != nil {
		t.Error(err)
	}
}
