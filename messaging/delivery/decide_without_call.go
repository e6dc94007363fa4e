package delivery

import (
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
)

func (d *decision) receipt() outcome {
	m, to := d.m, d.e.status
	arrived := to == message.Delivered || to == message.Read
	if d.e.routeIndex > m.RouteIndex || (d.e.routeIndex < m.RouteIndex && !arrived) { // for an earlier route, only DELIVERED and READ are used
		return outcome{}
	}
	later := to.Rank() >= m.Status.Rank()
	news := d.e.price != "" && d.e.price != m.Price && (later || m.Price == "")
	if news {
		m.Price = d.e.price
	}
	if m.Status.Rank() >= to.Rank() || !acceptsReceipt(m, to) {
		if !news {
			return outcome{}
		}
		return outcome{message: m, detailOnly: true}
	}
	var failure *message.Failure
	if d.e.err != nil {
		failure = message.FailureOf(d.e.err)
	}
	if to == message.Failed && (d.f.next != nil || sentBefore(m)) {
		return d.toNextRoute(failure)
	}
	at := m.ClampTime(d.e.at)
	m.Status, m.DueAt, m.Failure = to, time.Time{}, failure
	if m.ProviderID == "" && !m.Erased() {
		m.ProviderID = d.e.id
	}
	if to == message.Failed {
		m.FailedAt = at
	} else if m.SentAt.IsZero() {
		m.SentAt = at
	}
	if arrived && m.DeliveredAt.IsZero() {
		m.DeliveredAt = at
	}
	if to == message.Read && m.ReadAt.IsZero() {
		m.ReadAt = at
	}
	if to == message.Sent {
		m.DueAt = d.f.fallback
	}
	o := outcome{message: m, notify: true}
	o.steps = []message.Step{{At: db.Ms(at), Status: to, Channel: m.Channel, Failure: failure, Note: message.Note{Kind: message.NoteReceipt}}}
	return o
}

// acceptsReceipt reports whether a receipt can change a message's status. The gateway might have accepted a message
// that waits for its retry, so every receipt except a failure is accepted for it.
func acceptsReceipt(m *message.Message, to message.Status) bool {
	return m.Status.MayBecome(to) || (m.Status == message.Queued && m.Calls > 0 && to != message.Failed && message.Sending.MayBecome(to))
}

func sentBefore(m *message.Message) bool {
	for _, r := range m.Tried {
		if r.Sent {
			return true
		}
	}
	return false
}

func (d *decision) fallbackDue() outcome {
	m := d.m
	switch {
	case m.Status != message.Sent:
		return outcome{}
	case d.f.next == nil, !d.f.now.Before(m.ExpiresAt):
		return d.staySent(m.Route(), nil)
	}
	return d.toNextRoute(nil)
}

func (d *decision) cancel() outcome {
	m := d.m
	if !waiting(m) || m.HandedOver() {
		return outcome{}
	}
	m.Status, m.CanceledAt, m.DueAt = message.Canceled, d.f.now, time.Time{}
	o := d.withStep(message.Step{At: db.Ms(d.f.now), Status: message.Canceled, Channel: m.Channel})
	return o
}

// erase ends a message whose recipient is erased, unless its gateway is being called. In that case, the call decides.
func (d *decision) erase() outcome {
	m := d.m
	switch {
	case waiting(m) && !m.HandedOver():
		return d.cancel()
	case waiting(m), m.Status == message.Sending && !m.UnknownAt.IsZero():
		return d.fail(unknownFailure())
	case m.Status == message.Sent && !m.DueAt.IsZero():
		return d.staySent(m.Route(), nil)
	}
	return outcome{}
}

// optedOutEvent returns the event of a recipient who has opted out of a message, for every sender. code is the failure code.
func optedOutEvent(code string) *event {
	return &event{kind: optedOut, err: &gateway.Error{Class: gateway.Unreachable, Code: code}}
}

// optedOut ends a message whose recipient has opted out of its channel, or moves it to its next route. If a gateway
// might have the message, no other gateway is called, on any route.
func (d *decision) optedOut() outcome {
	m := d.m
	switch {
	case m.Status == message.Sending && !m.UnknownAt.IsZero():
		return d.fail(unknownFailure())
	case !waiting(m): // another node calls its gateway, so that call decides
		return outcome{}
	case d.f.next == nil && m.HandedOver():
		return d.fail(unknownFailure())
	}
	return d.toNextRoute(message.FailureOf(d.e.err))
}

// senderRemoved cancels a message that waits for a sender that will be removed, or moves it to another sender. It
// moves only a message that was never submitted and whose sender, group, or conversation was not chosen by the
// caller.
func (d *decision) senderRemoved() outcome {
	m := d.m
	switch {
	case !waiting(m):
		return outcome{}
	case !d.e.reroute && m.HandedOver():
		return d.fail(unknownFailure())
	case !d.e.reroute:
		return d.cancel()
	case d.f.next == nil, m.Calls > 0, m.HandedOver(), m.Options.SenderID != "", m.Options.GroupID != "", m.Options.ReplyTo != "":
		return outcome{}
	}
	m.SetRoute(*d.f.next)
	o := d.withStep(message.Step{At: db.Ms(d.f.now), Status: m.Status, Channel: m.Channel, Sender: m.SenderID, Note: message.Note{Kind: message.NoteMoved}})
	o.routeChanged = true
	return o
}

// restored ends a message that might have been sent since the backup that its row comes from. A message that is SENT
// takes no other route anymore, because it might already have taken one.
func (d *decision) restored() outcome {
	m := d.m
	switch {
	case m.Status == message.Sent && !m.DueAt.IsZero():
		return d.staySent(m.Route(), nil)
	case m.Status == message.Sending, waiting(m) && !m.DueAt.After(d.e.at) && !m.CreatedAt.After(d.e.at):
		if m.UnknownAt.IsZero() {
			m.UnknownAt = d.f.now
		}
		return d.fail(unknownFailure())
	}
	return outcome{}
}

func (d *decision) expired() outcome {
	m := d.m
	switch {
	case d.f.now.Before(m.ExpiresAt):
		return outcome{}
	case waiting(m):
		return d.end(message.Expired, expiredFailure())
	case m.Status == message.Sending && !m.UnknownAt.IsZero():
		return d.fail(unknownFailure())
	}
	return outcome{}
}

func (d *decision) dayFull() outcome {
	m := d.m
	if !waiting(m) {
		return outcome{}
	}
	switch {
	case d.f.next != nil:
		return d.toNextRoute(message.FailureOf(d.e.err))
	case m.Sensitive: // it would be useless tomorrow
		return outcome{handOver: true}
	}
	m.Status, m.DueAt = message.Queued, d.e.until
	if m.DueAt.After(m.ExpiresAt) {
		m.DueAt = m.ExpiresAt
	}
	return d.withStep(d.step(message.Queued, nil, message.Note{Kind: message.NoteWarmUp, Until: db.Ms(d.e.until)}))
}
