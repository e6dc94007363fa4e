package gateway_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/metrics/metricstest"
	"example.com/griot/internal/phone"
)

func TestInbound_SetSender(t *testing.T) {
	t.Parallel()
	home, _ := phone.ParseHome("223")
	for _, tt := range []struct {
		reported, from, local string
		ok                    bool
	}{
		{"70112233", "22370112233", "", true},
		{"+22370112233", "22370112233", "", true},
		{"7011223", "", "7011223", true},
		{" 36111\r\n", "", "36111", true},
		{"Orange\x00 ML", "", "Orange ML", true},
		{"tel:36111", "", "36111", true},
		{"caf\xe9", "", "caf\uFFFD", true},
		{"+Orange", "", "Orange", true},
		{"TEL: +1234567", "", "1234567", true},
		{strings.Repeat("é", 100), "", strings.Repeat("é", 51) + "~f42ec48e1e4b", true},
		{" \u200b", "", "", false},
		{"", "", "", false},
	} {
		in := gateway.Inbound{Channel: gateway.SMS}
		if ok := in.SetSender(home, tt.reported, phone.FormUnknown); ok != tt.ok || in.From != tt.from || in.Local != tt.local {
			t.Errorf("%q: from %q, local %q, %v", tt.reported, in.From, in.Local, ok)
		}
		if want := tt.from; want == "" && tt.ok {
			if in.Address() != phone.Local(tt.local) || in.Key() != in.Address() || person(in.Address()) {
				t.Errorf("%q: the address is %q, the key %q", tt.reported, in.Address(), in.Key())
			}
		}
	}
}

func person(address string) bool {
	_, ok := phone.Parse(address)
	return ok
}

func FuzzInbound_SetSender(f *testing.F) {
	for _, s := range []string{"70112233", "Orange", "+22370112233", "\x00", "tel:", "\u202e36111"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		in := gateway.Inbound{}
		ok := in.SetSender(phone.Region{}, s, phone.FormUnknown)
		again := gateway.Inbound{}
		if in.Local != "" && (strings.HasPrefix(in.Local, "+") || !again.SetLocal(in.Local) || again.Local != in.Local) {
			t.Fatalf("%+q: local %q, then %q", s, in.Local, again.Local)
		}
		if ok != (in.From != "" || in.Local != "") || in.From != "" && in.Local != "" || ok && in.Address() == "" {
			t.Fatalf("%+q: from %q, local %q, %v", s, in.From, in.Local, ok)
		}
		if !utf8.ValidString(in.Local) || strings.ContainsRune(in.Local, 0) || utf8.RuneCountInString(in.Local) > 64 {
			t.Fatalf("%+q: local %q", s, in.Local)
		}
	})
}

type storing struct{ err error }

func (s *storing) Inbound(context.Context, gateway.Inbound) error { return s.err }
func (s *storing) Receipt(context.Context, gateway.Receipt) error { return s.err }
func (s *storing) Change(context.Context, gateway.Change) error   { return s.err }

// Messages of local senders are counted by their kind. Numbers, which a setting can complete, are logged once a minute.
func TestSet_LocalSenders(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	m, _ := metricstest.New()
	set := gateway.NewSet(nil)
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	set.LogTo(slog.New(slog.NewTextHandler(&log, nil)), func() time.Time { return now })
	set.CountBy(m.Gateways)
	store := &storing{}
	sink := set.Sink("sms", store)
	receive := func(in gateway.Inbound) {
		t.Helper()
		if err := sink.Inbound(t.Context(), in); !errors.Is(err, store.err) {
			t.Fatal(err)
		}
	}
	for _, local := range []string{"70112233", "70 11 22 33", "36111", "Orange", "Orange 4G"} {
		receive(gateway.Inbound{Local: local})
	}
	receive(gateway.Inbound{From: "22370112233"})
	now = now.Add(time.Minute)
	receive(gateway.Inbound{Local: "0612345678"})
	store.err = errors.New("away")
	receive(gateway.Inbound{Local: "70112233"})
	text := metricstest.Scrape(t, m)
	for _, want := range []string{`{gateway="sms",kind="number"} 3`, `{gateway="sms",kind="short_code"} 1`, `{gateway="sms",kind="name"} 2`} {
		if !strings.Contains(text, "griot_gateway_inbound_local_total"+want) {
			t.Errorf("%s isn't counted", want)
		}
	}
	if n := strings.Count(log.String(), "country_code"); n != 2 || strings.Contains(log.String(), "7011") || strings.Contains(log.String(), "Orange") {
		t.Errorf("logged %d times: %s", n, log.String())
	}
}
