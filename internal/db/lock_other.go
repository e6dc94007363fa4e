//go:build !unix

package db

import (
	"errors"
	"fmt"
	"os"
)

// ErrInUse is returned by Open when another process has the SQLite file.
var ErrInUse = errors.New("db: the database is in use by another process")

// Lock is a locked file.
type Lock struct{ path string }

// LockFile creates a file, which must not exist. After a crash, it must be removed manually.
func LockFile(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%w (%s)", ErrInUse, path)
	}
	if err != nil {
		return nil, fmt.Errorf("db: %w", err)
	}
	return &Lock{path}, f.Close()
}

// Release removes the file.
func (l *Lock) Release() error { return os.Remove(l.path) }
