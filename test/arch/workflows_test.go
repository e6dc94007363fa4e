package arch_test

import (
	"io/fs"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// workflow is the part of a workflow that these tests read.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Timeout  int `yaml:"timeout-minutes"`
		Strategy struct {
			Matrix struct{ Target []string }
		}
		Steps []struct{ Run string }
	}
}

var makeCall = regexp.MustCompile(`\bmake ([a-z-]+|\$\{\{ matrix\.target \}\})`)

// The workflows call scripts of the repository, so all their steps can be run on any machine.
func TestWorkflows(t *testing.T) {
	makefile, long := readFile(t, "Makefile"), readFile(t, "scripts/test-long.sh")
	names, err := fs.Glob(repository, ".github/workflows/*.yml")
	if err != nil || len(names) == 0 {
		t.Fatalf("workflows: got %v, %v, want some", names, err)
	}
	calls := 0
	for _, name := range names {
		var w workflow
		readYAML(t, name, &w)
		if len(w.Permissions) == 0 {
			t.Errorf("%s: no permissions: it would have all of them", name)
		}
		for id, job := range w.Jobs {
			if job.Timeout == 0 {
				t.Errorf("%s: %s has no timeout", name, id)
			}
			for _, step := range job.Steps {
				if strings.HasPrefix(step.Run, ".ci/") {
					calls++
					if _, err := fs.Stat(repository, step.Run); err != nil {
						t.Errorf("%s: %s: %v", name, id, err)
					}
				}
				for _, call := range makeCall.FindAllStringSubmatch(step.Run, -1) {
					calls++
					targets := []string{call[1]}
					if strings.HasPrefix(call[1], "$") {
						targets = job.Strategy.Matrix.Target
					}
					for _, target := range targets {
						target, args, _ := strings.Cut(target, " ARGS=")
						if target == "test-long" && !strings.Contains(string(long), "\n"+args+") ") && !strings.Contains(string(long), "\n"+args+")\n") {
							t.Errorf("%s: %s: scripts/test-long.sh has no %s", name, id, args)
						}
						if !strings.Contains(string(makefile), "\n"+target+":") {
							t.Errorf("%s: %s: the Makefile has no target %s", name, id, target)
						}
					}
				}
			}
		}
	}
	if calls < 4 {
		t.Errorf("got %d calls of scripts and targets in %v: does this test still find them?", calls, names)
	}
}

// Every module with dependencies, and every directory with npm packages, is included in the dependency updates.
func TestDependencyUpdates_AreForEveryModule(t *testing.T) {
	var config struct {
		Updates []struct {
			Ecosystem   string `yaml:"package-ecosystem"`
			Directories []string
		}
	}
	readYAML(t, ".github/dependabot.yml", &config)
	got := map[string][]string{}
	for _, u := range config.Updates {
		got[u.Ecosystem] = append(got[u.Ecosystem], u.Directories...)
	}
	want := map[string][]string{}
	for name := range strings.Lines(git(t, "ls-files", "--cached", "--others", "--exclude-standard", "--", "go.mod", "**/go.mod", "**/package-lock.json")) {
		name = strings.TrimSpace(name)
		text, err := fs.ReadFile(repository, name)
		if err != nil {
			continue // deleted, and not committed yet
		}
		dir := "/" + strings.TrimPrefix(path.Dir(name), ".")
		switch {
		case path.Base(name) == "package-lock.json":
			want["npm"] = append(want["npm"], dir)
		case strings.Contains(string(text), "\nrequire "):
			want["gomod"] = append(want["gomod"], dir)
		}
	}
	for _, ecosystem := range []string{"gomod", "npm"} {
		slices.Sort(got[ecosystem])
		slices.Sort(want[ecosystem])
		if !slices.Equal(got[ecosystem], want[ecosystem]) {
			t.Errorf("%s: got %v, want %v", ecosystem, got[ecosystem], want[ecosystem])
		}
	}
}

// Each directory has a responsible role.
func TestRoles_LookAfterEachDirectory(t *testing.T) {
	text := readFile(t, "CONTRIBUTING.md")
	for dir := range strings.Lines(git(t, "ls-tree", "-d", "--name-only", "HEAD")) {
		if dir = strings.TrimSpace(dir); !strings.Contains(string(text), "`"+dir+"/`") {
			t.Errorf("CONTRIBUTING.md: no role looks after %s/", dir)
		}
	}
}

// git runs git in the repository and returns its output.
func git(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "git", args...)
	c.Dir = root
	out, err := c.Output()
	if err != nil {
		t.Fatalf("git %q: %v", args, err)
	}
	return string(out)
}

func readYAML(t *testing.T, name string, to any) {
	t.Helper()
	if err := yaml.Unmarshal(readFile(t, name), to); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
