package delivery

import (
	"context"
	"time"

	"griot/gateway"
	"griot/messaging/message"
	"griot/messaging/outbox"
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

// Receipt applies a delivery report, on whichever node it comes in. It returns nil once it is stored, and for reports
// that change nothing: unknown references, news older than what is known. One that is faster than what it is about is kept.
// [gateway.ErrForeign]: the message was never handed to the gateway that brought it.
func (s *Service) Receipt(ctx context.Context, r gateway.Receipt) error {
	to, ok := statusOf(r.Status)
	if !ok {
		return nil
	}
	now := s.o.Now()
	if r.At.IsZero() || r.At.After(now.Add(time.Minute)) {
		r.At = now
	}
	e := &outbox.EarlyReceipt{Ref: r.Ref, Status: r.Status, Rank: to.Rank(), At: r.At, Err: r.Err}
	if r.Ref == "" {
		if r.Gateway == "" || r.ProviderID == "" {
			return nil
		}
		var err error
		if e.Ref, err = s.outbox.ResolveReference(ctx, r.Gateway, r.ProviderID, e); err != nil || e.Ref == "" {
			return err
		}
	}
	return s.apply(ctx, e, &r)
}

// applyReceipt applies a receipt that came before what it is about was written down, and forgets it.
func (s *Service) applyReceipt(ctx context.Context, e *outbox.EarlyReceipt) error {
	if err := s.apply(ctx, e, nil); err != nil {
		return err
	}
	return s.outbox.DeleteEarlyReceipt(ctx, e.Ref)
}

// apply applies a receipt; from is it as it came in, and nil where it was kept.
func (s *Service) apply(ctx context.Context, e *outbox.EarlyReceipt, from *gateway.Receipt) error {
	messageID, hop, ok := message.ParseRef(e.Ref)
	if !ok {
		return nil
	}
	m, err := s.outbox.Find(ctx, messageID)
	if err != nil || m == nil {
		return err
	}
	if from != nil && !m.On(from.Gateway) {
		return gateway.ErrForeign
	}
	a, err := s.o.Directory.Account(ctx, m.AccountID)
	if err != nil || a == nil {
		return err
	}
	to, _ := statusOf(e.Status)
	news := &event{kind: receipt, hop: hop, status: to, at: e.At, err: e.Err}
	if from != nil {
		news.id = from.ProviderID
	}
	if to == message.Failed && news.err == nil {
		news.err = &gateway.Error{Class: gateway.Permanent, Code: "delivery_failed"}
	}
	for {
		after, _, err := s.settleOnce(ctx, a, m, news)
		if err != nil || after != nil { // an error is the gateway's to repeat
			return err
		}
		if m, err = s.reread(ctx, m); err != nil {
			return err
		}
	}
}
