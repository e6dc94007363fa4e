package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// entry is a file or a directory in an archive.
type entry struct {
	name    string
	content []byte
	mode    int64 // 0: 0644, or 0755 for a directory
	owner   int   // the id of its user and its group
	folder  bool
}

// writeTar writes entries in order. All have the same time, so the bytes don't depend on the machine.
func writeTar(w io.Writer, entries []entry, at time.Time) error {
	t := tar.NewWriter(w)
	for _, e := range entries {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: e.name, Size: int64(len(e.content)), Mode: cmp.Or(e.mode, 0o644), Uid: e.owner, Gid: e.owner, ModTime: at, Format: tar.FormatPAX}
		if e.folder {
			h.Typeflag, h.Name, h.Size, h.Mode = tar.TypeDir, e.name+"/", 0, cmp.Or(e.mode, 0o755)
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(e.content); err != nil {
			return err
		}
	}
	return t.Close()
}

// compress compresses with gzip, without a date.
func compress(content []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(content); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// writeTarGz writes an archive.
func (r *release) writeTarGz(path string, entries []entry) error {
	var b bytes.Buffer
	if err := writeTar(&b, entries, r.at); err != nil {
		return err
	}
	packed, err := compress(b.Bytes())
	if err != nil {
		return err
	}
	return os.WriteFile(path, packed, 0o644) //nolint:gosec // everybody may read what is published
}

// writeArchive writes the archive of a program: a directory with the program and its texts.
func (r *release) writeArchive(base string, b *binary) error {
	texts, err := r.texts(b)
	if err != nil {
		return err
	}
	all := append([]entry{{name: b.program.name, content: b.content, mode: 0o755}}, texts...)
	for i := range all {
		all[i].name = filepath.Base(base) + "/" + all[i].name
	}
	return r.writeTarGz(base+".tar.gz", all)
}

// sumsFile is the file with the checksums, which `sha256sum --check` reads.
const sumsFile = "SHA256SUMS"

// writeSums writes the checksums of the files in and below a directory.
func writeSums(folder string) error {
	var b strings.Builder
	files := os.DirFS(folder)
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == sumsFile {
			return err
		}
		content, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(content), path)
		return nil
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, sumsFile), []byte(b.String()), 0o644) //nolint:gosec // everybody may read what is published
}
