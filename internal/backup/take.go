package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/masterkey"
)

// Source is what is backed up.
type Source struct {
	Database  string // the path of a SQLite file, which a server may have open
	Folder    string // of a dev, with what belongs to it; empty: none
	Version   string
	MasterKey string // the name of the one that seals, unless the database names another: then that one
	Now       time.Time
}

// ToFolder makes a folder with a backup. It must not be there; one that was not completed is made anew.
func ToFolder(ctx context.Context, s *Source, to string) (*Manifest, error) {
	if err := absent(to); err != nil {
		return nil, err
	}
	work, err := newWork(s.Database, to+".partial")
	if err != nil {
		return nil, err
	}
	defer work.remove()
	m, err := s.take(ctx, work.folder)
	if err != nil {
		return nil, err
	}
	if err := work.publish(to); err != nil {
		return nil, err
	}
	return m, s.note()
}

// ToTar writes a backup as a tar. The copy is made beside the database first, since a tar names the size of a file before it.
func ToTar(ctx context.Context, s *Source, w io.Writer) (m *Manifest, err error) {
	work, err := newWork(s.Database, s.Database+".backup.partial")
	if err != nil {
		return nil, err
	}
	defer work.remove()
	if m, err = s.take(ctx, work.folder); err != nil {
		return nil, err
	}
	out := tar.NewWriter(w)
	names := []string{manifestName}
	for _, f := range m.Files {
		names = append(names, f.Name)
	}
	for _, name := range names {
		if err := addToTar(ctx, out, filepath.Join(work.folder, name), s.Now); err != nil {
			return nil, err
		}
	}
	if err := out.Close(); err != nil {
		return nil, err
	}
	return m, s.note()
}

// taken is the end of the name of the file beside a database whose time is that of its last backup. A row would be in the
// backup too, and wait for the server's lock.
const taken = ".backup"

// note stores that a backup is complete.
func (s *Source) note() error {
	path := s.Database + taken
	err := os.WriteFile(path, nil, 0o600)
	if err == nil {
		err = os.Chtimes(path, s.Now, s.Now)
	}
	if err != nil {
		return fmt.Errorf("the backup is complete, but its time could not be stored: %w", err)
	}
	return nil
}

// Last returns when the last complete backup of a SQLite database was taken on this machine.
func Last(database string) (at time.Time, known bool) {
	info, err := os.Stat(database + taken)
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}

func addToTar(ctx context.Context, out *tar.Writer, path string, at time.Time) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := out.WriteHeader(&tar.Header{Name: filepath.Base(path), Mode: 0o600, Size: info.Size(), ModTime: at.Truncate(time.Second)}); err != nil {
		return err
	}
	_, err = io.Copy(out, &ending{ctx, f})
	return err
}

// ending is a reader whose reading ends with a context.
type ending struct {
	ctx context.Context //nolint:containedctx // it bounds the reads of the one copy that this is made for
	r   io.Reader
}

func (e *ending) Read(p []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.r.Read(p)
}

// take fills a folder.
func (s *Source) take(ctx context.Context, folder string) (*Manifest, error) {
	m := &Manifest{Format: format, Version: s.Version, TakenAt: s.Now.UTC(), MasterKey: s.MasterKey, NotIncluded: notIncluded()}
	copied := filepath.Join(folder, Database)
	if err := db.Backup(ctx, s.Database, copied); err != nil {
		return nil, err
	}
	var err error
	if m.Schema, err = db.SchemaOf(ctx, copied); err != nil {
		return nil, err
	}
	if sealing, err := masterkey.SealingOf(ctx, copied); err != nil {
		return nil, err
	} else if sealing != "" {
		m.MasterKey = sealing
	}
	names := []string{Database}
	if s.Folder != "" {
		for _, more := range []struct {
			name string
			take func(from, to string) error
		}{
			{Phones, func(from, to string) error { return db.Backup(ctx, from, to) }},
			{Dev, copyFile},
		} {
			switch err := more.take(filepath.Join(s.Folder, more.name), filepath.Join(folder, more.name)); {
			case err == nil:
				names = append(names, more.name)
			case !errors.Is(err, os.ErrNotExist): // phones may be in memory
				return nil, err
			}
		}
	}
	for _, name := range names {
		f, err := sum(ctx, folder, name)
		if err != nil {
			return nil, err
		}
		m.Files = append(m.Files, f)
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	return m, writeFile(filepath.Join(folder, manifestName), append(text, '\n'))
}

func sum(ctx context.Context, folder, name string) (out File, err error) {
	f, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	n, err := io.Copy(h, &ending{ctx, f})
	return File{name, n, hex.EncodeToString(h.Sum(nil))}, err
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return writeFile(to, b)
}

// writeFile writes a file for its owner only, durably.
func writeFile(path string, b []byte) (err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.Sync()
}

// absent refuses what is there, but for an empty folder.
func absent(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, os.ErrNotExist), err == nil && len(entries) == 0:
		return nil
	case err != nil:
		return fmt.Errorf("%s is there already, and is no folder", path)
	}
	return fmt.Errorf("%s is not empty: a backup gets a folder of its own", path)
}
