package operate_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// Each fault that an operator can meet is named by a metric: a stopped gateway, one that refuses our credentials, a
// wrong clock, and a lock that another program holds.
func TestProbes_NameFaults(t *testing.T) {
	t.Parallel()
	var status atomic.Int64
	status.Store(http.StatusUnauthorized)
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(10*time.Minute).UTC().Format(http.TimeFormat))
		if r.URL.Path == "/info" {
			_, _ = fmt.Fprint(w, `{"protocol":1,"deduplicates":true}`)
			return
		}
		var m struct{ Reference string }
		_ = json.NewDecoder(r.Body).Decode(&m)
		w.WriteHeader(int(status.Load()))
		_, _ = fmt.Fprintf(w, `{"reference":%q,"providerId":"p"}`, m.Reference)
	}))
	defer far.Close()
	path := filepath.Join(t.TempDir(), "griot.db")
	key := systemtest.WithSenders(t, "sqlite:"+path, "unlimited", map[gateway.Channel]string{gateway.SMS: "far"})
	s := systemtest.StartServeWith(t, "sqlite:"+path, fmt.Sprintf("gateways:\n  - {name: far, kind: remote, settings: {url: %q, channels: [sms], keys: [{id: k1, secret: %s}]}}\n", far.URL, systemtest.RemoteSecret))
	send := func() {
		t.Helper()
		if _, err := systemtest.Call("POST", s.Api+"/api/send", `{"channel":"sms","to":"22376000001","message":"x","retry":{"maxAttempts":1}}`, "Authorization: Bearer "+key); err != nil {
			t.Fatal(err)
		}
	}
	becomes := func(metric string, fits func(float64) bool) {
		t.Helper()
		waittest.Until(t, func() error { // measurements are cached for a while
			if got := systemtest.Metric(t, s.Internal, metric); !fits(got) {
				return fmt.Errorf("%w: %s is %v", systemtest.ErrNotYet, metric, got)
			}
			return nil
		})
	}
	is := func(want float64) func(float64) bool { return func(got float64) bool { return got == want } }
	more := func(got float64) bool { return got > 0 }

	send()
	becomes(`griot_gateway_outage_addresses{code="credentials_refused",gateway="far"}`, is(1))
	becomes(`griot_gateway_up{gateway="far"}`, is(0))
	becomes(`griot_clock_offset_seconds{source="gateway"}`, func(got float64) bool { return got > 590 && got < 610 })
	status.Store(http.StatusOK)
	waittest.Until(t, func() error {
		send()
		if got := systemtest.Metric(t, s.Internal, `griot_gateway_up{gateway="far"}`); got != 1 {
			return fmt.Errorf("%w: the gateway works again, and griot_gateway_up is %v", systemtest.ErrNotYet, got)
		}
		return nil
	})
	far.Close()
	send()
	becomes(`griot_gateway_outage_addresses{code="provider_unavailable",gateway="far"}`, is(1))
	becomes(`griot_gateway_up{gateway="far"}`, is(0))

	other, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	other.SetMaxOpenConns(1)
	if _, err := other.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	send() // waits for the lock without success
	becomes(`griot_database_write_failures_total{reason="locked"}`, more)
	becomes(`griot_database_up`, is(0))
	if _, err := other.ExecContext(context.Background(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	becomes(`griot_database_up`, is(1))
}
