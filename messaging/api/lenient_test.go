package api_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Rules: M31.
func TestSend_TimesInEachFormOfISO8601(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "unlimited")
	for in, want := range map[string]string{
		"2026-03-05T10:00Z": "2026-03-05T10:00:00.000Z", "2026-03-05T10:00+01:00": "2026-03-05T09:00:00.000Z", "2026-03-05T10:00": "2026-03-05T10:00:00.000Z", "2026-03-05": "2026-03-05T00:00:00.000Z",
		"2026-03-05T10:00:30.5+0530": "2026-03-05T04:30:30.500Z", "2026-03-05T10:00-01": "2026-03-05T11:00:00.000Z", "2026-03-05T10:00:00.123456Z": "2026-03-05T10:00:00.123Z",
		"20260305T100000Z": "2026-03-05T10:00:00.000Z", "2026-03-05T10Z": "2026-03-05T10:00:00.000Z", "2026-03-05T10": "2026-03-05T10:00:00.000Z", "2026-03-05T24:00:00Z": "2026-03-06T00:00:00.000Z", "2026-03-05T10:00.5Z": "2026-03-05T10:00:30.000Z",
		"2026-03-05T10:00:00,5Z": "2026-03-05T10:00:00.500Z", "2026-03-05t10:00:00z": "2026-03-05T10:00:00.000Z", "20260305": "2026-03-05T00:00:00.000Z", "2026-03-31T23:59:60Z": "2026-04-01T00:00:00.000Z",
	} {
		a := s.send(sms + `,"scheduledAt":"` + in + `"}`)
		if a.status != 202 {
			t.Errorf("%s: %d %s", in, a.status, a.raw)
			continue
		}
		if st := s.do("GET", "/api/status/"+a.text("messageId"), "", "X-API-Key: "+s.LiveKey); st.text("scheduledAt") != want {
			t.Errorf("%s: %s, want %s", in, st.text("scheduledAt"), want)
		}
	}
	for _, in := range []string{"", " ", "2026-W10-4", "2026W104", "2026-064", "2026064", "2026-03-05T1000Z", "2026-03-05T24:00:01Z", "2026-03-05T10:00:60Z", "2026-02-29T10:00Z", "2026-03-05Z", "2026-03-05T25:00Z", "2026-3-5", "1772704800000", "2026-03-05T10:00+25:00"} {
		if a := s.send(sms + `,"scheduledAt":"` + in + `"}`); a.status != 400 || a.text("field") != "scheduledAt" {
			t.Errorf("%q: %d %s", in, a.status, a.raw)
		}
	}
	if a := s.send(sms + `,"scheduledAt":"2026-W10-4"}`); !strings.Contains(a.raw, "week dates and ordinal dates aren't read") {
		t.Errorf("a week date: %s", a.raw)
	}
}

// Rules: M18.
func TestSend_AnAddressHasADomain(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "unlimited")
	for to, status := range map[string]int{"a@b": 400, "a@localhost": 400, "a@b.": 400, "a@.b": 400, "a@b..c": 400, "a@b.c": 200, "a@sub.example.com": 200, "a@xn--mnchen-3ya.de": 200, "é@münchen.de": 200} {
		if a := s.send(`{"to":"` + to + `","channel":"email","message":"x"}`); a.status != status || status == 400 && (a.text("code") != "invalid_email" || a.text("field") != "to") {
			t.Errorf("%s: %d %s", to, a.status, a.raw)
		}
		if a := s.send(`{"to":"22376000001","channel":"auto","message":"x","email":"` + to + `"}`); a.status != status {
			t.Errorf("auto to %s: %d %s", to, a.status, a.raw)
		}
	}
}

// A pasted code can have spaces around it or between its halves.
func TestOTP_APastedCodeIsTheCode(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "unlimited")
		for i, paste := range []string{" %s", "%s ", "\\n%s\\r\\n", "\u00a0%s\u2009", "\u2066%s\u2069", "%.3s %s"} {
			to := fmt.Sprintf("2237600%04d", i)
			s.otp("send", `{"to":"`+to+`","channel":"sms","sandbox":true}`)
			code := fmt.Sprintf(paste, "000000")
			if strings.Count(paste, "%") == 2 {
				code = "000 000"
			}
			if a := s.otp("verify", `{"to":"`+to+`","code":"`+code+`","sandbox":true}`); a.status != 200 {
				t.Errorf("%q: %d %s", code, a.status, a.raw)
			}
		}
		s.wants(s.otp("verify", `{"to":"22376000001","code":" \u00a0","sandbox":true}`), 400, "invalid_request")
	})
}

func TestQueries_EmptyIsAbsentAndSpacesAreRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		s.Receive(t, awa, "1", "Bonjour")
		s.send(good)
		key := "X-API-Key: " + s.LiveKey
		for path, names := range map[string][]string{
			"/api/svc-logs": {"limit", "cursor", "status", "channel", "to", "since", "projectId", "metadata[a]"}, "/api/svc-analytics": {"sample"}, "/api/webhooks/events": {"limit", "cursor", "delivery"},
			"/api/inbox/conversations": {"cursor", "limit", "q"}, "/api/inbox/" + s.conversationWith(awa) + "/messages": {"cursor", "limit"},
		} {
			plain := s.do("GET", path, "", key)
			for _, name := range names {
				if a := s.do("GET", path+"?"+name+"=", "", key); a.status != 200 || a.raw != plain.raw {
					t.Errorf("%s?%s=: %d %s, want %s", path, name, a.status, a.raw, plain.raw)
				}
				for _, blank := range []string{"%20", "+", "%20%09", "%C2%A0"} {
					if a := s.do("GET", path+"?"+name+"="+blank, "", key); a.status != 400 || a.text("code") != "invalid_request" || a.text("field") != name && name != "metadata[a]" {
						t.Errorf("%s?%s=%s: %d %s", path, name, blank, a.status, a.raw)
					}
				}
			}
		}
	})
}
