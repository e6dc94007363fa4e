//go:build unix

package dbtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	startTimeout = 60 * time.Second // generous, because many packages start theirs at the same time
	stopTimeout  = 15 * time.Second
)

// supervise creates a database, serves it while its standard input is open, and removes it. Only the test process
// holds the other end of that pipe, so the server ends with the process in every case: return, panic, timeout, or
// SIGKILL. (On Linux, a parent-death signal would stop the server but leave its files.) SIGQUIT is repeated,
// because a signal that arrives before the server listens for it is lost.
const supervise = `
dir=$1 bin=$2 keep=$3
shift 3
exec 3<&0
{
	{ [ -d "$dir/data" ] || "$bin/initdb" --pgdata="$dir/data" --username=postgres --auth=trust --locale=C --encoding=UTF8 --no-sync; } &&
	exec "$bin/postgres" -D "$dir/data" "$@"
} 3<&- </dev/null &
server=$!
{ read -r _ <&3; while kill -QUIT "$server"; do sleep 0.1; done; } 2>/dev/null &
watcher=$!
wait "$server"
kill "$watcher" 2>/dev/null
[ "$keep" ] || rm -rf "$dir"
`

// startPostgres runs a temporary PostgreSQL server that listens only on a Unix socket, and returns the URL of its
// superuser. The server never outlives the test process, even if stop is not called. stop can be called more than
// once.
func startPostgres() (url string, stop func(), err error) {
	bin, err := findPostgres()
	if err != nil {
		return "", nil, err
	}
	owner, err := serverOwner()
	if err != nil {
		return "", nil, err
	}
	dir, err := serverDir(owner)
	if err != nil {
		return "", nil, err
	}
	server, err := launch(bin, dir, owner, "")
	if err != nil {
		os.RemoveAll(dir)
		return "", nil, fmt.Errorf("start postgres: %w", err)
	}
	url = socketURL(dir)
	if err := server.await(url); err != nil {
		lastLog := server.lastLog()
		server.stop()
		return "", nil, fmt.Errorf("%w\n%s", err, lastLog)
	}
	return url, server.stop, nil
}

// postgres is a running supervisor with its server.
type postgres struct {
	dir   string
	cmd   *exec.Cmd
	pipe  io.Closer // closing it ends the server
	log   *os.File
	ended chan struct{}
	once  sync.Once
}

func socketURL(dir string) string {
	return "postgres://postgres@/postgres?host=" + dir + "&port=5432&sslmode=disable"
}

// launch starts a server, on an existing database if there is one. With keep, its files outlive it.
func launch(bin, dir string, owner *syscall.Credential, keep string, more ...string) (*postgres, error) {
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("/bin/sh", append([]string{
		"-c", supervise, "sh", dir, bin, keep,
		"-c", "listen_addresses=", "-c", "unix_socket_directories=" + dir, "-c", "port=5432",
		"-c", "max_connections=1000", "-c", "shared_buffers=64MB",
		// The data need not survive a crash.
		"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off",
		"-c", "wal_level=minimal", "-c", "max_wal_senders=0",
		// The log explains why a test had to wait.
		"-c", "log_line_prefix=%m [%p] %d ", "-c", "log_lock_waits=on", "-c", "log_min_duration_statement=5s",
	}, more...)...)
	cmd.Dir = dir                                                         // another account might have no access to our directory
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"} // none of the PG* variables
	cmd.Stdout, cmd.Stderr = log, log
	// A separate process group, because Ctrl-C is for the tests. The pipe then ends the supervisor.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: owner}
	pipe, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		_ = log.Close()
		return nil, err
	}
	p := &postgres{dir: dir, cmd: cmd, pipe: pipe, log: log, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		_ = cmd.Wait() // the error is in the log
	}()
	return p, nil
}

// await returns after the server has accepted a connection.
func (p *postgres) await(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, url)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-p.ended:
			return errors.New("postgres ended while it was starting")
		case <-ctx.Done():
			return fmt.Errorf("postgres isn't ready after %v: %w", startTimeout, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// stop ends the server immediately, without a checkpoint, and removes its files.
func (p *postgres) stop() {
	p.crash()
	os.RemoveAll(p.dir)
}

// crash ends the server immediately, without a checkpoint.
func (p *postgres) crash() {
	p.once.Do(func() {
		_ = p.pipe.Close()
		select {
		case <-p.ended:
		case <-time.After(stopTimeout):
			_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
			<-p.ended
		}
		_ = p.log.Close()
	})
}

// lastLog returns the end of the log, which shows why the server stopped. The open file can be read after its directory
// is removed.
func (p *postgres) lastLog() string {
	info, err := p.log.Stat()
	if err != nil {
		return err.Error()
	}
	text := make([]byte, min(4096, info.Size()))
	n, err := p.log.ReadAt(text, info.Size()-int64(len(text)))
	if err != nil {
		return err.Error()
	}
	return string(text[:n])
}

// serverOwner returns the account that runs the server: nil for our own, or an unprivileged account if we are root,
// because PostgreSQL refuses to run as root.
func serverOwner() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil // as in SysProcAttr, no credential means our own
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(account.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(account.Gid, 10, 32)
		if err := errors.Join(errUID, errGID); err != nil {
			return nil, fmt.Errorf("account %s: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL doesn't run as root, and there is no account postgres or nobody to run it as")
}

// serverDir creates the directory of the data, the socket, and the log. It is in /tmp, because the path of a socket is
// limited to about 100 bytes and another account might have no access to our TMPDIR.
func serverDir(owner *syscall.Credential) (string, error) {
	in := base()
	if in == os.TempDir() && owner != nil || len(in) > 60 {
		in = "/tmp"
	}
	dir, err := os.MkdirTemp(in, "griot-pg-")
	if err != nil {
		return "", err
	}
	if owner != nil {
		if err := os.Chown(dir, int(owner.Uid), int(owner.Gid)); err != nil {
			os.RemoveAll(dir)
			return "", err
		}
	}
	return dir, nil
}
