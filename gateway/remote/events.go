package remote

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/strictjson"
)

// WebhookHandler implements [gateway.WebhookReceiver]. It handles POST /events.
func (s *sender) WebhookHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/events" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if r.Method == http.MethodPost {
			if _, err := Known(s.settings.keys, r.Header, s.now()); err != nil { // before the body is read
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
		}
		s.webhook.ServeHTTP(w, r)
	})
}

var errEvent = errors.New("the event is invalid")

// processEvent checks the signature of an event and stores it. It returns 200 if the event is stored, 400 if it is
// invalid, and 503 if the gateway must repeat it.
func (s *sender) processEvent(r *http.Request, body []byte) int {
	if err := Check(s.settings.keys, r.Header, r.Method, r.URL.RequestURI(), body, s.now()); err != nil {
		return http.StatusUnauthorized
	}
	var e Event
	if strictjson.Unmarshal(body, &e) != nil {
		return http.StatusBadRequest
	}
	err := s.store(r.Context(), &e)
	switch {
	case errors.Is(err, errEvent):
		s.log.Warn("an event of the remote gateway was refused", "type", loggableType(e.Type))
		return http.StatusBadRequest
	case err != nil:
		s.log.Error("storing an event of the remote gateway", "type", loggableType(e.Type), "err", err)
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// loggableType returns an event's type, or "unknown".
func loggableType(t string) string {
	if slices.Contains([]string{"receipt", "inbound", "connection"}, t) {
		return t
	}
	return "unknown"
}

// store passes an event to the sink. Events of unknown types are accepted and ignored.
func (s *sender) store(ctx context.Context, e *Event) error {
	switch {
	case e.Type == "receipt" && e.Receipt != nil:
		r, ok := e.Receipt.receipt()
		if !ok {
			return errEvent
		}
		return s.sink.Receipt(ctx, r)
	case e.Type == "inbound" && e.Inbound != nil:
		in, ok := e.Inbound.inbound(s.settings.Channels)
		if !ok {
			return errEvent
		}
		return s.sink.Inbound(ctx, in)
	case e.Type == "connection" && e.Connection != nil:
		if !e.Connection.valid() || !slices.Contains(s.settings.Channels, e.Connection.Channel) || e.Connection.From == "" {
			return errEvent
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if now := s.now(); e.Connection.At.IsZero() || e.Connection.At.After(now) {
			e.Connection.At = now
		}
		s.setState(*e.Connection)
		return nil
	case e.Type == "" || loggableType(e.Type) == e.Type:
		return errEvent
	}
	return nil
}

func (e *ReceiptEvent) receipt() (gateway.Receipt, bool) {
	statuses := []gateway.ReceiptStatus{gateway.ReceiptSent, gateway.ReceiptDelivered, gateway.ReceiptRead, gateway.ReceiptFailed}
	if e.Reference != "" && !gateway.IsRef(e.Reference, maxRef) || e.Reference == "" && e.ProviderID == "" ||
		!slices.Contains(statuses, e.Status) || e.At.IsZero() {
		return gateway.Receipt{}, false
	}
	r := gateway.Receipt{Ref: e.Reference, ProviderID: e.ProviderID, Status: e.Status, At: e.At.UTC()}
	if e.Status == gateway.ReceiptFailed {
		r.Err = &gateway.Error{Class: gateway.Permanent, Code: "delivery_failed"}
		if e.Error != nil && slices.Contains(gateway.Classes(), e.Error.Class) {
			r.Err = e.Error.asError("delivery_failed")
		}
	}
	return r, true
}

// Limits for the fields of an inbound message, in bytes.
const (
	maxID   = 256
	maxName = 512
	maxURL  = 4096
)

func (e *InboundEvent) inbound(channels []gateway.Channel) (gateway.Inbound, bool) {
	media, mediaOK := e.media()
	from, fromOK := phone.Parse(e.From)
	to, toOK := phone.Parse(e.To)
	ok := mediaOK && fromOK && toOK && e.ID != "" && len(e.ID) <= maxID && len(e.DisplayName) <= maxName && len(media.FileName) <= maxName &&
		len(media.MIMEType) <= maxName && len(media.URL) <= maxURL && !e.At.IsZero() && (e.Kind == "" || e.Kind.Known()) &&
		slices.Contains(channels, e.Channel) && e.Channel != gateway.Email
	var choice gateway.Choice
	if e.Choice != nil {
		choice = gateway.Choice{ID: e.Choice.ID, Title: e.Choice.Title}
		ok = ok && choice.Title != "" && len(choice.ID) <= maxName && len(choice.Title) <= maxName
	}
	response := gateway.Response(e.Response)
	ok = ok && (response != "" || len(e.Response) == 0 || string(e.Response) == "null") &&
		(e.ReplyTo == "" || gateway.IsRef(e.ReplyTo, maxRef)) && len(e.ReplyToID) <= maxID
	for _, s := range []string{e.ID, e.DisplayName, e.Text, media.URL, media.MIMEType, media.FileName, choice.ID, choice.Title, e.ReplyToID} {
		ok = ok && utf8.ValidString(s) && !strings.ContainsRune(s, 0)
	}
	return gateway.Inbound{
		Choice: choice, Response: response, ReplyTo: gateway.Quoted{Ref: e.ReplyTo, ProviderID: e.ReplyToID},
		ID: e.ID, Channel: e.Channel, From: string(from), To: string(to), DisplayName: e.DisplayName, Type: e.Kind, Text: cmp.Or(e.Text, choice.Title),
		MediaURL: media.URL, MediaData: string(media.Data), MediaLost: media.Missing, MIMEType: media.MIMEType, FileName: media.FileName, At: e.At.UTC().Truncate(time.Millisecond),
	}, ok
}
