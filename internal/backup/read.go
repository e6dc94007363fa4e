package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Folder reads a backup in a directory. It passes each of its files to keep, which reads it. The error describes a
// damaged backup or comes from keep.
func Folder(ctx context.Context, from string, keep func(File, io.Reader) error) (*Manifest, error) {
	text, err := os.ReadFile(filepath.Join(from, manifestName))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no %s in %s", errNoBackup, manifestName, from)
	}
	if err != nil {
		return nil, err
	}
	m, err := parse(text)
	if err != nil {
		return nil, err
	}
	for _, f := range m.Files {
		if err := readFile(ctx, filepath.Join(from, f.Name), f, keep); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func readFile(ctx context.Context, path string, f File, keep func(File, io.Reader) error) (err error) {
	r, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("the backup is damaged: %w", err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return f.read(&ending{ctx, r}, keep)
}

// Tar reads a backup that [ToTar] has written; see [Folder].
func Tar(ctx context.Context, from io.Reader, keep func(File, io.Reader) error) (*Manifest, error) {
	in := tar.NewReader(&ending{ctx, from})
	head, err := in.Next()
	if err != nil || head.Name != manifestName || head.Size > maxManifest {
		return nil, errors.Join(ctx.Err(), fmt.Errorf("%w: a tar that begins with %s is expected", errNoBackup, manifestName))
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	m, err := parse(text)
	if err != nil {
		return nil, err
	}
	for _, f := range m.Files {
		head, err := in.Next()
		if err != nil {
			return nil, fmt.Errorf("the backup is damaged: it ends before %s: %w", f.Name, err)
		}
		if head.Name != f.Name || head.Typeflag != tar.TypeReg {
			return nil, fmt.Errorf("the backup is damaged: it has %q in the place of %s", head.Name, f.Name)
		}
		if err := f.read(in, keep); err != nil {
			return nil, err
		}
	}
	if _, err := in.Next(); !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, errors.New("the backup is damaged: it does not end after its files"))
	}
	return m, nil
}

// read passes a file's content to keep and compares its checksum.
func (f File) read(r io.Reader, keep func(File, io.Reader) error) error {
	h := sha256.New()
	counted := &counter{r: io.TeeReader(r, h)}
	if err := keep(f, counted); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("the backup is damaged: it ends within %s", f.Name)
		}
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); counted.n != f.Size || got != f.SHA256 {
		return fmt.Errorf("the backup is damaged: %s has %d bytes with the checksum %s, the manifest says %d with %s", f.Name, counted.n, got, f.Size, f.SHA256)
	}
	return nil
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (n int, err error) {
	n, err = c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// Ignore reads a file's content to its end.
func Ignore(_ File, r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}
