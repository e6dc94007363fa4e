package outbox

import (
	"context"

	"example.com/griot/gateway"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/person"
)

// The channels of the opt-outs that stop a message, as SQL conditions.
const (
	ofItsChannel = `o.channel = messages.channel`
	ofMarketing  = `o.channel = 'whatsapp_marketing'`
	ofEither     = `o.channel IN (messages.channel, 'whatsapp_marketing')` // for marketing on WhatsApp
)

// optOutOf returns a query for the opt-out of the recipient of a row of messages. form and pseudonym are those of the
// recipient's address. The pseudonym represents the person after an erasure.
func optOutOf(of, form, pseudonym string) string {
	const account = "messages.account_id"
	return `SELECT 1 FROM opt_outs o WHERE o.account_id = ` + account + ` AND ` + of + ` AND o.person IN (` + person.Resolved(account, form) + `, ` + person.Resolved(account, pseudonym) + `)`
}

var (
	stopped          = reasons(`0`)
	stoppedMarketing = reasons(`CASE WHEN EXISTS (` + optOutOf(ofMarketing, "$3", "$4") + `) THEN 1 ELSE 0 END`)
)

// reasons returns a query that returns, for a message that is unchanged since its entry was read, whether its account
// is suspended, whether its recipient has opted out of its channel, and whether of marketing messages.
func reasons(marketing string) string {
	return `SELECT CASE WHEN EXISTS (` + suspension + `) THEN 1 ELSE 0 END, CASE WHEN EXISTS (` + optOutOf(ofItsChannel, "$3", "$4") + `) THEN 1 ELSE 0 END, ` + marketing + `
 FROM messages WHERE id = $1 AND version = $2 AND status IN ('SCHEDULED', 'QUEUED', 'SENDING')`
}

// suspension finds the account of a row of messages if the account is suspended. It is a part of the statement that writes SENDING.
const suspension = `SELECT 1 FROM accounts a WHERE a.id = messages.account_id AND a.suspended_at IS NOT NULL`

// explain finds out whether a message was not marked because of a suspension or an opt-out.
func (s *Store) explain(ctx context.Context, b *Begin) error {
	if b.Begun != nil || b.DayFull {
		return nil
	}
	text := stopped
	if b.Message.IsMarketing() {
		text = stoppedMarketing
	}
	var suspended, optedOut, marketing bool
	b.identify()
	_, err := s.db.Read(ctx).Row(text, b.Message.ID, b.Message.Version, b.form, b.pseudonym).Scan(&suspended, &optedOut, &marketing)
	switch {
	case suspended:
		b.Suspended = true
	case b.Message.Options.Code:
	case optedOut:
		b.OptedOut = message.CodeOptedOut
	case marketing:
		b.OptedOut = message.CodeMarketingStopped
	}
	return err
}

// A possibleOptOut is an opt-out that stops a message, if there is one.
type possibleOptOut struct {
	message           *message.Message
	channel           gateway.Channel
	person, pseudonym string
}

// readOptOuts sets b.optedOut. It reads only messages that can start now and whose account has opt-outs.
func (b *acceptBatch) readOptOuts(people *person.Key) error {
	var of []possibleOptOut
	for _, a := range b.items {
		m := a.Message
		if a.BeginUntil.IsZero() || m.Options.Code || !b.hasOptOuts[m.AccountID] {
			continue
		}
		pseudonym := people.Pseudonym(m.AccountID, m.Address)
		if a.HasAliases {
			var err error
			if pseudonym, err = person.Find(&b.tx.Query, m.AccountID, pseudonym); err != nil {
				return err
			}
		}
		of = append(of, possibleOptOut{m, m.Channel, a.person, pseudonym})
		if m.IsMarketing() {
			of = append(of, possibleOptOut{m, optout.Marketing, a.person, pseudonym})
		}
	}
	if len(of) == 0 {
		return nil
	}
	if err := b.rows.optedOut(b, of); err != nil {
		return err
	}
	return b.tx.Flush()
}

func (r sqliteRows) optedOut(b *acceptBatch, of []possibleOptOut) error {
	for _, o := range of {
		var one int
		found, err := r.tx.Row(`SELECT 1 FROM opt_outs WHERE account_id = $1 AND channel = $2 AND person IN ($3, $4)`, o.message.AccountID, string(o.channel), o.person, o.pseudonym).Scan(&one)
		if err != nil {
			return err
		}
		if found {
			b.optedOut[o.message.ID] = true
		}
	}
	return nil
}

const optedOutAll = `SELECT v.id FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS v (id, account, channel, person, pseudonym)
 JOIN opt_outs o ON o.account_id = v.account AND o.channel = v.channel AND o.person IN (v.person, v.pseudonym)`

func (r postgresRows) optedOut(b *acceptBatch, of []possibleOptOut) error {
	c := newColumns(len(of), "ttttt")
	for _, o := range of {
		c.add([]any{o.message.ID, o.message.AccountID, string(o.channel), o.person, o.pseudonym})
	}
	return r.tx.Queue(addID(b.optedOut), optedOutAll, c.args()...)
}
