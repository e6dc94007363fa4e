package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // another client of the database

	"example.com/griot/internal/config"
	"example.com/griot/internal/db/dbtest"
	messagingadmin "example.com/griot/messaging/admin"
)

// end ends a server as a service manager does.
func (s *server) end(t *testing.T) {
	t.Helper()
	must(t, s.cmd.Process.Signal(syscall.SIGTERM))
	must(t, s.cmd.Wait())
}

// startedTasks returns the names of the tasks that a server has started.
func (s *server) startedTasks() (names []string) {
	for line := range strings.Lines(s.out.String()) {
		var l struct{ Msg, Task string }
		if json.Unmarshal([]byte(line), &l) == nil && l.Msg == "a task starts" {
			names = append(names, l.Task)
		}
	}
	slices.Sort(names)
	return names
}

// The real program starts each task of each role once. A new task gets its line in the file.
func TestTasks_OfEachRole(t *testing.T) {
	t.Parallel()
	all := startServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), "log: {level: debug}\n")
	var got strings.Builder
	record := func(s *server, roles string) {
		s.end(t) // from here on, everything that it has written is there
		fmt.Fprintf(&got, "%s\n", roles)
		for _, name := range s.startedTasks() {
			fmt.Fprintf(&got, "  %s\n", name)
		}
	}
	record(all, strings.Join(config.Roles(), ","))
	for _, role := range config.Roles() {
		s := all.launch(t, binary, "--roles", role)
		eventually(t, 20*time.Second, func() error {
			if r, err := call("GET", s.internal+"/readyz", ""); err != nil || r.status != 200 {
				return fmt.Errorf("%w\n%s", errNotYet, s.out)
			}
			return nil
		})
		record(s, role)
	}
	path := filepath.Join("testdata", "tasks.txt")
	if want, err := os.ReadFile(path); err != nil || string(want) != got.String() {
		t.Errorf("%s: %v\nthe program starts\n%s\nwant\n%s", path, err, &got, want)
	}
}

// No listener is open while a start recovers what a crash has left, here for as long as another client has the table of nodes.
// What somebody sends meanwhile is accepted afterwards, and goes once.
func TestStart_RecoversBeforeItListens(t *testing.T) {
	t.Parallel()
	database, far := dbtest.PostgresURL(t), newRemoteGateway(t, false)
	first := startServeWith(t, database, "plans: off\ngateways:"+far.settings("far", "sms"))
	o := &operator{t: t, dir: first.cmd.Dir, env: first.cmd.Env}
	a := runJSON[messagingadmin.Account](o, "accounts", "create", "--name", "Boutique Awa", "--email", "awa@example.com")
	key := "X-API-Key: " + runJSON[messagingadmin.Key](o, "api-keys", "create", "--account", a.ID).Key
	runJSON[messagingadmin.Sender](o, "senders", "add", "--account", a.ID, "--channel", "sms", "--address", "+22370000042", "--gateway", "far")
	first.end(t)

	other, err := sql.Open("pgx", database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	held, err := other.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Rollback() }()
	if _, err := held.ExecContext(context.Background(), "LOCK TABLE nodes IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	s := first.launch(t, binary)
	eventually(t, 20*time.Second, func() error {
		var waits int
		err := held.QueryRowContext(context.Background(), "SELECT count(*) FROM pg_locks WHERE relation = 'nodes'::regclass AND NOT granted").Scan(&waits)
		if err == nil && waits == 0 {
			err = errNotYet
		}
		return err
	})
	send := func() (*reply, error) {
		return call("POST", s.api+"/api/send", `{"channel":"sms","to":"22376000001","message":"Bonjour","idempotencyKey":"once"}`, key)
	}
	for _, url := range []string{s.api, s.auth, s.internal} {
		if _, err := call("GET", url+"/healthz", ""); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%s during recovery: %v, want a refused connection", url, err)
		}
	}
	if _, err := send(); err == nil {
		t.Error("a message was answered during recovery")
	}
	must(t, held.Rollback())
	eventually(t, 20*time.Second, func() error {
		if r, err := send(); err != nil || r.text("status") != "SENT" {
			return fmt.Errorf("%w: %+v, %w", errNotYet, r, err)
		}
		return nil
	})
	if sent, refs := far.delivered(); sent["Bonjour"] != 1 || refs["Bonjour"] != 1 {
		t.Errorf("it went %v times, under %v references", sent, refs)
	}
}
