package remote

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/strictjson"
	"example.com/griot/internal/whatsappid"
)

// WebhookHandler implements [gateway.WebhookReceiver]. It handles POST /events.
func (s *sender) WebhookHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(HeaderFeatures, Features)
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
	err := errEvent
	if strictjson.Unmarshal(body, &e) == nil {
		err = s.store(r.Context(), &e)
	}
	switch {
	case errors.Is(err, errEvent):
		s.unhandled(gateway.UnhandledUnreadable)
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
	if slices.Contains([]string{"receipt", "inbound", "change", "connection"}, t) {
		return t
	}
	return "unknown"
}

// store passes an event to the sink. Events of unknown types are accepted, counted, and dropped.
func (s *sender) store(ctx context.Context, e *Event) error {
	switch {
	case e.Type == "receipt" && e.Receipt != nil:
		r, ok := e.Receipt.receipt(s.settings.Portfolio)
		if !ok {
			return errEvent
		}
		return s.sink.Receipt(ctx, r)
	case e.Type == "inbound" && e.Inbound != nil:
		return s.storeInbound(ctx, e.Inbound)
	case e.Type == "change" && e.Change != nil:
		return s.storeChange(ctx, e.Change)
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
	s.unhandled(gateway.UnhandledKind)
	s.log.Warn("an event of an unknown type was dropped")
	return nil
}

// storeInbound passes a message to the sink. If the message doesn't show its number, the number is only reported as
// that of the ID, with the time of the provider's report, so that it is used under the same conditions as other pairs.
func (s *sender) storeInbound(ctx context.Context, e *InboundEvent) error {
	in, ok := e.inbound(s.settings)
	if !ok {
		return errEvent
	}
	if e.Kind != "" && !gateway.InboundType(e.Kind).Known() {
		s.unhandled(gateway.UnhandledKind)
		s.log.Warn("the kind of a message is unknown: its text is kept")
	}
	switch e.FromSource {
	case "", loose(gateway.NumberShown):
		return s.sink.Inbound(ctx, in)
	}
	if in.Person.ID == "" {
		in.Source = gateway.NumberPaired
		return s.sink.Inbound(ctx, in)
	}
	pair := gateway.Change{Channel: in.Channel, Kind: gateway.PairKnown, To: in.To, From: in.From, Person: in.Person}
	in.From = ""
	if at, err := time.Parse(time.RFC3339, string(e.FromPairedAt)); err == nil && pair.From != "" {
		if pair.At = at.UTC(); !pair.At.Before(s.now()) {
			pair.At = s.now()
		}
		if err := s.sink.Change(ctx, pair); err != nil {
			return err
		}
	}
	return s.sink.Inbound(ctx, in)
}

// storeChange passes a change to the sink. Changes of unknown kinds are accepted, counted, and dropped.
func (s *sender) storeChange(ctx context.Context, e *ChangeEvent) error {
	if e.Kind != "" && !e.Kind.Known() {
		s.unhandled(gateway.UnhandledKind)
		s.log.Warn("a change of an unknown kind was dropped")
		return nil
	}
	c, ok := e.change(s.settings, s.now())
	if !ok {
		return errEvent
	}
	return s.sink.Change(ctx, c)
}

// parse returns the number, in E.164 digits, and the ID. Values of another form are ignored. ok is false if neither is
// known. An ID instead of the number is accepted, too.
func (p *Person) parse(portfolio string) (number string, id gateway.PersonID, ok bool) {
	n, _ := phone.Parse(string(p.From))
	for _, given := range []loose{p.FromID, p.From, p.FromParentID} {
		if id.ID == "" && whatsappid.Is(string(given)) {
			id.ID = string(given)
		}
	}
	if parent, isID := whatsappid.Parse(string(p.FromParentID)); isID && parent.Parent() && string(parent) != id.ID {
		id.ParentID = string(parent)
	}
	if id.ID == "" {
		return string(n), gateway.PersonID{}, n != ""
	}
	id.Portfolio, id.Username = portfolio, username(string(p.FromUsername))
	return string(n), id, true
}

// maxUsername is more than WhatsApp permits, in bytes.
const maxUsername = 64

// username returns a username without its @, or "" if it can't be one.
func username(s string) string {
	s = strings.TrimPrefix(s, "@")
	if len(s) > maxUsername || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == utf8.RuneError || !unicode.IsPrint(r) }) {
		return ""
	}
	return s
}

func (e *ReceiptEvent) receipt(portfolio string) (gateway.Receipt, bool) {
	statuses := []gateway.ReceiptStatus{gateway.ReceiptSent, gateway.ReceiptDelivered, gateway.ReceiptRead, gateway.ReceiptFailed}
	if e.Reference != "" && !gateway.IsRef(e.Reference, maxRef) || e.Reference == "" && e.ProviderID == "" ||
		!slices.Contains(statuses, e.Status) || e.At.IsZero() {
		return gateway.Receipt{}, false
	}
	r := gateway.Receipt{Ref: e.Reference, ProviderID: e.ProviderID, Status: e.Status, At: e.At.UTC()}
	r.Recipient, r.Person, _ = (&Person{From: e.Recipient, FromID: e.RecipientID}).parse(portfolio)
	if p := e.Pricing; p != nil && p.Billable != nil {
		r.Pricing = &gateway.Pricing{Billable: *p.Billable, Category: gateway.PricingCategory(string(p.Category))}
	}
	if e.Status == gateway.ReceiptFailed {
		r.Err = &gateway.Error{Class: gateway.Permanent, Code: "delivery_failed"}
		if e.Error != nil && slices.Contains(gateway.Classes(), e.Error.Class) {
			r.Err = e.Error.asError("delivery_failed")
		}
	}
	return r, true
}

