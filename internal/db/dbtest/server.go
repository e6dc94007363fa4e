//go:build unix

package dbtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Server is a PostgreSQL server for one test, which can stop and start it. Unlike the
// shared one, it keeps acknowledged data.
type Server struct {
	URL string
	Dir string // its directory, which its account can write to; the database is in data below it
	// Settings are additional settings for the next start: name=value.
	Settings []string

	t       testing.TB
	running *postgres
}

// NewServer starts a server. It ends with the test.
func NewServer(t testing.TB) *Server {
	t.Helper()
	s := PrepareServer(t)
	s.Start()
	return s
}

// PrepareServer creates a server without starting it. Files that the test puts into its directory data before the start
// become its database.
func PrepareServer(t testing.TB) *Server {
	t.Helper()
	owner, err := serverOwner()
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t}
	if s.Dir, err = serverDir(owner); err != nil {
		t.Fatal(err)
	}
	s.URL = socketURL(s.Dir)
	t.Cleanup(func() {
		s.Stop()
		_ = os.RemoveAll(s.Dir)
	})
	return s
}

// Start starts the server again with its data.
func (s *Server) Start() {
	s.t.Helper()
	bin, err := findPostgres()
	if err != nil {
		s.t.Fatalf("no PostgreSQL for the tests (make setup installs it): %v", err)
	}
	owner, err := serverOwner()
	if err != nil {
		s.t.Fatal(err)
	}
	more := []string{"-c", "synchronous_commit=on"}
	for _, setting := range s.Settings {
		more = append(more, "-c", setting)
	}
	if s.running, err = launch(bin, s.Dir, owner, "keep", more...); err != nil {
		s.t.Fatal(err)
	}
	if err := s.running.await(s.URL); err != nil {
		s.t.Fatalf("%v\n%s", err, s.running.lastLog())
	}
}

// Shell runs a command line as the server's account, with PostgreSQL's programs, and returns its output.
func (s *Server) Shell(line string, env ...string) string {
	s.t.Helper()
	bin, err := findPostgres()
	if err != nil {
		s.t.Fatal(err)
	}
	owner, err := serverOwner()
	if err != nil {
		s.t.Fatal(err)
	}
	c := exec.CommandContext(s.t.Context(), "/bin/sh", "-c", line)
	c.Dir, c.Env = s.Dir, append([]string{"PATH=" + filepath.Dir(Tool(s.t, "pg_dump")) + ":" + bin + ":" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}, env...)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: owner}
	out, err := c.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

// Stop ends the server immediately, as a crash of its machine would.
func (s *Server) Stop() {
	if s.running != nil {
		s.running.crash()
	}
}

// Disconnect ends every connection except its own.
func (s *Server) Disconnect() {
	s.t.Helper()
	if err := execute(s.URL, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"); err != nil {
		s.t.Fatal(err)
	}
}
