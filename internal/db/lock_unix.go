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

type fileLock struct{ f *os.File }

func lockFile(path string) (*fileLock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("db: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%w (%s)", ErrInUse, path)
	}
	return &fileLock{f}, nil
}

// release unlocks the file before it is closed: a child process between fork and exec has the file open too, and would keep the
// lock.
func (l *fileLock) release() error {
	return errors.Join(syscall.Flock(int(l.f.Fd()), syscall.LOCK_UN), l.f.Close())
}
