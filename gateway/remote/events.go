package remote

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
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
	if strictjson.UnmarshalText(body, &e) == nil {
		err = s.store(r.Context(), &e)
	}
	switch {
	case errors.Is(err, errEvent):
		s.unhandled(gateway.UnhandledUnreadable)
		s.log.Warn("an event of the remote gateway was refused", "type", e.loggableType())
		return http.StatusBadRequest
	case err != nil:
		s.log.Error("storing an event of the remote gateway", "type", e.loggableType(), "err", err)
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// loggableType returns an event's type, or "unknown".
func (e *Event) loggableType() string {
	if slices.Contains([]string{"receipt", "inbound", "change", "connection"}, string(e.Type)) {
		return string(e.Type)
	}
	return "unknown"
}

// store passes an event to the sink. Events of unknown types are accepted, counted, and dropped, unless they contain a
// message.
func (s *sender) store(ctx context.Context, e *Event) error {
	known := e.loggableType() != "unknown"
	switch {
	case e.Type == "receipt" && e.Receipt != nil:
		r, ok := e.Receipt.receipt(s.settings.Portfolio, s.now())
		if !ok {
			return errEvent
		}
		return s.sink.Receipt(ctx, r)
	case e.Inbound != nil && (e.Type == "inbound" || !known):
		return s.storeInbound(ctx, e)
	case e.Type == "change" && e.Change != nil:
		return s.storeChange(ctx, e)
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
	case e.Type == "" || known:
		return errEvent
	}
	s.unhandled(gateway.UnhandledKind)
	s.log.Warn("an event of an unknown type was dropped")
	return nil
}

// storeInbound passes a message to the sink. If the message doesn't show its number, the number is only reported as
// that of the ID, with the time of the provider's report, so that it is used under the same conditions as other pairs.
func (s *sender) storeInbound(ctx context.Context, event *Event) error {
	e := event.Inbound
	in, guessed, ok := s.inbound(e)
	if !ok {
		return errEvent
	}
	if event.Type != "inbound" {
		guessed = append(guessed, "type")
	}
	if in.Order, ok = event.order(s.now()); !ok {
		guessed = append(guessed, "order")
	}
	if len(guessed) > 0 {
		s.log.Warn("a message of the remote gateway doesn't follow the protocol: it is stored without these fields, or with a guess", "fields", strings.Join(guessed, " "))
	}
	if e.Kind != "" && !gateway.InboundType(e.Kind).Known() {
		s.unhandled(gateway.UnhandledKind)
		s.log.Warn("the kind of a message is unknown: its text is kept")
	}
	switch e.FromSource {
	case "", looseSource(gateway.NumberShown):
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

// order returns the event's place in its conversation, or the zero time if it has none. ok is false for a value that is no
// time in milliseconds, or more than a day ahead.
func (e *Event) order(now time.Time) (at time.Time, ok bool) {
	if e.Order == "" {
		return time.Time{}, true
	}
	ms, err := strconv.ParseInt(string(e.Order), 10, 64)
	if at = time.UnixMilli(ms); err != nil || at.Before(firstOrder) || at.After(now.Add(24*time.Hour)) {
		return time.Time{}, false
	}
	return at, true
}

// firstOrder is the earliest time of an order, so that seconds aren't read as milliseconds.
var firstOrder = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// storeChange passes a change to the sink. Changes of unknown kinds are accepted, counted, and dropped.
func (s *sender) storeChange(ctx context.Context, event *Event) error {
	e := event.Change
	if e.Kind != "" && !gateway.ChangeKind(e.Kind).Known() {
		s.unhandled(gateway.UnhandledKind)
		s.log.Warn("a change of an unknown kind was dropped")
		return nil
	}
	c, ok := e.change(s.settings, s.now())
	if !ok {
		return errEvent
	}
	if c.Content != nil {
		c.Content.Order, _ = event.order(s.now())
	}
	return s.sink.Change(ctx, c)
}

// parse returns the number, in E.164 digits, and the ID. Values of another form are ignored. ok is false if neither is
// known. An ID instead of the number is accepted, too.
func (p *Person) parse(portfolio string) (number string, id gateway.PersonID, ok bool) {
	n, _ := phone.Region{}.Sender(string(p.From), phone.FormInternational)
	for _, given := range []httpcall.Word{p.FromID, p.From, p.FromParentID} {
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

// receipt returns the receipt. Without a time, it says the same, and the time is now. ok is false if it doesn't name a
// message or a status.
func (e *ReceiptEvent) receipt(portfolio string, now time.Time) (r gateway.Receipt, ok bool) {
	r = gateway.Receipt{ProviderID: string(e.ProviderID), Status: gateway.ReceiptStatus(e.Status)}
	if gateway.IsRef(string(e.Reference), maxRef) {
		r.Ref = string(e.Reference)
	}
	statuses := []gateway.ReceiptStatus{gateway.ReceiptSent, gateway.ReceiptDelivered, gateway.ReceiptRead, gateway.ReceiptFailed}
	if r.Ref == "" && r.ProviderID == "" || !slices.Contains(statuses, r.Status) {
		return gateway.Receipt{}, false
	}
	r.At, _ = e.At.Read(now)
	r.Recipient, r.Person, _ = (&Person{From: e.Recipient, FromID: e.RecipientID}).parse(portfolio)
	if p := e.Pricing; p != nil && p.Billable != nil {
		r.Pricing = &gateway.Pricing{Billable: *p.Billable, Category: gateway.PricingCategory(string(p.Category))}
	}
	if r.Status == gateway.ReceiptFailed {
		r.Err = &gateway.Error{Class: gateway.Permanent, Code: "delivery_failed"}
		if e.Error != nil && slices.Contains(gateway.Classes(), e.Error.Class) {
			r.Err = e.Error.asError("delivery_failed")
		}
	}
	return r, true
}

// change returns the change. A time that is missing or in the future becomes now. A number of ours that can't be read
// is empty, and the sink looks for it.
func (e *ChangeEvent) change(set *settings, now time.Time) (gateway.Change, bool) {
	number, person, known := e.parse(set.Portfolio)
	to, _ := phone.Parse(string(e.To))
	oldNumber, old, hadOld := (&Person{From: e.OldNumber, FromID: e.OldID, FromParentID: e.OldParentID}).parse("")
	c := gateway.Change{
		ID: limited(string(e.ID), maxID), Channel: gateway.WhatsApp, Kind: gateway.ChangeKind(e.Kind), To: string(to), From: number, Person: person,
		OldNumber: oldNumber, OldID: old.ID, OldParent: old.ParentID, MessageID: limited(string(e.MessageID), maxID),
	}
	at, _ := e.At.Read(now)
	if c.At = at.Truncate(time.Millisecond); at.After(now) || at.Equal(now) {
		c.At = now
	}
	channel := gateway.Channel(e.Channel)
	ok := slices.Contains(set.Channels, gateway.WhatsApp) && channel != gateway.SMS && channel != gateway.Email
	switch c.Kind {
	case gateway.NumberChanged, gateway.IDChanged:
		ok = ok && known && hadOld
	case gateway.PairKnown:
		ok = ok && number != "" && person.ID != ""
	case gateway.MessageEdited, gateway.MessageSent:
		content, _ := e.Content.content()
		c.Content, c.Own = &content, bool(e.Own)
		if e.Content != nil {
			content.ReplyTo.ProviderID = limited(string(e.Content.ReplyToID), maxID)
		}
		ok = ok && known && c.MessageID != "" && e.Content != nil
	case gateway.MessageDeleted:
		c.Own = bool(e.Own)
		ok = ok && known && c.MessageID != ""
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

// limited returns s, or "" if it is longer than limit bytes.
func limited[S ~string](s S, limit int) S {
	if len(s) > limit {
		return ""
	}
	return s
}

// inbound returns a message from a person. guessed lists the fields that don't follow the protocol. They are left out,
// or the best guess replaces them. ok is false if the message has no sender, or is of another channel of Griot's.
func (s *sender) inbound(e *InboundEvent) (in gateway.Inbound, guessed []string, ok bool) {
	doubt := func(field string, is bool) {
		if is {
			guessed = append(guessed, field)
		}
	}
	in, guessed = e.content()
	if in.From, in.Person, ok = e.parse(s.settings.Portfolio); in.From == "" && s.canBeSMS(e, ok) {
		ok, in.Person = in.SetLocal(string(e.From)), gateway.PersonID{}
	}
	if !ok {
		return in, nil, false
	}
	to := strings.TrimSpace(string(e.To))
	if n, isNumber := phone.Parse(to); isNumber || phone.IsShortCode(to) {
		in.To = cmp.Or(string(n), to)
	}
	doubt("to", in.To == "")
	if in.Channel, ok = s.channelOf(e, &in); !ok {
		return in, nil, false
	}
	doubt("channel", string(in.Channel) != string(e.Channel))
	in.DisplayName = limited(string(e.DisplayName), maxName)
	doubt("displayName", in.DisplayName != string(e.DisplayName))
	if gateway.IsRef(string(e.ReplyTo), maxRef) {
		in.ReplyTo.Ref = string(e.ReplyTo)
	}
	doubt("replyTo", in.ReplyTo.Ref != string(e.ReplyTo))
	in.ReplyTo.ProviderID = limited(string(e.ReplyToID), maxID)
	doubt("replyToId", in.ReplyTo.ProviderID != string(e.ReplyToID))
	in.Standby, in.At = bool(e.Standby), e.At.Or(s.now(), s.log).Truncate(time.Millisecond)
	in.ID = s.idOf(e, &in)
	doubt("id", in.ID != string(e.ID))
	return in, guessed, true
}

// named returns the channel that the event names.
func (e *InboundEvent) named() gateway.Channel {
	return gateway.Channel(strings.ToLower(strings.TrimSpace(string(e.Channel))))
}

// canBeSMS reports whether a message without a number can be an SMS from a name or a short code: if it names this
// channel, or none that the gateway has and no person on WhatsApp.
func (s *sender) canBeSMS(e *InboundEvent, isPerson bool) bool {
	return e.From != "" && e.named() == gateway.SMS || !isPerson && !slices.Contains(s.settings.Channels, e.named()) && slices.Contains(s.settings.Channels, gateway.SMS)
}

// channelOf returns a message's channel. If the event doesn't name one that it can be of, it is SMS for a sender with a
// number if the gateway has SMS: a number in an SMS is easily forged and proves no login, so a wrong guess signs nobody in.
// Otherwise, it is the only channel that is left. ok is false if the event names another channel than the gateway's.
func (s *sender) channelOf(e *InboundEvent, in *gateway.Inbound) (channel gateway.Channel, ok bool) {
	possible := slices.DeleteFunc(slices.Clone(s.settings.Channels), func(c gateway.Channel) bool {
		return c == gateway.Email || in.From == "" && (c == gateway.WhatsApp) == (in.Local != "")
	})
	named := e.named()
	switch {
	case slices.Contains(possible, named):
		return named, true
	case len(possible) == 0, slices.Contains([]gateway.Channel{gateway.WhatsApp, gateway.SMS, gateway.Email}, named) && !slices.Contains(s.settings.Channels, named), named == gateway.Email:
		return "", false
	}
	if slices.Contains(possible, gateway.SMS) {
		return gateway.SMS, true
	}
	return possible[0], true
}

// idOf returns a message's ID. If the gateway gives none, it is derived from the content, so that a repeated event
// doesn't repeat the message. If the time is unknown as well, it is only a repetition within the same minute, because
// people write the same word twice.
func (s *sender) idOf(e *InboundEvent, in *gateway.Inbound) string {
	if id := string(e.ID); strings.TrimSpace(id) != "" && len(id) <= maxID && !strings.ContainsRune(id, utf8.RuneError) {
		return id
	}
	at := string(e.At)
	if _, ok := e.At.Read(s.now()); !ok {
		at = s.now().UTC().Truncate(time.Minute).Format(time.RFC3339)
	}
	return gateway.DeriveID(string(e.ID), string(in.Channel), in.Address(), in.To, at, string(in.Type), in.Text, in.Choice.ID, in.Response, in.MediaURL, in.MediaData, in.ReplyTo.Ref, in.ReplyTo.ProviderID)
}

// content returns the fields of a message that don't depend on who wrote it. A message of an unknown kind is
// [gateway.InboundOther]. guessed lists the fields that don't follow the protocol. e can be nil.
func (e *InboundEvent) content() (in gateway.Inbound, guessed []string) {
	if e == nil {
		return in, nil
	}
	media, ok := e.media()
	if !ok {
		guessed = append(guessed, "media")
	}
	in = gateway.Inbound{
		Type: gateway.InboundType(e.Kind), Text: string(e.Text), Response: gateway.Response(e.Response),
		MediaURL: string(media.URL), MediaData: string(media.Data), MediaLost: string(media.Missing), MIMEType: string(media.MIMEType), FileName: string(media.FileName),
	}
	if in.Type != "" && !in.Type.Known() {
		in.Type = gateway.InboundOther
	}
	if e.Choice != nil {
		if e.Choice.Title == "" || len(e.Choice.Title) > maxName || len(e.Choice.ID) > maxName {
			guessed = append(guessed, "choice")
		} else {
			in.Choice = gateway.Choice{ID: string(e.Choice.ID), Title: string(e.Choice.Title)}
		}
		in.Text = cmp.Or(in.Text, string(e.Choice.Title))
	}
	if in.Response == "" && len(e.Response) > 0 && string(e.Response) != "null" {
		guessed = append(guessed, "response")
	}
	return in, guessed
}
