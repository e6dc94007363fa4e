package hidden_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// Every list and filter of an account finds a person by the ID. The opt-out of an ID applies to the number that a message
// shows later, and an erasure by the ID deletes what is stored of the number.
func TestPeople_FoundByTheirID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"))
	s := w.start()
	writes(t, s, oursID, "wamid.in1", awaID, "Bonjour")
	writes(t, s, oursID, "wamid.in2", binID, "Bonsoir")
	w.api(s, 200, "POST", "/api/send/batch", fmt.Sprintf(`{"messages":[{"channel":"whatsapp","to":%q,"message":"one"},{"channel":"auto","to":%q,"message":"two"},{"channel":"sms","to":%q,"message":"three"}],"continueOnError":true}`, awaID, binID, awaID))
	w.meta.waitFor(t, 2)
	w.api(s, 201, "POST", "/api/opt-outs", fmt.Sprintf(`{"channel":"whatsapp","address":%q}`, awaID))
	w.api(s, 400, "POST", "/api/opt-outs", fmt.Sprintf(`{"channel":"sms","address":%q}`, awaID))
	for path, list := range map[string]string{
		"/api/inbox/conversations?q=" + awaID:                        "conversations",
		"/api/svc-logs?to=" + awaID:                                  "logs",
		"/api/opt-outs?address=" + awaID:                             "optOuts",
		"/api/opt-outs?q=" + strings.ToLower(awaID):                  "optOuts",
		"/api/opt-outs?channel=whatsapp&address=" + awaID:            "optOuts",
		"/api/inbox/conversations?q=" + strings.ToLower(awaID):       "conversations",
		"/api/svc-logs?channel=whatsapp&limit=1&status=&to=" + binID: "logs",
	} {
		r := w.api(s, 200, "GET", path, "")
		if found, _ := r.Body[list].([]any); len(found) != 1 {
			t.Errorf("%s: %s, want one of %s", path, r.Raw, list)
		}
	}
	webhook(t, s, "messages", oursID, fmt.Sprintf(`"contacts":[{"profile":{"name":"Awa"},"wa_id":%q,"user_id":%q}],"messages":[{"from":%q,"from_user_id":%q,"id":"wamid.in3","timestamp":"%d","type":"text","text":{"body":"With my number"}}]`, awa, awaID, awa, awaID, now()))
	for _, to := range []string{awaID, awa} {
		waittest.Until(t, func() error {
			r, err := systemtest.Call("POST", s.Api+"/api/send", fmt.Sprintf(`{"channel":"whatsapp","to":%q,"message":"x"}`, to), "X-API-Key: "+w.key)
			if err == nil && r.Text("code") != "recipient_opted_out" {
				return fmt.Errorf("%w: to %s: %+v, want recipient_opted_out", systemtest.ErrNotYet, to, r)
			}
			return err
		})
	}
	if all := w.conversations(s); len(all) != 2 {
		t.Errorf("the inbox has %v, want one conversation for each person", all)
	}
	if n := len(w.meta.sent()); n != 2 {
		t.Errorf("Meta got %d messages, want 2", n)
	}
	for _, half := range []string{awaID, awa} {
		exported := s.Must(t, "", "admin", "people", "export", half)
		if !strings.Contains(exported, "With my number") || !strings.Contains(exported, "Bonjour") || !strings.Contains(exported, "one") || strings.Contains(exported, "Bonsoir") {
			t.Errorf("the export of %s has\n%s", half, exported)
		}
	}
	s.Must(t, "", "admin", "people", "erase", awaID, "--yes")
	waittest.Until(t, func() error {
		if all := w.conversations(s); len(all) != 1 || !all[0].is("", binID, "awa.t") {
			return fmt.Errorf("%w: after the erasure, the inbox has %v", systemtest.ErrNotYet, all)
		}
		return nil
	})
	for _, half := range []string{awaID, awa} {
		if exported := s.Must(t, "", "admin", "people", "export", half); strings.Contains(exported, "With my number") || strings.Contains(exported, "Bonjour") {
			t.Errorf("after the erasure, the export of %s has\n%s", half, exported)
		}
		if pairs := s.Must(t, "", "admin", "people", "ids", "list", "--of", half); strings.Contains(pairs, awaID) {
			t.Errorf("after the erasure, the pairs of %s are\n%s", half, pairs)
		}
	}
}

// A person who turns marketing messages off in WhatsApp gets no marketing template, but all other messages.
func TestPeople_RefuseMarketing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"))
	s := w.start()
	prefers := func(value string, at int64) {
		t.Helper()
		webhook(t, s, "user_preferences", oursID, contact(awaID)+fmt.Sprintf(`,"user_preferences":[{"user_id":%q,"category":"marketing_messages","value":%q,"timestamp":%d}]`, awaID, value, at))
	}
	send := func(category string) string {
		return fmt.Sprintf(`{"channel":"whatsapp","to":%q,"message":"Soldes","whatsapp":{"template":{"name":"soldes","language":"fr","category":%q}}}`, awaID, category)
	}
	answers := func(category, want string) {
		t.Helper()
		waittest.Until(t, func() error {
			r, err := systemtest.Call("POST", s.Api+"/api/send", send(category), "X-API-Key: "+w.key)
			if err == nil && r.Text("code") != want {
				return fmt.Errorf("%w: %s: %+v, want %q", systemtest.ErrNotYet, category, r, want)
			}
			return err
		})
	}
	prefers("stop", now()-60)
	answers("marketing", "marketing_stopped")
	answers("utility", "")
	if p := w.meta.waitFor(t, 1); strings.Contains(fmt.Sprint(p), "utility") {
		t.Errorf("Meta got Griot's category: %+v", p)
	}
	prefers("resume", now())
	answers("marketing", "")
}
