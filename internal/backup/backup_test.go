package backup_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/backup"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

var taken = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// source is a deployment with a dev's files, whose database is open.
func source(t *testing.T) *backup.Source {
	t.Helper()
	folder := dbtest.Folder(t)
	for _, name := range []string{backup.Database, backup.Phones} {
		d, err := db.Open(t.Context(), "sqlite:"+filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		if _, err := d.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		err = d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(`INSERT INTO quotas (account_id, day, used) VALUES ('a', 1, 7)`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, backup.Dev), []byte(`{"baseUrl":"x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return &backup.Source{Database: filepath.Join(folder, backup.Database), Folder: folder, Version: "v1", MasterKey: "name", Now: taken}
}

func nothing(string, *backup.Manifest) error { return nil }

// Data that goes into a directory or a tar comes out of it, in a new place, and overwrites nothing.
func TestRoundTrip(t *testing.T) {
	s := source(t)
	to := filepath.Join(t.TempDir(), "b")
	made, err := backup.ToFolder(t.Context(), s, to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := backup.ToFolder(t.Context(), s, to); err == nil {
		t.Error("a second backup took the place of the first")
	}
	var b bytes.Buffer
	if _, err := backup.ToTar(t.Context(), s, &b); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(func(backup.File, io.Reader) error) (*backup.Manifest, error){
		"folder": func(keep func(backup.File, io.Reader) error) (*backup.Manifest, error) {
			return backup.Folder(t.Context(), to, keep)
		},
		"tar": func(keep func(backup.File, io.Reader) error) (*backup.Manifest, error) {
			return backup.Tar(t.Context(), bytes.NewReader(b.Bytes()), keep)
		},
	} {
		folder := filepath.Join(t.TempDir(), "new")
		target := &backup.Target{Database: filepath.Join(folder, backup.Database), Folder: folder}
		failed := errors.New("not now")
		if _, err := target.Restore(t.Context(), read, func(string, *backup.Manifest) error { return failed }); !errors.Is(err, failed) {
			t.Errorf("%s: %v, want what went wrong", name, err)
		}
		if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) != 1 || filepath.Base(left[0]) != "griot.db.lock" {
			t.Errorf("%s: a restore that failed has left %v", name, left)
		}
		m, err := target.Restore(t.Context(), read, nothing)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if m.MasterKey != "name" || !m.TakenAt.Equal(taken) || m.Schema != made.Schema || len(m.NotIncluded) == 0 || len(m.Files) != 3 {
			t.Errorf("%s: %+v", name, m)
		}
		d, err := db.Open(t.Context(), "sqlite:"+target.Database)
		if err != nil {
			t.Fatal(err)
		}
		var used int
		if _, err := d.Read(t.Context()).Row(`SELECT used FROM quotas`).Scan(&used); err != nil || used != 7 {
			t.Errorf("%s: %d, %v, want 7", name, used, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(filepath.Join(folder, backup.Dev)); err != nil || string(text) != `{"baseUrl":"x"}` {
			t.Errorf("%s: %s %v", name, text, err)
		}
		if _, err := target.Restore(t.Context(), read, nothing); err == nil || !strings.Contains(err.Error(), "without a database") {
			t.Errorf("%s: a second restore: %v, want a refusal", name, err)
		}
	}
}

// A changed, missing, or truncated file is named in the error, and nothing is placed.
func TestRead_NamesDamage(t *testing.T) {
	s := source(t)
	good := filepath.Join(t.TempDir(), "b")
	if _, err := backup.ToFolder(t.Context(), s, good); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(folder string) error
		says   string
	}{
		"a byte": {func(folder string) error {
			path := filepath.Join(folder, backup.Database)
			b, err := os.ReadFile(path)
			b[len(b)/2] ^= 1
			return errors.Join(err, os.WriteFile(path, b, 0o600))
		}, "checksum"},
		"the end":         {func(folder string) error { return os.Truncate(filepath.Join(folder, backup.Database), 4096) }, "4096 bytes"},
		"a file":          {func(folder string) error { return os.Remove(filepath.Join(folder, backup.Phones)) }, "damaged"},
		"the manifest":    {func(folder string) error { return os.Remove(filepath.Join(folder, "manifest.json")) }, "isn't a backup"},
		"another format":  {manifest(`"format": 1`, `"format": 2`), "format 2"},
		"a path":          {manifest(`"virtual.db"`, `"../virtual.db"`), "no backup has"},
		"no database":     {manifest(`"griot.db"`, `"dev.json"`), "no backup has"},
		"not a manifest":  {manifest(`{`, `[`), "can't be read"},
		"the same twice":  {manifest(`"virtual.db"`, `"griot.db"`), "no backup has"},
		"another's bytes": {manifest(`"sha256": "`, `"sha256": "0`), "checksum"},
	} {
		folder := filepath.Join(t.TempDir(), "c")
		if err := os.CopyFS(folder, os.DirFS(good)); err != nil {
			t.Fatal(err)
		}
		if err := tt.change(folder); err != nil {
			t.Fatal(err)
		}
		if _, err := backup.Folder(t.Context(), folder, backup.Ignore); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", name, err, tt.says)
		}
	}
}

func manifest(old, changed string) func(folder string) error {
	return func(folder string) error {
		path := filepath.Join(folder, "manifest.json")
		b, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(path, []byte(strings.Replace(string(b), old, changed, 1)), 0o600))
	}
}

// A tar that is truncated anywhere, or has more than a backup, is invalid. A complete
// backup records its time next to the database; a failed one doesn't.
func TestLast(t *testing.T) {
	s := source(t)
	if at, known := backup.Last(s.Database); known {
		t.Errorf("before the first backup the last one is of %v", at)
	}
	for n, take := range []func() error{
		func() error { _, err := backup.ToFolder(t.Context(), s, filepath.Join(t.TempDir(), "b")); return err },
		func() error { _, err := backup.ToTar(t.Context(), s, io.Discard); return err },
	} {
		s.Now = time.Date(2026, 3, 1+n, 12, 0, 0, 0, time.UTC)
		if err := take(); err != nil {
			t.Fatal(err)
		}
		if at, known := backup.Last(s.Database); !known || !at.Equal(s.Now) {
			t.Errorf("the last backup is of %v, %v, want %v", at, known, s.Now)
		}
	}
	before := s.Now
	s.Now = s.Now.Add(time.Hour)
	if _, err := backup.ToFolder(t.Context(), s, t.TempDir()+"/missing/b"); err == nil {
		t.Error("a backup into a folder of none succeeded")
	}
	if at, _ := backup.Last(s.Database); !at.Equal(before) {
		t.Errorf("after a backup that failed the last one is of %v, want %v", at, before)
	}
}

func TestTar_CutOff(t *testing.T) {
	s := source(t)
	var b bytes.Buffer
	if _, err := backup.ToTar(t.Context(), s, &b); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(s.Database + ".backup.partial"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	for n := 0; n < b.Len()-1024; n += b.Len() / 9 {
		if _, err := backup.Tar(t.Context(), bytes.NewReader(b.Bytes()[:n]), backup.Ignore); err == nil {
			t.Errorf("the first %d of %d bytes are taken for a backup", n, b.Len())
		}
	}
	var more bytes.Buffer
	more.Write(b.Bytes()[:b.Len()-1024]) // without the end
	w := tar.NewWriter(&more)
	if err := errors.Join(w.WriteHeader(&tar.Header{Name: "more", Mode: 0o600}), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Tar(t.Context(), &more, backup.Ignore); err == nil || !strings.Contains(err.Error(), "does not end") {
		t.Errorf("with another file: %v", err)
	}
}

func FuzzTar(f *testing.F) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	text := []byte(`{"format":1,"files":[{"name":"griot.db","size":0,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}]}`)
	if err := errors.Join(w.WriteHeader(&tar.Header{Name: "manifest.json", Mode: 0o600, Size: int64(len(text))})); err != nil {
		f.Fatal(err)
	}
	_, _ = w.Write(text)
	if err := errors.Join(w.WriteHeader(&tar.Header{Name: "griot.db", Mode: 0o600}), w.Close()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, in []byte) {
		m, err := backup.Tar(t.Context(), bytes.NewReader(in), func(file backup.File, r io.Reader) error {
			if file.Name != backup.Database && file.Name != backup.Phones && file.Name != backup.Dev {
				t.Errorf("a file %q would be written", file.Name)
			}
			return backup.Ignore(file, r)
		})
		if err == nil && len(m.Files) == 0 {
			t.Error("a backup without a file")
		}
	})
}

// A copy that its disk has no room for is refused before any of it is written.
func TestBackup_NoRoom(t *testing.T) {
	t.Parallel()
	s := source(t)
	const huge = 8 << 40 // a sparse file, larger than any disk of tests
	if err := os.Truncate(s.Database, huge); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "backup")
	_, folderErr := backup.ToFolder(t.Context(), s, to)
	_, tarErr := backup.ToTar(t.Context(), s, io.Discard)
	for _, err := range []error{folderErr, tarErr} {
		if err == nil || !strings.Contains(err.Error(), "to spare need 83886") {
			t.Errorf("got %v, want that there is no room", err)
		}
	}
	for _, path := range []string{to, to + ".partial", s.Database + ".backup.partial"} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is there", path)
		}
	}
}
