package metricstest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/metrics"
)

// New returns metrics and their clock.
func New() (*metrics.Metrics, *clock.Fake) {
	c := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	return metrics.New(metrics.Options{Version: "1.2.3", Now: c.Now}), c
}

// Scrape returns the response to a scrape.
func Scrape(t testing.TB, m *metrics.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// Use counts or measures a value of each metric.
func Use(m *metrics.Metrics) {
	routes := m.HTTP.Service("messaging").Routes([]string{"POST /api/send", "/mcp"})
	routes.Answered("POST /api/send", 200, 3*time.Millisecond, false)
	routes.Answered("POST /api/send", 0, 3*time.Millisecond, false) // a handler that wrote no status
	routes.Answered("/mcp", 503, time.Second, true)
	routes.Answered("/", 404, time.Millisecond, false)
	g := m.Gateways.Gateway("mail", []string{"sender_down"}, []string{"delivered"}, []string{"number_changed"}, []string{"no_sender"}, []string{"name"})
	g.Attempt("", time.Millisecond)
	g.Attempt("sender_down", time.Millisecond)
	g.Receipt("delivered")
	g.Receipt("22370000001")
	g.UnreadableReceipt()
	g.Change("number_changed")
	g.Unhandled("no_sender")
	g.Inbound()
	g.Local("name")
	g.Dropped()
	m.Submissions.Ended(metrics.QuotaExceeded)
	m.Messages.Transitions("sms", []string{"SENT"}).Written("SENT")
	m.Messages.Batches("accept").Written(12)
	m.Codes.Issued(metrics.CodeSent)
	m.Codes.Checked("expired")
	m.Logins.Reached(metrics.LoginVerified)
	d := m.Webhooks.Dispatcher("auth", []string{"timeout"})
	d.Attempt("", time.Millisecond, false)
	d.Attempt("timeout", time.Second, true)
	m.Database.Committed(3, time.Millisecond)
	m.Database.NotStored(metrics.DiskFull)
	m.Process.Serving(true)
}

// Sources returns a source with values for each measured metric.
func Sources(c *clock.Fake) metrics.Sources {
	size, offset := int64(4096), 250*time.Millisecond
	return metrics.Sources{
		DocsURL: "https://api.example.com/docs",
		Database: func(context.Context) (metrics.DatabaseState, error) {
			return metrics.DatabaseState{Up: true, Size: &size, LogSize: &size, Free: &size, LockWaiters: &size, Paused: true, ClockOffset: &offset}, nil
		},
		Queues: func(context.Context) ([]metrics.Queue, error) {
			return []metrics.Queue{{Channel: "sms", State: "ready", Messages: 7, Oldest: c.Now().Add(-time.Minute)}, {Channel: "sms", State: "due"}}, nil
		},
		Senders: func(context.Context) ([]metrics.Senders, error) {
			return []metrics.Senders{{Gateway: "mail", Channel: "email", State: "connected", Count: 2}}, nil
		},
		Webhooks: func(context.Context) ([]metrics.Backlog, error) {
			return []metrics.Backlog{{Service: "auth", Pending: 5, Oldest: c.Now().Add(-time.Second)}}, nil
		},
		Gateways: func() []metrics.GatewayState {
			return []metrics.GatewayState{{Name: "mail"}, {Name: "far", Outages: []metrics.Outage{{Code: "credentials_refused", Addresses: 2}}}}
		},
		Pools: func() []metrics.Pool {
			return []metrics.Pool{{Name: "all", InUse: 1, Idle: 2, Max: 32, Waits: 4, Waited: time.Second}}
		},
		Writes:       func() int64 { return 9 },
		GatewayClock: func() (time.Duration, bool) { return -2 * time.Second, true },
		LastBackup:   func() (time.Time, bool) { return time.Unix(1780000000, 0), true },
		Certificates: func() []metrics.Certificate {
			return []metrics.Certificate{{Name: "tls.cert", Expires: time.Unix(1790000000, 0)}}
		},
	}
}
