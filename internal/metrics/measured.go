package metrics

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.com/griot/internal/clock"
)

const (
	measureEvery   = 5 * time.Second // minimum time between two measurements
	measureTimeout = 3 * time.Second
	measureShare   = 20 // the result of a slow measurement is kept for this many times its duration
)

// measured are the metrics that are measured on a scrape. It implements [prometheus.Collector].
type measured struct {
	now     clock.Now
	sources atomic.Pointer[sources]

	databaseUp, size, logSize, free, offset    *prometheus.Desc
	lockWaiters, paused                        *prometheus.Desc
	queued, oldest, senders, pending, late     *prometheus.Desc
	gatewayUp, outages, certificates, complete *prometheus.Desc
	docs, backup                               *prometheus.Desc
	conns, maxConns, waits, waited, writes     *prometheus.Desc
}

// sources are [Sources] whose results are cached.
type sources struct {
	Sources
	database kept[DatabaseState]
	queues   kept[[]Queue]
	senders  kept[[]Senders]
	webhooks kept[[]Backlog]
}

func newMeasured(m *Metrics, now clock.Now) *measured {
	desc := func(name, kind, help string, labels ...string) *prometheus.Desc {
		o := m.describe(name, kind, help, labels)
		return prometheus.NewDesc(o.Name, o.Help, labels, nil)
	}
	return &measured{
		now:          now,
		queued:       desc("griot_queue_messages", gaugeKind, "Pending messages of the whole deployment: ready (QUEUED, waiting only for their turn), due (scheduled messages, retries, and checks whose time has come), later (SCHEDULED, waiting for a retry, or being submitted to the gateway).", "channel", "state"),
		oldest:       desc("griot_queue_oldest_age_seconds", gaugeKind, "Waiting time of the oldest ready message, and time since the longest-due message became due.", "channel", "state"),
		senders:      desc("griot_senders", gaugeKind, "Senders of the whole deployment, by the state of their connection that the health monitor stored.", "gateway", "channel", "state"),
		gatewayUp:    desc("griot_gateway_up", gaugeKind, "0 while at least one address can't send through the gateway because of the gateway. This process's attempts and connections have shown it, or the process couldn't open a stored gateway.", "gateway"),
		outages:      desc("griot_gateway_outage_addresses", gaugeKind, "Our addresses that can't send through the gateway, by the code of the error. A wrong password and a stopped gateway have different codes.", "gateway", "code"),
		pending:      desc("griot_webhook_events_pending", gaugeKind, "Events of the whole deployment that wait for their next attempt.", "service"),
		late:         desc("griot_webhook_oldest_age_seconds", gaugeKind, "Time since the longest-due event became due, among endpoints that Griot can call.", "service"),
		databaseUp:   desc("griot_database_up", gaugeKind, "1 if the database responds and stores data."),
		size:         desc("griot_database_size_bytes", gaugeKind, "Size of the database."),
		logSize:      desc("griot_database_log_size_bytes", gaugeKind, "SQLite: size of the write-ahead log."),
		free:         desc("griot_database_disk_free_bytes", gaugeKind, "SQLite: free space on the disk of the database."),
		lockWaiters:  desc("griot_database_lock_waiters", gaugeKind, "PostgreSQL: statements that have waited for a lock for more than a second."),
		paused:       desc("griot_sending_paused", gaugeKind, "1 while sending is paused in the whole deployment, for example after a restore. Run griot admin resume to resume it."),
		offset:       desc("griot_clock_offset_seconds", gaugeKind, "How far another clock is ahead of this process's clock. Source database: the database server (PostgreSQL). Source gateway: the median of the gateways that responded over HTTP in the last hour, within half a second.", "source"),
		writes:       desc("griot_database_writes_total", counterKind, "Completed writes, whether stored or not."),
		conns:        desc("griot_database_connections", gaugeKind, "Open connections to the database, by their current use (in_use, idle).", "pool", "state"),
		maxConns:     desc("griot_database_connections_max", gaugeKind, "Maximum number of connections in a pool.", "pool"),
		waits:        desc("griot_database_connection_waits_total", counterKind, "Number of times that a request waited for a connection.", "pool"),
		waited:       desc("griot_database_connection_wait_seconds_total", counterKind, "Total time that requests waited for a connection.", "pool"),
		certificates: desc("griot_tls_certificate_expiry_timestamp_seconds", gaugeKind, "Expiry time of a certificate that this process serves, in seconds since 1970.", "certificate"),
		backup:       desc("griot_backup_last_timestamp_seconds", gaugeKind, "SQLite: time of the last complete griot backup, in seconds since 1970. Missing before the first backup."),
		docs:         desc("griot_docs_info", gaugeKind, "1, with the address at which this deployment serves its documentation. runbook_url in the alert rules uses it.", "docs_url"),
		complete:     desc("griot_measurement_success", gaugeKind, "0 if a source couldn't be measured for this scrape. Its metrics are then missing.", "source"),
	}
}

// Measure sets the sources of later measurements.
func (m *Metrics) Measure(s Sources) { m.measured.sources.Store(&sources{Sources: s}) }

