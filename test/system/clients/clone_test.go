package clients_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// The guides of both clients work with a fresh clone of the repository, in a directory beside it, with the variables of
// griot dev. The commands run exactly as printed. It takes more than 10 seconds, because npm installs the compiler.
func TestClients_FromAClone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, part := range []string{"client", "sdk/typescript"} {
		clone(t, filepath.Join(systemtest.Root, part), filepath.Join(dir, "griot", part))
	}
	systemtest.Must(t, os.Mkdir(filepath.Join(dir, "griot/griot-data"), 0o700))
	systemtest.StartDev(t, filepath.Join(dir, "griot/griot-data"), "--phones", "memory")
	for guide, program := range map[string]string{"docs/go.md": "send.go", "docs/typescript.md": "messages.mjs"} {
		t.Run(guide, func(t *testing.T) {
			commands, out := 0, ""
			for _, b := range systemtest.BlocksOf(t, guide) {
				if b.Language != "sh" && strings.Contains(b.Code, "griot.send(") || b.File == program {
					systemtest.WriteFile(t, filepath.Join(dir, program), b.Code)
				}
			}
			for _, b := range systemtest.BlocksOf(t, guide) {
				if b.RunBy != "test/system/clients.TestClients_FromAClone" {
					continue
				}
				commands++
				c := exec.CommandContext(t.Context(), "bash", "-ec", b.Code)
				c.Dir = dir
				c.Env = append(os.Environ(), "GOWORK=off", "GOTOOLCHAIN=local", "npm_config_prefer_offline=true")
				made, err := c.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", b.At(), err, made)
				}
				out = string(made)
			}
			if commands < 2 || !regexp.MustCompile(`(?m)^(msg_\S+ )?(QUEUED|SENDING|SENT|DELIVERED)$`).MatchString(out) {
				t.Errorf("%d commands, and the program prints %q, want a status", commands, out)
			}
		})
	}
}

// clone copies a directory of the repository without the files that commands have created in it.
func clone(t *testing.T, from, to string) {
	t.Helper()
	systemtest.Must(t, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "dist") {
			return filepath.SkipDir
		}
		at := filepath.Join(to, strings.TrimPrefix(path, from))
		if d.IsDir() {
			return os.MkdirAll(at, 0o700)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(at, b, 0o600)
	}))
}
