package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// makeRelease builds a release of the programs in a repository.
func makeRelease(t *testing.T, repository string, on []string) string {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(repository, "dist")
	out, err := filepath.Rel(here, made) // as make dist passes it
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-root", repository, "-out", out, "-targets", strings.Join(on, ","), "-authorities", filepath.Join(repository, "authorities.pem"), "-maintainer", "Awa <awa@example.com>"}
	if err := run(t.Context(), args); err != nil {
		t.Fatal(err)
	}
	return made
}

// newRepository creates a repository with two small programs in the directories of Griot's, and with the files that a
// release uses.
func newRepository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	service, err := os.ReadFile(filepath.Join("../..", unitTemplate))
	if err != nil {
		t.Fatal(err)
	}
	ignored, err := os.ReadFile("../../.gitignore")
	if err != nil {
		t.Fatal(err)
	}
	const program = "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nvar version = \"dev\"\n\nfunc main() { fmt.Println(version, os.Args[1:]) }\n"
	for name, content := range map[string]string{
		"go.work": "go 1.26.0\n\nuse ./missing\n", // a release leaves it out
		"go.mod":  "module example.com/griot\n\ngo 1.26.0\n", "cmd/griot/main.go": program,
		"griot-whatsapp/go.mod": "module example.com/griot/griot-whatsapp\n\ngo 1.26.0\n", "griot-whatsapp/cmd/griot-whatsapp/main.go": program,
		"griot-whatsapp/LICENSE": "the GPL\n", "griot-whatsapp/README.md": "# griot-whatsapp\n", "griot-whatsapp/griot-whatsapp.service": "[Service]\n",
		".gitignore": string(ignored), "LICENSE": "Apache\n", "README.md": "# Griot\n", "CHANGELOG.md": "# Changes\n", "authorities.pem": "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
		"sdk/typescript/package.json":      "{\"name\": \"@griot/client\", \"version\": \"0.0.0\", \"files\": [\"dist\"], \"scripts\": {\"prepack\": \"mkdir dist && cp src/index.js dist\"}}\n",
		"sdk/typescript/package-lock.json": "{\"name\": \"@griot/client\", \"version\": \"0.0.0\", \"lockfileVersion\": 3, \"packages\": {\"\": {\"name\": \"@griot/client\", \"version\": \"0.0.0\"}}}\n", "sdk/typescript/src/index.js": "export {}\n",
		"client/go.mod": "module example.com/griot/client\n\ngo 1.24.0\n", "client/client.go": "package griot\n", "client/login/login.go": "package login\n", "client/LICENSE": "Apache\n",
		"deploy/grafana/griot.json": "{}\n", "deploy/prometheus/alerts.yml": "groups: []\n", "deploy/prometheus/alerts_test.yml": "tests: []\n", "deploy/compose.yaml": "services: {}\n",
		"deploy/systemd/griot-backup.service": "[Service]\n", "deploy/systemd/griot-backup.timer": "[Timer]\n", unitTemplate: string(service),
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	command(t, dir, "git", "init", "--quiet")
	command(t, dir, "git", "add", ".")
	command(t, dir, "git", "-c", "user.name=Awa", "-c", "user.email=awa@example.com", "commit", "--quiet", "-m", "Begin")
	command(t, dir, "git", "tag", "v1.2.0-rc.1")
	return dir
}

func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), "GOWORK=off")
	out, err := output(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// digests returns the checksums of the files below a directory.
func digests(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir+"/")] = fmt.Sprintf("%x", sha256.Sum256(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func readTarGz(t *testing.T, path string) map[string][]byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return readTar(t, z)
}

// readTar returns the files of a tar; names of directories end with a slash.
func readTar(t *testing.T, r io.Reader) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for in := tar.NewReader(r); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
}
