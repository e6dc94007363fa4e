package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrExists is in the error chain if a file already exists.
var ErrExists = errors.New("already exists, and nothing is overwritten")

const (
	dirMode    fs.FileMode = 0o750
	fileMode   fs.FileMode = 0o644
	secretMode fs.FileMode = 0o600
)

// Write writes all files into the directory, or none. It then calls check. If check returns an error, it removes the
// files.
func Write(dir string, files []File, check func() error) (err error) {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return err
	}
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(dir, f.Name)); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s %w", filepath.Join(dir, f.Name), ErrExists)
		}
	}
	var written []string
	defer func() {
		if err == nil {
			return
		}
		for _, path := range written {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	for _, f := range files {
		path, mode := filepath.Join(dir, f.Name), fileMode
		if f.Secret {
			mode = secretMode
		}
		if err := create(path, f.Text, mode); err != nil {
			return err
		}
		written = append(written, path)
	}
	return check()
}

// create creates a file, which must not exist, and syncs it to the disk.
func create(path string, text []byte, mode fs.FileMode) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s %w", path, ErrExists)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Sync()
}
