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

// Source is the deployment to back up.
type Source struct {
	Database  string // the path of a SQLite file, which a server can have open
	Folder    string // of a dev, with its other files; empty: none
	Version   string
	MasterKey string // the name of the sealing key, unless the database names another, which then takes precedence
	Now       time.Time
}

// ToFolder writes a backup to a directory, which must not exist. It replaces an incomplete backup.
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

// ToTar writes a backup as a tar file. It copies the database first, because a tar header contains the size of the
// file.
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

// taken is the suffix of the file next to a database whose modification time is the time of the last backup. A row in
// the database would be in the backup, too, and would wait for the server's lock.
const taken = ".backup"

// note records that a backup is complete.
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

// Last returns the time of the last complete backup of a SQLite database on this machine.
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

// ending is a reader that fails after its context has ended.
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

// take fills a directory with a backup.
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
			case !errors.Is(err, os.ErrNotExist): // phones can be in memory
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

// writeFile durably writes a file that only its owner can read.
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

// absent returns an error if the path exists, unless it is an empty directory.
func absent(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, os.ErrNotExist), err == nil && len(entries) == 0:
		return nil
	case err != nil:
		return fmt.Errorf("%s already exists and isn't a directory", path)
	}
	return fmt.Errorf("%s isn't empty: a backup needs its own directory", path)
}
