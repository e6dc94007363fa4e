package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Reasons that a write was not stored.
const (
	DiskFull     = "disk_full"
	Locked       = "locked"
	ReadOnly     = "read_only"
	IOError      = "io_error"
	Corrupt      = "corrupt"
	NoConnection = "no_connection"
	Timeout      = "timeout"
)

// Database counts writes. Nil counts nothing.
type Database struct {
	commits  prometheus.Counter
	writes   prometheus.Observer
	seconds  prometheus.Observer
	failures counts
}

func newDatabase(m *Metrics) *Database {
	return &Database{
		commits:  m.counter("griot_database_commits_total", "Committed transactions.").WithLabelValues(),
		writes:   m.histogram("griot_database_commit_size", "Writes in one commit. On SQLite, waiting writes share a commit. On PostgreSQL, each write has its own.", sizes()).WithLabelValues(),
		seconds:  m.histogram("griot_database_commit_duration_seconds", "Duration of a transaction, from its start until it was durable.", times()).WithLabelValues(),
		failures: newCounts(m.counter("griot_database_write_failures_total", "Writes that the database couldn't store: disk_full, locked (another program holds a lock), read_only, io_error, corrupt, no_connection, timeout (PostgreSQL didn't respond within ten seconds because it waits for a lock or is unavailable), other.", "reason"), nil, DiskFull, Locked, ReadOnly, IOError, Corrupt, NoConnection, Timeout, other),
	}
}

// Committed counts a transaction and its writes.
func (d *Database) Committed(writes int, took time.Duration) {
	if d == nil {
		return
	}
	d.commits.Inc()
	d.writes.Observe(float64(writes))
	d.seconds.Observe(seconds(took))
}

// NotStored counts a write that the database could not store.
func (d *Database) NotStored(reason string) {
	if d != nil {
		d.failures.inc(reason)
	}
}

// Process is the state of the process.
type Process struct{ ready prometheus.Gauge }

func newProcess(m *Metrics) *Process {
	return &Process{m.gauge("griot_serving", "1 from the opening of the listeners until the process is told to stop.").WithLabelValues()}
}

// Serving sets whether the process serves.
func (p *Process) Serving(yes bool) {
	if p == nil {
		return
	}
	p.ready.Set(oneIf(yes))
}
