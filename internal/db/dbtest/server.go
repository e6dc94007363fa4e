//go:build unix

package dbtest

import (
	"os"
	"testing"
)

// Server is a PostgreSQL server of a test's own, which the test may stop and start. Unlike
// the shared one it keeps what it has acknowledged.
type Server struct {
	URL string

	t       testing.TB
	dir     string
	running *postgres
}

// NewServer starts one. It ends with the test.
func NewServer(t testing.TB) *Server {
	t.Helper()
	owner, err := serverOwner()
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t}
	if s.dir, err = serverDir(owner); err != nil {
		t.Fatal(err)
	}
	s.URL = socketURL(s.dir)
	t.Cleanup(func() {
		s.Stop()
		_ = os.RemoveAll(s.dir)
	})
	s.Start()
	return s
}

// Start starts the server again, on its data.
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
	if s.running, err = launch(bin, s.dir, owner, "keep", "-c", "synchronous_commit=on"); err != nil {
		s.t.Fatal(err)
	}
	if err := s.running.await(s.URL); err != nil {
		s.t.Fatalf("%v\n%s", err, s.running.lastLog())
	}
}

// Stop ends the server at once, as a crash of its machine would.
func (s *Server) Stop() {
	if s.running != nil {
		s.running.crash()
	}
}

// Disconnect ends every connection but its own.
func (s *Server) Disconnect() {
	s.t.Helper()
	if err := execute(s.URL, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"); err != nil {
		s.t.Fatal(err)
	}
}
