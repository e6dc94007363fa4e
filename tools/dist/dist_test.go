package main

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A release of small programs, in a separate repository, has everything that a release of Griot has.
// scripts/test-dist.sh builds the latter.
func TestRelease(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "")
	t.Setenv("GOWORK", "")
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
	t.Run("TypeScript client", func(t *testing.T) { checkTypeScript(t, filepath.Join(out, "griot-client-1.2.0-rc.1.tgz")) })
	t.Run("image", func(t *testing.T) { checkImage(t, filepath.Join(out, "griot-1.2.0-rc.1-oci.tar")) })

	t.Run("a file that is not in git", func(t *testing.T) {
		file := filepath.Join(repository, "more.go")
		if err := os.WriteFile(file, []byte("package griot\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := newRelease(t.Context(), repository)
		if err := errors.Join(err, os.Remove(file)); err != nil {
			t.Fatal(err)
		}
		if r.version != "1.2.0-rc.1-dirty" {
			t.Errorf("the version is %s", r.version)
		}
	})
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
		"goproxy/example.com/griot/client/@latest",
		"goproxy/example.com/griot/client/@v/list",
		"goproxy/example.com/griot/client/@v/v1.2.0-rc.1.info", "goproxy/example.com/griot/client/@v/v1.2.0-rc.1.mod", "goproxy/example.com/griot/client/@v/v1.2.0-rc.1.zip",
		"griot-1.2.0-rc.1-darwin-arm64.cdx.json", "griot-1.2.0-rc.1-darwin-arm64.tar.gz",
		"griot-1.2.0-rc.1-linux-amd64.cdx.json", "griot-1.2.0-rc.1-linux-amd64.tar.gz",
		"griot-1.2.0-rc.1-linux-arm64.cdx.json", "griot-1.2.0-rc.1-linux-arm64.tar.gz",
		"griot-1.2.0-rc.1-oci.tar",
		"griot-client-1.2.0-rc.1.tgz",
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
	for name, system := range map[string]string{"griot": "linux-amd64", "griot-whatsapp": "darwin-arm64"} { // the first and the last that are built
		base := name + "-1.2.0-rc.1-" + system
		built := readTarGz(t, filepath.Join(out, map[string]string{"griot-whatsapp": name}[name], base+".tar.gz"))[base+"/"+name]
		info, err := buildinfo.Read(bytes.NewReader(built))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(info.Settings, debug.BuildSetting{Key: "vcs.modified", Value: "false"}) {
			t.Errorf("%s is built of files that its commit does not have: %v", base, info.Settings)
		}
	}
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
		t.Errorf("the licenses do not have Go's: %.200q", text)
	}
	for name, want := range map[string]string{
		"README.md": "griot dev", "systemd/griot.service": "ExecStart=/usr/local/bin/griot serve", "systemd/griot-backup.timer": "[Timer]", "systemd/griot-backup.service": "[Service]",
		"man/griot.1": "1.2.0-rc.1 [man]", "completions/griot.bash": "[completion bash]", "completions/_griot": "[completion zsh]", "completions/griot.fish": "[completion fish]",
		"deploy/prometheus/alerts.yml": "groups", "deploy/grafana/griot.json": "{}", "deploy/compose.yaml": "services", "griot.cdx.json": "CycloneDX",
	} {
		for _, system := range []string{"linux-amd64", "darwin-arm64"} {
			base := "griot-1.2.0-rc.1-" + system
			if text := string(readTarGz(t, filepath.Join(out, base+".tar.gz"))[base+"/"+name]); !strings.Contains(text, want) {
				t.Errorf("%s of %s is %q, want %q", name, system, text, want)
			}
		}
	}
	if _, is := files["griot-1.2.0-rc.1-linux-amd64/deploy/prometheus/alerts_test.yml"]; is {
		t.Error("the archive has a test")
	}
	linked := readTarGz(t, filepath.Join(out, "griot-whatsapp/griot-whatsapp-1.2.0-rc.1-linux-arm64.tar.gz"))
	if text := string(linked["griot-whatsapp-1.2.0-rc.1-linux-arm64/LICENSE"]); text != "the GPL\n" {
		t.Errorf("its license is %q", text)
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
	for _, want := range []string{
		"-rwxr-xr-x root/root", "./usr/bin/griot\n", "./usr/lib/systemd/system/griot.service\n", "./usr/share/doc/griot/copyright\n", "./usr/share/doc/griot/changelog.gz\n", "./usr/share/doc/griot/README.md\n", "./usr/share/doc/griot/griot.cdx.json\n",
		"./usr/share/doc/griot/examples/prometheus/alerts.yml\n", "./usr/share/doc/griot/examples/grafana/griot.json\n", "./usr/share/doc/griot/examples/compose.yaml\n",
		"./usr/lib/systemd/system/griot-backup.service\n", "./usr/lib/systemd/system/griot-backup.timer\n", "./usr/share/man/man1/griot.1.gz\n",
		"./usr/share/bash-completion/completions/griot\n", "./usr/share/zsh/vendor-completions/_griot\n", "./usr/share/fish/vendor_completions.d/griot.fish\n",
	} {
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
