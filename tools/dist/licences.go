package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
)

// licencesFile is the file with the licenses of a program's modules, which must be distributed with it.
const licencesFile = "THIRD_PARTY_LICENSES.txt"

var isLicence = regexp.MustCompile(`(?i)^(.*[-_.])?(licen[cs]es?|copying|notice|unlicense)([-_.].*)?$`)

// licences returns the texts of the licenses of Go and of each linked module. A module without one is an error.
func licences(ctx context.Context, dir string, info *debug.BuildInfo) ([]byte, error) {
	format := []string{"list", "-m", "-f", "{{.Path}} {{.Version}}\t{{.Dir}}"}
	var b bytes.Buffer
	goDir, err := goCommand(ctx, dir, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	if err := addLicences(&b, "Go "+info.GoVersion, strings.TrimSpace(goDir)); err != nil {
		return nil, err
	}
	if len(info.Deps) == 0 {
		return b.Bytes(), nil
	}
	for _, d := range info.Deps {
		format = append(format, d.Path)
	}
	listed, err := goCommand(ctx, dir, format...)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(listed) {
		name, dir, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if err := addLicences(&b, name, dir); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// addLicences adds the licenses in a directory.
func addLicences(b *bytes.Buffer, name, dir string) error {
	found, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	n := 0
	for _, f := range found {
		if !f.Type().IsRegular() || !isLicence.MatchString(f.Name()) || filepath.Ext(f.Name()) == ".go" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		n++
		fmt.Fprintf(b, "==== %s: %s\n\n%s\n\n", name, f.Name(), bytes.TrimSpace(content))
	}
	if n == 0 {
		return fmt.Errorf("%s has no file with its license", name)
	}
	return nil
}

// goCommand returns the output of a go command.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "go", args...) //nolint:gosec // of this program, and modules that are linked
	c.Dir, c.Env = dir, append(os.Environ(), "GOWORK=off")
	out, err := output(c)
	return string(out), err
}
