package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/store"
)

// received returns the event for a message without its attachment, choice, and quote. It notes that the person has written.
func (n *number) received(ctx context.Context, m *device.Inbound) (protocol.Inbound, error) {
	s := n.g.config.Store
	event := protocol.Inbound{
		ID: m.ID, Channel: "whatsapp", From: m.From.Number, FromID: m.From.ID, To: n.name, DisplayName: m.DisplayName, Kind: m.Kind, Text: m.Text, At: m.At.UTC(),
	}
	if event.From == "" && m.Known != "" {
		at, err := s.Confirmed(ctx, store.Pair{ID: m.From.ID, Phone: m.Known})
		if err != nil {
			return event, err
		}
		event.From, event.FromSource, event.FromPairedAt = m.Known, protocol.SourcePaired, at
	}
	for _, writer := range []string{m.From.Number, m.From.ID} {
		if writer == "" {
			continue
		}
		if err := s.NoteWriter(ctx, n.name, writer); err != nil {
			return event, err
		}
	}
	return event, nil
}

// Inbound implements [device.Handler] by storing the message for Griot.
func (n *number) Inbound(ctx context.Context, m device.Inbound) error {
	if m.Own {
		return n.own(ctx, &m)
	}
	s := n.g.config.Store
	event, err := n.received(ctx, &m)
	if err != nil {
		return err
	}
	eventID := "inbound/" + n.name + "/" + cmp.Or(m.From.Number, m.From.ID) + "/" + m.ID // the same if WhatsApp repeats it
	if err := n.attach(ctx, &event, m, eventID); err != nil {
		return err
	}
	if m.Kind == "text" {
		choice, question, err := n.choice(ctx, m)
		if err != nil {
			return err
		}
		if choice != nil {
			event.Choice, event.ReplyTo = choice, question
		}
	}
	if m.ReplyTo != "" {
		answered, err := s.ByMessageID(ctx, n.name, m.ReplyTo)
		switch {
		case err != nil:
			return err
		case answered != nil:
			event.ReplyTo = answered.Reference
		case event.ReplyTo == "":
			event.ReplyToID = m.ReplyTo
		}
	}
	if err := n.add(ctx, eventID, m.From, protocol.Event{Type: "inbound", Inbound: &event}); err != nil || !m.Again {
		return err
	}
	return n.Withdrawn(ctx, m.ID)
}

// own stores that the owner of the number has written to a person on another device. A message that Griot has sent is
// none: its reference is stored before it is submitted.
func (n *number) own(ctx context.Context, m *device.Inbound) error {
	sent, err := n.g.config.Store.ByMessageID(ctx, n.name, m.ID)
	if err != nil {
		return err
	}
	if sent != nil {
		n.Dropped(device.DroppedOwn)
		return nil
	}
	change := protocol.Change{
		ID: m.ID, Kind: protocol.MessageSent, Channel: "whatsapp", From: m.From.Number, FromID: m.From.ID, To: n.name, MessageID: m.ID, At: m.At.UTC(),
		Content: &protocol.Content{Kind: m.Kind, Text: m.Text, MIMEType: m.MIMEType, FileName: m.FileName, ReplyToID: m.ReplyTo},
	}
	return n.add(ctx, "own/"+n.name+"/"+m.ID, m.From, protocol.Event{Type: "change", Change: &change})
}

// Withdrawn implements [device.Handler].
func (n *number) Withdrawn(ctx context.Context, id string) error {
	return n.g.config.Store.Cancel(ctx, n.unavailableID(id))
}

// Revised implements [device.Handler] by storing that a person, or the owner of the number, has edited or deleted a message.
func (n *number) Revised(ctx context.Context, r device.Revision) error {
	change := protocol.Change{ID: r.ID, Kind: protocol.MessageDeleted, Channel: "whatsapp", From: r.From.Number, FromID: r.From.ID, To: n.name, MessageID: r.MessageID, Own: r.Own, At: r.At.UTC()}
	if !r.Deleted {
		change.Kind, change.Content = protocol.MessageEdited, &protocol.Content{Kind: r.Kind, Text: r.Text}
	}
	return n.add(ctx, "revision/"+n.name+"/"+cmp.Or(r.From.Number, r.From.ID)+"/"+r.ID, r.From, protocol.Event{Type: "change", Change: &change})
}