// change returns the change. A time that is missing or in the future becomes now.
func (e *ChangeEvent) change(set *settings, now time.Time) (gateway.Change, bool) {
	number, person, known := e.parse(set.Portfolio)
	to, toOK := phone.Parse(e.To)
	oldNumber, old, hadOld := (&Person{From: e.OldNumber, FromID: e.OldID, FromParentID: e.OldParentID}).parse("")
	c := gateway.Change{
		ID: e.ID, Channel: e.Channel, Kind: e.Kind, To: string(to), From: number, Person: person, OldNumber: oldNumber, OldID: old.ID, OldParent: old.ParentID,
		MessageID: e.MessageID, At: e.At.UTC().Truncate(time.Millisecond),
	}
	if e.At.IsZero() || e.At.After(now) {
		c.At = now
	}
	ok := toOK && e.Channel == gateway.WhatsApp && slices.Contains(set.Channels, e.Channel) && isText(e.ID, maxID) && isText(e.MessageID, maxID)
	switch e.Kind {
	case gateway.NumberChanged, gateway.IDChanged:
		ok = ok && known && hadOld
	case gateway.PairKnown:
		ok = ok && number != "" && person.ID != ""
	case gateway.MessageEdited:
		content, contentOK := gateway.Inbound{}, false
		if e.Content != nil {
			content, contentOK = e.Content.content()
		}
		c.Content = &content
		ok = ok && known && e.MessageID != "" && contentOK
	case gateway.MessageDeleted:
		ok = ok && known && e.MessageID != ""
	case gateway.MarketingStopped, gateway.MarketingResumed:
		ok = ok && known
	case gateway.MessageUnreadable: // its sender can be unknown
	default:
		ok = false
	}
	return c, ok
}

// Limits for the fields of an inbound message, in bytes.
const (
	maxID   = 256
	maxName = 512
	maxURL  = 4096
)

// isText reports whether s is a text of at most limit bytes that a database accepts.
func isText(s string, limit int) bool {
	return len(s) <= limit && utf8.ValidString(s) && !strings.ContainsRune(s, 0)
}

func (e *InboundEvent) inbound(set *settings) (gateway.Inbound, bool) {
	in, ok := e.content()
	number, person, fromOK := e.parse(set.Portfolio)
	to, toOK := phone.Parse(e.To)
	if e.Channel == gateway.SMS {
		if number == "" {
			fromOK, person = in.SetLocal(string(e.From)), gateway.PersonID{}
		}
		if !toOK && phone.IsShortCode(e.To) {
			to, toOK = phone.Number(e.To), true
		}
	}
	ok = ok && fromOK && toOK && e.ID != "" && isText(e.ID, maxID) && isText(e.DisplayName, maxName) && !e.At.IsZero() &&
		slices.Contains(set.Channels, e.Channel) && e.Channel != gateway.Email &&
		(e.ReplyTo == "" || gateway.IsRef(e.ReplyTo, maxRef)) && isText(e.ReplyToID, maxID)
	in.ID, in.Channel, in.From, in.Person, in.To, in.DisplayName = e.ID, e.Channel, number, person, string(to), e.DisplayName
	in.ReplyTo = gateway.Quoted{Ref: e.ReplyTo, ProviderID: e.ReplyToID}
	in.Standby, in.At = bool(e.Standby), e.At.UTC().Truncate(time.Millisecond)
	return in, ok
}

// content returns the fields of a message that don't depend on who wrote it. A message of an unknown kind is
// [gateway.InboundOther].
func (e *InboundEvent) content() (in gateway.Inbound, ok bool) {
	media, ok := e.media()
	in = gateway.Inbound{
		Type: gateway.InboundType(e.Kind), Text: e.Text, Response: gateway.Response(e.Response),
		MediaURL: media.URL, MediaData: string(media.Data), MediaLost: media.Missing, MIMEType: media.MIMEType, FileName: media.FileName,
	}
	if in.Type != "" && !in.Type.Known() {
		in.Type = gateway.InboundOther
	}
	ok = ok && isText(e.Text, len(e.Text)) && isText(media.URL, maxURL) && isText(media.MIMEType, maxName) && isText(media.FileName, maxName)
	if e.Choice != nil {
		in.Choice = gateway.Choice{ID: e.Choice.ID, Title: e.Choice.Title}
		in.Text = cmp.Or(e.Text, e.Choice.Title)
		ok = ok && e.Choice.Title != "" && isText(e.Choice.ID, maxName) && isText(e.Choice.Title, maxName)
	}
	return in, ok && (in.Response != "" || len(e.Response) == 0 || string(e.Response) == "null")
}
