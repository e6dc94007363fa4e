package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"example.com/griot/internal/db"
)

// restoring is the suffix of file names until the restore is complete.
const restoring = ".restoring"

// Target is the destination of a restore.
type Target struct {
	Database string // the path of the restored database, which must not exist
	Folder   string // of a dev, for its other files; empty: only the database is restored
}

// Restore reads a backup with read, which calls [Folder] or [Tar], and places its files. It calls prepare with the path
// of the restored database before a server can open it. Restore is atomic: the database gets its name last. If the
// process dies before that, the next Restore replaces the leftover files.
func (t *Target) Restore(ctx context.Context, read func(keep func(File, io.Reader) error) (*Manifest, error), prepare func(path string, m *Manifest) error) (m *Manifest, err error) {
	if err := os.MkdirAll(filepath.Dir(t.Database), 0o700); err != nil {
		return nil, err
	}
	lock, err := db.LockFile(t.Database + ".lock") // no server can start with it in the meantime
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if err := t.refuseToOverwrite(); err != nil {
		return nil, err
	}
	if err := t.clean(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.clean())
		}
	}()
	var placed []string
	m, err = read(func(f File, r io.Reader) error {
		if f.Name != Database && t.Folder == "" {
			return Ignore(f, r)
		}
		placed = append(placed, f.Name)
		return receive(t.path(f.Name)+restoring, r)
	})
	if err != nil {
		return nil, err
	}
	work := t.Database + restoring
	if err := db.Check(ctx, work); err != nil {
		return nil, err
	}
	if err := prepare(work, m); err != nil {
		return nil, err
	}
	if _, err := os.Stat(work + "-wal"); err == nil {
		return nil, errors.New("the restored database was not closed: something else has it open")
	}
	return m, t.publish(placed)
}

// publish renames the files to their final names, the database last.
func (t *Target) publish(names []string) error {
	names = append(slices.DeleteFunc(names, func(name string) bool { return name == Database }), Database)
	for _, name := range names {
		if err := syncFile(t.path(name) + restoring); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := os.Rename(t.path(name)+restoring, t.path(name)); err != nil {
			return err
		}
	}
	return errors.Join(syncFolder(filepath.Dir(t.Database)), t.clean())
}

func (t *Target) path(name string) string {
	if name == Database {
		return t.Database
	}
	return filepath.Join(t.Folder, name)
}

// refuseToOverwrite returns an error if a file exists that would be overwritten. It ignores the files that an
// interrupted restore has placed next to its unfinished database.
func (t *Target) refuseToOverwrite() error {
	paths := []string{t.Database, t.Database + "-wal"}
	if _, err := os.Lstat(t.Database + restoring); err != nil && t.Folder != "" {
		paths = append(paths, t.path(Phones), t.path(Phones)+"-wal", t.path(Dev))
	}
	for _, path := range paths {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			return errors.Join(err, fmt.Errorf("%s exists: restore to a place without a database", path))
		}
	}
	return nil
}

// clean removes the files of an interrupted restore.
func (t *Target) clean() error {
	var errs []error
	for _, name := range []string{Phones, Dev, Database} {
		if name != Database && t.Folder == "" {
			continue
		}
		for _, suffix := range []string{"-wal", "-shm", ".lock", ""} {
			if err := os.Remove(t.path(name) + restoring + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// receive writes a new file that only its owner can read.
func receive(path string, r io.Reader) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = io.Copy(f, r)
	return err
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
