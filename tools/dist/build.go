package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// binary is a program built for a target.
type binary struct {
	program  program
	system   string
	arch     string
	content  []byte
	parts    []byte  // the SBOM
	licences []byte  // the licenses of the linked modules
	extras   []entry // the same for all targets, by name in an archive
}

// build builds a program. The result contains nothing of this machine: no paths, no libraries, and no environment
// settings.
func (r *release) build(ctx context.Context, p program, target string) (*binary, error) {
	b := &binary{program: p}
	b.system, b.arch, _ = strings.Cut(target, "/")
	dir, err := os.MkdirTemp("", "griot-dist-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file, err := r.compile(ctx, p, dir, b.system, b.arch)
	if err != nil {
		return nil, err
	}
	if b.content, err = os.ReadFile(file); err != nil {
		return nil, err
	}
	info, err := buildinfo.Read(bytes.NewReader(b.content))
	if err != nil {
		return nil, err
	}
	linked, err := readModules(ctx, filepath.Join(r.root, p.module), p.main, b.system, b.arch)
	if err != nil {
		return nil, err
	}
	if b.parts, err = r.bill(b, info, linked); err != nil {
		return nil, err
	}
	b.licences, err = licences(ctx, filepath.Join(r.root, p.module), info)
	return b, err
}

// compile writes a program for a system into a directory, and returns its path.
func (r *release) compile(ctx context.Context, p program, dir, system, arch string) (file string, err error) {
	file = filepath.Join(dir, p.name)
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags", "-s -w -buildid= -X main.version="+r.version, "-o", file, p.main) //nolint:gosec // of the table of programs
	c.Dir = filepath.Join(r.root, p.module)
	c.Env = append(withoutGo(os.Environ()), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch, "GOFLAGS=-mod=readonly", "GOWORK=off", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off")
	_, err = output(c)
	return file, err
}

// withoutGo returns the variables without those that change the compiler's output.
func withoutGo(environ []string) []string {
	kept := []string{"HOME=", "PATH=", "TMPDIR=", "GOPATH=", "GOCACHE=", "GOMODCACHE=", "GOROOT=", "GOPROXY=", "GONOSUMDB=", "GOSUMDB=", "GOPRIVATE=", "GONOPROXY=", "GOTOOLCHAIN="}
	var env []string
	for _, v := range environ {
		isGo := strings.HasPrefix(v, "GO") || strings.HasPrefix(v, "CGO_")
		if !isGo || slices.ContainsFunc(kept, func(name string) bool { return strings.HasPrefix(v, name) }) {
			env = append(env, v)
		}
	}
	return env
}

// texts returns the files next to a program in its archive.
func (r *release) texts(b *binary) ([]entry, error) {
	var all []entry
	for _, t := range b.program.texts {
		content, err := os.ReadFile(filepath.Join(r.root, t.from))
		if err != nil {
			return nil, err
		}
		all = append(all, entry{name: t.name, content: content})
	}
	all = append(all, entry{name: licencesFile, content: b.licences}, entry{name: b.program.name + ".cdx.json", content: b.parts})
	if b.program.packaged {
		service, err := r.unitOf("/usr/local/bin/" + b.program.name)
		if err != nil {
			return nil, err
		}
		all = append(append(all, entry{name: "systemd/griot.service", content: service}), b.extras...)
	}
	if b.program.source {
		all = append(all, entry{name: "SOURCE.md", content: r.sourceOffer(b.program)})
	}
	return all, nil
}

// sourceOffer returns the text that names the location of the source of a program under the GPL.
func (r *release) sourceOffer(p program) []byte {
	return fmt.Appendf(nil, `# Source

%[1]s %[2]s is under %[3]s: see LICENSE. Its complete source is beside this archive, in %[1]s-%[2]s-source.tar.gz, and in the repository at commit %[4]s, in %[5]s. The modules that it links are those that go.mod
and go.sum there pin by version and checksum: "go mod download" fetches their source, and "go build ./cmd/%[1]s" builds the program. Whoever passes the program on passes the source on too, or this offer of it.
`, p.name, r.version, p.licence, r.revision, p.module)
}

// writeSource writes the source of a program: the files of its module in git.
func (r *release) writeSource(ctx context.Context, p program, folder string) error {
	listed, err := r.git(ctx, "ls-files", "-z", "--", p.module)
	if err != nil {
		return err
	}
	base := fmt.Sprintf("%s-%s-source", p.name, r.version)
	var all []entry
	for name := range strings.SplitSeq(strings.TrimRight(listed, "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return err
		}
		inModule, err := filepath.Rel(p.module, name)
		if err != nil {
			return err
		}
		all = append(all, entry{name: base + "/" + inModule, content: content})
	}
	return r.writeTarGz(filepath.Join(folder, base+".tar.gz"), all)
}
