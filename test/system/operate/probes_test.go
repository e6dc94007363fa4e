package operate_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// The story of a supervised process: it serves and counts requests, and is told to stop while a gateway hangs. It is
// not ready from then on, accepts requests for drain_delay, closes its listeners, and is alive until it has ended.
func TestProbes_FromTheFirstRequestToTheEnd(t *testing.T) {
	t.Parallel()
	f := systemtest.NewRemoteGateway(t, true)
	database := "sqlite:" + filepath.Join(t.TempDir(), "griot.db")
	key := systemtest.WithSenders(t, database, "unlimited", map[gateway.Channel]string{gateway.SMS: "far"})
	port := systemtest.FreePort(t)
	probe := fmt.Sprintf("http://127.0.0.1:%d", port)
	s := systemtest.StartServeWith(t, database, fmt.Sprintf("probe: {listen: \"127.0.0.1:%d\"}\ndrain_delay: 3s\ngateways:", port)+f.Settings("far", "sms"))
	get := func(url string) int {
		t.Helper()
		r, err := systemtest.Call("GET", url, "")
		if err != nil {
			return 0
		}
		return r.Status
	}
	for _, base := range []string{probe, s.Internal} {
		for path, want := range map[string]int{"/livez": 200, "/readyz": 200, "/metrics": 200} {
			if got := get(base + path); got != want {
				t.Errorf("%s: %d, want %d", base+path, got, want)
			}
		}
	}
	for _, path := range []string{"/", "/debug/pprof/", "/internal/verify", "/healthz", "/operator", "/admin"} {
		if got := get(probe + path); got != 404 {
			t.Errorf("the probe listener serves %s: %d", path, got)
		}
	}
	send := func(text string) int {
		t.Helper()
		r, err := systemtest.Call("POST", s.Api+"/api/send", `{"channel":"sms","to":"22376000001","message":"`+text+`"}`, "Authorization: Bearer "+key)
		if err != nil {
			t.Fatal(err)
		}
		return r.Status
	}
	systemtest.WaitUntilConnected(t, s.Api, key)
	if got := send("hello"); got != 200 {
		t.Fatalf("send: %d", got)
	}
	for metric, want := range map[string]float64{
		`griot_submissions_total{outcome="accepted"}`:                                                    1,
		`griot_gateway_attempts_total{gateway="far"}`:                                                    1,
		`griot_gateway_attempt_failures_total{class="sender_down",gateway="far"}`:                        0,
		`griot_gateway_up{gateway="far"}`:                                                                1,
		`griot_message_transitions_total{channel="sms",status="SENT"}`:                                   1,
		`griot_http_requests_total{code="2xx",method="POST",route="/api/send",service="messaging"}`:      1,
		`griot_http_request_duration_seconds_count{method="POST",route="/api/send",service="messaging"}`: 1,
		`griot_queue_messages{channel="sms",state="ready"}`:                                              0,
		`griot_database_up`: 1,
		`griot_serving`:     1,
		`griot_measurement_success{source="queues"}`:   1,
		`griot_measurement_success{source="webhooks"}`: 1,
		`griot_measurement_success{source="senders"}`:  1,
		`griot_measurement_success{source="database"}`: 1,
	} {
		if got := systemtest.Metric(t, probe, metric); got != want {
			t.Errorf("%s is %v, want %v", metric, got, want)
		}
	}
	for _, metric := range []string{"griot_database_disk_free_bytes", "griot_database_commits_total", "griot_database_size_bytes", "go_goroutines", "process_open_fds"} {
		if got := systemtest.Metric(t, probe, metric); got <= 0 {
			t.Errorf("%s is %v, want more than 0", metric, got)
		}
	}
	if r, err := systemtest.Call("GET", probe+"/metrics", ""); err != nil || strings.Contains(r.Raw, "22376000001") {
		t.Errorf("a number is in the metrics (%v)", err)
	}

	if got := systemtest.PostEvent(t, s.Api, "far", `{"events":[]}`); got == 0 {
		t.Error("the gateway's events are not answered")
	}
	if got := get(s.Api + "/gateways/far/nothing"); got != 404 && got != 405 && got != 401 {
		t.Errorf("a call of a gateway's address: %d", got)
	}
	if got := systemtest.Metric(t, probe, `griot_http_requests_total{code="4xx",method="",route="/gateways/{name}/",service="gateways"}`); got < 1 {
		t.Errorf("calls by gateways that were refused: %v, want 1 or more", got)
	}

	f.Mu.Lock()
	f.Hangs = make(chan struct{})
	f.Mu.Unlock()
	if got := send("hang"); got != 202 {
		t.Errorf("send to a gateway that hangs: %d, want 202", got)
	}
	if err := s.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, func() error {
		r, err := systemtest.Call("GET", probe+"/readyz", "")
		if err != nil {
			return err
		}
		if r.Status != 503 || strings.TrimSpace(r.Raw) != "stopping" {
			return fmt.Errorf("%w: readyz %d %s", systemtest.ErrNotYet, r.Status, r.Raw)
		}
		return nil
	})
	if got := get(s.Api + "/healthz"); got != 200 {
		t.Errorf("within drain_delay the API answers %d, want 200", got)
	}
	waittest.Until(t, func() error {
		if got := get(s.Api + "/healthz"); got != 0 {
			return fmt.Errorf("%w: after drain_delay the API answers %d", systemtest.ErrNotYet, got)
		}
		return nil
	})
	for _, base := range []string{probe, s.Internal} { // the gateway still hangs
		if live, ready := get(base+"/livez"), get(base+"/readyz"); live != 200 || ready != 503 {
			t.Errorf("%s while it drains: livez %d, readyz %d; want 200, 503", base, live, ready)
		}
	}
	if got := systemtest.Metric(t, probe, "griot_serving"); got != 0 {
		t.Errorf("griot_serving is %v while it drains, want 0", got)
	}
	close(f.Hangs)
	if err := systemtest.WaitExit(s.Cmd); err != nil {
		t.Errorf("it ended with %v\n%s", err, s.Out)
	}
}
