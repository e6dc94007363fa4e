package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

const typescriptFolder = "sdk/typescript"

// writeTypeScript writes the package of the TypeScript client. Without npm, it writes none.
func (r *release) writeTypeScript(ctx context.Context, folder string) error {
	if _, err := exec.LookPath("npm"); err != nil {
		fmt.Fprintln(os.Stderr, "dist: npm is not there: this release has no TypeScript client")
		return nil
	}
	dir, err := os.MkdirTemp("", "griot-typescript-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := r.copyTypeScript(ctx, dir); err != nil {
		return err
	}
	if err := r.npmPackages(ctx, dir); err != nil {
		return err
	}
	return npm(ctx, dir, "pack", "--silent", "--pack-destination", folder)
}

// copyTypeScript copies the client's files from git, with the release's version.
func (r *release) copyTypeScript(ctx context.Context, dir string) error {
	listed, err := r.git(ctx, "ls-files", "--", typescriptFolder)
	if err != nil {
		return err
	}
	for path := range strings.Lines(listed) {
		path = strings.TrimSpace(path)
		content, err := os.ReadFile(filepath.Join(r.root, path))
		if err != nil {
			return err
		}
		name, _ := strings.CutPrefix(path, typescriptFolder+"/")
		if name == "package.json" {
			content = regexp.MustCompile(`"version": "[^"]*"`).ReplaceAll(content, []byte(`"version": "`+semanticVersion(r.version)+`"`))
		}
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, content, 0o644)); err != nil { //nolint:gosec // everybody may read what is published
			return err
		}
	}
	return nil
}

// npmPackages provides the packages that build the client: those of the repository, if they match the lock file.
func (r *release) npmPackages(ctx context.Context, dir string) error {
	modules := filepath.Join(r.root, typescriptFolder, "node_modules")
	installed, _ := os.ReadFile(filepath.Join(modules, ".griot-installed"))
	lock, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return err
	}
	if bytes.Equal(installed, lock) {
		return os.Symlink(modules, filepath.Join(dir, "node_modules"))
	}
	return npm(ctx, dir, "ci", "--silent", "--ignore-scripts")
}

func npm(ctx context.Context, dir string, args ...string) error {
	c := exec.CommandContext(ctx, "npm", args...) //nolint:gosec // the arguments are this program's
	c.Dir = dir
	_, err := output(c)
	return err
}

// semanticVersion converts a version to the format of npm and Go. The version of a commit without an earlier tag
// is only its name.
func semanticVersion(version string) string {
	if regexp.MustCompile(`^\d+\.\d+\.\d+(-|$)`).MatchString(version) {
		return version
	}
	return "0.0.0-g" + version
}
