package outbox

import (
	"context"
	"slices"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/failpoint"
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

	people    *person.Key // of the store; identify derives the pseudonym with it
	form      string      // of its recipient's address, for comparisons; empty for a code, and before identify
	pseudonym string      // of its recipient
}

// A beginOp is one call of [Store.Begin].
type beginOp struct {
	all []*Begin

	operation
}

// Begin marks messages as SENDING just before their gateways are called, in one transaction.
//
// An error means that nothing was written, or that this is unknown. In that case, no gateway must be called.
func (s *Store) Begin(ctx context.Context, all []*Begin) error {
	for _, b := range all {
		b.people = s.people
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

// identify sets the form and the pseudonym by which the opt-outs of the recipient are found. They stay empty for a code.
func (b *Begin) identify() {
	if m := b.Message; b.form == "" && !m.Options.Code {
		b.form, b.pseudonym = person.Form(m.Address), b.people.Pseudonym(m.AccountID, m.Address)
	}
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
	if failpoint.Has(failpoint.NoTurnCheck) {
		return beginUnchecked(tx, together)
	}
	return r.begin(together)
}

// beginUnchecked marks messages without a condition. Only tests plant this.
func beginUnchecked(tx *db.Tx, all []*Begin) error {
	for _, b := range all {
		if _, err := tx.Exec(setSending+`$1 WHERE id = $2`, db.Ms(b.Until), b.Message.ID); err != nil {
			return err
		}
		b.begun()
	}
	return nil
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
	startable  = ` AND status IN ('SCHEDULED', 'QUEUED', 'SENDING')`
)

// The statements that mark messages on SQLite.
var (
	beginOne       = setSending + `$1 WHERE id = $3 AND version = $2` + startable
	beginTogether  = setSending + `$1 WHERE id IN (` + db.Placeholders(3, beginsAtOnce) + `) AND version = $2` + startable + ` RETURNING id`
	beginUnless    = beginOne + ` AND NOT EXISTS (` + optOutOf(ofItsChannel, "$4", "$5") + `)`
	beginMarketing = beginOne + ` AND NOT EXISTS (` + optOutOf(ofEither, "$4", "$5") + `)`
)

// beginsAtOnce is the number of messages in one statement.
const beginsAtOnce = 16

// begin reads the state of each account once. One statement marks the messages whose recipients can't have opted out.
func (r sqliteRows) begin(all []*Begin) error {
	type group struct{ until, version int64 }
	states, together := map[string]accountState{}, map[group][]*Begin{}
	for _, b := range all {
		m := b.Message
		of, known := states[m.AccountID]
		if !known {
			var err error
			if of, err = r.accountState(m.AccountID); err != nil {
				return err
			}
			states[m.AccountID] = of
		}
		switch g := (group{db.Ms(b.Until), m.Version}); {
		case of.suspended:
		case m.Options.Code || !of.hasOptOuts:
			together[g] = append(together[g], b)
		default:
			if err := r.beginUnless(b); err != nil {
				return err
			}
		}
	}
	for g, list := range together {
		for part := range slices.Chunk(list, beginsAtOnce) {
			if err := r.beginTogether(g.until, g.version, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// beginUnless marks a message unless its recipient has opted out.
func (r sqliteRows) beginUnless(b *Begin) error {
	text := beginUnless
	if b.Message.IsMarketing() {
		text = beginMarketing
	}
	b.identify()
	n, err := r.tx.Exec(unversioned(text), db.Ms(b.Until), b.Message.Version, b.Message.ID, b.form, b.pseudonym)
	if n == 1 {
		b.begun()
	}
	return err
}

func (r sqliteRows) beginTogether(until, version int64, list []*Begin) error {
	args, byID := []any{until, version}, make(map[string]*Begin, len(list))
	for _, b := range list {
		args, byID[b.Message.ID] = append(args, b.Message.ID), b
	}
	if len(list) == 1 {
		n, err := r.tx.Exec(unversioned(beginOne), args...)
		if n == 1 {
			list[0].begun()
		}
		return err
	}
	for len(args) < 2+beginsAtOnce {
		args = append(args, list[0].Message.ID) // which changes nothing
	}
	return r.tx.Queue(func(scan db.Scan) error {
		var id string
		err := scan(&id)
		if err == nil {
			byID[id].begun()
		}
		return err
	}, unversioned(beginTogether), args...)
}

// beginAllText marks messages on PostgreSQL. It returns the numbers of those that it has marked. stops is the list of
// marketing opt-outs for a marketing template, and empty for others.
var beginAllText = setSending + `v.until FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[]) AS v (ord, id, read, until, code, form, pseudonym, stops)
 WHERE messages.id = v.id AND messages.version = v.read` + startable + ` AND NOT EXISTS (` + suspension + `) AND (v.code = 1 OR NOT EXISTS (` + optOutOf(`o.channel IN (messages.channel, v.stops)`, "v.form", "v.pseudonym") + `)) RETURNING v.ord`

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
