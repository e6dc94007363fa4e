package delivery

import (
	"cmp"
	"context"

	"example.com/griot/gateway"
	"example.com/griot/messaging/message"
)

// countPart counts a report of a message whose parts are reported one by one. The reports are stored, so that they
// count on every node and after a restart. It returns the resulting status of the whole message, or "" if other parts
// are missing or the message does not exist.
//
// Errors: [gateway.ErrForeign], as in [Service.Receipt].
func (s *Service) countPart(ctx context.Context, r *gateway.Receipt) (gateway.ReceiptStatus, error) {
	messageID, routeIndex, ok := message.ParseRef(r.Ref)
	if !ok {
		return "", nil
	}
	m, err := s.outbox.Find(ctx, messageID)
	switch {
	case err != nil || m == nil:
		return "", err
	case !m.UsesGateway(r.Gateway):
		return "", gateway.ErrForeign
	case r.Status == gateway.ReceiptFailed: // a failed part fails the message
		return r.Status, nil
	}
	delivered, total, err := s.outbox.AddPartReceipt(ctx, r.Ref, r.Part, r.Parts)
	if err != nil {
		return "", err
	}
	estimated := 0
	if m.Content.Text != "" {
		estimated = s.segments(r.Gateway, m.Content.Text).Count
	}
	failed := m.Status == message.Failed || m.RouteIndex > routeIndex
	switch {
	case allDelivered(delivered, cmp.Or(total, estimated), failed):
		return gateway.ReceiptDelivered, nil
	case r.Part != "":
		return "", nil
	}
	return r.Status, nil
}

// allDelivered reports whether all parts of a message are delivered. If the number of parts is unknown, total is 0.
// The message is then treated as one part, unless a part has failed.
func allDelivered(delivered, total int, failed bool) bool {
	if total == 0 {
		return delivered > 0 && !failed
	}
	return delivered >= total
}
