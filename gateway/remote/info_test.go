package remote

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/providertest"
	"example.com/griot/internal/waittest"
)

func TestInfo(t *testing.T) {
	t.Parallel()
	s, f, _ := opened(t, nil)
	f.info = `{"protocol":1,"deduplicates":true,"receipts":true,"media":"bytes","pace":{"sender":3000,"pair":6000,"burst":2},"unknown":[]}`
	if info := s.Info(); info.Deduplicates || info.Receipts || info.Media || len(info.Channels) != 1 {
		t.Errorf("before the first request: %+v", info)
	}
	if _, err := s.Send(t.Context(), message()); err != nil {
		t.Fatal(err)
	}
	info := s.Info()
	if !info.Deduplicates || !info.Receipts || !info.Media || info.Pace != (gateway.Pace{Sender: 3 * time.Second, Pair: 6 * time.Second, Burst: 2}) {
		t.Errorf("%+v", info)
	}
}

func TestInfo_Unusable(t *testing.T) {
	t.Parallel()
	for info, want := range map[string]string{
		`{"protocol":2}`:                          "sender_down protocol_unsupported",
		`{}`:                                      "sender_down protocol_unsupported",
		`{"protocol":1,"media":"pigeon"}`:         "sender_down gateway_misconfigured",
		`{"protocol":1,"pace":{"sender":-1}}`:     "sender_down gateway_misconfigured",
		`{"protocol":1,"pace":{"pair":86400001}}`: "sender_down gateway_misconfigured",
		`<html>`:                                 "temporary answer_invalid 200",
		``:                                       "temporary answer_invalid 200",
		`{"protocol":1,"deduplicates":"maybe"}`:  "temporary answer_invalid 200",
		strings.Repeat(" ", maxAnswer+1) + `{}`:  "temporary answer_invalid 200",
		`{"protocol":1,"connections":"nothing"}`: "temporary answer_invalid 200",
	} {
		s, f, _ := opened(t, nil)
		f.info = info
		_, err := s.Send(t.Context(), message())
		gatewaytest.WantFailure(t, err, want)
		if f.requestCount("POST /send") != 0 {
			t.Errorf("%.40s: a message was handed over", info)
		}
		if state := s.State(gateway.SMS, ourNumber).State; state != gateway.Disconnected {
			t.Errorf("%.40s: %s", info, state)
		}
	}
}

// The info is fetched once for many messages, again when it is old, and again after a lost response.
func TestInfo_Caching(t *testing.T) {
	t.Parallel()
	s, f, env := opened(t, nil)
	send := func(want int) {
		t.Helper()
		if _, err := s.Send(t.Context(), message()); err != nil {
			t.Fatal(err)
		}
		if n := f.requestCount("GET /info"); n != want {
			t.Errorf("fetched %d times, want %d", n, want)
		}
	}
	send(1)
	send(1)
	env.Clock.Advance(time.Minute)
	send(2)
	f.Script(providertest.Drop)()
	if _, err := s.Send(t.Context(), message()); err == nil {
		t.Fatal("the answer should have been lost")
	}
	f.Script(providertest.Accept)()
	send(3)
}

func TestState(t *testing.T) {
	t.Parallel()
	s, f, env := opened(t, nil)
	want := func(state gateway.ConnState) {
		t.Helper()
		if got := s.State(gateway.SMS, ourNumber).State; got != state {
			t.Errorf("%s, want %s", got, state)
		}
	}
	sendState := func(state string, at time.Time) {
		t.Helper()
		body := `{"type":"connection","connection":{"channel":"sms","from":"22376543210","state":"` + state + `","at":"` + at.Format(time.RFC3339Nano) + `"}}`
		if got := gatewaytest.Call(s.WebhookHandler(), signedCall(testKey(), []byte(body), env.Clock.Now())); got != http.StatusOK {
			t.Fatalf("status %d, want 200", got)
		}
	}
	want(gateway.Connecting)
	f.info = `{"protocol":1,"connections":[{"channel":"sms","from":"22376543210","state":"pairing","reason":"new"},{"channel":"sms","from":"2","state":"odd"}]}`
	if failure := s.ensureInfo(t.Context()); failure != nil {
		t.Fatal(failure)
	}
	want(gateway.Pairing)
	if got := s.State(gateway.SMS, ourNumber); got.Reason != "new" {
		t.Errorf("%+v, want the reason", got)
	}
	env.Clock.Advance(time.Second)
	sendState("connected", env.Clock.Now())
	want(gateway.Connected)
	sendState("banned", env.Clock.Now().Add(-time.Second/2))
	want(gateway.Connected) // an older state
	until := env.Clock.Now().Add(time.Hour)
	sendState(`restricted","reason":"temporary_ban","until":"`+until.Format(time.RFC3339Nano), env.Clock.Now().Add(time.Hour))
	want(gateway.Restricted)
	if got := s.State(gateway.SMS, ourNumber); got.Reason != "temporary_ban" || !got.Until.Equal(until) {
		t.Errorf("%+v, want a ban until %v", got, until)
	}
	env.Clock.Advance(time.Minute)
	sendState("logged_out", env.Clock.Now())
	want(gateway.LoggedOut)
	if got := s.State(gateway.SMS, "22370000009").State; got != gateway.Connected {
		t.Errorf("an unknown connection: %s", got)
	}
	f.info = `{"protocol":1,"pairing":true}`
	if failure := s.fetchInfo(t.Context()); failure != nil {
		t.Fatal(failure)
	}
	want(gateway.LoggedOut)
	if got := s.State(gateway.SMS, "22370000009"); got != (gateway.ConnDetail{State: gateway.Pairing, Reason: "not_paired"}) {
		t.Errorf("a number that the gateway has not paired: %+v, want pairing", got)
	}
	f.StopListening()
	if failure := s.fetchInfo(t.Context()); failure == nil || failure.Class != gateway.Temporary {
		t.Errorf("%v", failure)
	}
	want(gateway.Disconnected)
}

// Run reports when the gateway is unreachable and when it is back.
func TestRun(t *testing.T) {
	t.Parallel()
	s, f, env := opened(t, map[string]any{"info_interval": 1})
	f.StopListening()
	reported := make(chan error, 1000)
	s.reportHealth = func(err error) { reported <- err }
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	becomes := func(want gateway.ConnState) {
		t.Helper()
		waittest.Until(t, func() error {
			if state := s.State(gateway.SMS, ourNumber).State; state != want {
				return fmt.Errorf("the state is %s, want %s", state, want)
			}
			return nil
		})
	}
	becomes(gateway.Disconnected)
	f.Script(providertest.Accept)()
	becomes(gateway.Connected)
	if failure := gateway.AsError(waittest.Receive(t, reported)); failure.Class != gateway.Temporary {
		t.Errorf("reported %v, want a failure", failure)
	}
	for waittest.Receive(t, reported) != nil {
	}
	cancel()
	if err := waittest.Receive(t, done); err != nil {
		t.Error(err)
	}
	if strings.Contains(env.Logged(), testSecret) {
		t.Errorf("the secret is in the log: %s", env.Logged())
	}
}
