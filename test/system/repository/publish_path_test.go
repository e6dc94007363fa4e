package repository_test

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	root   = "../../.."
	module = "example.com/griot"
)

// TestPublishPath changes the path of a copy of the repository, and changes it back. make test-system copies the
// client, the scripts, and the files that name every module. make test-long copies everything, and builds the renamed
// code.
func TestPublishPath(t *testing.T) {
	whole := os.Getenv("GRIOT_TEST_LONG") != ""
	dir := copyOfRepository(t, func(name string) bool {
		return whole || strings.HasPrefix(name, "client/") || strings.HasPrefix(name, "scripts/") || path.Base(name) == "go.mod" ||
			slices.Contains([]string{"SECURITY.md", "docs/operating/install.md", "test/arch/imports_test.go"}, name)
	})
	before := runIn(t, dir, "git", "rev-parse", "HEAD^{tree}")
	const published = "git.example.net/team" + "/griot" // in two parts, so that it is not renamed, too
	for name, args := range map[string][]string{
		"no path": {}, "an address": {"https://git.example.net/griot", "a@example.net"}, "no contact": {published}, "no contact that can be": {published, "me"},
		"the path it has": {module, "a@example.net"}, "a path with a space": {"git.example.net/a b", "a@example.net"},
	} {
		if out, err := commandIn(t, dir, append([]string{"scripts/publish-path.sh"}, args...)...); err == nil || !strings.HasPrefix(out, "publish-path: ") {
			t.Errorf("%s: got %v, %s, want it refused with a reason", name, err, out)
		}
		if got := runIn(t, dir, "git", "status", "--porcelain"); got != "" {
			t.Fatalf("%s was refused, but changed %s", name, got)
		}
	}

	runIn(t, dir, "scripts/publish-path.sh", published, "security@example.net")
	runIn(t, dir, "git", "commit", "-qam", "published")
	if got := runIn(t, dir, "git", "show", "HEAD:SECURITY.md"); !strings.Contains(got, "> Report to: security@example.net\n") || strings.Contains(got, "Not published") {
		t.Errorf("SECURITY.md: got %s, want the contact", got[:min(len(got), 200)])
	}
	if out, err := commandIn(t, dir, "git", "grep", "-n", "-P", `(?<![\w.-])`+strings.ReplaceAll(module, ".", `\.`)+`(?![\w-])`); err == nil {
		t.Errorf("the path before is still there:\n%s", out)
	}
	if got := runIn(t, dir, "git", "grep", "-c", "registry."+module, "--", "docs/operating/install.md"); !strings.HasSuffix(got, ":1\n") {
		t.Errorf("the image's name in docs/operating/install.md: got %q, want it left alone", got)
	}
	for m := range strings.Lines(runIn(t, dir, "scripts/modules.sh")) {
		m = strings.TrimSpace(m)
		was := strings.TrimSpace(runIn(t, filepath.Join(root, m), "go", "list", "-m"))
		want := was // an example has its own path
		if was == module || strings.HasPrefix(was, module+"/") {
			want = published + strings.TrimPrefix(was, module)
		}
		if got := strings.TrimSpace(runIn(t, filepath.Join(dir, m), "go", "list", "-m")); got != want {
			t.Errorf("the module in %s: got %s, want %s", m, got, want)
		}
	}
	if whole {
		runIn(t, filepath.Join(dir, "client"), "go", "vet", ".")
		runIn(t, dir, "go", "list", "-deps", "./...")
	}

	runIn(t, dir, "scripts/publish-path.sh", module, "security@example.net")
	runIn(t, dir, "git", "checkout", "-q", "HEAD~", "--", "SECURITY.md")
	runIn(t, dir, "git", "add", "-A")
	if after := runIn(t, dir, "git", "write-tree"); after != before {
		t.Errorf("there and back changed files:\n%s", runIn(t, dir, "git", "diff", "--cached", "--stat", "HEAD~"))
	}
}

// copyOfRepository returns a repository with the wanted files of this one in their current state, and its tools.
func copyOfRepository(t *testing.T, wanted func(name string) bool) string {
	t.Helper()
	dir := t.TempDir()
	for name := range strings.SplitSeq(runIn(t, root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00") {
		if name == "" || !wanted(name) {
			continue
		}
		from := filepath.Join(root, name)
		info, err := os.Lstat(from)
		if err != nil || !info.Mode().IsRegular() { // git lists a file that was just deleted
			continue
		}
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	tools, err := filepath.Abs(filepath.Join(root, ".tools"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(tools, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(tools, filepath.Join(dir, ".tools")); err != nil {
		t.Fatal(err)
	}
	runIn(t, dir, "git", "init", "-q")
	if err := os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte("/.tools\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	runIn(t, dir, "git", "add", "-A")
	runIn(t, dir, "git", "commit", "-qm", "copy")
	return dir
}

// commandIn runs a program in a directory, and returns its complete output.
func commandIn(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	c := exec.CommandContext(t.Context(), args[0], args[1:]...)
	if !filepath.IsAbs(c.Path) && strings.Contains(args[0], "/") {
		c.Path = filepath.Join(dir, args[0])
	}
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.com", "GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.com", "GOFLAGS=", "GOWORK=off")
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	return out.String(), err
}

func runIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := commandIn(t, dir, args...)
	if err != nil {
		t.Fatalf("%s in %s: %v\n%s", strings.Join(args, " "), dir, err, out)
	}
	return out
}
