package delivery

import (
	"context"
	"slices"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
)

// Codes of failures with which gateways report that an address must not get more messages, in addition to
// [gateway.CodeOptedOut] and [gateway.CodeMarketingStopped]. The first three are about mailboxes.
const (
	codeBounced      = "bounced"
	codeComplained   = "complained"
	codeSuppressed   = "suppressed"
	codeUnsubscribed = "unsubscribed"
)

// reportedOptOut returns the opt-out that a refusal or a receipt reports, or nil. It has the time of the call, if the
// provider's list refused the message, and otherwise now.
func reportedOptOut(m *message.Message, e *event, now time.Time) (o *optout.OptOut, from message.Route) {
	if e.err == nil || e.kind != refused && e.kind != receipt || m.Options.GroupID != "" {
		return nil, from
	}
	from, known := routeAt(m, e.routeIndex)
	if !known {
		return nil, from
	}
	o = &optout.OptOut{Channel: from.Channel, Address: from.Address, At: now}
	final := e.err.Class == gateway.Permanent || e.err.Class == gateway.Unreachable
	isMail := from.Channel == gateway.Email
	switch code := e.err.Code; {
	case code == gateway.CodeOptedOut && final:
		o.Reason, o.At = optout.Refused, calledAt(m, e)
	case code == gateway.CodeMarketingStopped && final && from.Channel == gateway.WhatsApp:
		o.Channel, o.Reason, o.At = optout.Marketing, optout.Refused, calledAt(m, e)
	case isMail && (code == codeBounced || code == codeSuppressed) && final:
		o.Reason = optout.Bounced
	case isMail && code == codeComplained:
		o.Reason = optout.Complained
	case code == codeUnsubscribed:
		o.Reason = optout.Requested
	default:
		return nil, from
	}
	return o, from
}

// routeAt returns a message's route by its index. It isn't known if the message has returned to an earlier route, which
// has submitted it.
func routeAt(m *message.Message, index int) (r message.Route, known bool) {
	switch {
	case index >= 1 && index <= len(m.Tried):
		return m.Tried[index-1], true
	case index == m.RouteIndex && !slices.ContainsFunc(m.Tried, func(w message.Route) bool { return w.Channel == m.Channel && w.SenderID == m.SenderID }):
		return m.Route(), true
	}
	return r, false
}

// calledAt returns the time of the call that a refusal or a receipt is about, or an earlier one if that isn't known. The
// receipt's own time isn't used, because a receipt can be late.
func calledAt(m *message.Message, e *event) time.Time {
	switch {
	case !e.called.IsZero():
		return e.called
	case e.routeIndex == m.RouteIndex && !m.SentAt.IsZero():
		return m.SentAt
	}
	return earliestCall(m)
}

// optOutOf returns the opt-out to store for a refusal or a receipt, or nil. It doesn't store a provider's opt-out that
// the person could not end, because their START doesn't reach the account: at a gateway that only sends, or at the
// platform's sender. A message of the platform is no account's.
func (s *Service) optOutOf(a *account.Account, m *message.Message, e *event, now time.Time) *optout.OptOut {
	o, from := reportedOptOut(m, e, now)
	if o == nil || o.Reason != optout.Refused {
		return o
	}
	if g := s.o.Gateways.Get(from.Gateway); g != nil && g.Info().SendOnly {
		return nil
	}
	if a.ID == account.PlatformID || slices.ContainsFunc(a.Senders, func(own account.Sender) bool { return own.ID == from.SenderID && own.AccountID == "" }) {
		return nil
	}
	return o
}

// optOutOnly stores the opt-out for a receipt that changes no status, such as a complaint about a delivered message.
func (s *Service) optOutOnly(ctx context.Context, a *account.Account, m *message.Message, e *event, now time.Time) error {
	o := s.optOutOf(a, m, e, now)
	if o == nil {
		return nil
	}
	news := false
	err := s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if news, err = optout.AddReported(tx, m.AccountID, o); err != nil || !news {
			return err
		}
		return account.NoteChange(tx)
	})
	if err == nil && news {
		s.o.Directory.Forget(m.AccountID)
	}
	return err
}
