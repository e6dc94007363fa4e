package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// billVersion is the version of CycloneDX for SBOMs.
const billVersion = cdx.SpecVersion1_6

// bill returns a program's SBOM: the modules that the linker recorded in it, and Go's standard library, each with its
// licenses and with the modules that it imports.
func (r *release) bill(b *binary, info *debug.BuildInfo, linked modules) ([]byte, error) {
	sum := fmt.Sprintf("%x", sha256.Sum256(b.content))
	self := cdx.Component{
		BOMRef: b.program.name, Type: cdx.ComponentTypeApplication, Name: b.program.name, Version: r.version,
		Licenses:   &cdx.Licenses{{License: &cdx.License{ID: b.program.licence}}},
		Hashes:     &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: sum}},
		Properties: properties("target", b.system+"/"+b.arch, "package", info.Path, "revision", r.revision),
	}
	parts := []cdx.Component{library(std, strings.TrimPrefix(info.GoVersion, "go"), "")}
	refs := map[string]string{info.Main.Path: self.BOMRef, std: parts[0].BOMRef}
	for _, d := range info.Deps {
		path := d.Path
		switch {
		case d.Replace != nil && strings.HasPrefix(d.Replace.Path, "."): // of this repository
			d = &debug.Module{Path: d.Path, Version: r.version}
		case d.Replace != nil:
			d = d.Replace
		}
		c := library(d.Path, d.Version, d.Sum)
		refs[path] = c.BOMRef
		parts = append(parts, c)
	}
	paths := slices.Concat([]string{info.Main.Path, std}, pathsOf(info.Deps))
	var graph []cdx.Dependency
	for i, path := range paths {
		m := linked[path]
		if m == nil {
			return nil, fmt.Errorf("the program links %s, which go list does not have", path)
		}
		if i > 0 {
			parts[i-1].Licenses = licensesOf(m.licenses)
		}
		var on []string
		for _, to := range m.imports {
			if refs[to] == "" {
				return nil, fmt.Errorf("%s imports %s, which the program does not link", path, to)
			}
			on = append(on, refs[to])
		}
		d := cdx.Dependency{Ref: refs[path]}
		if len(on) > 0 {
			d.Dependencies = &on
		}
		graph = append(graph, d)
	}
	list := cdx.NewBOM()
	list.SerialNumber = fmt.Sprintf("urn:uuid:%s-%s-8%s-8%s-%s", sum[:8], sum[8:12], sum[13:16], sum[17:20], sum[20:32]) // derived from the content, so the same bytes have the same number
	list.Metadata = &cdx.Metadata{Timestamp: r.at.Format(time.RFC3339), Component: &self}
	list.Components = &parts
	list.Dependencies = &graph
	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(list, billVersion); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func pathsOf(deps []*debug.Module) (paths []string) {
	for _, d := range deps {
		paths = append(paths, d.Path)
	}
	return paths
}

// library is a module that a program links.
func library(path, version, sum string) cdx.Component {
	url := "pkg:golang/" + strings.ToLower(path) + "@" + strings.ReplaceAll(version, "+", "%2B")
	c := cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: url}
	if sum != "" {
		c.Properties = properties("go.sum", sum)
	}
	return c
}

func properties(pairs ...string) *[]cdx.Property {
	var all []cdx.Property
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, cdx.Property{Name: "griot:" + pairs[i], Value: pairs[i+1]})
	}
	return &all
}
