package backup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.com/griot/internal/db"
)

// work is a directory in which a backup of a database is written. Its lock is next to the database and ends with the
// process, so leftovers of a dead process are distinguished from the work of a running one.
type work struct {
	folder string
	lock   *db.Lock
}

func newWork(database, folder string) (*work, error) {
	if _, err := os.Stat(database); err != nil {
		return nil, fmt.Errorf("there is no database to back up: %w", err)
	}
	lock, err := db.LockFile(database + ".backup.lock")
	if errors.Is(err, db.ErrInUse) {
		return nil, errors.New("another backup of this database is in progress")
	}
	if err != nil {
		return nil, err
	}
	w := &work{folder, lock}
	if err := hasRoom(database, folder); err != nil {
		w.remove()
		return nil, err
	}
	if err := errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o700)); err != nil {
		w.remove()
		return nil, err
	}
	return w, nil
}

// spare is the space that a backup leaves free on the disk, because the database can be on the same disk.
const spare = 64 << 20

// hasRoom refuses a copy that would fill its disk, before any of it is written.
func hasRoom(database, folder string) error {
	need := int64(spare)
	for _, path := range []string{database, database + "-wal"} {
		if info, err := os.Stat(path); err == nil {
			need += info.Size()
		}
	}
	if old, err := os.Stat(filepath.Join(folder, Database)); err == nil { // the leftovers of an interrupted backup will be replaced
		need -= old.Size()
	}
	if free, known := db.FreeDisk("sqlite:" + folder); known && free < need {
		const mebi = 1 << 20
		return fmt.Errorf("a copy of the database and %d MiB to spare need %d MiB on the disk of %s, which has %d MiB free", spare/mebi, (need+mebi-1)/mebi, filepath.Dir(folder), free/mebi)
	}
	return nil
}

// publish durably renames the directory to its final name.
func (w *work) publish(to string) error {
	if err := syncFolder(w.folder); err != nil {
		return err
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) { // it was empty
		return err
	}
	if err := os.Rename(w.folder, to); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

func (w *work) remove() {
	_ = os.RemoveAll(w.folder)
	_ = w.lock.Release()
}

func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
