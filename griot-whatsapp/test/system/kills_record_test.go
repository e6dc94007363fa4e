package system_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/types/events"

	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/phonetest"
)

// observed is an event of a history, in the form of Griot's package test/system/fleet/history, whose program checks it.
type observed struct {
	Kind  string `json:"kind"`
	Begin int64  `json:"begin"`
	End   int64  `json:"end"`

	Account   string `json:"account,omitempty"`
	Gateway   string `json:"gateway,omitempty"`
	Sender    string `json:"sender,omitempty"`
	To        string `json:"to,omitempty"`
	Key       string `json:"key,omitempty"`
	Message   string `json:"message,omitempty"`
	Reference string `json:"reference,omitempty"`
	Status    string `json:"status,omitempty"`
	Result    string `json:"result,omitempty"`
	Code      string `json:"code,omitempty"`
	Delayed   bool   `json:"delayed,omitempty"`
	ID        string `json:"id,omitempty"`
	Digest    string `json:"digest,omitempty"`
	Content   string `json:"content,omitempty"`
	Place     int    `json:"place,omitempty"`
	Class     string `json:"class,omitempty"`
	Webhooks  bool   `json:"webhooks,omitempty"`

	whatsAppID string // of a written message
}

// recorder records a history. It is safe for concurrent use.
type recorder struct {
	began time.Time

	mu      sync.Mutex
	events  []observed
	keys    map[string]string // messages, by idempotency key
	arrived map[string]bool   // WhatsApp's IDs at phones
	known   map[string]bool   // those of which the gateway has acknowledged a receipt
}

// now returns the time of the history, in microseconds.
func (r *recorder) now() int64 { return time.Since(r.began).Microseconds() }

// add adds an event that ends now.
func (r *recorder) add(e observed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.End = r.now()
	r.events = append(r.events, e)
}

// declare adds an event without a time.
func (r *recorder) declare(e observed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// queued returns the number of written messages, and of receipts from people, that WhatsApp would bring again.
func (r *recorder) queued(s *fakewhatsapp.Server) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e.Kind == "written" && s.Fate(e.Sender, "message", e.whatsAppID) == fakewhatsapp.Queued || e.Kind == "call" && s.Fate(shop, "receipt", e.Reference) == fakewhatsapp.Queued {
			n++
		}
	}
	return n
}

// receipts notes of which messages the gateway has acknowledged a receipt.
func (r *recorder) receipts(s *fakewhatsapp.Server) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = map[string]bool{}
	for _, e := range r.events {
		if e.Kind == "call" && s.Fate(shop, "receipt", e.Reference) == fakewhatsapp.Acknowledged {
			r.known[e.Reference] = true
		}
	}
}

// history returns the events, completed with what the server knows: which of the written messages must be in the inbox. It gives the messages' IDs to what has arrived at phones, which don't know
// them, and events of a group's messages to each member's.
func (r *recorder) history(s *fakewhatsapp.Server) (all []observed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	groups := map[string]bool{} // messages to the group
	for key, message := range r.keys {
		if strings.Contains(key, parents) {
			groups[message] = true
		}
	}
	for _, e := range r.events {
		switch {
		case e.Kind == "written":
			if f := s.Fate(e.Sender, "message", e.whatsAppID); f == fakewhatsapp.Acknowledged || f == fakewhatsapp.Queued {
				e.Result = "accepted"
			}
		case e.Kind == "call":
			group, member, toGroup := strings.Cut(e.To, "/")
			if e.Message = r.keys[e.Key]; e.Message == "" {
				e.Message = "unanswered " + e.Key
			}
			e.Message = each(e.Message, member, group)
			if r.known[e.Reference] && !toGroup { // receipts of groups show no status
				all = append(all, observed{Kind: "receipt", Begin: e.End, End: e.End, Message: e.Message, Reference: e.Reference, Status: "DELIVERED", Result: "accepted"})
			}
		case (e.Kind == "webhook" || e.Kind == "final") && groups[e.Message]:
			id, message := e.ID, e.Message
			for _, member := range members("", parents) {
				e.ID, e.Message = each(id, member, parents), each(message, member, parents)
				all = append(all, e)
			}
			continue
		}
		all = append(all, e)
	}
	return all
}

// members are the people who get a message: those of the group, or one.
func members(to, group string) []string {
	if group != "" {
		return writers[:2]
	}
	return []string{to}
}

// each returns the part of a message, a key, or a recipient that concerns one member of a group.
func each(what, member, group string) string {
	if group == "" || what == "" {
		return what
	}
	return what + "/" + member
}

// sent adds a request of the account. One to a group counts as one for each member.
func (r *recorder) sent(e observed, group string) {
	r.mu.Lock()
	if r.keys == nil {
		r.keys = map[string]string{}
	}
	if e.Message != "" {
		r.keys[e.Key] = e.Message
	}
	r.mu.Unlock()
	key, message := e.Key, e.Message
	for _, member := range members(e.To, group) {
		e.Key, e.Message = each(key, member, group), each(message, member, group)
		if e.To = member; group != "" {
			e.To = each(group, member, group)
		}
		r.add(e)
	}
}

