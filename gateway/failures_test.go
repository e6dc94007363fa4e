package gateway_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/logtest"
)

const us = "22370000001"

// connectedSet returns a set with one gateway, whose driver reports that it is connected.
func connectedSet(t *testing.T) (*gateway.Set, *logtest.Recorder, *clock.Fake) {
	t.Helper()
	s, j, at := gateway.NewSet(map[string]gateway.Sender{"mail": newFakeSender("mail")}), &logtest.Recorder{}, clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	s.LogTo(j.Logger(), at.Now)
	return s, j, at
}

func failed(class gateway.Class, code, providerCode string) error {
	return &gateway.Error{Class: class, Code: code, ProviderCode: providerCode, Err: errors.New("dial tcp: refused")}
}

func wantLines(t *testing.T, j *logtest.Recorder, stopped, again int) {
	t.Helper()
	if got, back := strings.Count(j.String(), "stopped working"), strings.Count(j.String(), "works again"); got != stopped || back != again {
		t.Errorf("the log has %d of stopping and %d of working again, want %d and %d\n%s", got, back, stopped, again, j)
	}
}

func TestSet_LogsTheStartAndTheEndOfAnOutageOnce(t *testing.T) {
	s, j, at := connectedSet(t)
	for range 100 {
		s.RecordAttempt("mail", gateway.SMS, us, failed(gateway.SenderDown, "credentials_refused", "401"), 0)
		s.RecordAttempt("mail", gateway.SMS, "22370000002", failed(gateway.SenderDown, "credentials_refused", "401"), 0) // another of ours, for the same reason
		at.Advance(time.Second)
	}
	wantLines(t, j, 1, 0)
	for _, want := range []string{"WARN", "gateway=mail", "code=credentials_refused", "providerCode=401", "refused"} {
		if !strings.Contains(j.String(), want) {
			t.Errorf("the line has no %q: %s", want, j)
		}
	}
	r := s.Stats("mail")
	if r.Failures != 200 || r.LastFailure.Code != "credentials_refused" || r.LastFailure.Cause == "" || !r.FailingSince.Equal(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("recorded %+v, want 200 failures since the first", r)
	}
	if got := s.Observed("mail", gateway.SMS, us).State; got != gateway.Disconnected {
		t.Errorf("seen as %s, want disconnected", got)
	}
	if got := s.State("mail", gateway.SMS, us); got != gateway.Connected {
		t.Errorf("its driver says %s, want connected: only a message can show that it works again", got)
	}
	s.RecordAttempt("mail", gateway.SMS, us, nil, 0)
	s.RecordAttempt("mail", gateway.SMS, us, nil, 0)
	wantLines(t, j, 1, 1)
	if r := s.Stats("mail"); !r.FailingSince.IsZero() || r.LastFailure.Code == "" || s.Observed("mail", gateway.SMS, us).State != gateway.Connected {
		t.Errorf("recorded %+v after it works again", r)
	}
}

func TestSet_WhatIsNoOutage(t *testing.T) {
	s, j, _ := connectedSet(t)
	for range 5 {
		s.RecordAttempt("mail", gateway.SMS, us, failed(gateway.Permanent, "recipient_unknown", "550"), 0)
		s.RecordAttempt("mail", gateway.SMS, us, failed(gateway.Unreachable, "not_on_whatsapp", ""), 0)
		s.RecordAttempt("mail", gateway.SMS, us, failed(gateway.RateLimited, "throttled", "429"), 0)
		s.RecordAttempt("mail", gateway.SMS, us, failed(gateway.Temporary, "refused_for_now", "451"), 0)
		s.RecordAttempt("mail", gateway.SMS, us, failed(gateway.Unknown, "answer_lost", ""), 0)
		s.RecordAttempt("mail", gateway.SMS, us, nil, 0)
	}
	wantLines(t, j, 0, 0)
	if got := s.Observed("mail", gateway.SMS, us).State; got != gateway.Connected {
		t.Errorf("seen as %s, want connected", got)
	}
	for range 3 { // three in a row
		s.RecordAttempt("mail", gateway.SMS, us, failed(gateway.Unknown, "answer_lost", ""), 0)
	}
	wantLines(t, j, 1, 0)
}

// An intermittent outage is logged once a minute, and its final state is logged.
func TestSet_AGatewayThatFlaps(t *testing.T) {
	s, j, at := connectedSet(t)
	down := failed(gateway.Temporary, "unavailable", "")
	for range 59 {
		s.RecordAttempt("mail", gateway.SMS, us, down, 0)
		s.RecordAttempt("mail", gateway.SMS, us, nil, 0)
		at.Advance(time.Second)
	}
	wantLines(t, j, 1, 1)
	for range 10 {
		s.RecordAttempt("mail", gateway.SMS, us, down, 0)
		at.Advance(time.Second)
	}
	wantLines(t, j, 2, 1)
}

func TestSet_AConnectionIsAllAddresses(t *testing.T) {
	s, j, _ := connectedSet(t)
	for range 10 {
		s.RecordConnection("mail", failed(gateway.Temporary, "not_connected", ""))
	}
	if got := s.Observed("mail", gateway.SMS, us).State; got != gateway.Disconnected {
		t.Errorf("seen as %s, want disconnected", got)
	}
	s.RecordConnection("mail", nil)
	if got := s.Observed("mail", gateway.SMS, us).State; got != gateway.Connected {
		t.Errorf("seen as %s, want connected", got)
	}
	wantLines(t, j, 1, 1)
}

// A driver's warnings are logged once a minute, with the number of those that were not logged.
func TestSet_Log(t *testing.T) {
	s, j, at := connectedSet(t)
	log := s.Log("mail")
	warn := func(message string) {
		line := slog.NewRecord(at.Now(), slog.LevelWarn, message, 0)
		if err := log.Handler().Handle(context.Background(), line); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		warn("webhook refused")
	}
	warn("something else")
	log.Info("connected")
	log.Info("connected")
	at.Advance(time.Minute)
	warn("webhook refused")
	if got := strings.Count(j.String(), "webhook refused"); got != 2 || !strings.Contains(j.String(), "repeated=99") || strings.Count(j.String(), "something else") != 1 || strings.Count(j.String(), "msg=connected") != 2 {
		t.Errorf("logged:\n%s", j)
	}
	if strings.Count(j.String(), "gateway=mail") != strings.Count(j.String(), "\n") {
		t.Errorf("lines without the gateway's name:\n%s", j)
	}
}
