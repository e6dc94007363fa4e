package virtual

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/whatsappid"
)

const idPrefix = "vp_"

// unknownID is the code of a message to an ID that no phone has, such as the former one of a phone that has changed
// its number.
const unknownID = "virtual_unknown_id"

// Send implements [gateway.Sender]. A nil error means that the message, the attempt, and the receipt are stored.
func (g *Gateway) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	return g.send(ctx, out, shownForms(out))
}

// send sends a message that a phone shows with forms.
func (g *Gateway) send(ctx context.Context, out *gateway.Outbound, shown forms) (gateway.Ack, error) {
	select {
	case <-g.closed:
		return gateway.Ack{}, storeError(db.ErrClosed)
	default:
	}
	if err := ctx.Err(); err != nil {
		return gateway.Ack{}, storeError(err)
	}
	now := g.now()
	att := attempt{ref: out.Ref, at: now, channel: out.Channel, from: out.From, to: cmp.Or(out.GroupID, out.To, out.ToID)}
	to, code := g.recipient(out)
	if code == "" && out.Media != nil && out.Channel != gateway.WhatsApp {
		code = "media_unsupported"
	}
	if code == "" && !out.ExpiresAt.IsZero() && !now.Before(out.ExpiresAt) {
		code = "expired"
	}
	if code == unknownID {
		return g.refuseNew(ctx, att, unreachable, gateway.Unreachable, code)
	}
	if code != "" {
		return g.refuse(ctx, att, permanent, gateway.Permanent, code)
	}
	fault := g.faults.next(out.Channel)
	switch fault {
	case temporary:
		return g.refuse(ctx, att, fault, gateway.Temporary, "virtual_temporary")
	case permanent:
		return g.refuseNew(ctx, att, fault, gateway.Permanent, "virtual_permanent")
	case unreachable:
		return g.refuseNew(ctx, att, fault, gateway.Unreachable, "virtual_unreachable")
	case timeout:
		return g.hang(ctx, att)
	case none, lostAck, delivered, duplicate, offline:
	}
	state := g.phones.state(to)
	if state.refuses(out.Channel) {
		return g.refuseNew(ctx, att, unreachable, gateway.Unreachable, "virtual_blocked")
	}
	return g.deliver(ctx, out, shown, to, att, state, fault == lostAck)
}

// recipient returns the key of the recipient's list, or an error code.
func (g *Gateway) recipient(out *gateway.Outbound) (key, code string) {
	want := kindPhone
	switch out.Channel {
	case gateway.WhatsApp, gateway.SMS:
	case gateway.Email:
		want = kindEmail
	default:
		return "", "unsupported_channel"
	}
	if out.GroupID != "" {
		a, ok := parseAddress(out.GroupID)
		group, known := g.group(a.key)
		switch {
		case !ok || out.Channel != gateway.WhatsApp || !known:
			return "", "unknown_group"
		case !slices.Contains(group.Senders, out.From):
			return "", "not_in_group"
		}
		return a.key, ""
	}
	if out.ToID != "" {
		p, known := g.people.find(out.ToID)
		switch {
		case out.Channel != gateway.WhatsApp || out.To != "" || !whatsappid.Is(out.ToID):
			return "", "invalid_recipient"
		case !known:
			return "", unknownID
		}
		return p.number, ""
	}
	a, ok := parseAddress(out.To)
	if !ok || a.kind != want {
		return "", "invalid_recipient"
	}
	return a.key, ""
}

func (g *Gateway) deliver(ctx context.Context, out *gateway.Outbound, shown forms, to string, att attempt, state phoneState, lose bool) (ack gateway.Ack, err error) {
	m := message{
		id: idPrefix + id.New(att.at), owner: to, direction: received, channel: out.Channel, from: out.From, to: att.to,
		text: out.Text, html: out.HTML, subject: out.Subject, media: mediaOf(out.Media), sensitive: out.Sensitive, ref: out.Ref, at: att.at,
		forms: shown, status: statusDelivered, noReceipt: !g.options.receipts.Load(),
	}
	if m.reply.ReplyTo, err = g.quotedBy(ctx, out); err != nil {
		return gateway.Ack{}, storeError(err)
	}
	att.outcome = delivered
	if state.offline {
		m.status, att.outcome = statusSent, offline
	}
	if lose {
		att.outcome = lostAck
	}
	providerID, err := g.store.deliver(ctx, &m, att, g.options.deduplicate.Load())
	if err != nil {
		return gateway.Ack{}, storeError(err)
	}
	if state.offline && !g.phones.state(to).offline { // the phone came back online before the message was stored
		if err := g.store.release(ctx, to, att.at); err != nil {
			g.log.WarnContext(ctx, "virtual phones: a message waits until its phone comes online again", "err", err)
		}
	}
	signal(g.wakeReceipts)
	if lose {
		return gateway.Ack{}, &gateway.Error{Class: gateway.Unknown, Code: "virtual_lost_ack"}
	}
	return gateway.Ack{ProviderID: providerID, Form: shown.note()}, nil
}

// quotedBy returns the ID, in the phone's list, of the message that a message replies to, or "" if there is none.
func (g *Gateway) quotedBy(ctx context.Context, out *gateway.Outbound) (string, error) {
	if out.ReplyTo.Ref == "" {
		return out.ReplyTo.ProviderID, nil
	}
	id, _, err := g.store.first(ctx, out.ReplyTo.Ref)
	return id, err
}

// refuseNew refuses permanently, unless deduplication is enabled and the reference was delivered before ([gateway.Info]).
func (g *Gateway) refuseNew(ctx context.Context, att attempt, o outcome, class gateway.Class, code string) (gateway.Ack, error) {
	if g.options.deduplicate.Load() {
		id, known, err := g.store.first(ctx, att.ref)
		if err != nil {
			return gateway.Ack{}, storeError(err)
		}
		if known {
			g.record(ctx, att, duplicate)
			return gateway.Ack{ProviderID: id}, nil
		}
	}
	return g.refuse(ctx, att, o, class, code)
}

// refuse records an attempt that delivers nothing.
func (g *Gateway) refuse(ctx context.Context, att attempt, o outcome, class gateway.Class, code string) (gateway.Ack, error) {
	g.record(ctx, att, o)
	return gateway.Ack{}, &gateway.Error{Class: class, Code: code}
}

// hang waits until ctx ends.
func (g *Gateway) hang(ctx context.Context, att attempt) (gateway.Ack, error) {
	g.record(ctx, att, timeout)
	select {
	case <-ctx.Done():
	case <-g.closed:
	}
	return gateway.Ack{}, &gateway.Error{Class: gateway.Unknown, Code: "virtual_timeout", Err: ctx.Err()}
}

func (g *Gateway) record(ctx context.Context, att attempt, o outcome) {
	att.outcome = o
	if err := g.store.record(ctx, att); err != nil {
		g.log.WarnContext(ctx, "virtual phones: an attempt is not recorded", "outcome", string(o), "err", err)
	}
}

// storeError classifies an error of the store.
func storeError(err error) *gateway.Error {
	switch {
	case errors.Is(err, db.ErrClosed):
		return &gateway.Error{Class: gateway.SenderDown, Code: "virtual_closed", Err: err}
	case !db.Unavailable(err): // the context ended before anything was written
		return &gateway.Error{Class: gateway.Temporary, Code: "virtual_canceled", Err: err}
	default: // the change might have been committed
		return &gateway.Error{Class: gateway.Unknown, Code: "virtual_store", Err: err}
	}
}