// choice returns the choice that a person has made in reply to the latest numbered question, and the reference of that message.
func (n *number) choice(ctx context.Context, m device.Inbound) (*protocol.Choice, string, error) {
	s := n.g.config.Store
	asked, stored, err := s.Question(ctx, n.name, cmp.Or(m.From.ID, m.From.Number))
	if err == nil && asked == "" && m.From.ID != "" && m.From.Number != "" {
		asked, stored, err = s.Question(ctx, n.name, m.From.Number) // the ID was unknown then
	}
	if err != nil || asked == "" || m.ReplyTo != "" && m.ReplyTo != asked {
		return nil, "", err
	}
	var options []protocol.Choice
	if err := json.Unmarshal(stored, &options); err != nil {
		return nil, "", err
	}
	chosen := chosen(m.Text, options)
	if chosen == nil {
		return nil, "", nil
	}
	question, err := s.ByMessageID(ctx, n.name, asked)
	if err != nil || question == nil {
		return chosen, "", err
	}
	return chosen, question.Reference, nil
}

// Receipt implements [device.Handler] by storing receipts for messages that Griot has sent.
func (n *number) Receipt(ctx context.Context, r device.Receipt) error {
	s := n.g.config.Store
	for _, id := range r.MessageIDs {
		sent, err := s.ByMessageID(ctx, n.name, id)
		if err != nil {
			return err
		}
		if sent == nil { // the owner wrote this message on the phone
			continue
		}
		if sent.Status != store.Taken {
			if err := s.Finish(ctx, sent.Reference, store.Taken); err != nil {
				return err
			}
		}
		event := protocol.Event{Type: "receipt", Receipt: &protocol.Receipt{
			Reference: sent.Reference, ProviderID: id, Status: r.Status, Recipient: r.From.Number, RecipientID: r.From.ID, At: r.At.UTC(),
		}}
		if err := n.add(ctx, "receipt/"+sent.Reference+"/"+r.Status, r.From, event); err != nil {
			return err
		}
	}
	return nil
}

// Paired implements [device.Handler]. It tells Griot the numbers of people whose messages did not show one.
func (n *number) Paired(ctx context.Context, people []device.Person) error {
	pairs := make([]store.Pair, 0, len(people))
	for _, p := range people {
		pairs = append(pairs, store.Pair{ID: p.ID, Phone: p.Number})
	}
	hidden, err := n.g.config.Store.Confirm(ctx, n.name, pairs)
	for _, p := range hidden {
		change := protocol.Change{Kind: protocol.PairKnown, Channel: "whatsapp", From: p.Phone, FromID: p.ID, To: n.name, At: time.Now().UTC()}
		err = cmp.Or(err, n.add(ctx, "pair/"+n.name+"/"+p.ID+"/"+p.Phone, device.Person{ID: p.ID}, protocol.Event{Type: "change", Change: &change}))
	}
	if err != nil {
		n.g.config.Log.Warn("a person's number was not stored: it is stored when WhatsApp tells it again", "number", n.name, "error", err)
	}
	return err
}

// Limits of the reports of unreadable messages. Griot needs few: it tells people with an open login to write again.
const (
	unreadableEvery  = time.Minute // of one person
	unreadablePeople = 60          // in that time
)

// contentWait is the default of [Config.ContentWait]. The sender's phone repeats a message within seconds if it is online.
const contentWait = time.Minute

// unavailableID returns the ID of the event for a message without its content. It doesn't name the sender, who can be
// known by another address when the content comes.
func (n *number) unavailableID(id string) string { return "unavailable/" + n.name + "/" + id }

