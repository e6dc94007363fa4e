package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// billVersion is the version of CycloneDX in which lists are written.
const billVersion = cdx.SpecVersion1_6

// bill returns the list of a program's parts (SBOM): the modules that the linker wrote into it, and Go's own library.
func (r *release) bill(b *binary, info *debug.BuildInfo) ([]byte, error) {
	sum := fmt.Sprintf("%x", sha256.Sum256(b.content))
	self := cdx.Component{
		BOMRef: b.program.name, Type: cdx.ComponentTypeApplication, Name: b.program.name, Version: r.version,
		Licenses:   &cdx.Licenses{{License: &cdx.License{ID: b.program.licence}}},
		Hashes:     &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: sum}},
		Properties: properties("target", b.system+"/"+b.arch, "package", info.Path, "revision", r.revision),
	}
	parts := []cdx.Component{library("std", strings.TrimPrefix(info.GoVersion, "go"), "")}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		parts = append(parts, library(d.Path, d.Version, d.Sum))
	}
	refs := make([]string, len(parts))
	for i, c := range parts {
		refs[i] = c.BOMRef
	}
	list := cdx.NewBOM()
	list.SerialNumber = fmt.Sprintf("urn:uuid:%s-%s-8%s-8%s-%s", sum[:8], sum[8:12], sum[13:16], sum[17:20], sum[20:32]) // of the content: the same bytes have the same number
	list.Metadata = &cdx.Metadata{Timestamp: r.at.Format(time.RFC3339), Component: &self}
	list.Components = &parts
	list.Dependencies = &[]cdx.Dependency{{Ref: self.BOMRef, Dependencies: &refs}}
	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(list, billVersion); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
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
