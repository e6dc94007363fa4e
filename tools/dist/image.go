package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// imageUser is the user of the image. It has no rights on any machine.
const imageUser = 65532

// imageRefName is the annotation that programs use as the name of a loaded image.
const imageRefName = "org.opencontainers.image.ref.name"

// writeImage writes the image of a program, for each of its Linux targets, as an OCI layout in a tar.
func (r *release) writeImage(path string, built []*binary) (err error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	var name string
	for _, b := range built {
		if b.system != "linux" {
			continue
		}
		name = b.program.name
		image, err := r.image(b)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: b.system, Architecture: b.arch}}})
	}
	if name == "" {
		return nil
	}
	dir, err := os.MkdirTemp("", "griot-image-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	into, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	// containerd requires the full name. The other annotation is only the tag, as the layout's specification requires.
	if err := into.AppendIndex(index, layout.WithAnnotations(map[string]string{imageRefName: r.version, "io.containerd.image.name": name + ":" + r.version})); err != nil {
		return err
	}
	return r.tarFolder(path, dir)
}

// tarFolder writes a directory's files into a tar, sorted by name.
func (r *release) tarFolder(path, dir string) error {
	var all []entry
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || file == dir {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		e := entry{name: name, folder: d.IsDir()}
		if !e.folder {
			e.content, err = os.ReadFile(file) //nolint:gosec // of a folder that this program has just made
		}
		all = append(all, e)
		return err
	})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := writeTar(&b, all, r.at); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644) //nolint:gosec // everybody may read what is published
}

// image returns the image of one target. It contains only the program, the certificate authorities, a user, and the
// user's directory.
func (r *release) image(b *binary) (v1.Image, error) {
	files, err := r.imageFiles(b)
	if err != nil {
		return nil, err
	}
	var content bytes.Buffer
	if err := writeTar(&content, files, r.at); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content.Bytes())), nil }, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	at := v1.Time{Time: r.at}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.Append(base, mutate.Addendum{Layer: layer, History: v1.History{Created: at, CreatedBy: "make dist"}, MediaType: types.OCILayer})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.Created, config.OS, config.Architecture = at, b.system, b.arch
	config.Config = v1.Config{
		User:         fmt.Sprintf("%d:%d", imageUser, imageUser),
		Entrypoint:   []string{"/usr/bin/" + b.program.name},
		Cmd:          []string{"serve"},
		WorkingDir:   "/etc/griot", // serve reads griot.yaml there, if there is one
		Env:          []string{"PATH=/usr/bin", "GRIOT_DATABASE=sqlite:/var/lib/griot/griot.db", "GRIOT_API_LISTEN=:8080", "GRIOT_AUTH_LISTEN=:8081", "GRIOT_PROBE_LISTEN=:9090"},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}, "8081/tcp": {}, "9090/tcp": {}},
		Volumes:      map[string]struct{}{"/var/lib/griot": {}},
		StopSignal:   "SIGTERM",
		Labels: map[string]string{
			"org.opencontainers.image.title":       b.program.name,
			"org.opencontainers.image.description": "Login by message, and messages by one API",
			"org.opencontainers.image.version":     r.version,
			"org.opencontainers.image.revision":    r.revision,
			"org.opencontainers.image.created":     r.at.Format(time.RFC3339),
			"org.opencontainers.image.licenses":    b.program.licence,
		},
	}
	return mutate.ConfigFile(image, config)
}

// imageFiles returns the files of the image.
func (r *release) imageFiles(b *binary) ([]entry, error) {
	authorities, err := os.ReadFile(r.authorities)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(string(authorities), "-----BEGIN CERTIFICATE-----") {
		return nil, fmt.Errorf("%s: no certificates in PEM", r.authorities)
	}
	texts, err := r.texts(b)
	if err != nil {
		return nil, err
	}
	account := fmt.Sprintf("griot:x:%d:%d:Griot:/var/lib/griot:/nonexistent\n", imageUser, imageUser)
	doc := "usr/share/doc/" + b.program.name
	all := []entry{
		{name: "etc", folder: true},
		{name: "etc/griot", folder: true},
		{name: "etc/group", content: fmt.Appendf(nil, "griot:x:%d:\n", imageUser)},
		{name: "etc/passwd", content: []byte(account)},
		{name: "etc/ssl", folder: true},
		{name: "etc/ssl/certs", folder: true},
		{name: "etc/ssl/certs/ca-certificates.crt", content: authorities},
		{name: "tmp", folder: true, mode: 0o1777},
		{name: "usr", folder: true},
		{name: "usr/bin", folder: true},
		{name: "usr/bin/" + b.program.name, content: b.content, mode: 0o755},
		{name: "usr/share", folder: true},
		{name: "usr/share/doc", folder: true},
		{name: doc, folder: true},
	}
	for _, t := range texts {
		t.name = doc + "/" + t.name
		all = append(all, t)
	}
	return append(all,
		entry{name: "var", folder: true},
		entry{name: "var/lib", folder: true},
		entry{name: "var/lib/griot", folder: true, mode: 0o700, owner: imageUser},
	), nil
}
