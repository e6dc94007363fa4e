package main

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// checkImage reads an image back: every digest and size is correct, and the configuration is as documented.
func checkImage(t *testing.T, path string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	dir := t.TempDir()
	for name, content := range readTar(t, f) {
		if strings.HasSuffix(name, "/") {
			continue
		}
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, content, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	outer, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(outer); err != nil {
		t.Fatal(err)
	}
	listed, err := outer.IndexManifest()
	if err != nil || len(listed.Manifests) != 1 || listed.Manifests[0].Annotations[imageRefName] != "1.2.0-rc.1" {
		t.Fatalf("the layout has %+v, %v; want one image, with its version", listed, err)
	}
	index, err := outer.ImageIndex(listed.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	images, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var systems []string
	for _, m := range images.Manifests {
		systems = append(systems, m.Platform.String())
		image, err := index.Image(m.Digest)
		if err != nil {
			t.Fatal(err)
		}
		checkImageConfig(t, image)
		checkImageFiles(t, image)
	}
	if got := strings.Join(systems, " "); got != "linux/amd64 linux/arm64" {
		t.Errorf("the image is for %s", got)
	}
}

func checkImageConfig(t *testing.T, image v1.Image) {
	t.Helper()
	file, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	c := file.Config
	if c.User != "65532:65532" || strings.Join(append(c.Entrypoint, c.Cmd...), " ") != "/usr/bin/griot serve" || c.StopSignal != "SIGTERM" {
		t.Errorf("it runs %v %v as %s until %s", c.Entrypoint, c.Cmd, c.User, c.StopSignal)
	}
	for _, port := range []string{"8080/tcp", "8081/tcp", "9090/tcp"} {
		if _, ok := c.ExposedPorts[port]; !ok {
			t.Errorf("port %s is not exposed", port)
		}
	}
	for name, want := range map[string]string{"title": "griot", "version": "1.2.0-rc.1", "licenses": "Apache-2.0"} {
		if got := c.Labels["org.opencontainers.image."+name]; got != want {
			t.Errorf("label %s is %q, want %q", name, got, want)
		}
	}
	if rev := c.Labels["org.opencontainers.image.revision"]; len(rev) != 40 {
		t.Errorf("the revision is %q", rev)
	}
}

func checkImageFiles(t *testing.T, image v1.Image) {
	t.Helper()
	r := mutate.Extract(image)
	defer func() { _ = r.Close() }()
	files := map[string]*tar.Header{}
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(h.Name, "/")] = h
	}
	for name, want := range map[string]struct {
		mode  int64
		owner int
	}{
		"usr/bin/griot": {0o755, 0}, "etc/ssl/certs/ca-certificates.crt": {0o644, 0}, "etc/passwd": {0o644, 0}, "etc/group": {0o644, 0}, "tmp": {0o1777, 0}, "var/lib/griot": {0o700, imageUser},
		"usr/share/doc/griot/LICENSE": {0o644, 0}, "usr/share/doc/griot/" + licencesFile: {0o644, 0},
	} {
		h := files[name]
		if h == nil {
			t.Errorf("the image has no %s", name)
			continue
		}
		if h.Mode != want.mode || h.Uid != want.owner || h.Gid != want.owner {
			t.Errorf("%s: mode %o of %d:%d, want %o of %d", name, h.Mode, h.Uid, h.Gid, want.mode, want.owner)
		}
	}
}
