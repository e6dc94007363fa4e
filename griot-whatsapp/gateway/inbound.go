package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/store"
)

// Inbound implements [device.Handler] by storing the message for Griot.
func (n *number) Inbound(ctx context.Context, m device.Inbound) error {
	s := n.g.config.Store
	event := protocol.Inbound{
		ID: m.ID, Channel: "whatsapp", From: m.From, To: n.name, DisplayName: m.DisplayName, Kind: m.Kind, Text: m.Text, At: m.At.UTC(),
	}
	eventID := "inbound/" + n.name + "/" + m.From + "/" + m.ID
	if err := s.NoteWriter(ctx, n.name, m.From); err != nil {
		return err
	}
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
	return n.add(ctx, eventID, protocol.Event{Type: "inbound", Inbound: &event})
}

// choice returns the choice that a person has made in reply to the latest numbered question, and the reference of that message.
func (n *number) choice(ctx context.Context, m device.Inbound) (*protocol.Choice, string, error) {
	s := n.g.config.Store
	asked, stored, err := s.Question(ctx, n.name, m.From)
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
		event := protocol.Event{Type: "receipt", Receipt: &protocol.Receipt{Reference: sent.Reference, ProviderID: id, Status: r.Status, At: r.At.UTC()}}
		if err := n.add(ctx, "receipt/"+sent.Reference+"/"+r.Status, event); err != nil {
			return err
		}
	}
	return nil
}

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

// add stores an event.
func (n *number) add(ctx context.Context, id string, e protocol.Event) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	err = n.g.config.Store.Add(ctx, id, body)
	switch {
	case err != nil:
	case e.Receipt != nil:
		n.g.metrics.receipts.WithLabelValues(e.Receipt.Status).Inc()
	case e.Inbound != nil:
		n.g.metrics.inbound.Inc()
	}
	return err
}
