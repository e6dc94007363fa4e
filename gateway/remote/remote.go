package remote

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/internal/clock"
)

// sender sends messages through one remote gateway.
type sender struct {
	*httpcall.Client
	settings     *settings
	webhook      *httpcall.Webhook
	sink         gateway.Sink
	now          clock.Now
	log          *slog.Logger
	reportHealth func(error) // called with nil if the gateway responds, otherwise with the failure
	unhandled    func(reason string)
	fetching     chan struct{} // semaphore for one info request

	mu     sync.Mutex
	info   *Info     // nil before the first response
	infoAt time.Time // time of info; zero: it must be fetched before the next Send
	down   bool      // the last info request has failed
	states map[connection]ConnectionEvent
}

type connection struct {
	channel gateway.Channel
	from    string
}

// Limits of a response, of an event, and of all events in memory, in bytes.
const (
	maxAnswer = 8 << 20
	maxEvent  = 23 << 20 // 16 MiB in base64, and the other fields
	maxEvents = 96 << 20 // half of it, for addresses without a signed request, has space for one event
)

// Open implements [gateway.Driver]. It makes no request; docs/gateways/remote.md lists the settings.
func Open(raw json.RawMessage, deps gateway.Deps) (gateway.Sender, error) {
	set, client, err := parse(raw)
	if err != nil {
		return nil, err
	}
	s := &sender{
		Client: client, settings: set, sink: deps.Sink, now: deps.Now, log: deps.Log, reportHealth: deps.ConnectionReporter(), unhandled: deps.UnhandledCounter(), fetching: make(chan struct{}, 1), states: map[connection]ConnectionEvent{},
	}
	s.webhook = &httpcall.Webhook{MaxBody: maxEvent, MaxHeld: maxEvents, Handle: s.processEvent}
	return s, nil
}

// Info implements [gateway.Sender]. Before the gateway's first info, its only capability is sending.
func (s *sender) Info() gateway.Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	info := gateway.Info{Channels: slices.Clone(s.settings.Channels), Transliterates: s.settings.Transliterate}
	if s.info == nil {
		return info
	}
	info.Deduplicates, info.Receipts, info.Media, info.Replies = s.info.Deduplicates, s.info.Receipts, s.info.Media != "", s.info.Replies
	info.MediaByLink = s.info.Media == MediaByLink
	info.Pairs = s.info.Pairing
	info.ByProviderID = info.Receipts // an event can identify a message by either
	info.Pace = gateway.Pace{
		Sender: time.Duration(s.info.Pace.Sender) * time.Millisecond, Pair: time.Duration(s.info.Pace.Pair) * time.Millisecond, Burst: s.info.Pace.Burst,
	}
	return info
}

// Query implements [gateway.Querier].
func (s *sender) Query(ctx context.Context, ref string) (bool, gateway.Ack, error) {
	if !gateway.IsRef(ref, maxRef) {
		return false, gateway.Ack{}, &gateway.Error{Class: gateway.Permanent, Code: "reference_invalid"}
	}
	answer, failure := s.call(ctx, http.MethodGet, "/messages/"+ref, nil)
	if failure != nil {
		return false, gateway.Ack{}, failure
	}
	if answer.Status == http.StatusNotFound && readRefusal(answer).Code == codeNeverSeen {
		return false, gateway.Ack{}, nil
	}
	ack, failure := readAck(answer, ref)
	if failure != nil {
		return false, gateway.Ack{}, failure
	}
	return true, ack, nil
}

// Groups implements [gateway.GroupLister].
func (s *sender) Groups(ctx context.Context, from string) ([]gateway.Group, error) {
	if failure := s.ensureInfo(ctx); failure != nil {
		return nil, failure
	}
	s.mu.Lock()
	hasGroups := s.info.Groups
	s.mu.Unlock()
	if !hasGroups {
		return nil, nil
	}
	answer, failure := s.call(ctx, http.MethodGet, "/groups?from="+url.QueryEscape(from), nil)
	if failure != nil {
		return nil, failure
	}
	var list GroupList
	if failure := readAnswer(answer, &list); failure != nil {
		return nil, failure
	}
	groups := make([]gateway.Group, 0, len(list.Groups))
	for _, g := range list.Groups {
		if g.ID != "" {
			groups = append(groups, gateway.Group{ID: g.ID, Name: g.Name, Participants: g.Participants, IsAdmin: g.IsAdmin})
		}
	}
	return groups, nil
}

// call makes one signed request. target is the path and query below the gateway's base URL.
func (s *sender) call(ctx context.Context, method, target string, body []byte) (*httpcall.Answer, *gateway.Error) {
	header := http.Header{"Accept": {"application/json"}}
	if body != nil {
		header.Set("Content-Type", "application/json")
	}
	s.sign(header, method, target, body)
	return s.Do(ctx, &httpcall.Request{Method: method, URL: s.settings.URL + target, Header: header, Body: body})
}

// sign adds the headers of a request to h.
func (s *sender) sign(h http.Header, method, target string, body []byte) {
	h.Set(HeaderFeatures, Features)
	s.settings.keys[0].Sign(h, method, target, body, s.now())
}

// maxRef is the maximum length of a reference in the protocol, in characters.
const maxRef = 200
