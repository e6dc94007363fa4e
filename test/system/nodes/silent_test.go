package nodes_test

import (
	"database/sql"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// A node is stopped between two round trips of a transaction. Its row locks don't keep other nodes from writing.
// Rules: M182.
func TestNodes_OneIsStoppedInsideATransaction(t *testing.T) {
	t.Parallel()
	const within = 6 * time.Second
	f := startCluster(t, map[string]string{"silent": ""})
	f.sendAccepted(t, 0, "silent", "22376700001", "before") // the day's quota has a row
	pool, err := sql.Open("pgx", f.database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	tx, err := pool.BeginTx(t.Context(), nil)
	if err == nil {
		_, err = tx.ExecContext(t.Context(), `SELECT 1 FROM quotas FOR UPDATE`)
	}
	if err != nil {
		t.Fatal(err)
	}
	first := make(chan error, 1)
	go func() {
		r, err := f.send(0, "silent", "22376700002", "stopped")
		if err == nil && r.Status != 200 && r.Status != 202 {
			err = fmt.Errorf("%w: %d %s, want 200 or 202", systemtest.ErrNotYet, r.Status, r.Raw)
		}
		first <- err
	}()
	pid := f.waitForBackend(pool, `wait_event_type = 'Lock' AND query LIKE '%quotas%'`)
	resume := f.stop(0)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	since := time.Now()
	f.waitForBackend(pool, fmt.Sprintf(`pid = %d AND state = 'idle in transaction'`, pid)) // it holds the row
	f.sendAccepted(t, 1, "silent", "22376700003", "goes on")
	if took := time.Since(since); took > within {
		t.Errorf("another node's write waited %s, want %s at most", took, within)
	}
	resume()
	if err := <-first; err != nil {
		t.Errorf("the request of the node that was stopped: %v", err)
	}
	waittest.Until(t, func() error {
		if got := len(f.peers["silent"].Arrived()); got != 3 {
			return fmt.Errorf("%w: %d arrived, want 3", systemtest.ErrNotYet, got)
		}
		return nil
	})
	f.checkQuota(3)
}

// stop stops a node, and returns a function that resumes it. Directly after the signal, some of the process's threads
// might still run.
func (f *cluster) stop(node int) (resume func()) {
	f.t.Helper()
	p := f.nodes[node].Cmd.Process
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		f.t.Fatal(err)
	}
	resume = sync.OnceFunc(func() {
		if err := p.Signal(syscall.SIGCONT); err != nil {
			f.t.Errorf("node %d doesn't go on: %v", node, err)
		}
	})
	f.t.Cleanup(resume)
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(p.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		f.t.Fatalf("node %d hasn't stopped: %v, %v", node, status, err)
	}
	return resume
}

// waitForBackend waits until a condition holds for a session of the database, and returns its process id.
func (f *cluster) waitForBackend(pool *sql.DB, condition string) (pid int) {
	f.t.Helper()
	waittest.Until(f.t, func() error {
		err := pool.QueryRowContext(f.t.Context(), `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND `+condition).Scan(&pid)
		if err != nil {
			var sessions string // their current activity
			_ = pool.QueryRowContext(f.t.Context(), `SELECT string_agg(concat_ws(' ', pid, state, wait_event_type, wait_event, left(query, 60)), '; ') FROM pg_stat_activity WHERE datname = current_database()`).Scan(&sessions)
			return fmt.Errorf("no session has %s: %w; the sessions: %s", condition, err, sessions)
		}
		return nil
	})
	return pid
}

// checkQuota compares today's usage of the accounts.
func (f *cluster) checkQuota(want int) {
	f.t.Helper()
	d, err := db.Inspect(f.t.Context(), f.database)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	var used int
	if _, err := d.Read(f.t.Context()).Row(`SELECT COALESCE(SUM(used), 0) FROM quotas`).Scan(&used); err != nil || used != want {
		f.t.Errorf("the quota counts %d, %v, want %d", used, err, want)
	}
}
