package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/quota"
	"example.com/griot/test/servicetest"
)

func sms() *griot.Message {
	return &griot.Message{To: "+22376000001", Channel: griot.SMS, Text: "kora"}
}

func (s *service) used() int64 {
	s.t.Helper()
	n, err := quota.Used(s.DB.Read(s.t.Context()), s.Account.ID, quota.Day(s.Clock.Now()))
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func TestSend_ABrokenConnectionNeverSendsTwice(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for name, breaks := range map[string][]servicetest.Handler{
			"before it was seen":   {servicetest.BreakBefore},
			"after it was sent":    {servicetest.BreakAfter},
			"within the answer":    {servicetest.BreakWithin},
			"again and again":      {servicetest.BreakBefore, servicetest.BreakAfter, servicetest.BreakWithin},
			"after a 503":          {servicetest.Respond(503, errorBody("storage_unavailable"), "Retry-After", "1"), servicetest.BreakAfter},
			"through a lost proxy": {servicetest.Respond(502, "<html>Bad Gateway</html>"), servicetest.BreakAfter, servicetest.Respond(504, "")},
		} {
			t.Run(name, func(t *testing.T) {
				s := newService(t, d, unique(name))
				s.then(breaks...)
				res, err := s.client().Send(t.Context(), sms())
				if err != nil || res.Status != griot.Sent || res.Deduplicated || res.MessageID == "" || res.RequestID == "" || res.IdempotencyKey == "" {
					t.Fatalf("got %+v, %v, want one message, SENT and not deduplicated", res, err)
				}
				if n := len(s.Gateway.Calls()); n != 1 || s.used() != 1 {
					t.Errorf("sent %d times, %d counted", n, s.used())
				}
				if s.made() != len(breaks)+1 {
					t.Errorf("%d calls, want %d", s.made(), len(breaks)+1)
				}
				s.then(breaks...)
				batch, err := s.client().SendBatch(t.Context(), &griot.Batch{Messages: []*griot.Message{sms(), sms()}})
				if err != nil || batch.Accepted != 2 || len(s.Gateway.Calls()) != 3 || s.used() != 3 {
					t.Errorf("a batch: %+v, %v; sent %d, counted %d", batch, err, len(s.Gateway.Calls()), s.used())
				}
				own := sms()
				own.IdempotencyKey = "mine " + name
				s.then(breaks...)
				batch, err = s.client().SendBatch(t.Context(), &griot.Batch{Messages: []*griot.Message{own, sms()}})
				if err != nil || batch.Accepted != 2 || len(s.Gateway.Calls()) != 5 {
					t.Errorf("a batch with a key in it: %+v, %v; sent %d", batch, err, len(s.Gateway.Calls()))
				}
			})
		}
	})
}

func TestSend_WithoutAnAnswerTheKeyFindsTheMessage(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	s.then(servicetest.BreakAfter, servicetest.BreakAfter, servicetest.BreakBefore, servicetest.BreakAfter)
	_, err := s.client().Send(t.Context(), sms())
	lost, ok := errors.AsType[*griot.UnansweredError](err)
	if !ok || lost.Tries != 4 || lost.IdempotencyKey == "" || s.made() != 4 {
		t.Fatalf("%v after %d calls", err, s.made())
	}
	again := sms()
	again.IdempotencyKey = lost.IdempotencyKey
	res, err := s.client().Send(t.Context(), again)
	if err != nil || !res.Deduplicated || res.Status != griot.Sent || len(s.Gateway.Calls()) != 1 {
		t.Errorf("%+v, %v; sent %d times", res, err, len(s.Gateway.Calls()))
	}
	if other, err := s.client().Send(t.Context(), sms()); err != nil || other.MessageID == res.MessageID {
		t.Errorf("another message is taken for the same: %+v, %v", other, err)
	}
}

func TestTries_OnlyWhereItHelps(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	for name, tc := range map[string]struct {
		answer servicetest.Handler
		calls  int
	}{
		"400":                      {servicetest.Respond(400, errorBody("invalid_phone")), 1},
		"401":                      {servicetest.Respond(401, errorBody("unauthorized")), 1},
		"409":                      {servicetest.Respond(409, errorBody("message_failed")), 1},
		"429 without a time":       {servicetest.Respond(429, errorBody("recipient_limit_reached")), 1},
		"429 that is too long":     {servicetest.Respond(429, errorBody("quota_exceeded"), "Retry-After", "31"), 1},
		"429 with a date":          {servicetest.Respond(429, errorBody("rate_limited"), "Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"), 1},
		"429 that can be waited":   {servicetest.Respond(429, errorBody("rate_limited"), "Retry-After", "30"), 4},
		"500":                      {servicetest.Respond(500, errorBody("internal")), 1},
		"502 of the service":       {servicetest.Respond(502, errorBody("provider_error")), 1},
		"502 of a proxy":           {servicetest.Respond(502, "oh"), 4},
		"503":                      {servicetest.Respond(503, errorBody("storage_unavailable"), "Retry-After", "5"), 4},
		"503 of a proxy":           {servicetest.Respond(503, "<html>"), 4},
		"503 for too long":         {servicetest.Respond(503, errorBody("storage_unavailable"), "Retry-After", "3600"), 1},
		"200 that is no answer":    {servicetest.Respond(200, "<html>welcome to the hotel's network"), 1},
		"redirect":                 {servicetest.Respond(307, "", "Location", "/elsewhere"), 1},
		"a connection that breaks": {servicetest.BreakBefore, 4},
	} {
		s.then(slices.Repeat([]servicetest.Handler{tc.answer}, 9)...)
		s.pauses.made = nil
		if _, err := s.client().Send(t.Context(), sms()); err == nil || s.made() != tc.calls {
			t.Errorf("%s: %d calls, want %d; %v", name, s.made(), tc.calls, err)
		}
		if n := len(s.pauses.made); n != tc.calls-1 {
			t.Errorf("%s: %d pauses, want %d", name, n, tc.calls-1)
		}
	}
	if n := len(s.Gateway.Calls()); n != 0 {
		t.Errorf("sent %d times", n)
	}
}

