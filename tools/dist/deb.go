package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

// scripts are the files that dpkg and debconf read and run.
//
//go:embed debian
var scripts embed.FS

// writeDeb writes the Debian package of a program.
func (r *release) writeDeb(ctx context.Context, folder string, b *binary) error {
	version := debVersion(r.version)
	stage, err := os.MkdirTemp("", "griot-deb-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(stage) }()
	if err := os.Chmod(stage, 0o755); err != nil { //nolint:gosec // it becomes the package's root folder
		return err
	}
	files, err := r.debFiles(b)
	if err != nil {
		return err
	}
	size := int64(0)
	for _, f := range files {
		size += int64(len(f.content))
	}
	control, err := r.debControl(b, version, size)
	if err != nil {
		return err
	}
	for _, f := range append(files, control...) {
		path := filepath.Join(stage, f.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // a folder of the system
			return err
		}
		mode := fs.FileMode(0o644)
		if f.mode != 0 {
			mode = fs.FileMode(f.mode)
		}
		if err := os.WriteFile(path, f.content, mode); err != nil {
			return err
		}
		if err := os.Chmod(path, mode); err != nil { // regardless of the umask
			return err
		}
	}
	err = filepath.WalkDir(stage, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o755) //nolint:gosec // a folder of the system
		}
		return err
	})
	if err != nil {
		return err
	}
	file := filepath.Join(folder, fmt.Sprintf("%s_%s_%s.deb", b.program.name, version, b.arch))
	c := exec.CommandContext(ctx, "dpkg-deb", "--root-owner-group", "-Zxz", "--build", stage, file) //nolint:gosec // all paths are ours
	c.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.at.Unix()), "DPKG_DEB_THREADS_MAX=1")
	_, err = output(c)
	return err
}

// debFiles returns the files that the package installs.
func (r *release) debFiles(b *binary) ([]entry, error) {
	service, err := r.unitOf("/usr/bin/" + b.program.name)
	if err != nil {
		return nil, err
	}
	doc := "usr/share/doc/" + b.program.name + "/"
	files := []entry{
		{name: "usr/bin/" + b.program.name, content: b.content, mode: 0o755},
		{name: "usr/lib/systemd/system/griot.service", content: service},
		{name: doc + "griot.cdx.json", content: b.parts},
	}
	for _, e := range b.extras {
		e.name = debName(doc, e.name)
		if strings.HasSuffix(e.name, ".gz") {
			if e.content, err = compress(e.content); err != nil {
				return nil, err
			}
		}
		files = append(files, e)
	}
	changes, err := os.ReadFile(filepath.Join(r.root, "CHANGELOG.md"))
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{"changelog.gz": changes, licencesFile + ".gz": b.licences} {
		packed, err := compress(content)
		if err != nil {
			return nil, err
		}
		files = append(files, entry{name: doc + name, content: packed})
	}
	licence, err := scripts.ReadFile("debian/copyright")
	return append(files, entry{name: doc + "copyright", content: licence}), err
}

// debControl returns the package's description and scripts.
func (r *release) debControl(b *binary, version string, size int64) ([]entry, error) {
	t, err := template.ParseFS(scripts, "debian/control")
	if err != nil {
		return nil, err
	}
	var control bytes.Buffer
	err = t.Execute(&control, map[string]any{"Package": b.program.name, "Version": version, "Architecture": b.arch, "Maintainer": r.maintainer, "InstalledSize": (size + 1023) / 1024})
	if err != nil {
		return nil, err
	}
	all := []entry{{name: "DEBIAN/control", content: control.Bytes()}}
	for name, mode := range map[string]int64{"templates": 0, "config": 0o755, "postinst": 0o755, "prerm": 0o755, "postrm": 0o755} {
		content, err := scripts.ReadFile("debian/" + name)
		if err != nil {
			return nil, err
		}
		all = append(all, entry{name: "DEBIAN/" + name, content: content, mode: mode})
	}
	return all, nil
}

var described = regexp.MustCompile(`^(\d[0-9.]*?)(?:-([a-z][a-z0-9.]*))?(?:-(\d+)-g([0-9a-f]+))?(-dirty)?$`)

// debVersion converts a version so that dpkg sorts it correctly: 1.0.0-rc.1 before 1.0.0, and commits after a tag after
// that tag.
func debVersion(version string) string {
	m := described.FindStringSubmatch(version)
	if m == nil {
		return "0~" + strings.ReplaceAll(version, "-", ".") // there is no tag
	}
	v := m[1]
	if m[2] != "" {
		v += "~" + m[2]
	}
	if m[3] != "" {
		v += "+" + m[3] + ".g" + m[4]
	}
	if m[5] != "" {
		v += "+dirty"
	}
	return v
}
