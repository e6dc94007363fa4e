package operate_test

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

	"example.com/griot/internal/config"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

// startedTasks returns the names of the tasks that a server has started.
func startedTasks(s *systemtest.Server) (names []string) {
	for line := range strings.Lines(s.Out.String()) {
		var l struct{ Msg, Task string }
		if json.Unmarshal([]byte(line), &l) == nil && l.Msg == "a task starts" {
			names = append(names, l.Task)
		}
	}
	slices.Sort(names)
	return names
}

// The real program starts each task of each role once. A new task must get a line in the file.
func TestTasks_OfEachRole(t *testing.T) {
	t.Parallel()
	all := systemtest.StartServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), "log: {level: debug}\n")
	var got strings.Builder
	record := func(s *systemtest.Server, roles string) {
		s.End(t) // after this, its complete output is available
		fmt.Fprintf(&got, "%s\n", roles)
		for _, name := range startedTasks(s) {
			fmt.Fprintf(&got, "  %s\n", name)
		}
	}
	record(all, strings.Join(config.Roles(), ","))
	for _, role := range config.Roles() {
		s := all.Launch(t, systemtest.Binary, "--roles", role)
		waittest.Until(t, func() error {
			if r, err := systemtest.Call("GET", s.Internal+"/readyz", ""); err != nil || r.Status != 200 {
				return fmt.Errorf("%w\n%s", systemtest.ErrNotYet, s.Out)
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

// No listener is open while a start recovers from a crash, here for as long as another client locks the table of nodes.
// A message that is sent at that time is accepted afterward, and is sent once.
func TestStart_RecoversBeforeItListens(t *testing.T) {
	t.Parallel()
	database, far := dbtest.PostgresURL(t), systemtest.NewRemoteGateway(t, false)
	first := systemtest.StartServeWith(t, database, "plans: off\ngateways:"+far.Settings("far", "sms"))
	o := &systemtest.Operator{T: t, Dir: first.Cmd.Dir, Env: first.Cmd.Env}
	a := systemtest.RunJSON[messagingverbs.Account](o, "accounts", "create", "--name", "Boutique Awa", "--email", "awa@example.com")
	key := "X-API-Key: " + systemtest.RunJSON[messagingverbs.Key](o, "api-keys", "create", "--account", a.ID).Key
	systemtest.RunJSON[messagingverbs.Sender](o, "senders", "add", "--account", a.ID, "--channel", "sms", "--address", "+22370000042", "--gateway", "far")
	first.End(t)

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
	s := first.Launch(t, systemtest.Binary)
	waittest.Until(t, func() error {
		var waits int
		err := held.QueryRowContext(context.Background(), "SELECT count(*) FROM pg_locks WHERE relation = 'nodes'::regclass AND NOT granted").Scan(&waits)
		if err == nil && waits == 0 {
			err = systemtest.ErrNotYet
		}
		return err
	})
	send := func() (*systemtest.Reply, error) {
		return systemtest.Call("POST", s.Api+"/api/send", `{"channel":"sms","to":"22376000001","message":"Bonjour","idempotencyKey":"once"}`, key)
	}
	for _, url := range []string{s.Api, s.Auth, s.Internal} {
		if _, err := systemtest.Call("GET", url+"/healthz", ""); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%s during recovery: %v, want a refused connection", url, err)
		}
	}
	if _, err := send(); err == nil {
		t.Error("a message was answered during recovery")
	}
	systemtest.Must(t, held.Rollback())
	waittest.Until(t, func() error {
		if r, err := send(); err != nil || r.Text("status") != "SENT" {
			return fmt.Errorf("%w: %+v, %w", systemtest.ErrNotYet, r, err)
		}
		return nil
	})
	if sent, refs := far.Delivered(); sent["Bonjour"] != 1 || refs["Bonjour"] != 1 {
		t.Errorf("it went %v times, under %v references", sent, refs)
	}
}