// Unreadable implements [device.Handler]. Griot gets the message without its content: now, or if the content might come,
// after [Config.ContentWait]. It also gets a report at once, because people with an open login should write again.
func (n *number) Unreadable(ctx context.Context, m device.Inbound, may bool) {
	n.g.metrics.unhandled.WithLabelValues("unreadable").Inc()
	var delay time.Duration
	if may {
		delay = n.g.config.ContentWait
		n.reportUnreadable(ctx, m.From, m.At)
	}
	event, err := n.received(ctx, &m)
	if err == nil {
		var body []byte
		if body, err = json.Marshal(protocol.Event{Type: "inbound", Inbound: &event}); err == nil {
			err = n.g.config.Store.Add(ctx, n.newEvent(n.unavailableID(m.ID), m.From, body, store.NeedsToReplace, delay))
		}
	}
	if err != nil {
		n.g.config.Log.Error("an unreadable message was lost", "number", n.name, "error", err)
	}
}

// reportUnreadable tells Griot that a person has written something that can't be read.
func (n *number) reportUnreadable(ctx context.Context, from device.Person, at time.Time) {
	if !n.mayReport(cmp.Or(from.ID, from.Number), time.Now()) {
		return
	}
	change := protocol.Change{Kind: protocol.MessageUnreadable, Channel: "whatsapp", From: from.Number, FromID: from.ID, To: n.name, At: at.UTC()}
	id := "unreadable/" + n.name + "/" + cmp.Or(from.ID, from.Number) + "/" + strconv.FormatInt(at.Unix(), 10)
	if err := n.add(ctx, id, from, protocol.Event{Type: "change", Change: &change}); err != nil {
		n.g.config.Log.Warn("an unreadable message was not reported", "number", n.name, "error", err)
	}
}

// mayReport counts a report of a person's unreadable message, and reports whether it is within the limits.
func (n *number) mayReport(person string, now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for p, at := range n.unreadable {
		if now.Sub(at) >= unreadableEvery {
			delete(n.unreadable, p)
		}
	}
	if _, recent := n.unreadable[person]; recent || len(n.unreadable) >= unreadablePeople {
		return false
	}
	n.unreadable[person] = now
	return true
}

// Dropped implements [device.Handler].
func (n *number) Dropped(reason string) { n.g.metrics.unhandled.WithLabelValues(reason).Inc() }

// Missed implements [device.Handler]. WhatsApp keeps the event that was not stored. The number reconnects when there
// is space, or after a pause if the reason was another failure.
func (n *number) Missed(err error) {
	now := time.Now()
	switch {
	case !errors.Is(err, store.ErrFull):
		if n.failed.CompareAndSwap(nil, &now) {
			n.g.config.Log.Error("something was not stored: WhatsApp brings it again", "number", n.name, "error", err)
		}
	case !n.full.Swap(true):
		n.g.config.Log.Error("no more events are stored until Griot has taken some: WhatsApp keeps what comes", "number", n.name)
	}
}

// newEvent returns an event of a person to be stored.
func (n *number) newEvent(id string, from device.Person, body []byte, needs store.Need, delay time.Duration) store.NewEvent {
	return store.NewEvent{ID: id, Number: n.name, Person: cmp.Or(from.ID, from.Number), Body: body, Needs: needs, Delay: delay}
}

// add stores an event of a person. It belongs to no conversation if the person is unknown.
func (n *number) add(ctx context.Context, id string, from device.Person, e protocol.Event) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	needs := store.NeedsNothing
	if e.Inbound != nil && e.Inbound.From == "" {
		needs = store.NeedsIDs
	}
	err = n.g.config.Store.Add(ctx, n.newEvent(id, from, body, needs, 0))
	switch {
	case err != nil:
	case e.Receipt != nil:
		n.g.metrics.receipts.WithLabelValues(e.Receipt.Status).Inc()
	case e.Inbound != nil:
		n.g.metrics.inbound.Inc()
	}
	return err
}
