package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/licenseclassifier/v2/assets"
)

// permissive are the licenses that are compatible with a program under Apache-2.0. MPL-2.0 only requires the source of
// its own files.
var permissive = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MPL-2.0", "Unlicense", "Zlib"}

// programs are the programs of a release, with the licenses that each can link in addition to the permissive ones.
var programs = []struct {
	module, main string
	also         []string
}{
	{module: ".", main: "./cmd/griot"},
	{module: "client", main: "./..."},
	{module: "griot-whatsapp", main: "./cmd/griot-whatsapp", also: []string{"GPL-3.0"}},
}

func main() {
	root := "../.."
	if len(os.Args) == 2 {
		root = os.Args[1]
	}
	if err := audit(context.Background(), root); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func audit(ctx context.Context, root string) error {
	c, err := newClassifier()
	if err != nil {
		return err
	}
	var problems []error
	for _, p := range programs {
		linked, err := modules(ctx, filepath.Join(root, p.module), p.main)
		if err != nil {
			return err
		}
		allowed := slices.Concat(permissive, p.also)
		for _, m := range linked {
			if err := c.check(m.dir, allowed); err != nil {
				problems = append(problems, fmt.Errorf("%s links %s: %w", p.module, m.name, err))
			}
		}
	}
	return errors.Join(problems...)
}

type module struct{ name, dir string }

// modules returns the modules that a program links, including its own.
func modules(ctx context.Context, dir, program string) ([]module, error) {
	c := exec.CommandContext(ctx, "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}", program) //nolint:gosec // of the table of programs
	c.Dir, c.Env, c.Stderr = dir, append(os.Environ(), "GOWORK=off"), os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("list what %s links: %w", dir, err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	var all []module
	for _, line := range slices.Compact(lines) {
		name, dir, _ := strings.Cut(line, "\t")
		all = append(all, module{name: strings.TrimSpace(name), dir: dir})
	}
	return all, nil
}

// classifier recognizes the text of a license.
type classifier struct {
	match func(text []byte) []string
}

func newClassifier() (*classifier, error) {
	known, err := assets.DefaultClassifier()
	if err != nil {
		return nil, err
	}
	return &classifier{match: func(text []byte) (names []string) {
		for _, m := range known.Match(text).Matches {
			if m.MatchType == "License" {
				names = append(names, m.Name)
			}
		}
		return names
	}}, nil
}
