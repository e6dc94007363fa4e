package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-cmp/cmp"
	"github.com/xeipuuv/gojsonschema"
)

// A release of small programs, in a repository of their own, has everything that one of Griot's has: scripts/test-dist.sh builds that.
func TestRelease(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "")
	repository := newRepository(t)
	out := makeRelease(t, repository, []string{"linux/amd64", "linux/arm64", "darwin/arm64"})

	t.Run("the same bytes from another folder", func(t *testing.T) {
		clone := filepath.Join(t.TempDir(), "another", "folder")
		command(t, "", "git", "clone", "--quiet", repository, clone)
		if diff := cmp.Diff(digests(t, out), digests(t, makeRelease(t, clone, []string{"linux/amd64", "linux/arm64", "darwin/arm64"}))); diff != "" {
			t.Errorf("the second build differs (-first +second):\n%s", diff)
		}
	})
	t.Run("files", func(t *testing.T) { checkFiles(t, out) })
	t.Run("archive", func(t *testing.T) { checkArchive(t, out) })
	t.Run("list of parts", func(t *testing.T) {
		checkBill(t, filepath.Join(out, "griot-1.2.0-rc.1-linux-amd64.cdx.json"))
	})
	t.Run("Debian package", func(t *testing.T) { checkDeb(t, filepath.Join(out, "griot_1.2.0~rc.1_arm64.deb")) })
	t.Run("image", func(t *testing.T) { checkImage(t, filepath.Join(out, "griot-1.2.0-rc.1-oci.tar")) })

	t.Run("a mistake leaves the release before", func(t *testing.T) {
		before := digests(t, out)
		r, err := newRelease(t.Context(), repository)
		if err != nil {
			t.Fatal(err)
		}
		r.out, r.targets, r.authorities = out, []string{"linux/amd64"}, filepath.Join(repository, "LICENSE")
		if err := r.make(t.Context(), programs()); err == nil || !strings.Contains(err.Error(), "no certificates") {
			t.Errorf("with authorities that are none: %v, want an error", err)
		}
		r.targets = []string{"plan9/386"}
		if err := r.make(t.Context(), programs()); err == nil {
			t.Error("a target that there is not: no error")
		}
		if diff := cmp.Diff(before, digests(t, out)); diff != "" {
			t.Errorf("the release before has changed:\n%s", diff)
		}
	})
}

func checkFiles(t *testing.T, out string) {
	want := []string{
		"SHA256SUMS",
		"griot-1.2.0-rc.1-darwin-arm64.cdx.json", "griot-1.2.0-rc.1-darwin-arm64.tar.gz",
		"griot-1.2.0-rc.1-linux-amd64.cdx.json", "griot-1.2.0-rc.1-linux-amd64.tar.gz",
		"griot-1.2.0-rc.1-linux-arm64.cdx.json", "griot-1.2.0-rc.1-linux-arm64.tar.gz",
		"griot-1.2.0-rc.1-oci.tar",
		"griot-whatsapp/SHA256SUMS",
		"griot-whatsapp/griot-whatsapp-1.2.0-rc.1-darwin-arm64.cdx.json", "griot-whatsapp/griot-whatsapp-1.2.0-rc.1-darwin-arm64.tar.gz",
		"griot-whatsapp/griot-whatsapp-1.2.0-rc.1-linux-amd64.cdx.json", "griot-whatsapp/griot-whatsapp-1.2.0-rc.1-linux-amd64.tar.gz",
		"griot-whatsapp/griot-whatsapp-1.2.0-rc.1-linux-arm64.cdx.json", "griot-whatsapp/griot-whatsapp-1.2.0-rc.1-linux-arm64.tar.gz",
		"griot-whatsapp/griot-whatsapp-1.2.0-rc.1-source.tar.gz",
		"griot_1.2.0~rc.1_amd64.deb", "griot_1.2.0~rc.1_arm64.deb",
	}
	sums := digests(t, out)
	var got []string
	for name := range sums {
		got = append(got, name)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for _, folder := range []string{"", "griot-whatsapp"} {
		written, err := os.ReadFile(filepath.Join(out, folder, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(written)) {
			sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
			if sums[filepath.Join(folder, name)] != sum {
				t.Errorf("SHA256SUMS has %s for %s, want %s", sum, name, sums[filepath.Join(folder, name)])
			}
		}
		if lines := strings.Count(string(written), "\n"); lines == 0 {
			t.Errorf("%q: no checksums", folder)
		}
	}
}

func checkArchive(t *testing.T, out string) {
	files := readTarGz(t, filepath.Join(out, "griot-1.2.0-rc.1-linux-amd64.tar.gz"))
	program := files["griot-1.2.0-rc.1-linux-amd64/griot"]
	e, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range e.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program wants a loader: it is not static")
		}
	}
	if text := string(files["griot-1.2.0-rc.1-linux-amd64/THIRD_PARTY_LICENSES.txt"]); !strings.Contains(text, "==== Go go") {
		t.Errorf("the licences do not have Go's: %.200q", text)
	}
	linked := readTarGz(t, filepath.Join(out, "griot-whatsapp/griot-whatsapp-1.2.0-rc.1-linux-arm64.tar.gz"))
	if text := string(linked["griot-whatsapp-1.2.0-rc.1-linux-arm64/LICENSE"]); text != "the GPL\n" {
		t.Errorf("its licence is %q", text)
	}
	if text := string(linked["griot-whatsapp-1.2.0-rc.1-linux-arm64/SOURCE.md"]); !strings.Contains(text, "griot-whatsapp-1.2.0-rc.1-source.tar.gz") {
		t.Errorf("SOURCE.md names no source: %q", text)
	}
	source := readTarGz(t, filepath.Join(out, "griot-whatsapp/griot-whatsapp-1.2.0-rc.1-source.tar.gz"))
	if len(source) != 5 || len(source["griot-whatsapp-1.2.0-rc.1-source/cmd/griot-whatsapp/main.go"]) == 0 {
		t.Errorf("the source has %d files", len(source))
	}
}

