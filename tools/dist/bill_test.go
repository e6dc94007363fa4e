package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/xeipuuv/gojsonschema"
)

func checkBill(t *testing.T, path string) {
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	checkSchema(t, content)
	var list cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(content), cdx.BOMFileFormatJSON).Decode(&list); err != nil {
		t.Fatal(err)
	}
	self := list.Metadata.Component
	if self.Name != "griot" || self.Version != "1.2.0-rc.1" || (*self.Licenses)[0].License.ID != "Apache-2.0" {
		t.Errorf("it is of %+v", self)
	}
	files := readTarGz(t, strings.TrimSuffix(path, ".cdx.json")+".tar.gz")
	if sum := fmt.Sprintf("%x", sha256.Sum256(files["griot-1.2.0-rc.1-linux-amd64/griot"])); (*self.Hashes)[0].Value != sum {
		t.Errorf("its checksum is %s, want the program's %s", (*self.Hashes)[0].Value, sum)
	}
	if std := (*list.Components)[0]; std.Name != "std" || !strings.HasPrefix(std.PackageURL, "pkg:golang/std@1.") {
		t.Errorf("Go's library is %+v", std)
	}
}

// The modules that this test links are listed, each with its license.
func TestBill(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	linked, err := readModules(t.Context(), ".", ".", runtime.GOOS, runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	content, err := (&release{version: "1.0.0"}).bill(&binary{program: programs()[1], content: []byte("ELF")}, info, linked)
	if err != nil {
		t.Fatal(err)
	}
	checkSchema(t, content)
	var list cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(content), cdx.BOMFileFormatJSON).Decode(&list); err != nil {
		t.Fatal(err)
	}
	const path, version = "github.com/google/go-containerregistry", "v0.22.1"
	at := slices.IndexFunc(*list.Components, func(c cdx.Component) bool { return c.Name == path })
	if at < 0 || (*list.Components)[at].PackageURL != "pkg:golang/"+path+"@"+version {
		t.Errorf("%s is not in the list, or by another address: %s", path, content)
	}
	for _, c := range *list.Components {
		if c.Licenses == nil || len(*c.Licenses) == 0 {
			t.Errorf("%s has no license", c.Name)
		}
	}
	if c := (*list.Components)[at]; c.Licenses == nil || (*c.Licenses)[0].License.ID != "Apache-2.0" {
		t.Errorf("the licenses of %s are %+v", path, c.Licenses)
	}
	graph := map[string][]string{}
	for _, d := range *list.Dependencies {
		if d.Dependencies != nil {
			graph[d.Ref] = *d.Dependencies
		}
	}
	digest := slices.IndexFunc(*list.Components, func(c cdx.Component) bool { return c.Name == "github.com/opencontainers/go-digest" })
	direct, registry := graph[programs()[1].name], (*list.Components)[at].BOMRef
	if digest < 0 || !slices.Contains(direct, registry) || slices.Contains(direct, (*list.Components)[digest].BOMRef) {
		t.Errorf("the program depends on %v, want what it imports itself", direct)
	}
	if reached := reachable(graph, programs()[1].name); len(reached) != len(*list.Components)+1 {
		t.Errorf("the graph leads to %d of %d parts", len(reached)-1, len(*list.Components))
	}
	texts, err := licences(t.Context(), ".", info)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(texts), "==== "+path+" "+version+": LICENSE\n") {
		t.Errorf("the license of %s is not in the texts", path)
	}
	if err := addLicences(&bytes.Buffer{}, "nobody's", t.TempDir()); err == nil {
		t.Error("a module without a license: no error")
	}
}

// reachable returns the dependencies of a component, including itself.
func reachable(graph map[string][]string, from string) map[string]bool {
	reached := map[string]bool{}
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		if !reached[todo[0]] {
			reached[todo[0]] = true
			todo = append(todo, graph[todo[0]]...)
		}
	}
	return reached
}

// checkSchema validates an SBOM with the CycloneDX schema from its module.
func checkSchema(t *testing.T, list []byte) {
	t.Helper()
	dir := filepath.Join(strings.TrimSpace(command(t, "", "go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go")), "schema")
	from := func(name string) gojsonschema.JSONLoader {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return gojsonschema.NewBytesLoader(content)
	}
	schemas := gojsonschema.NewSchemaLoader()
	if err := errors.Join(schemas.AddSchema("http://cyclonedx.org/schema/spdx.schema.json", from("spdx.schema.json")), schemas.AddSchema("http://cyclonedx.org/schema/jsf-0.82.schema.json", from("jsf-0.82.schemax.json"))); err != nil {
		t.Fatal(err)
	}
	schema, err := schemas.Compile(from("bom-" + billVersion.String() + ".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	result, err := schema.Validate(gojsonschema.NewBytesLoader(list))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range result.Errors() {
		t.Error(e)
	}
	broken, err := schema.Validate(gojsonschema.NewBytesLoader(bytes.Replace(list, []byte(`"type": "library"`), []byte(`"type": "shelf"`), 1)))
	if err != nil || broken.Valid() {
		t.Errorf("a list with a type that there is not is valid, %v", err)
	}
}
