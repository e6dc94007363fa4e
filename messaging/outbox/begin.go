package outbox

import (
	"context"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/person"
	"example.com/griot/messaging/quota"
)

// A Begin is a message to mark as SENDING just before its gateway is called.
type Begin struct {
	Message *message.Message // as it was read; its version guards the write
	Until   time.Time        // the time of its check
	Day     *SenderDay       // of a sender in a warm-up, in which the message is counted; nil: none

	// The result. If Begun is nil and none of the others is set, the message has changed, or the node's lease is lost.
	Begun     *message.Message // SENDING, to be submitted now
	DayFull   bool             // the daily limit of its sender's warm-up is reached
	Suspended bool             // its account is suspended
	OptedOut  string           // the failure code if its recipient has opted out of it; one-time codes are sent anyway

	form      string // of its recipient's address, for comparisons; empty for a code
	pseudonym string // of its recipient
}

// A beginOp is one call of [Store.Begin].
type beginOp struct {
	all  []*Begin
	err  error
	done chan struct{}
}

// Begin marks messages as SENDING just before their gateways are called, in one transaction.
//
// An error means that nothing was written, or that this is unknown. In that case, no gateway must be called.
func (s *Store) Begin(ctx context.Context, all []*Begin) error {
	for _, b := range all {
		if !b.Message.Options.Code {
			b.form, b.pseudonym = person.Form(b.Message.Address), s.people.Pseudonym(b.Message.AccountID, b.Message.Address)
		}
	}
	if err := s.writer.begin(ctx, all); err != nil {
		return err
	}
	for _, b := range all {
		if err := s.explain(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// forget removes the result of an earlier run of the same transaction.
func (b *Begin) forget() { b.Begun, b.DayFull, b.Suspended, b.OptedOut = nil, false, false, "" }

// begun sets the result of a message that the transaction has marked.
func (b *Begin) begun() {
	m := *b.Message
	m.Status, m.DueAt = message.Sending, b.Until
	m.Version++
	m.Calls++
	b.Begun = &m
}

// beginAll marks messages as SENDING, unless the node's lease is lost.
func (s *Store) beginAll(tx *db.Tx, r rows, all []*Begin) error {
	held := false
	if err := s.node.fence(tx, &held); err != nil {
		return err
	}
	for _, b := range all {
		b.forget()
	}
	if err := tx.Flush(); err != nil || !held {
		return err
	}
	together := make([]*Begin, 0, len(all))
	for _, b := range all {
		if b.Day == nil {
			together = append(together, b)
			continue
		}
		if err := b.countInDay(tx, r); err != nil {
			return err
		}
	}
	return r.begin(together)
}

// countInDay counts the message in the sender's day, and reverts this if the message has changed.
func (b *Begin) countInDay(tx *db.Tx, r rows) error {
	ok, err := quota.CountSender(tx, b.Day.SenderID, b.Day.Day, b.Day.Limit)
	if b.DayFull = !ok; err != nil || !ok {
		return err
	}
	if err := r.begin([]*Begin{b}); err != nil {
		return err
	}
	if err := tx.Flush(); err != nil || b.Begun != nil {
		return err
	}
	return quota.RefundSender(tx, b.Day.SenderID, b.Day.Day)
}

const (
	setSending = `UPDATE messages SET status = 'SENDING', rank = 20, version = version + 1, calls = calls + 1, due_at = `
	startable   = ` AND status IN ('SCHEDULED', 'QUEUED', 'SENDING') AND NOT EXISTS (` + suspension + `)`
)

// The statements that mark a message on SQLite.
var (
	beginCode      = setSending + `$1 WHERE id = $2 AND version = $3` + startable
	beginUnless    = beginCode + ` AND NOT EXISTS (` + optOutOf(ofItsChannel, "$4", "$5") + `)`
	beginMarketing = beginCode + ` AND NOT EXISTS (` + optOutOf(ofEither, "$4", "$5") + `)`
)

func (r sqliteRows) begin(all []*Begin) error {
	for _, b := range all {
		text, args := beginCode, []any{db.Ms(b.Until), b.Message.ID, b.Message.Version}
		if !b.Message.Options.Code {
			text, args = beginUnless, append(args, b.form, b.pseudonym)
		}
		if b.Message.IsMarketing() {
			text = beginMarketing
		}
		n, err := r.tx.Exec(unversioned(text), args...)
		if err != nil {
			return err
		}
		if n == 1 {
			b.begun()
		}
	}
	return nil
}

// beginAllText marks messages on PostgreSQL. It returns the numbers of those that it has marked. stops is the list of
// marketing opt-outs for a marketing template, and empty for others.
var beginAllText = setSending + `v.until FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[]) AS v (ord, id, read, until, code, form, pseudonym, stops)
 WHERE messages.id = v.id AND messages.version = v.read` + startable + ` AND (v.code = 1 OR NOT EXISTS (` + optOutOf(`o.channel IN (messages.channel, v.stops)`, "v.form", "v.pseudonym") + `)) RETURNING v.ord`

func (r postgresRows) begin(all []*Begin) error {
	if len(all) == 0 {
		return nil
	}
	c := newColumns(len(all), "itiiittt")
	for i, b := range all {
		stops := ""
		if b.Message.IsMarketing() {
			stops = string(optout.Marketing)
		}
		c.add([]any{i, b.Message.ID, b.Message.Version, db.Ms(b.Until), db.Flag(b.Message.Options.Code), b.form, b.pseudonym, stops})
	}
	return r.tx.Queue(func(scan db.Scan) error {
		var i int
		err := scan(&i)
		if err == nil {
			all[i].begun()
		}
		return err
	}, unversioned(beginAllText), c.args()...)
}
