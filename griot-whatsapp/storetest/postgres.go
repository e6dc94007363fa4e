package storetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that creates databases
)

// supervise runs a temporary server until its standard input closes, which happens when the test process ends.
const supervise = `
"$1/initdb" -D "$2/data" -A trust -U postgres -E UTF8 --locale=C -N >"$2/log" 2>&1 || exit 1
"$1/postgres" -D "$2/data" -c listen_addresses= -c unix_socket_directories="$2" -c port=5432 -c fsync=off >>"$2/log" 2>&1 &
server=$!
cat >/dev/null
kill -QUIT "$server"
wait "$server"
rm -rf "$2"
`

var (
	server = sync.OnceValues(startPostgres)
	next   atomic.Int64
)

// Postgres returns the URL of a new database. It uses the server in TEST_POSTGRES or starts one.
func Postgres(t testing.TB) string {
	t.Helper()
	base, err := server()
	if err != nil {
		t.Fatalf("no PostgreSQL for the tests (make setup installs it): %v", err)
	}
	name := fmt.Sprintf("griot_whatsapp_%d_%d", os.Getpid(), next.Add(1))
	admin, err := sql.Open("pgx", base("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := admin.ExecContext(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)")
		if err := errors.Join(err, admin.Close()); err != nil {
			t.Error(err)
		}
	})
	return base(name)
}

// startPostgres starts a server and returns a function that creates a database's URL.
func startPostgres() (func(name string) string, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("/tmp", "griot-whatsapp-pg-") // the path of a socket is limited to about 100 bytes
	if err != nil {
		return nil, err
	}
	command := exec.Command("/bin/sh", "-c", supervise, "sh", bin, dir)
	command.Dir = dir
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 { // PostgreSQL refuses to run as root
		owner, err := user.Lookup("nobody")
		if err != nil {
			return nil, err
		}
		uid, errUID := strconv.ParseUint(owner.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(owner.Gid, 10, 32)
		if err := errors.Join(errUID, errGID, os.Chown(dir, int(uid), int(gid))); err != nil {
			return nil, err
		}
		command.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	address := func(name string) string {
		runtime.KeepAlive(input) // closing input stops the server, so keep it open as long as this function is reachable
		return "postgres://postgres@/" + name + "?host=" + dir + "&port=5432&sslmode=disable"
	}
	return address, await(address("postgres"), dir)
}

func await(address, dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	db, err := sql.Open("pgx", address)
	if err != nil {
		return err
	}
	defer db.Close()
	for {
		err := db.PingContext(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			return fmt.Errorf("it does not answer: %w\n%s", err, log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// programs returns the directory of PostgreSQL's programs.
func programs() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, filepath.Dir(path))
	}
	if len(found) == 0 {
		return "", errors.New("no server programs found")
	}
	return found[len(found)-1], nil
}
