//go:build !unix

package db

import (
	"errors"
	"fmt"
	"os"
)

// ErrInUse is returned by Open when another process has the SQLite file.
var ErrInUse = errors.New("db: the database is in use by another process")

type fileLock struct{ path string }

// lockFile makes a file that must not be there yet; after a crash it has to be removed by hand.
func lockFile(path string) (*fileLock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%w (%s)", ErrInUse, path)
	}
	if err != nil {
		return nil, fmt.Errorf("db: %w", err)
	}
	return &fileLock{path}, f.Close()
}

func (l *fileLock) release() error { return os.Remove(l.path) }
