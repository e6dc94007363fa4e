package messages_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// A picture from a virtual phone is fetched once and stored, even if the process dies between the message and the
// fetch.
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
	p := systemtest.StartDev(t, dir)
	body := fmt.Sprintf(`{"channel":"whatsapp","to":%q,"type":"image","mediaUrl":%q,"fileName":"chat.png"}`, p.Accounts.Business.WhatsAppNumber, files.URL+"/chat.png")
	if r := p.Call("POST", p.BaseURL+"/dev/phones/22376000001/messages", body); r.Status != 201 {
		t.Fatalf("got %d %s, want 201", r.Status, r.Raw)
	}
	p.Kill()
	ready.Store(1)
	p = systemtest.StartDev(t, dir)
	key := "X-API-Key: " + p.Accounts.Business.LiveKey
	var address string
	waittest.Until(t, func() error {
		r := p.Call("GET", p.BaseURL+"/api/inbox/conversations", "", key)
		_, rest, _ := strings.Cut(r.Raw, `"id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		r = p.Call("GET", p.BaseURL+"/api/inbox/conversations/"+id+"/messages", "", key)
		_, rest, found := strings.Cut(r.Raw, `"mediaUrl":"`)
		if !found {
			return fmt.Errorf("%s: %w", r.Raw, systemtest.ErrNotYet)
		}
		address, _, _ = strings.Cut(rest, `"`)
		return nil
	})
	if r := p.Call("GET", address, "", key); r.Status != 200 || r.Raw != picture || r.Header.Get("Content-Type") != "image/png" {
		t.Errorf("%s: %d %q", address, r.Status, r.Raw)
	}
	once := fetched.Load()
	ready.Store(0)
	if r := p.Call("GET", address, "", key); r.Status != 200 || fetched.Load() != once {
		t.Errorf("fetched %d times more, want none", fetched.Load()-once)
	}
}
