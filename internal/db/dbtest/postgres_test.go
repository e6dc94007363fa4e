//go:build unix

package dbtest

import (
	"bufio"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/griot/internal/waittest"
)

// helperVariable makes TestHelperProcess start a server, print its URL, and wait to be killed.
const helperVariable = "GRIOT_DBTEST_HELPER"

func TestHelperProcess(t *testing.T) {
	if os.Getenv(helperVariable) == "" {
		return // it is a part of TestPostgresDiesWithTheTestProcess
	}
	address, _, err := startPostgres()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(address)
	time.Sleep(time.Minute) // the other process kills us long before
}

func TestStartPostgres(t *testing.T) {
	t.Setenv("PGPORT", "1") // none of the user's settings must reach the server or the client
	t.Setenv("PGDATA", "/nowhere")

	began := time.Now()
	address, stop, err := startPostgres()
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	t.Logf("started in %v", time.Since(began))

	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	for setting, want := range map[string]string{
		"listen_addresses": "", "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
		"max_connections": "1000", "shared_buffers": "64MB", "server_encoding": "UTF8", "lc_collate": "C", "TimeZone": "UTC",
	} {
		query := "select current_setting($1)"
		if setting == "lc_collate" { // a setting until version 16, a property of the database in all
			query = "select datcollate from pg_database where datname = current_database() and $1 <> ''"
		}
		var got string
		if err := conn.QueryRow(ctx, query, setting).Scan(&got); err != nil {
			t.Errorf("%s: %v", setting, err)
		} else if got != want {
			t.Errorf("%s = %q, want %q", setting, got, want)
		}
	}
	var version int
	if err := conn.QueryRow(ctx, "select current_setting('server_version_num')::int").Scan(&version); err != nil {
		t.Error(err)
	} else if version < oldestPostgres*10_000 {
		t.Errorf("server version %d is older than %d", version, oldestPostgres)
	}

	// The connection is still open, because stopping doesn't wait for clients.
	began = time.Now()
	stop()
	stop()
	t.Logf("stopped in %v", time.Since(began))
	if err := conn.Ping(ctx); err == nil {
		t.Error("the server still answers after stop")
	}
	if dir := socketDir(t, address); exists(dir) {
		t.Errorf("%s is still there after stop", dir)
	}
}

func TestPostgresDiesWithTheTestProcess(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	helper := exec.Command(self, "-test.run=^TestHelperProcess$")
	helper.Env = append(os.Environ(), helperVariable+"=1")
	helper.Stderr = os.Stderr
	out, err := helper.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := helper.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(line)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	if err := helper.Process.Kill(); err != nil { // SIGKILL: nothing in it runs after this
		t.Fatal(err)
	}
	_ = helper.Wait()

	dir := socketDir(t, address)
	waittest.Until(t, func() error {
		if exists(dir) {
			return fmt.Errorf("%s is still there after its process was killed", dir)
		}
		return nil
	})
	if err := conn.Ping(ctx); err == nil {
		t.Error("the server outlived its process")
	}
}

func TestStartPostgresSaysWhatWentWrong(t *testing.T) {
	owner, err := serverOwner()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := serverDir(owner)
	if err != nil {
		t.Fatal(err)
	}
	server, err := launch("/nowhere", dir, owner, "")
	if err != nil {
		t.Fatal(err)
	}
	defer server.stop()
	if err := server.await("postgres://postgres@/postgres?host=" + dir); err == nil || !strings.Contains(err.Error(), "ended") {
		t.Errorf("await = %v, want that the server ended", err)
	}
	if log := server.lastLog(); !strings.Contains(log, "/nowhere/initdb") {
		t.Errorf("the log is %q, which doesn't name the missing program", log)
	}
}

func TestParseVersion(t *testing.T) {
	for output, want := range map[string]int{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 18.1\n":                           18,
		"postgres (PostgreSQL) 19beta2\n":                        19,
		"":                                                       0,
		"postgres: command not found":                            0,
	} {
		if got := parseVersion(output); got != want {
			t.Errorf("parseVersion(%q) = %d, want %d", output, got, want)
		}
	}
}

func socketDir(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	dir := u.Query().Get("host")
	if dir == "" || len(dir) > 80 {
		t.Fatalf("%q can't be the directory of a socket", dir)
	}
	return dir
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestState(t *testing.T) {
	url := PostgresURL(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), "CREATE TABLE held (id int)"); err != nil {
		t.Fatal(err)
	}
	release := Lock(t, url, "held")
	defer release()
	ended := make(chan error, 1)
	go func() {
		_, err := conn.Exec(t.Context(), "INSERT INTO held VALUES (1)")
		ended <- err
	}()
	for deadline := time.Now().Add(time.Minute); !strings.Contains(State(), `waits for "Lock relation" behind {`); {
		if time.Now().After(deadline) {
			t.Fatalf("the waiting statement isn't shown:\n%s", State())
		}
	}
	release()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
