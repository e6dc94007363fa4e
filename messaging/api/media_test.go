package api_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
)

const png = "\x89PNG\x0d\x0a\x1a\x0a and pixels"

// receiveMedia simulates an attachment from a person and returns its message in the inbox.
func (s *service) receiveMedia(id, data, mimeType, fileName string) map[string]any {
	s.t.Helper()
	in := gateway.Inbound{ID: id, Gateway: "fake", Channel: gateway.WhatsApp, From: awa, To: messagingtest.WhatsApp, Type: gateway.InboundDocument, MediaData: data, MIMEType: mimeType, FileName: fileName, At: s.Clock.Now()}
	if err := s.Inbox.Receive(s.t.Context(), in); err != nil {
		s.t.Fatal(err)
	}
	list, _ := s.inbox("GET", s.conversationWith(awa)+"/messages?limit=1", "").body["messages"].([]any)
	m, _ := list[0].(map[string]any)
	return m
}

// Rules: M140.
func TestMedia_NothingInItRuns(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "pro")
		for i, tc := range []struct{ data, mimeType, fileName, wantType, want string }{
			{png, "text/html", "a.html", "image/png", "inline; filename=a.html"},
			{"<html><script>alert(1)</script>", "image/png", "a.png", "text/html", "attachment; filename=a.png"},
			{"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "image/svg+xml", "a.svg", "", "attachment; filename=a.svg"},
			{"%PDF-1.7", "application/pdf", "re\u00e7u \"1\".pdf", "application/pdf", "attachment; filename*=utf-8''re%C3%A7u%20%221%22.pdf"},
			{"OggS" + strings.Repeat("\x00", 24) + "OpusHead", "audio/ogg", "", "audio/ogg", "inline"},
			{"alert(1)", "text/javascript", "a.js", "", "attachment; filename=a.js"},
			{"alert(1)", "application/javascript", "", "", "attachment"},
			{"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><script>alert(1)</script></html>", "application/xhtml+xml", "a.xhtml", "", "attachment; filename=a.xhtml"},
			{"<html><script>alert(1)</script>", "text/html", "", "text/html", "attachment"},
			{"whatever", "application/x-msdownload", "", "", "attachment"},
		} {
			m := s.receiveMedia(fmt.Sprint(i), tc.data, tc.mimeType, tc.fileName)
			s.Clock.Advance(1e9)
			address, _ := m["mediaUrl"].(string)
			path, ours := strings.CutPrefix(address, s.URL)
			if !ours || m["mediaMissing"] != nil {
				t.Fatalf("message %v, want an address at %s", m, s.URL)
			}
			a := s.do("GET", path, "", "X-API-Key: "+s.LiveKey)
			if a.status != 200 || a.raw != tc.data {
				t.Errorf("%d %q, want %q", a.status, a.raw, tc.data)
			}
			for name, want := range map[string]string{
				"Content-Disposition": tc.want, "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox", "Cache-Control": "private, no-cache", "Cross-Origin-Resource-Policy": "same-origin",
			} {
				if got := a.header.Values(name); len(got) != 1 || got[0] != want {
					t.Errorf("%s: %s is %q, want %q", tc.fileName, name, got, want)
				}
			}
			if got := a.header.Get("Content-Type"); tc.wantType != "" && got != tc.wantType {
				t.Errorf("%s: type %q, want %q", tc.fileName, got, tc.wantType)
			}
			if part := s.do("GET", path, "", "X-API-Key: "+s.LiveKey, "Range: bytes=1-3"); part.status != 206 || part.raw != tc.data[1:4] {
				t.Errorf("a range: %d %q", part.status, part.raw)
			}
		}
	})
}

// Rules: M140.
func TestMedia_WhoHasAccess(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "pro")
		address, _ := s.receiveMedia("1", png, "", "")["mediaUrl"].(string)
		path := strings.TrimPrefix(address, s.URL)
		key := func(plan string) string {
			a, err := s.Directory.Create(t.Context(), &account.Spec{Name: plan, Email: plan + "@example.com", Plan: plan})
			if err != nil {
				t.Fatal(err)
			}
			return s.Key(t, a.ID, "", account.Live)
		}
		s.wants(s.do("GET", path, ""), 401, "unauthorized")
		s.wants(s.do("GET", path, "", "X-API-Key: "+s.Key(t, s.Account.ID, "", account.Test)), 403, "live_key_required")
		s.wants(s.do("GET", path, "", "X-API-Key: "+key("starter")), 403, "plan_required")
		foreign := s.do("GET", path, "", "X-API-Key: "+key("pro"))
		s.wants(foreign, 404, "not_found")
		absent := s.do("GET", "/api/media/med_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D", "", "X-API-Key: "+s.LiveKey)
		if absent.status != foreign.status || absent.text("message") != foreign.text("message") {
			t.Errorf("absent %d %s, another's %d %s", absent.status, absent.raw, foreign.status, foreign.raw)
		}
	})
}
