package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"text/template"
)

// archived are the texts for the users of a release.
//
//go:embed archive
var archived embed.FS

// unitTemplate is the template of the unit, which `griot init` also uses.
const unitTemplate = "internal/setup/templates/griot.service.tmpl"

// unit holds the values of the packages' unit, with the names in the template.
type unit struct {
	Packaged                   bool
	Dir, Config, Program, User string
	StateFolder                string
	Postgres, InHome           bool
}

// unitOf returns the unit that starts a program, for both databases.
func (r *release) unitOf(program string) ([]byte, error) {
	t, err := template.ParseFiles(filepath.Join(r.root, unitTemplate))
	if err != nil {
		return nil, err
	}
	var service bytes.Buffer
	err = t.Execute(&service, unit{Packaged: true, Dir: "/etc/griot", Config: "/etc/griot/griot.yaml", Program: program, User: "griot", StateFolder: "/var/lib/griot", Postgres: true})
	return service.Bytes(), err
}

// unitFolder is the directory of the units that are the same everywhere.
const unitFolder = "deploy/systemd"

// extras returns the files of a release that are the same for all targets, by name in an archive.
func (r *release) extras(ctx context.Context, p program) ([]entry, error) {
	readme, err := archived.ReadFile("archive/README.md")
	if err != nil {
		return nil, err
	}
	all := []entry{{name: "README.md", content: readme}}
	listed, err := r.git(ctx, "ls-files", "--", "deploy")
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Fields(listed) {
		if strings.Contains(path.Base(name), "_test.") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		if path.Dir(name) == unitFolder {
			name = "systemd/" + path.Base(name)
		}
		all = append(all, entry{name: name, content: content})
	}
	written, err := r.written(ctx, p)
	return append(all, written...), err
}

// written returns the files that the program itself writes: its manual page and its completions.
func (r *release) written(ctx context.Context, p program) ([]entry, error) {
	dir, err := os.MkdirTemp("", "griot-extras-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file, err := r.compile(ctx, p, dir, runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, made := range []struct{ name, args string }{
		{"man/griot.1", "man"},
		{"completions/griot.bash", "completion bash"},
		{"completions/_griot", "completion zsh"},
		{"completions/griot.fish", "completion fish"},
	} {
		content, err := output(exec.CommandContext(ctx, file, strings.Fields(made.args)...)) //nolint:gosec // the program that was built
		if err != nil {
			return nil, err
		}
		if len(content) == 0 {
			return nil, fmt.Errorf("%s %s writes nothing", p.name, made.args)
		}
		all = append(all, entry{name: made.name, content: content})
	}
	return all, nil
}

// debNames are the paths of extras in the Debian package. Other extras are examples.
var debNames = map[string]string{
	"man/griot.1":            "usr/share/man/man1/griot.1.gz",
	"completions/griot.bash": "usr/share/bash-completion/completions/griot",
	"completions/_griot":     "usr/share/zsh/vendor-completions/_griot",
	"completions/griot.fish": "usr/share/fish/vendor_completions.d/griot.fish",
}

// debName returns the path of an extra in the Debian package.
func debName(doc, name string) string {
	folder, rest, _ := strings.Cut(name, "/")
	switch place := debNames[name]; {
	case place != "":
		return place
	case folder == "systemd":
		return "usr/lib/systemd/system/" + rest
	case folder == "deploy":
		return doc + "examples/" + rest
	}
	return doc + name
}
