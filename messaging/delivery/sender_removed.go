package delivery

import (
	"context"
	"slices"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/route"
)

// ClearSender examines up to n messages that wait for a sender that will be removed, after the message with an ID. It
// cancels them or, with reroute, moves those that another sender can send. It returns the number of changed messages
// and the last ID, which is empty if there are no more.
func (s *Service) ClearSender(ctx context.Context, senderID string, reroute bool, after string, n int) (changed int64, next string, err error) {
	ids, err := s.outbox.Waiting(ctx, senderID, after, n)
	for _, id := range ids {
		done, err := s.leaveSender(ctx, senderID, id, reroute)
		if err != nil {
			return changed, "", err
		}
		if done {
			changed++
		}
	}
	if len(ids) == n {
		next = ids[n-1]
	}
	return changed, next, err
}

// leaveSender decides about one message and reports whether the message has changed.
func (s *Service) leaveSender(ctx context.Context, senderID, messageID string, reroute bool) (bool, error) {
	for {
		m, err := s.outbox.Find(ctx, messageID)
		if err != nil || m == nil || m.SenderID != senderID {
			return false, err
		}
		a, err := s.o.Directory.Account(ctx, m.AccountID)
		if err == nil && a == nil {
			err = errNoAccount
		}
		if err != nil {
			return false, err
		}
		after, o, err := s.settleOnce(ctx, a, m, &event{kind: senderRemoved, reroute: reroute})
		if err != nil || after != nil {
			return o.message != nil, err
		}
	}
}

// otherRoute returns the route that a message would have without its sender, or nil if there is none.
func (s *Service) otherRoute(ctx context.Context, a *account.Account, m *message.Message) (*message.Route, error) {
	c, err := s.conditions(ctx, a, m)
	if err != nil {
		return nil, err
	}
	others := *c
	others.Senders = slices.DeleteFunc(slices.Clone(c.Senders), func(from account.Sender) bool { return from.ID == m.SenderID })
	if m.RequestedChannel == message.Auto {
		if next, ok := route.Next(m, m.Tried, &others); ok {
			return &next, nil
		}
		return nil, nil //nolint:nilnil // a missing route is not an error
	}
	next, refused := route.First(m, &others)
	if refused != nil {
		return nil, nil //nolint:nilerr,nilnil // a missing route is not an error
	}
	return &next, nil
}

// RemoveSender removes a sender for which no message waits: see [account.Directory.RemoveSender]. Otherwise, it returns the
// number of messages that wait. found is false if there is no such sender.
func (s *Service) RemoveSender(ctx context.Context, senderID string) (found bool, waiting int, err error) {
	found, _, err = s.o.Directory.RemoveSender(ctx, senderID, func(q *db.Query) (bool, error) {
		depth, err := outbox.DepthOf(q, senderID)
		waiting = depth.Ready + depth.Later
		return waiting > 0, err
	})
	return found, waiting, err
}
