package delivery

import (
	"cmp"
	"context"
	"errors"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/person"
)

func statusOf(s gateway.ReceiptStatus) (message.Status, bool) {
	switch s {
	case gateway.ReceiptSent:
		return message.Sent, true
	case gateway.ReceiptDelivered:
		return message.Delivered, true
	case gateway.ReceiptRead:
		return message.Read, true
	case gateway.ReceiptFailed:
		return message.Failed, true
	}
	return "", false
}

// Receipt applies a delivery report, on any node. It returns nil once the report is stored, and for reports that
// change nothing because their reference is unknown or they are outdated. If a report arrives before the gateway's ID
// of its message is known, Receipt stores it until then. It returns [gateway.ErrForeign] if the message was never
// submitted to that gateway.
func (s *Service) Receipt(ctx context.Context, r gateway.Receipt) error {
	status := r.Status
	if r.Part != "" || r.Parts > 0 {
		var err error
		if status, err = s.countPart(ctx, &r); err != nil {
			return err
		}
	}
	to, ok := statusOf(status)
	if !ok {
		return nil
	}
	now := s.o.Now()
	if r.At.IsZero() || r.At.After(now.Add(time.Minute)) {
		r.At = now
	}
	e := &outbox.EarlyReceipt{Ref: r.Ref, Status: status, Rank: to.Rank(), At: r.At, Err: r.Err, Price: message.PriceOf(r.Pricing)}
	if r.Ref == "" {
		if r.Gateway == "" || r.ProviderID == "" {
			return nil
		}
		var err error
		if e.Ref, err = s.outbox.ResolveReference(ctx, r.Gateway, r.ProviderID, e); err != nil || e.Ref == "" {
			return err
		}
	}
	return s.applyReceipt(ctx, e, &r)
}

// applyEarlyReceipt applies a stored early receipt and deletes it.
func (s *Service) applyEarlyReceipt(ctx context.Context, e *outbox.EarlyReceipt) error {
	if err := s.applyReceipt(ctx, e, nil); err != nil {
		return err
	}
	return s.outbox.DeleteEarlyReceipt(ctx, e.Ref)
}

// applyReceipt applies a receipt. from is the receipt as it arrived, or nil if it was stored as an early receipt.
func (s *Service) applyReceipt(ctx context.Context, e *outbox.EarlyReceipt, from *gateway.Receipt) error {
	messageID, routeIndex, ok := message.ParseRef(e.Ref)
	if !ok {
		return nil
	}
	to, _ := statusOf(e.Status)
	news := &event{kind: receipt, routeIndex: routeIndex, status: to, at: e.At, err: e.Err, price: e.Price}
	if from != nil {
		news.id = from.ProviderID
	}
	if to == message.Failed && news.err == nil {
		news.err = &gateway.Error{Class: gateway.Permanent, Code: "delivery_failed"}
	}
	if m := s.outbox.Recent(messageID); m != nil {
		after, err := s.settleReceipt(ctx, m, news, from)
		if after != nil && after != m || err != nil && !errors.Is(err, gateway.ErrForeign) {
			return err
		}
	}
	for {
		m, err := s.outbox.Find(ctx, messageID)
		if err != nil || m == nil {
			return err
		}
		after, err := s.settleReceipt(ctx, m, news, from)
		if err != nil || after != nil { // after an error, the gateway repeats the receipt
			return err
		}
	}
}

// settleReceipt decides once about a receipt and writes the outcome. It returns m if there is nothing to write, and
// nil if the message has changed since it was read.
func (s *Service) settleReceipt(ctx context.Context, m *message.Message, news *event, from *gateway.Receipt) (after *message.Message, err error) {
	if from != nil && !m.UsesGateway(from.Gateway) {
		return nil, gateway.ErrForeign
	}
	if from != nil {
		if err := s.joinRecipient(ctx, m, from); err != nil {
			return nil, err
		}
	}
	a, err := s.o.Directory.Account(ctx, m.AccountID)
	if err != nil || a == nil {
		return m, err
	}
	after, _, err = s.settleOnce(ctx, a, m, news)
	return after, err
}

// joinRecipient joins the recipient's number and WhatsApp ID if a receipt shows that they belong to one person. It
// reads before it writes, because nearly all receipts repeat a known pair.
func (s *Service) joinRecipient(ctx context.Context, m *message.Message, r *gateway.Receipt) error {
	number := cmp.Or(r.Recipient, m.Address)
	if r.Person.ID == "" || person.KindOf(number) != person.Number || m.Channel != gateway.WhatsApp || m.Options.GroupID != "" || m.Erased() {
		return nil
	}
	joined, err := person.Joined(s.o.DB.Read(ctx), m.AccountID, r.Person.ID, number)
	if err != nil || joined {
		return err
	}
	changed := false
	err = s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if changed, err = s.people.Join(tx, m.AccountID, r.Person.ID, number); err != nil || !changed {
			return err
		}
		return account.NoteChange(tx)
	})
	if err == nil && changed {
		s.o.Directory.Forget(m.AccountID)
	}
	return err
}