// heard adds a message that has arrived at a phone, once for each ID.
func (r *recorder) heard(number string, event any) {
	m, ok := event.(*events.Message)
	if !ok || !strings.HasPrefix(phonetest.Text(m.Message), "s-") {
		return
	}
	r.mu.Lock()
	if r.arrived == nil {
		r.arrived = map[string]bool{}
	}
	again := r.arrived[number+" "+m.Info.ID]
	r.arrived[number+" "+m.Info.ID] = true
	r.mu.Unlock()
	if again {
		return
	}
	key, group := phonetest.Text(m.Message), ""
	if m.Info.IsGroup {
		group = m.Info.Chat.User
	}
	r.add(observed{Kind: "call", Begin: r.now(), Gateway: "linked", Reference: m.Info.ID, Key: key, To: each(group, number, group), Message: "?", Result: "accepted"})
}

// endpoint receives the account's webhooks and returns its origin.
func (r *recorder) endpoint(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return // Griot was killed while it sent the request
		}
		r.delivered(request.Header.Get("webhook-id"), body)
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// delivered adds an event of the account.
func (r *recorder) delivered(id string, body []byte) {
	var b struct{ Event, MessageID, Status, Text, Type string }
	if json.Unmarshal(body, &b) != nil {
		return
	}
	switch b.Event {
	case "message.status":
		sum := sha256.Sum256(body)
		r.add(observed{Kind: "webhook", Begin: r.now(), ID: id, Message: b.MessageID, Status: strings.ToUpper(b.Status), Digest: hex.EncodeToString(sum[:8])})
	case "message.received":
		r.add(observed{Kind: "received", Begin: r.now(), ID: id, Message: b.MessageID, Content: content(b.Text, b.Type, b.MessageID)})
	}
}

// content identifies a message of a person: by its text, or if there is none, by its kind and ID.
func content(text, kind, id string) string {
	if text == "" {
		return kind + " " + id
	}
	return text
}

// counts returns a summary.
func counts(all []observed) string {
	n := map[string]int{}
	for _, e := range all {
		switch {
		case e.Kind == "written" || e.Kind == "send":
			n[e.Kind+" "+e.Result]++
		case e.Kind == "final" && e.Code != "":
			n["final "+e.Code]++
		case e.Kind == "final":
			n["final "+e.Status]++
		case e.Kind == "call" || e.Kind == "stored":
			n[e.Kind]++
		}
	}
	return fmt.Sprint(n)
}

// outcomes waits until each accepted message has ended, and calls end for its end, unless that is nil.
func (r *round) outcomes(end func(observed)) {
	r.t.Helper()
	type status struct {
		Status string
		Error  struct{ Code string }
		Events []struct{ Note string }
	}
	r.rec.mu.Lock()
	messages := slices.Sorted(maps.Values(r.rec.keys))
	r.rec.mu.Unlock()
	for _, id := range slices.Compact(messages) {
		var s status
		eventually(r.t, "the end of "+id, func() string {
			s = status{}
			r.get(r.shop.key, "/api/status/"+id, &s)
			switch s.Status {
			case "SENT", "DELIVERED", "READ", "FAILED", "EXPIRED", "CANCELED":
				return ""
			}
			return fmt.Sprintf("%+v\n%s", s, r.griot.out)
		})
		if end == nil {
			continue
		}
		e := observed{Kind: "final", Begin: r.rec.now(), Message: id, Status: s.Status, Code: s.Error.Code}
		for _, step := range s.Events {
			e.Delayed = e.Delayed || step.Note == "retry" || strings.Contains(step.Note, "unknown") || strings.Contains(step.Note, "not seen")
		}
		end(e)
	}
}

// events waits for an account's webhooks, and records those that still wait: a claim of a killed process lasts up to a minute.
func (r *round) events(who tradesman) {
	r.t.Helper()
	type page struct {
		Events     []struct{ EventID string }
		NextCursor string
	}
	deadline := time.Now().Add(5 * time.Second)
	for cursor := "&limit=200"; cursor != ""; {
		var list page
		r.get(who.key, "/api/webhooks/events?delivery=pending"+cursor, &list)
		if len(list.Events) > 0 && time.Now().Before(deadline) {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		for _, e := range list.Events {
			var whole struct{ Body string }
			r.get(who.key, "/api/webhooks/events/"+e.EventID, &whole)
			r.rec.delivered(e.EventID, []byte(whole.Body))
		}
		if cursor = list.NextCursor; cursor != "" {
			cursor = "&limit=200&cursor=" + cursor
		}
	}
}

// inbox records an account's conversations.
func (r *round) inbox(who tradesman) {
	r.t.Helper()
	var list struct {
		Conversations []struct{ ID, ContactPhone string }
	}
	r.get(who.key, "/api/inbox/conversations?limit=100", &list)
	for _, c := range list.Conversations {
		var found []observed
		for cursor := ""; ; {
			var page struct {
				Messages []struct {
					ID, Direction, Type, Content string
				}
				NextCursor string
			}
			r.get(who.key, "/api/inbox/conversations/"+c.ID+"/messages?limit=100&cursor="+cursor, &page)
			for _, m := range page.Messages {
				if strings.HasPrefix(strings.ToLower(m.Direction), "in") {
					found = append(found, observed{Kind: "stored", Begin: r.rec.now(), Sender: who.number, To: strings.TrimPrefix(c.ContactPhone, "+"), Message: m.ID, Content: content(m.Content, m.Type, m.ID)})
				}
			}
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		for n := range found { // newest first
			found[n].Place = len(found) - n
			r.rec.add(found[n])
		}
	}
}