// Describe implements [prometheus.Collector].
func (m *measured) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		m.databaseUp, m.size, m.logSize, m.free, m.lockWaiters, m.paused, m.offset, m.queued, m.oldest, m.senders, m.pending, m.late,
		m.gatewayUp, m.outages, m.certificates, m.complete, m.docs, m.backup, m.conns, m.maxConns, m.waits, m.waited, m.writes,
	} {
		to <- d
	}
}

// Collect implements [prometheus.Collector]. It runs the slow measurements in parallel.
func (m *measured) Collect(to chan<- prometheus.Metric) {
	s := m.sources.Load()
	if s == nil {
		return
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	var all sync.WaitGroup
	all.Go(func() { collect(m, to, "database", &s.database, s.Database, m.database) })
	all.Go(func() { collect(m, to, "queues", &s.queues, s.Queues, m.queues) })
	all.Go(func() {
		collect(m, to, "senders", &s.senders, s.Senders, func(found []Senders, _ time.Time, gauge setter) {
			for _, n := range found {
				gauge(m.senders, float64(n.Count), n.Gateway, n.Channel, n.State)
			}
		})
	})
	all.Go(func() { collect(m, to, "webhooks", &s.webhooks, s.Webhooks, m.backlogs) })
	m.cheap(&s.Sources, gauge, func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	})
	all.Wait()
}

// setter sets a metric of a scrape.
type setter func(d *prometheus.Desc, v float64, labels ...string)

func (m *measured) cheap(s *Sources, gauge, counter setter) {
	if s.Gateways != nil {
		for _, g := range s.Gateways() {
			for _, o := range g.Outages {
				gauge(m.outages, float64(o.Addresses), g.Name, o.Code)
			}
			gauge(m.gatewayUp, oneIf(len(g.Outages) == 0), g.Name)
		}
	}
	if s.Pools != nil {
		for _, p := range s.Pools() {
			gauge(m.conns, float64(p.InUse), p.Name, "in_use")
			gauge(m.conns, float64(p.Idle), p.Name, "idle")
			gauge(m.maxConns, float64(p.Max), p.Name)
			counter(m.waits, float64(p.Waits), p.Name)
			counter(m.waited, p.Waited.Seconds(), p.Name)
		}
	}
	if s.Writes != nil {
		counter(m.writes, float64(s.Writes()))
	}
	if s.DocsURL != "" {
		gauge(m.docs, 1, s.DocsURL)
	}
	if s.LastBackup != nil {
		if at, known := s.LastBackup(); known {
			gauge(m.backup, float64(at.Unix()))
		}
	}
	if s.GatewayClock != nil {
		if ahead, known := s.GatewayClock(); known {
			gauge(m.offset, ahead.Seconds(), "gateway")
		}
	}
	if s.Certificates != nil {
		for _, c := range s.Certificates() {
			gauge(m.certificates, float64(c.Expires.Unix()), c.Name)
		}
	}
}

func (m *measured) database(s DatabaseState, _ time.Time, gauge setter) {
	gauge(m.databaseUp, oneIf(s.Up))
	if s.Up {
		gauge(m.paused, oneIf(s.Paused))
	}
	for desc, v := range map[*prometheus.Desc]*int64{m.size: s.Size, m.logSize: s.LogSize, m.free: s.Free, m.lockWaiters: s.LockWaiters} {
		if v != nil {
			gauge(desc, float64(*v))
		}
	}
	if s.ClockOffset != nil {
		gauge(m.offset, s.ClockOffset.Seconds(), "database")
	}
}

func (m *measured) queues(found []Queue, now time.Time, gauge setter) {
	for _, q := range found {
		gauge(m.queued, float64(q.Messages), q.Channel, q.State)
		gauge(m.oldest, age(q.Oldest, now), q.Channel, q.State)
	}
}

func (m *measured) backlogs(found []Backlog, now time.Time, gauge setter) {
	for _, b := range found {
		gauge(m.pending, float64(b.Pending), b.Service)
		gauge(m.late, age(b.Oldest, now), b.Service)
	}
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func age(since, now time.Time) float64 {
	if since.IsZero() {
		return 0
	}
	return seconds(now.Sub(since))
}

// collect measures a source, unless its cached result is fresh, and writes its metrics.
func collect[T any](m *measured, to chan<- prometheus.Metric, source string, k *kept[T], measure func(context.Context) (T, error), write func(found T, now time.Time, gauge setter)) {
	if measure == nil {
		return
	}
	found, ok := k.get(m.now, measure)
	if ok {
		write(found, m.now(), func(d *prometheus.Desc, v float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
		})
	}
	to <- prometheus.MustNewConstMetric(m.complete, prometheus.GaugeValue, oneIf(ok), source)
}

// kept is the latest result of a source. Scrapes that arrive during a measurement wait for it.
type kept[T any] struct {
	mu    sync.Mutex
	until time.Time
	at    time.Time
	value T
	ok    bool
}

func (k *kept[T]) get(now clock.Now, measure func(context.Context) (T, error)) (T, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	begun := now()
	if begun.Before(k.until) && !begun.Before(k.at) { // a time before k.at means that the clock was set back
		return k.value, k.ok
	}
	ctx, cancel := context.WithTimeout(context.Background(), measureTimeout)
	defer cancel()
	value, err := measure(ctx)
	ended := now()
	k.value, k.ok, k.at, k.until = value, err == nil, begun, ended.Add(max(measureEvery, measureShare*ended.Sub(begun)))
	return k.value, k.ok
}