func checkDeb(t *testing.T, deb string) {
	fields := strings.Fields(command(t, "", "dpkg-deb", "--show", "--showformat=${Package} ${Version} ${Architecture}", deb))
	if diff := cmp.Diff([]string{"griot", "1.2.0~rc.1", "arm64"}, fields); diff != "" {
		t.Error(diff)
	}
	listed := command(t, "", "dpkg-deb", "--contents", deb)
	for _, want := range []string{"-rwxr-xr-x root/root", "./usr/bin/griot\n", "./usr/lib/systemd/system/griot.service\n", "./usr/share/doc/griot/copyright\n", "./usr/share/doc/griot/changelog.gz\n", "./usr/share/doc/griot/examples/alerts.yml\n"} {
		if !strings.Contains(listed, want) {
			t.Errorf("the package has no %q:\n%s", want, listed)
		}
	}
	dir := t.TempDir()
	command(t, "", "dpkg-deb", "--raw-extract", deb, dir)
	service, err := os.ReadFile(filepath.Join(dir, "usr/lib/systemd/system/griot.service"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# The package's unit.", "ExecStart=/usr/bin/griot serve --config /etc/griot/griot.yaml", "User=griot", "ReadWritePaths=/var/lib/griot", "ConditionPathExists=/etc/griot/griot.yaml", "NoNewPrivileges=yes", "TimeoutStopSec=45"} {
		if !strings.Contains(string(service), want+"\n") && !strings.HasPrefix(string(service), want) {
			t.Errorf("the unit has no %q:\n%s", want, service)
		}
	}
	for _, name := range []string{"config", "postinst", "prerm", "postrm"} {
		command(t, "", "sh", "-n", filepath.Join(dir, "DEBIAN", name))
	}
}

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

// What this test links is listed, each with its licence.
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
	content, err := (&release{version: "1.0.0"}).bill(&binary{program: programs()[1], content: []byte("ELF")}, info)
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
	texts, err := licences(t.Context(), ".", info)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(texts), "==== "+path+" "+version+": LICENSE\n") {
		t.Errorf("the licence of %s is not in the texts", path)
	}
	if err := addLicences(&bytes.Buffer{}, "nobody's", t.TempDir()); err == nil {
		t.Error("a module without a licence: no error")
	}
}

// checkSchema validates a list of parts by the schema of CycloneDX, which its module brings.
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

func TestDebVersion(t *testing.T) {
	t.Parallel()
	sorted := []string{"20432a3", "0.1.0", "0.1.0-381-g20432a3", "0.1.0-381-g20432a3-dirty", "1.0.0-rc.1", "1.0.0-rc.1-3-g20432a3", "1.0.0", "1.0.0-1-gabcdef0", "1.0.1"}
	want := []string{"0~20432a3", "0.1.0", "0.1.0+381.g20432a3", "0.1.0+381.g20432a3+dirty", "1.0.0~rc.1", "1.0.0~rc.1+3.g20432a3", "1.0.0", "1.0.0+1.gabcdef0", "1.0.1"}
	for i, version := range sorted {
		if got := debVersion(version); got != want[i] {
			t.Errorf("debVersion(%s) = %s, want %s", version, got, want[i])
		}
		if i > 0 {
			command(t, "", "dpkg", "--compare-versions", debVersion(sorted[i-1]), "lt", debVersion(version))
		}
	}
}

// makeRelease makes a release of the programs in a repository.
func makeRelease(t *testing.T, repository string, on []string) string {
	t.Helper()
	r, err := newRelease(t.Context(), repository)
	if err != nil {
		t.Fatal(err)
	}
	r.out, r.targets, r.authorities, r.maintainer = filepath.Join(t.TempDir(), "dist"), on, filepath.Join(repository, "authorities.pem"), "Awa <awa@example.com>"
	if err := r.make(t.Context(), programs()); err != nil {
		t.Fatal(err)
	}
	return r.out
}

// newRepository makes a repository with two small programs, where Griot has its own, and with the files that a release takes.
func newRepository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	service, err := os.ReadFile(filepath.Join("../..", unitTemplate))
	if err != nil {
		t.Fatal(err)
	}
	const program = "package main\n\nvar version = \"dev\"\n\nfunc main() { println(version) }\n"
	for name, content := range map[string]string{
		"go.mod": "module griot\n\ngo 1.26.0\n", "cmd/griot/main.go": program,
		"gateways/whatsapp/go.mod": "module griot/gateways/whatsapp\n\ngo 1.26.0\n", "gateways/whatsapp/cmd/griot-whatsapp/main.go": program,
		"gateways/whatsapp/LICENSE": "the GPL\n", "gateways/whatsapp/README.md": "# griot-whatsapp\n", "gateways/whatsapp/griot-whatsapp.service": "[Service]\n",
		"LICENSE": "Apache\n", "README.md": "# Griot\n", "CHANGELOG.md": "# Changes\n", "authorities.pem": "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
		"deploy/grafana/griot.json": "{}\n", "deploy/prometheus/alerts.yml": "groups: []\n", unitTemplate: string(service),
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
	c.Dir = dir
	out, err := output(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// digests are the checksums of the files below a folder.
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

// readTar returns the files of a tar; folders end with a slash.
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
