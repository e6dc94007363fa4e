package gateway_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"griot/gateway"
	"griot/internal/clock"
	"griot/internal/logtest"
)

const us = "22370000001"

// watched is a set with one gateway that is connected by its own word.
func watched(t *testing.T) (*gateway.Set, *logtest.Recorder, *clock.Fake) {
	t.Helper()
	s, j, at := gateway.NewSet(map[string]gateway.Sender{"mail": newWire("mail")}), &logtest.Recorder{}, clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	s.Report(j.Logger(), at.Now)
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

func TestSet_TellsOnceThatAGatewayStopsAndOnceThatItWorks(t *testing.T) {
	s, j, at := watched(t)
	for range 100 {
		s.Attempted("mail", gateway.SMS, us, failed(gateway.SenderDown, "credentials_refused", "401"))
		s.Attempted("mail", gateway.SMS, "22370000002", failed(gateway.SenderDown, "credentials_refused", "401")) // another of ours, for the same reason
		at.Advance(time.Second)
	}
	wantLines(t, j, 1, 0)
	for _, want := range []string{"WARN", "gateway=mail", "code=credentials_refused", "providerCode=401", "refused"} {
		if !strings.Contains(j.String(), want) {
			t.Errorf("the line has no %q: %s", want, j)
		}
	}
	r := s.Record("mail")
	if r.Failures != 200 || r.Last.Code != "credentials_refused" || r.Last.Cause == "" || !r.FailingSince.Equal(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("recorded %+v, want 200 failures since the first", r)
	}
	if got := s.Seen("mail", gateway.SMS, us); got != gateway.Disconnected {
		t.Errorf("seen as %s, want disconnected", got)
	}
	if got := s.State("mail", gateway.SMS, us); got != gateway.Connected {
		t.Errorf("its driver says %s, want connected: only a message can show that it works again", got)
	}
	s.Attempted("mail", gateway.SMS, us, nil)
	s.Attempted("mail", gateway.SMS, us, nil)
	wantLines(t, j, 1, 1)
	if r := s.Record("mail"); !r.FailingSince.IsZero() || r.Last.Code == "" || s.Seen("mail", gateway.SMS, us) != gateway.Connected {
		t.Errorf("recorded %+v after it works again", r)
	}
}

func TestSet_WhatIsNoOutage(t *testing.T) {
	s, j, _ := watched(t)
	for range 5 {
		s.Attempted("mail", gateway.SMS, us, failed(gateway.Permanent, "recipient_unknown", "550"))
		s.Attempted("mail", gateway.SMS, us, failed(gateway.Unreachable, "not_on_whatsapp", ""))
		s.Attempted("mail", gateway.SMS, us, failed(gateway.RateLimited, "throttled", "429"))
		s.Attempted("mail", gateway.SMS, us, failed(gateway.Temporary, "refused_for_now", "451"))
		s.Attempted("mail", gateway.SMS, us, failed(gateway.Unknown, "answer_lost", ""))
		s.Attempted("mail", gateway.SMS, us, nil)
	}
	wantLines(t, j, 0, 0)
	if got := s.Seen("mail", gateway.SMS, us); got != gateway.Connected {
		t.Errorf("seen as %s, want connected", got)
	}
	for range 3 { // nothing else any more
		s.Attempted("mail", gateway.SMS, us, failed(gateway.Unknown, "answer_lost", ""))
	}
	wantLines(t, j, 1, 0)
}

// What comes and goes with each message is told once a minute, and what it ends in is told.
func TestSet_AGatewayThatFlaps(t *testing.T) {
	s, j, at := watched(t)
	down := failed(gateway.Temporary, "unavailable", "")
	for range 59 {
		s.Attempted("mail", gateway.SMS, us, down)
		s.Attempted("mail", gateway.SMS, us, nil)
		at.Advance(time.Second)
	}
	wantLines(t, j, 1, 1)
	for range 10 {
		s.Attempted("mail", gateway.SMS, us, down)
		at.Advance(time.Second)
	}
	wantLines(t, j, 2, 1)
}

func TestSet_AConnectionIsAllAddresses(t *testing.T) {
	s, j, _ := watched(t)
	for range 10 {
		s.Connected("mail", failed(gateway.Temporary, "not_connected", ""))
	}
	if got := s.Seen("mail", gateway.SMS, us); got != gateway.Disconnected {
		t.Errorf("seen as %s, want disconnected", got)
	}
	s.Connected("mail", nil)
	if got := s.Seen("mail", gateway.SMS, us); got != gateway.Connected {
		t.Errorf("seen as %s, want connected", got)
	}
	wantLines(t, j, 1, 1)
}

// A driver's warnings are logged once a minute, with how often they were not.
func TestSet_Log(t *testing.T) {
	s, j, at := watched(t)
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
