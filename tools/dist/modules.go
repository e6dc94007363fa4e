package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	classifier "github.com/google/licenseclassifier/v2"
	"github.com/google/licenseclassifier/v2/assets"
)

// std is the name of Go's standard library among modules.
const std = "std"

// modules are the modules that a program links, by path.
type modules map[string]*linkedModule

type linkedModule struct {
	dir      string
	imports  []string // the modules whose packages its linked packages import, sorted
	licenses []string // SPDX identifiers, sorted
	main     bool     // it is the program's own
}

// readModules reads the modules that a program in a directory links on a system.
func readModules(ctx context.Context, dir, program, system, arch string) (modules, error) {
	c := exec.CommandContext(ctx, "go", "list", "-deps", "-json=ImportPath,Imports,ImportMap,Standard,Module", program) //nolint:gosec // of the table of programs
	c.Dir, c.Env = dir, append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	out, err := output(c)
	if err != nil {
		return nil, err
	}
	type listed struct {
		ImportPath string
		Imports    []string
		ImportMap  map[string]string
		Standard   bool
		Module     *struct {
			Path, Dir string
			Main      bool
		}
	}
	var packages []listed
	of, all := map[string]string{}, modules{std: {}}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		switch {
		case p.Standard:
			of[p.ImportPath] = std
			continue
		case p.Module == nil:
			return nil, fmt.Errorf("%s is of no module", p.ImportPath)
		case all[p.Module.Path] == nil:
			all[p.Module.Path] = &linkedModule{dir: p.Module.Dir, main: p.Module.Main}
		}
		of[p.ImportPath] = p.Module.Path
		packages = append(packages, p)
	}
	for _, p := range packages {
		m := all[p.Module.Path]
		for _, name := range p.Imports {
			if mapped := p.ImportMap[name]; mapped != "" {
				name = mapped
			}
			if to := of[name]; to != "" && to != p.Module.Path && !slices.Contains(m.imports, to) {
				m.imports = append(m.imports, to)
			}
		}
		slices.Sort(m.imports)
	}
	return all, all.classify(ctx, dir)
}

// classify reads the licenses of all modules except the program's own, whose license is in the table of programs.
func (all modules) classify(ctx context.Context, dir string) error {
	root, err := goCommand(ctx, dir, "env", "GOROOT")
	if err != nil {
		return err
	}
	all[std].dir = strings.TrimSpace(root)
	known, err := assets.DefaultClassifier()
	if err != nil {
		return err
	}
	for path, m := range all {
		if m.main {
			continue
		}
		if m.licenses, err = licensesIn(known, m.dir); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// licensesIn returns the SPDX identifiers of the licenses in a directory.
func licensesIn(known *classifier.Classifier, dir string) (names []string, err error) {
	found, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		if !f.Type().IsRegular() || !isLicence.MatchString(f.Name()) || filepath.Ext(f.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		for _, m := range known.Match(text).Matches {
			if m.MatchType == "License" {
				names = append(names, spdx(m.Name))
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return nil, errors.New("no license was recognized")
	}
	return names, nil
}

// spdx returns the current identifier of a license for which the classifier has an old one.
func spdx(name string) string {
	switch name {
	case "GPL-2.0", "GPL-3.0", "LGPL-2.1", "LGPL-3.0", "AGPL-3.0":
		return name + "-only"
	}
	return name
}

// licensesOf returns licenses in the format of an SBOM.
func licensesOf(names []string) *cdx.Licenses {
	var all cdx.Licenses
	for _, name := range names {
		all = append(all, cdx.LicenseChoice{License: &cdx.License{ID: name}})
	}
	return &all
}
