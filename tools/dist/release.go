package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A program is built for each target.
type program struct {
	name     string
	module   string // the module's directory in the repository
	main     string // the package, relative to it
	folder   string // the directory of its files in the release
	licence  string // its SPDX identifier
	texts    []text // files next to it in an archive
	packaged bool   // it also has Debian packages and an image
	source   bool   // its source is included
	clients  bool   // the clients of its API are included
}

// A text is a file of the repository, under its name in an archive.
type text struct{ from, name string }

// programs returns the programs of a release. griot-whatsapp has its own directory, license, and checksums.
func programs() []program {
	return []program{
		{
			name: "griot", module: ".", main: "./cmd/griot", folder: ".", licence: "Apache-2.0", packaged: true, clients: true,
			texts: []text{{"LICENSE", "LICENSE"}, {"CHANGELOG.md", "CHANGELOG.md"}},
		},
		{
			name: "griot-whatsapp", module: "griot-whatsapp", main: "./cmd/griot-whatsapp", folder: "griot-whatsapp", licence: "GPL-3.0-only", source: true,
			texts: []text{
				{"griot-whatsapp/LICENSE", "LICENSE"},
				{"griot-whatsapp/README.md", "README.md"},
				{"griot-whatsapp/griot-whatsapp.service", "griot-whatsapp.service"},
			},
		},
	}
}

// targets returns the systems of a release.
func targets() []string {
	return []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"}
}

// release is the release that is built, with its source.
type release struct {
	root        string
	out         string
	targets     []string
	authorities string
	maintainer  string

	version  string    // from git's description of the commit, without its v
	revision string    // the commit
	at       time.Time // time of the commit, which is the date of all files
}

// dirty is the suffix of the version of uncommitted changes.
const dirty = "-dirty"

// newRelease reads the release from git. As usual, SOURCE_DATE_EPOCH overrides the date of the files.
func newRelease(ctx context.Context, root string) (*release, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	r := &release{root: root}
	described, err := r.git(ctx, "describe", "--tags", "--always", "--dirty", "--match=v[0-9]*")
	if err != nil {
		return nil, err
	}
	r.version = strings.TrimPrefix(described, "v")
	// Files that are not in git can also be in a program. The compiler then records in it that it was modified.
	changed, err := r.git(ctx, "status", "--porcelain")
	if err != nil {
		return nil, err
	}
	if changed != "" && !strings.HasSuffix(r.version, dirty) {
		r.version += dirty
	}
	if r.revision, err = r.git(ctx, "rev-parse", "HEAD"); err != nil {
		return nil, err
	}
	seconds := os.Getenv("SOURCE_DATE_EPOCH")
	if seconds == "" {
		if seconds, err = r.git(ctx, "log", "-1", "--format=%ct"); err != nil {
			return nil, err
		}
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	r.at = time.Unix(n, 0).UTC()
	return r, nil
}

// make writes the release into a directory next to the final one, and then replaces the previous release with it.
func (r *release) make(ctx context.Context, all []program) error {
	for _, target := range r.targets {
		if !slices.Contains(targets(), target) {
			return fmt.Errorf("%q: targets are %s", target, strings.Join(targets(), ", "))
		}
	}
	if err := os.MkdirAll(filepath.Dir(r.out), 0o755); err != nil { //nolint:gosec // everybody may read what is published
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(r.out), "."+filepath.Base(r.out)+"-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // everybody may read what is published
		return err
	}
	for _, p := range all {
		folder := filepath.Join(dir, p.folder)
		if err := errors.Join(os.MkdirAll(folder, 0o755), r.makeProgram(ctx, p, folder), writeSums(folder)); err != nil { //nolint:gosec // everybody may read what is published
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	return os.Rename(dir, r.out)
}

// makeProgram writes all files of one program.
func (r *release) makeProgram(ctx context.Context, p program, folder string) error {
	var built []*binary
	var extras []entry
	if p.packaged {
		var err error
		if extras, err = r.extras(ctx, p); err != nil {
			return fmt.Errorf("its documents: %w", err)
		}
	}
	for _, target := range r.targets {
		b, err := r.build(ctx, p, target)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		b.extras = extras
		built = append(built, b)
		base := filepath.Join(folder, fmt.Sprintf("%s-%s-%s-%s", p.name, r.version, b.system, b.arch))
		if err := os.WriteFile(base+".cdx.json", b.parts, 0o644); err != nil { //nolint:gosec // everybody may read what is published
			return err
		}
		if err := r.writeArchive(base, b); err != nil {
			return err
		}
		if p.packaged && b.system == "linux" {
			if err := r.writeDeb(ctx, folder, b); err != nil {
				return fmt.Errorf("the Debian package: %w", err)
			}
		}
	}
	if p.source {
		if err := r.writeSource(ctx, p, folder); err != nil {
			return err
		}
	}
	if p.clients {
		if err := r.writeGoModule(ctx, folder); err != nil {
			return fmt.Errorf("the Go client: %w", err)
		}
		if err := r.writeTypeScript(ctx, folder); err != nil {
			return fmt.Errorf("the TypeScript client: %w", err)
		}
	}
	if p.packaged {
		return r.writeImage(filepath.Join(folder, fmt.Sprintf("%s-%s-oci.tar", p.name, r.version)), built)
	}
	return nil
}

// git returns the output of a git command.
func (r *release) git(ctx context.Context, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "git", args...) //nolint:gosec // the arguments are constants
	c.Dir = r.root
	out, err := output(c)
	return strings.TrimSpace(string(out)), err
}

// output runs a command and returns its output. The error contains the command's error output.
func output(c *exec.Cmd) ([]byte, error) {
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, strings.TrimSpace(errs.String()))
	}
	return out, nil
}
