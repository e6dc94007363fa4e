package goproxy_test

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/tools/dist/goproxy"
)

const module = "module git.example.net/Team/griot/client // a comment does not belong to it\n"

var (
	at    = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	files = []goproxy.File{
		{Name: "greet/greet.go", Content: []byte("package greet\n\nfunc Greet() string { return \"Bonjour\" }\n")},
		{Name: "go.mod", Content: []byte("module git.example.net/Team/griot/client\n\ngo 1.24.0\n")},
		{Name: "LICENSE", Content: []byte("Apache\n")},
	}
)

// The go command fetches a module from the directory, and nothing from anywhere else.
func TestWrite(t *testing.T) {
	proxy, again := t.TempDir(), t.TempDir()
	for _, dir := range []string{proxy, again} {
		if err := goproxy.Write(dir, "v1.2.0-rc.1", at, files); err != nil {
			t.Fatal(err)
		}
	}
	const archive = "git.example.net/!team/griot/client/@v/v1.2.0-rc.1.zip"
	first, errFirst := os.ReadFile(filepath.Join(proxy, archive))
	second, errSecond := os.ReadFile(filepath.Join(again, archive))
	if errFirst != nil || errSecond != nil || !bytes.Equal(first, second) {
		t.Errorf("%v, %v: got other bytes the second time, want the same", errFirst, errSecond)
	}
	z, err := zip.NewReader(bytes.NewReader(first), int64(len(first)))
	if err != nil || len(z.File) != 3 || z.File[0].Name != "git.example.net/Team/griot/client@v1.2.0-rc.1/LICENSE" {
		t.Fatalf("got %+v, %v, want three files below the module's name", z, err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":  "module outside\n\ngo 1.24.0\n",
		"main.go": "package main\n\nimport \"git.example.net/Team/griot/client/greet\"\n\nfunc main() { println(greet.Greet()) }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cache := t.TempDir()
	for _, args := range [][]string{{"get", "git.example.net/Team/griot/client@latest"}, {"run", "."}} {
		c := exec.CommandContext(t.Context(), "go", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOPROXY=file://"+proxy, "GONOSUMDB=*", "GOFLAGS=-mod=mod -modcacherw", "GOMODCACHE="+cache, "GOWORK=off")
		out, err := c.CombinedOutput()
		if err != nil || args[0] == "run" && !strings.HasSuffix(string(out), "Bonjour\n") {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

func TestWrite_RefusesWhatIsNoModule(t *testing.T) {
	mod := files[1]
	for name, bad := range map[string][]goproxy.File{
		"no go.mod":           {files[0]},
		"no name":             {{Name: "go.mod", Content: []byte("go 1.24.0\n")}},
		"a name and more":     {{Name: "go.mod", Content: []byte(module)}},
		"two that are one":    {mod, {Name: "a.go"}, {Name: "A.go"}},
		"outside the folder":  {mod, {Name: "../a.go"}},
		"a path with a dot":   {mod, {Name: "./a.go"}},
		"a path from the top": {mod, {Name: "/a.go"}},
	} {
		if err := goproxy.Write(t.TempDir(), "v1.0.0", at, bad); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
