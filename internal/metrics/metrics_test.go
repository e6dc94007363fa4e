package metrics_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/metrics"
	"example.com/griot/internal/metrics/metricstest"
)

func wants(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
}

func TestMetrics_CountAndMeasure(t *testing.T) {
	m, c := metricstest.New()
	metricstest.Use(m)
	m.Measure(metricstest.Sources(c))
	text := metricstest.Scrape(t, m)
	wants(t, text,
		`griot_docs_info{docs_url="https://api.example.com/docs"} 1`,
		`griot_backup_last_timestamp_seconds 1.78e+09`,
		`griot_http_requests_total{code="2xx",method="POST",route="/api/send",service="messaging"} 2`,
		`griot_http_requests_total{code="5xx",method="POST",route="/api/send",service="messaging"} 0`,
		`griot_http_requests_total{code="5xx",method="",route="/mcp",service="messaging"} 1`,
		`griot_http_requests_total{code="4xx",method="",route="other",service="messaging"} 1`,
		`griot_http_request_duration_seconds_count{method="POST",route="/api/send",service="messaging"} 2`,
		`griot_http_request_duration_seconds_count{method="",route="/mcp",service="messaging"} 0`,
		`griot_gateway_attempts_total{gateway="mail"} 2`,
		`griot_gateway_attempt_failures_total{class="sender_down",gateway="mail"} 1`,
		`griot_gateway_receipts_total{gateway="mail",status="other"} 1`,
		`griot_gateway_receipts_unreadable_total{gateway="mail"} 1`,
		`griot_submissions_total{outcome="quota_exceeded"} 1`,
		`griot_submissions_total{outcome="accepted"} 0`,
		`griot_message_transitions_total{channel="sms",status="SENT"} 1`,
		`griot_logins_total{step="verified"} 1`,
		`griot_webhook_attempts_total{outcome="delivered",service="auth"} 1`,
		`griot_webhook_events_given_up_total{service="auth"} 1`,
		`griot_database_write_failures_total{reason="disk_full"} 1`,
		`griot_serving 1`,
		`griot_queue_messages{channel="sms",state="ready"} 7`,
		`griot_queue_oldest_age_seconds{channel="sms",state="ready"} 60`,
		`griot_queue_oldest_age_seconds{channel="sms",state="due"} 0`,
		`griot_senders{channel="email",gateway="mail",state="connected"} 2`,
		`griot_gateway_up{gateway="mail"} 1`, `griot_gateway_up{gateway="far"} 0`,
		`griot_gateway_outage_addresses{code="credentials_refused",gateway="far"} 2`,
		`griot_webhook_oldest_age_seconds{service="auth"} 1`,
		`griot_database_up 1`, `griot_clock_offset_seconds{source="database"} 0.25`, `griot_clock_offset_seconds{source="gateway"} -2`, `griot_sending_paused 1`, `griot_database_disk_free_bytes 4096`,
		`griot_database_connections{pool="all",state="idle"} 2`,
		`griot_tls_certificate_expiry_timestamp_seconds{certificate="tls.cert"} 1.79e+09`,
		`griot_measurement_success{source="queues"} 1`,
	)
	if strings.Contains(text, "22370000001") {
		t.Error("a number is in a label")
	}
	for _, d := range m.Described() {
		if !strings.Contains(text, "\n# TYPE "+d.Name+" "+d.Kind+"\n") {
			t.Errorf("%s, a %s, is not in the answer", d.Name, d.Kind)
		}
	}
}

// With any number of scrapes, the database is only read at intervals. Values that can't be measured are
// missing, and their absence is reported.
func TestMeasure_KeepsAnswersAndLeavesOutFailures(t *testing.T) {
	m, c := metricstest.New()
	asked, failure := 0, error(nil)
	s := metrics.Sources{Queues: func(context.Context) ([]metrics.Queue, error) {
		asked++
		return []metrics.Queue{{Channel: "sms", State: "ready", Messages: int64(asked)}}, failure
	}}
	m.Measure(s)
	for range 5 {
		wants(t, metricstest.Scrape(t, m), `griot_queue_messages{channel="sms",state="ready"} 1`)
	}
	c.Advance(5 * time.Second)
	wants(t, metricstest.Scrape(t, m), `griot_queue_messages{channel="sms",state="ready"} 2`)
	failure = errors.New("no database")
	c.Advance(5 * time.Second)
	text := metricstest.Scrape(t, m)
	wants(t, text, `griot_measurement_success{source="queues"} 0`)
	if strings.Contains(text, "griot_queue_messages{") {
		t.Error("what could not be measured is in the answer")
	}
	if asked != 3 {
		t.Errorf("asked %d times, want 3", asked)
	}
}

// Groups that were not created count nothing.
func TestGroups_ZeroValue(t *testing.T) {
	metricstest.Use(&metrics.Metrics{})
}

func TestCounting_AllocatesNothing(t *testing.T) {
	m, _ := metricstest.New()
	metricstest.Use(m)
	routes := m.HTTP.Service("messaging").Routes([]string{"POST /api/send"})
	g := m.Gateways.Gateway("mail", []string{"sender_down"}, []string{"delivered"}, []string{"number_changed"}, []string{"no_sender"}, []string{"name"})
	transitions, batches := m.Messages.Transitions("sms", []string{"SENT"}), m.Messages.Batches("accept")
	send := func() { // the counts of one send
		routes.Answered("POST /api/send", 200, 3*time.Millisecond, false)
		m.Submissions.Ended(metrics.Accepted)
		g.Attempt("sender_down", time.Millisecond)
		transitions.Written("SENT")
		batches.Written(3)
		m.Database.Committed(3, time.Millisecond)
	}
	send()
	if n := testing.AllocsPerRun(1000, send); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func BenchmarkCounting_Send(b *testing.B) {
	m, _ := metricstest.New()
	routes := m.HTTP.Service("messaging").Routes([]string{"POST /api/send"})
	g := m.Gateways.Gateway("mail", []string{"sender_down"}, []string{"delivered"}, []string{"number_changed"}, []string{"no_sender"}, []string{"name"})
	transitions, batches := m.Messages.Transitions("sms", []string{"SENT"}), m.Messages.Batches("accept")
	b.ReportAllocs()
	for b.Loop() {
		routes.Answered("POST /api/send", 200, 3*time.Millisecond, false)
		m.Submissions.Ended(metrics.Accepted)
		g.Attempt("", time.Millisecond)
		transitions.Written("SENT")
		batches.Written(3)
		m.Database.Committed(3, time.Millisecond)
	}
}

func TestDocs_ListTheMetrics(t *testing.T) {
	text, err := os.ReadFile("../../docs/operating/metrics.md")
	if err != nil || string(text) != metrics.Markdown() {
		t.Errorf("docs/operating/metrics.md is older than the metrics: run `make generate` (%v)", err)
	}
}
