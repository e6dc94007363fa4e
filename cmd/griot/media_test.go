package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A picture that a virtual phone sends is fetched once and kept, also when the process dies between the message and the fetch.
func TestDev_AttachmentsAreKept(t *testing.T) {
	const picture = "\x89PNG\x0d\x0a\x1a\x0a and pixels"
	var fetched, ready atomic.Int64
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fetched.Add(1)
		if ready.Load() == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(picture))
	}))
	defer files.Close()
	dir := t.TempDir()
	p := startDev(t, dir)
	body := fmt.Sprintf(`{"channel":"whatsapp","to":%q,"type":"image","mediaUrl":%q,"fileName":"chat.png"}`, p.Accounts.Business.WhatsAppNumber, files.URL+"/chat.png")
	if r := p.call("POST", p.BaseURL+"/dev/phones/22376000001/messages", body); r.status != 201 {
		t.Fatalf("got %d %s, want 201", r.status, r.raw)
	}
	p.kill()
	ready.Store(1)
	p = startDev(t, dir)
	key := "X-API-Key: " + p.Accounts.Business.LiveKey
	var address string
	eventually(t, 30*time.Second, func() error {
		r := p.call("GET", p.BaseURL+"/api/inbox/conversations", "", key)
		_, rest, _ := strings.Cut(r.raw, `"id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		r = p.call("GET", p.BaseURL+"/api/inbox/conversations/"+id+"/messages", "", key)
		_, rest, found := strings.Cut(r.raw, `"mediaUrl":"`)
		if !found {
			return fmt.Errorf("%s: %w", r.raw, errNotYet)
		}
		address, _, _ = strings.Cut(rest, `"`)
		return nil
	})
	if r := p.call("GET", address, "", key); r.status != 200 || r.raw != picture || r.header.Get("Content-Type") != "image/png" {
		t.Errorf("%s: %d %q", address, r.status, r.raw)
	}
	once := fetched.Load()
	ready.Store(0)
	if r := p.call("GET", address, "", key); r.status != 200 || fetched.Load() != once {
		t.Errorf("fetched %d times more, want none", fetched.Load()-once)
	}
}
