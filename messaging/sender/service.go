package sender

import (
	"context"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/connections"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/quota"
)

// A Service finds senders with their state. It is safe for concurrent use.
type Service struct {
	DB       *db.DB
	Delivery *delivery.Service
	Now      clock.Now
}

// An Info is a sender with the state of its connection.
type Info struct {
	account.Sender
	gateway.ConnDetail
	Since  time.Time // zero: the state has only just started
	Health delivery.Health
	WarmUp *WarmUp // nil: no limit
}

// A WarmUp is the progress of a sender's warm-up.
type WarmUp struct {
	Limit, Used int64 // today's
	EndsAt      time.Time
}

// Details are a sender with the data that only its own account can see.
type Details struct {
	Info
	Queue       *outbox.Depth        // nil: a sender of the platform
	History     []connections.Change // the latest states of its connection, newest first
	LastFailure *message.Message     // its latest failed message, among the latest messages of the account; nil: none
}

// List returns the account's senders in the order in which they are tried, followed by the platform's.
func (s *Service) List(ctx context.Context, c *account.Caller) ([]Info, error) {
	if err := account.MayManageSenders.Check(c, s.Now()); err != nil {
		return nil, err
	}
	of := c.Account
	connections, err := connections.Connections(s.DB.Read(ctx), of.ID)
	if err != nil {
		return nil, err
	}
	day := quota.Day(s.Now())
	used, err := quota.SendersUsed(s.DB.Read(ctx), of.ID, day)
	if err != nil {
		return nil, err
	}
	out := make([]Info, 0, len(of.Senders))
	for _, from := range of.Senders {
		info := Info{Sender: from, ConnDetail: s.Delivery.Detail(from), Health: s.Delivery.Health(from.ID)}
		if k := connections[from.ID]; k.State == info.State {
			info.Since = k.Since
		}
		if limit, ok := from.WarmUp.Allowance(day); ok {
			info.WarmUp = &WarmUp{limit, used[from.ID], quota.DayStart(from.WarmUp.From + from.WarmUp.Days)}
		}
		out = append(out, info)
	}
	return out, nil
}

// Find returns one of the account's senders or of the platform's.
//
// Errors: [apierror.SenderNotFound], also for the senders of other accounts.
func (s *Service) Find(ctx context.Context, c *account.Caller, senderID string) (*Details, error) {
	all, err := s.List(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, info := range all {
		if info.ID != senderID {
			continue
		}
		out := &Details{Info: info}
		failed, _, err := message.List(s.DB.Read(ctx), &message.Filter{AccountID: c.Account.ID, SenderID: senderID, Status: message.Failed, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(failed) == 1 {
			out.LastFailure = failed[0]
		}
		if out.History, err = connections.History(s.DB.Read(ctx), senderID); err != nil || info.AccountID == "" {
			return out, err
		}
		depth, err := s.Delivery.Depth(ctx, senderID)
		out.Queue = &depth
		return out, err
	}
	return nil, account.NoSender()
}
