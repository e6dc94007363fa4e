package operate_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/certificate/certtest"
	"example.com/griot/internal/seal"
	"example.com/griot/test/system/systemtest"
)

// forNobody returns a directory that the user nobody can enter, and a certificate in it whose key only root can read.
func forNobody(t *testing.T) (dir string, cert *certtest.Files) {
	t.Helper()
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("only root on Linux can look as another user")
	}
	dir, err := os.MkdirTemp("/tmp", "griot-test-") // the other parents of t.TempDir might be accessible only to root
	systemtest.Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	systemtest.Must(t, os.Chmod(dir, 0o755))
	files := certtest.Write(t, dir, time.Now().AddDate(1, 0, 0))
	systemtest.Must(t, errors.Join(os.Chmod(files.Key, 0o600), os.Chmod(files.Cert, 0o644)))
	return dir, &files
}

// A certificate's key that only root can read is refused before griot serve fails at it as another user.
func TestInit_AKeyThatTheUnitsUserCannotRead(t *testing.T) {
	t.Parallel()
	dir, cert := forNobody(t)
	to := filepath.Join(dir, "griot")
	s := &systemtest.Server{Cmd: &exec.Cmd{Dir: dir, Env: systemtest.Environ()}}
	run := func() (string, error) {
		return s.Griot(t, "", "init", to, "--auth-url", "https://login.example.com:8443", "--api-url", "https://api.example.com", "--database", "sqlite:"+to+"/data/griot.db",
			"--proxy", "none", "--tls-cert", cert.Cert, "--tls-key", cert.Key, "--user", "nobody")
	}
	out, err := run()
	if want := "tls.key: nobody can't read " + cert.Key + " (owner root:root, mode 600)"; err == nil || !strings.Contains(out, want) {
		t.Fatalf("griot init: %v, want %q\n%s", err, want, out)
	}
	systemtest.Must(t, exec.CommandContext(t.Context(), "chown", "nobody", cert.Key).Run())
	if out, err := run(); err != nil {
		t.Fatalf("griot init, after chown: %v\n%s", err, out)
	}
}

// A directory with other files keeps its owner, because it can be the home directory of root.
func TestInit_KeepsTheOwnerOfADirectoryInUse(t *testing.T) {
	t.Parallel()
	dir, _ := forNobody(t)
	s := &systemtest.Server{Cmd: &exec.Cmd{Dir: dir, Env: systemtest.Environ()}}
	run := func(user, database string) (string, error) {
		return s.Griot(t, "", "init", "shop", "--auth-url", "http://127.0.0.1:8081", "--api-url", "http://127.0.0.1:8080", "--proxy", "none", "--user", user, "--database", database)
	}
	out, err := run("nobody", "sqlite:griot.db")
	if want := "nobody can't write " + dir; err == nil || !strings.Contains(out, want) {
		t.Errorf("griot init: %v, want %q\n%s", err, want, out)
	}
	if want := "if it contains only the database"; !strings.Contains(out, want) {
		t.Errorf("griot init: want %q\n%s", want, out)
	}
	owner, err := exec.CommandContext(t.Context(), "stat", "-c", "%U", dir).Output()
	systemtest.Must(t, err)
	if string(owner) != "root\n" {
		t.Errorf("the owner of the current directory is now %s", owner)
	}
	out, err = run("griot-no-such-user", "sqlite:griot.db")
	if err != nil || strings.Contains(out, "shop "+dir) || !strings.Contains(out, "contains other files") {
		t.Errorf("griot init for a missing user: %v\n%s", err, out)
	}
	systemtest.Must(t, os.RemoveAll(filepath.Join(dir, "shop")))
	if out, err := run("nobody", "sqlite:new/griot.db"); err != nil {
		t.Errorf("griot init with a new directory: %v\n%s", err, out)
	}
}

// config check and doctor check the files with the user of the unit that runs the configuration.
func TestAccess_LooksWithTheUnitsUser(t *testing.T) {
	t.Parallel()
	dir, cert := forNobody(t)
	data := filepath.Join(dir, "data")
	systemtest.Must(t, os.Mkdir(data, 0o700))
	key, config := filepath.Join(dir, "master.key"), filepath.Join(dir, "griot.yaml")
	text := fmt.Sprintf("database: sqlite:%s/griot.db\nmaster_key_file: %s\nauth: {url: https://login.example.com}\napi: {url: https://api.example.com}\ntls: {cert: %s, key: %s}\n", data, key, cert.Cert, cert.Key)
	for path, text := range map[string]string{config: text, key: seal.NewMasterKey(), filepath.Join(dir, "griot.service"): "[Service]\nUser=nobody\nExecStart=/usr/bin/griot serve --config " + config + "\n"} {
		systemtest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	s := &systemtest.Server{Cmd: &exec.Cmd{Dir: dir, Env: systemtest.Environ()}}
	wants := []string{
		"nobody can't read " + cert.Key + " (owner root:root, mode 600)", "nobody can't read " + key + " (owner root:root, mode 600)", "nobody can't read " + config, "nobody can't write " + data + " (owner root:root, mode 700)",
	}
	check, err := s.Griot(t, "", "config", "check", "--config", config)
	if err == nil {
		t.Error("config check finds nothing")
	}
	examined, err := s.Griot(t, "", "doctor", "--config", config)
	if err == nil {
		t.Error("doctor finds nothing")
	}
	for _, want := range wants {
		if !strings.Contains(check, want) || !strings.Contains(examined, want) {
			t.Errorf("%q is not in\n%s\nor not in\n%s", want, check, examined)
		}
	}
	systemtest.Must(t, exec.CommandContext(t.Context(), "chown", "nobody", cert.Key, key, config, data).Run())
	s.Must(t, "", "config", "check", "--config", config)

	above := filepath.Join(dir, "private") // as certbot's live/
	systemtest.Must(t, os.Mkdir(above, 0o700))
	systemtest.Must(t, os.Rename(cert.Key, filepath.Join(above, "key.pem")))
	systemtest.Must(t, os.Symlink(filepath.Join(above, "key.pem"), cert.Key))
	if out, err := s.Griot(t, "", "config", "check", "--config", config); err == nil || !strings.Contains(out, "it can't enter the directory "+above+" (owner root:root, mode 700)") {
		t.Errorf("below a directory of root's: %v\n%s", err, out)
	}

	// A user who runs the doctor without access to the files sees that, and not that the deployment is broken.
	c := exec.CommandContext(t.Context(), "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", copyOf(t, dir), "doctor", "--config", config)
	c.Dir, c.Env = dir, systemtest.Environ()
	systemtest.Must(t, exec.CommandContext(t.Context(), "chown", "root", data).Run())
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "can't write "+data) || !strings.Contains(string(out), "run griot doctor as root") || strings.Contains(string(out), "start the database") {
		t.Errorf("griot doctor as nobody: %v\n%s", err, out)
	}
}

// copyOf copies the program to a directory that others can enter.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(systemtest.Binary)
	systemtest.Must(t, err)
	path := filepath.Join(dir, "program")
	systemtest.Must(t, os.WriteFile(path, b, 0o755))
	return path
}