func TestTries_ThePausesGrowAndFollowRetryAfter(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	s.then(servicetest.BreakBefore, servicetest.BreakBefore, servicetest.Respond(503, errorBody("storage_unavailable"), "Retry-After", "7"), servicetest.BreakBefore, servicetest.BreakBefore)
	if _, err := s.client(func(o *griot.Options) { o.Tries = 6 }).Send(t.Context(), sms()); err != nil {
		t.Fatal(err)
	}
	want := []time.Duration{250, 500, 7000, 2000, 4000}
	if len(s.pauses.made) != len(want) {
		t.Fatalf("got the pauses %v, want %d", s.pauses.made, len(want))
	}
	for i, most := range want {
		most *= time.Millisecond
		if got := s.pauses.made[i]; got > most || got < most/2 || i == 2 && got != most {
			t.Errorf("pause %d is %v, want up to %v", i, got, most)
		}
	}
	s.then(slices.Repeat([]servicetest.Handler{servicetest.BreakBefore}, 40)...)
	s.pauses.made = nil
	_, _ = s.client(func(o *griot.Options) { o.Tries, o.MaxWait = 40, time.Second }).Status(t.Context(), "msg_x")
	if made := s.pauses.made; len(made) != 39 || slices.Max(made) > time.Second {
		t.Errorf("got the pauses %v, want 39 of at most 1s", made)
	}
	s.then(servicetest.BreakBefore)
	if _, err := s.client(func(o *griot.Options) { o.Tries = 1 }).Send(t.Context(), sms()); err == nil {
		t.Error("a client that tries once has tried again")
	}
}

func TestTries_EndWithTheContext(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	ctx, cancel := context.WithCancel(t.Context())
	s.then(servicetest.Respond(503, errorBody("storage_unavailable")), servicetest.BreakBefore)
	c := s.client(func(o *griot.Options) {
		o.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	})
	_, err := c.Send(ctx, sms())
	if !errors.Is(err, context.Canceled) || s.made() != 1 || !griot.IsCode(err, "storage_unavailable") {
		t.Errorf("%v after %d calls", err, s.made())
	}
	if _, err := s.client().Logs(ctx, griot.LogFilter{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's end", err)
	}
	// A try that gets no answer ends after Timeout, and is repeated: more than once where the machine is too busy for the answer.
	s.then(servicetest.Silent)
	if res, err := s.client(func(o *griot.Options) { o.Timeout, o.Tries = 300*time.Millisecond, 100 }).Send(t.Context(), sms()); err != nil || res.Status != griot.Sent {
		t.Errorf("after a try without an answer: got %+v, %v, want SENT", res, err)
	}
}

func TestSend_AFailureOfAnEarlierTryIsKnown(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	s.Gateway.FailWith(gateway.Permanent, "refused")
	s.then(servicetest.BreakAfter)
	_, err := s.client().Send(t.Context(), sms())
	e, ok := errors.AsType[*griot.Error](err)
	if !ok || e.Code != "message_failed" || e.MessageID == "" || e.MessageStatus != griot.Failed || len(s.Gateway.Calls()) != 1 {
		t.Fatalf("got %+v, want message_failed with the message's id, and one call of the gateway", err)
	}
	if st, err := s.client().Status(t.Context(), e.MessageID); err != nil || st.Error == nil || st.Error.Code != "refused" {
		t.Errorf("its status: got %+v, %v, want the error refused", st, err)
	}
}

func TestPreview_OfAServiceWithoutDryRunsIsAnError(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	s.then(servicetest.Respond(200, `{"success":true,"messageId":"msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D","status":"SENT"}`))
	if _, err := s.client().Preview(t.Context(), sms()); !errors.Is(err, griot.ErrNoDryRun) {
		t.Errorf("got %v, want %v", err, griot.ErrNoDryRun)
	}
}

func TestRedirect_TheKeyGoesNowhereElse(t *testing.T) {
	var got []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = append(got, fmt.Sprint(r.Header)) }))
	defer other.Close()
	s := newService(t, dbtest.SQLite(t))
	s.then(servicetest.Respond(302, "", "Location", other.URL+"/api/status/x"))
	if _, err := s.client(func(o *griot.Options) { o.HTTP = other.Client() }).Status(t.Context(), "x"); !griot.IsCode(err, griot.CodeUnexpected) || len(got) != 0 {
		t.Errorf("%v; %v", err, got)
	}
}

func TestPages_EndWhereACursorLeadsToItself(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	page := servicetest.Respond(200, `{"success":true,"logs":[{"messageId":"msg_1"}],"count":1,"nextCursor":"c"}`)
	s.then(page, page, page, page)
	seen, failed := 0, error(nil)
	for _, err := range s.client().AllLogs(t.Context(), griot.LogFilter{}) {
		if failed = err; err == nil {
			seen++
		}
	}
	if failed == nil || seen != 2 || s.made() != 2 {
		t.Errorf("got %d messages of %d pages, and %v, want an error after the second page", seen, s.made(), failed)
	}
}
