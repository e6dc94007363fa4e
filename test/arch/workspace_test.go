package arch_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// workspaceModules returns the directories of the modules in go.work.
func workspaceModules(t *testing.T) []string {
	t.Helper()
	var work struct{ Use []struct{ DiskPath string } }
	if err := json.Unmarshal([]byte(goCommand(t, root, "off", "work", "edit", "-json", "go.work")), &work); err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, use := range work.Use {
		dirs = append(dirs, use.DiskPath)
	}
	return dirs
}

// goCommand returns the output of a go command with a workspace.
func goCommand(t *testing.T, dir, workspace string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", args...)
	c.Dir, c.Env = dir, append(os.Environ(), "GOWORK="+workspace)
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go %q in %s: %v\n%s", args, dir, err, errs.String())
	}
	return string(out)
}

// Each module is in go.work, or its comment names it among those that are left out.
func TestWorkspace_NamesEachModule(t *testing.T) {
	text, in := string(readFile(t, "go.work")), workspaceModules(t)
	for name := range strings.Lines(git(t, "ls-files", "--cached", "--others", "--exclude-standard", "--", "go.mod", "**/go.mod")) {
		name = strings.TrimSpace(name)
		if _, err := fs.Stat(repository, name); err != nil {
			continue // deleted, and not committed yet
		}
		dir := "."
		if name != "go.mod" {
			dir = "./" + path.Dir(name)
		}
		used, left := slices.Contains(in, dir), strings.Contains(text, "\n//\t"+dir+"\n")
		if used == left {
			t.Errorf("%s: in go.work: %v, left out by its comment: %v", dir, used, left)
		}
	}
}

// With go.work, the root module, the client, and the example link the versions of their own go.mod files, and go.work.sum
// has all checksums. Otherwise, a go command would change go.work.sum, and a build would be of changed files.
func TestWorkspace_ChangesNoVersionOfGriot(t *testing.T) {
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dirs := workspaceModules(t)
	copied := "go 1.26.0\n"
	for _, dir := range dirs {
		copied += "use " + filepath.Join(absolute, dir) + "\n"
	}
	workspace := filepath.Join(t.TempDir(), "go.work")
	if err := os.WriteFile(workspace, []byte(copied), 0o600); err != nil {
		t.Fatal(err)
	}
	sums := readFile(t, "go.work.sum")
	if err := os.WriteFile(workspace+".sum", sums, 0o600); err != nil {
		t.Fatal(err)
	}
	versions := func(dir, workspace string) []string {
		listed := goCommand(t, filepath.Join(root, dir), workspace, "list", "-deps", "-test", "-f", "{{with .Module}}{{if .Version}}{{.Path}} {{.Version}}{{end}}{{end}}", "./...")
		all := slices.DeleteFunc(strings.Split(listed, "\n"), func(line string) bool { return line == "" || strings.HasPrefix(line, module+"/") })
		slices.Sort(all)
		return slices.Compact(all)
	}
	for _, dir := range dirs {
		with := versions(dir, workspace)
		if !slices.Contains([]string{".", "./client", "./examples/go"}, dir) {
			continue // listed only for the checksums
		}
		if own := versions(dir, "off"); !slices.Equal(own, with) {
			t.Errorf("%s: go.work changes versions: own %v, with go.work %v", dir, without(own, with), without(with, own))
		}
	}
	if after, err := os.ReadFile(workspace + ".sum"); err != nil || string(after) != string(sums) {
		t.Errorf("go.work.sum has not all checksums (%v): run go list -deps -test ./... in each module of go.work, and commit it", err)
	}
}

// without returns the elements of a slice that another doesn't have.
func without(all, other []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(other, s) })
}

// Make and each script that runs go leave go.work out.
func TestWorkspace_ScriptsLeaveItOut(t *testing.T) {
	runsGo := regexp.MustCompile(`(?m)^[^#\n]*(\bgo (build|env|generate|install|list|mod|run|test|vet)\b|\.tools/)`)
	names, err := fs.Glob(repository, "scripts/*.sh")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, name := range names {
		text := string(readFile(t, name))
		if !runsGo.MatchString(text) || name == "scripts/stripe-mock.sh" { // go install with a version ignores go.work
			continue
		}
		found++
		if !strings.Contains(text, "\n. scripts/env.sh\n") {
			t.Errorf("%s runs go without scripts/env.sh", name)
		}
	}
	if found < 8 {
		t.Errorf("got %d scripts that run go: does this test still find them?", found)
	}
	if !strings.Contains(string(readFile(t, "Makefile")), "\ninclude scripts/env.sh\n") {
		t.Error("the Makefile does not include scripts/env.sh")
	}
	c := exec.CommandContext(t.Context(), "bash", "-c", ". scripts/env.sh; go env GOWORK")
	c.Dir, c.Env = root, append(os.Environ(), "GOWORK=")
	if out, err := c.Output(); err != nil || string(out) != "off\n" {
		t.Errorf("with scripts/env.sh, go env GOWORK prints %q, %v, want off", out, err)
	}
}
