package gatewaytest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"example.com/griot/gateway"
)

// hidesNumbers reports whether the provider has people whose number is hidden.
func hidesNumbers(s Subject) bool {
	return s.Channel == gateway.WhatsApp && s.Provider.HideNumber != nil
}

// checkHiddenNumber checks that a message of a person with a hidden number reaches the sink with the ID alone, that a
// message to the ID arrives and is reported with it, that the person's message can be marked as read, and that an ID is
// never taken as a number.
func checkHiddenNumber(s Subject) error {
	number := s.To[0]
	id := s.Provider.HideNumber(number)
	s.Secrets = append(slices.Clip(s.Secrets), id) // errors and logs must not contain it
	s.Provider.SendInbound(gateway.Inbound{Channel: s.Channel, From: number, To: s.From, Text: textWord})
	if err := s.wait(func() bool { return len(s.Sink.Messages()) > 0 }); err != nil {
		return fmt.Errorf("the message of a person without a number has not come in: %w", err)
	}
	in := s.Sink.Messages()[0]
	if in.From != "" || in.Person.ID != id || in.Text != textWord || in.To != s.From {
		return fmt.Errorf("the message of a person without a number came in as %+v, want the ID %q and no number", in, id)
	}
	byID := s.message(0)
	byID.To, byID.ToID = "", id
	sent, err := s.send(context.Background(), byID)
	if err := errors.Join(err, sent.accepted()); err != nil {
		return fmt.Errorf("to an ID: %w", err)
	}
	asNumber := s.message(0)
	asNumber.To = id
	refused, err := s.send(context.Background(), asNumber)
	if err := errors.Join(err, refused.failed(gateway.Permanent, gateway.Unreachable)); err != nil {
		return fmt.Errorf("to an ID in place of a number: %w", err)
	}
	if err := s.arrived(sent); err != nil {
		return err
	}
	if reader, ok := s.Sender.(gateway.Reader); ok {
		r := &gateway.Read{Channel: s.Channel, From: s.From, ToID: id, IDs: []string{in.ID}, At: s.Clock.Now()}
		if err := s.markRead(context.Background(), reader, r); err != nil {
			return err
		}
		if told := s.Provider.ReadMarks(); !slices.Contains(told, in.ID) {
			return fmt.Errorf("the provider was told that %q were read, want %q among them", told, in.ID)
		}
	}
	if word := s.leakedWord(s.Logged()); word != "" {
		return fmt.Errorf("the log repeats %q", word)
	}
	if !s.Sender.Info().Receipts {
		return nil
	}
	if err := s.wait(func() bool { return slices.ContainsFunc(s.Sink.Receipts(), sent.delivered) }); err != nil {
		return fmt.Errorf("a message to an ID is not reported delivered: %w", err)
	}
	for _, r := range s.Sink.Receipts() {
		if sent.reportedBy(r) && (r.Recipient != "" || r.Person.ID != id) {
			return fmt.Errorf("a message to an ID is reported as %+v, want the ID %q and no number", r, id)
		}
	}
	return nil
}
