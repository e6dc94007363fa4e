//go:build unix

package db

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrInUse is returned by Open when another process has the SQLite file.
var ErrInUse = errors.New("db: the database is in use by another process")

// Lock is a locked file.
type Lock struct{ f *os.File }

// LockFile locks a file until [Lock.Release] or the end of the process. It creates the file if needed. If another
// process has locked it, the error is [ErrInUse].
func LockFile(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("db: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%w (%s)", ErrInUse, path)
	}
	return &Lock{f}, nil
}

// Release unlocks the file before it closes it, because a child process between fork and exec also has the file open
// and would keep the lock.
func (l *Lock) Release() error {
	return errors.Join(syscall.Flock(int(l.f.Fd()), syscall.LOCK_UN), l.f.Close())
}
