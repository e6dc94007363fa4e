package systemtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"example.com/griot/internal/seal"
	"example.com/griot/internal/waittest"
)

var errPortTaken = errors.New("a port was taken meanwhile")

// A Server is a running `griot serve` process.
type Server struct {
	Cmd      *exec.Cmd
	Out      *Buffer
	Api      string
	Auth     string
	Internal string
}

// StartServe starts `griot serve` as an operator would: with a file, variables, and the master key in
// a file. If its port is taken before it listens, it is started again.
func StartServe(t *testing.T, database string, smtpPort int) *Server {
	t.Helper()
	return StartServeWith(t, database, MailGateway(smtpPort)+"email: {gateway: mail, from: bonjour@griot.example}\n")
}

// StartServeWith starts `griot serve` with additional settings and a new master key.
func StartServeWith(t *testing.T, database, settings string) *Server {
	t.Helper()
	return StartNode(t, database, settings, seal.NewMasterKey())
}

// StartNode starts a server like StartServeWith, with the master key of a deployment, and optionally with variables.
func StartNode(t *testing.T, database, settings, masterKey string, variables ...string) *Server {
	t.Helper()
	for range 5 {
		s, err := tryServe(t, database, settings, masterKey, variables)
		if err == nil {
			return s
		}
		if !errors.Is(err, errPortTaken) {
			t.Fatal(err)
		}
	}
	t.Fatal(errPortTaken)
	return nil
}

func tryServe(t *testing.T, database, settings, masterKey string, variables []string) (*Server, error) {
	t.Helper()
	dir := t.TempDir()
	ports := []int{FreePort(t), FreePort(t), FreePort(t)}
	s := &Server{
		Out: &Buffer{}, Api: fmt.Sprintf("http://127.0.0.1:%d", ports[0]), Auth: fmt.Sprintf("http://127.0.0.1:%d", ports[1]), Internal: fmt.Sprintf("http://127.0.0.1:%d", ports[2]),
	}
	file := fmt.Sprintf(`
api: {url: %q, listen: "127.0.0.1:%d"}
internal: {listen: "127.0.0.1:%d"}
auth:
  url: %q
  listen: "127.0.0.1:%d"
`, s.Api, ports[0], ports[2], s.Auth, ports[1]) + settings // which can start with more of auth
	if !strings.Contains(settings, "rate_limits:") {
		file += "rate_limits: false\n"
	}
	for name, text := range map[string]string{"griot.yaml": file, "master.key": masterKey} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.Cmd = exec.CommandContext(context.Background(), Binary, "serve")
	s.Cmd.Dir = dir
	s.Cmd.Stdout, s.Cmd.Stderr = s.Out, s.Out
	s.Cmd.Env = append(append(Environ(), "GRIOT_MASTER_KEY_FILE="+filepath.Join(dir, "master.key"), "GRIOT_DATABASE="+database), variables...)
	if err := s.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Cmd.Process.Kill(); _ = s.Cmd.Wait() })
	var taken error
	waittest.Until(t, func() error {
		if strings.Contains(s.Out.String(), "address already in use") {
			taken = errPortTaken
			return nil
		}
		for _, url := range []string{s.Internal + "/readyz", s.Auth + "/healthz", s.Api + "/healthz"} {
			if r, err := Call("GET", url, ""); err != nil || r.Status != 200 {
				return fmt.Errorf("%s: %w\n%s", url, errors.Join(err, ErrNotYet), s.Out)
			}
		}
		return nil
	})
	return s, taken
}

// Griot runs the program in a server's directory, with its settings and optionally another database.
func (s *Server) Griot(t *testing.T, database string, args ...string) (string, error) {
	t.Helper()
	c := s.Command(database, args...)
	out, err := c.CombinedOutput()
	return string(out), err
}

// Command returns a command of the program in a server's directory, with its settings and optionally another database.
func (s *Server) Command(database string, args ...string) *exec.Cmd {
	c := exec.CommandContext(context.Background(), Binary, args...)
	c.Dir, c.Env = s.Cmd.Dir, s.Cmd.Env
	if database != "" {
		c.Env = append(c.Env, "GRIOT_DATABASE="+database)
	}
	return c
}

// Must runs griot, and fails the test if it fails.
func (s *Server) Must(t *testing.T, database string, args ...string) string {
	t.Helper()
	out, err := s.Griot(t, database, args...)
	if err != nil {
		t.Fatalf("griot %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// Restart starts a server that has ended, with the same settings.
func (s *Server) Restart(t *testing.T) *Server {
	t.Helper()
	return s.StartWith(t, Binary)
}

// StartWith restarts a server like Restart, with another program or with flags.
func (s *Server) StartWith(t *testing.T, program string, flags ...string) *Server {
	t.Helper()
	next := s.Launch(t, program, flags...)
	waittest.Until(t, func() error {
		if r, err := Call("GET", next.Api+"/healthz", ""); err != nil || r.Status != 200 {
			return fmt.Errorf("%w\n%s", ErrNotYet, next.Out)
		}
		return nil
	})
	return next
}

// Launch starts a server like StartWith, without waiting for it.
func (s *Server) Launch(t *testing.T, program string, flags ...string) *Server {
	t.Helper()
	next := &Server{Out: &Buffer{}, Api: s.Api, Auth: s.Auth, Internal: s.Internal}
	next.Cmd = exec.CommandContext(context.Background(), program, append([]string{"serve"}, flags...)...)
	next.Cmd.Dir, next.Cmd.Env, next.Cmd.Stdout, next.Cmd.Stderr = s.Cmd.Dir, s.Cmd.Env, next.Out, next.Out
	if err := next.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = next.Cmd.Process.Kill(); _ = next.Cmd.Wait() })
	return next
}

// HangUp sends SIGHUP, and waits until the log contains a line n times.
func (s *Server) HangUp(t *testing.T, line string, n int) {
	t.Helper()
	if err := s.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, func() error {
		if got := strings.Count(s.Out.String(), line); got != n {
			return fmt.Errorf("the log has %q %d times, want %d:\n%s", line, got, n, s.Out)
		}
		return nil
	})
}

// End ends a server like a service manager.
func (s *Server) End(t *testing.T) {
	t.Helper()
	Must(t, s.Cmd.Process.Signal(syscall.SIGTERM))
	Must(t, s.Cmd.Wait())
}

// MailGateway returns the part of a configuration for a relay.
func MailGateway(smtpPort int) string {
	return fmt.Sprintf(`
gateways:
  - name: mail
    kind: smtp
    settings: {host: 127.0.0.1, port: %d, tls: none}
`, smtpPort)
}
