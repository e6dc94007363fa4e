package goproxy

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// File is a file of a module, by its path in the module.
type File struct {
	Name    string
	Content []byte
}

var modulePath = regexp.MustCompile(`(?m)^module\s+(\S+)\s*$`)

// Write writes one version of a module into a proxy's directory. The same files produce the same bytes. version is a
// semantic version with its v.
func Write(folder, version string, at time.Time, files []File) error {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	i := slices.IndexFunc(files, func(f File) bool { return f.Name == "go.mod" })
	if i < 0 {
		return errors.New("the module has no go.mod")
	}
	mod := files[i].Content
	named := modulePath.FindSubmatch(mod)
	if named == nil {
		return errors.New("go.mod names no module")
	}
	module := string(named[1])
	packed, err := pack(module+"@"+version, files)
	if err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, at.UTC()})
	if err != nil {
		return err
	}
	dir := filepath.Join(folder, filepath.FromSlash(Escape(module)))
	for name, content := range map[string][]byte{
		"@latest": info, "@v/list": []byte(version + "\n"), "@v/" + Escape(version) + ".info": info, "@v/" + Escape(version) + ".mod": mod, "@v/" + Escape(version) + ".zip": packed,
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, content, 0o644)); err != nil { //nolint:gosec // everybody may read what is published
			return err
		}
	}
	return nil
}

// pack returns a module's zip. Its files have no dates, and their directory is the module's path with its version.
func pack(folder string, files []File) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	seen := map[string]string{}
	for _, f := range files {
		folded := strings.ToLower(f.Name)
		if other := seen[folded]; other != "" {
			return nil, fmt.Errorf("%s and %s are one file where case is ignored", other, f.Name)
		}
		if seen[folded] = f.Name; path.Clean(f.Name) != f.Name || path.IsAbs(f.Name) || strings.HasPrefix(f.Name, "..") {
			return nil, fmt.Errorf("%q is no path in a module", f.Name)
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: folder + "/" + f.Name, Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Content); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Escape escapes capital letters as the proxy protocol requires for file systems that ignore case: !a for A.
func Escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Files reads files below a directory. Their paths are relative to it.
func Files(folder string, paths []string) ([]File, error) {
	files := make([]File, 0, len(paths))
	for _, p := range paths {
		content, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(p)))
		if err != nil {
			return nil, err
		}
		files = append(files, File{p, content})
	}
	return files, nil
}
