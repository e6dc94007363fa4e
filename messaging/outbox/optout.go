package outbox

import (
	"context"

	"example.com/griot/messaging/person"
)

// optOutOf returns a query for the opt-out of the recipient of a row of messages on its channel. form and pseudonym
// are those of the recipient's address. The pseudonym represents the person after an erasure.
func optOutOf(form, pseudonym string) string {
	const account = "messages.account_id"
	return `SELECT 1 FROM opt_outs o WHERE o.account_id = ` + account + ` AND o.channel = messages.channel AND o.person IN (` + person.Resolved(account, form) + `, ` + person.Resolved(account, pseudonym) + `)`
}

var (
	// notOptedOut is a part of the statement that writes SENDING, so that an opt-out that was committed earlier takes
	// effect on every node. $4 and $5 are the form and the pseudonym.
	notOptedOut = ` AND NOT EXISTS (` + optOutOf("$4", "$5") + `)`

	// stopped returns, for a message that is unchanged since its entry was read, whether its account is suspended,
	// and whether its recipient has opted out.
	stopped = `SELECT CASE WHEN EXISTS (` + suspension + `) THEN 1 ELSE 0 END, CASE WHEN EXISTS (` + optOutOf("$3", "$4") + `) THEN 1 ELSE 0 END
 FROM messages WHERE id = $1 AND version = $2 AND status IN ('SCHEDULED', 'QUEUED', 'SENDING')`
)

// suspension finds the account of a row of messages if the account is suspended. It is a part of the statement that writes SENDING.
const suspension = `SELECT 1 FROM accounts a WHERE a.id = messages.account_id AND a.suspended_at IS NOT NULL`

// explain finds out whether a begin has changed nothing because of a suspension or an opt-out.
func (s *Store) explain(ctx context.Context, b *beginRequest) error {
	if b.result.Message != nil || b.result.DayFull {
		return nil
	}
	var suspended, optedOut bool
	_, err := s.db.Read(ctx).Row(stopped, b.entry.ID, b.entry.Version, b.form, b.pseudonym).Scan(&suspended, &optedOut)
	b.result.Suspended, b.result.OptedOut = suspended, optedOut && !suspended && !b.message.Options.Code
	return err
}

// readOptOuts sets b.optedOut. It reads only messages that can start now and whose account has opt-outs.
func (b *acceptBatch) readOptOuts(people *person.Key) error {
	var of []*Acceptance
	for _, a := range b.items {
		if !a.BeginUntil.IsZero() && !a.Message.Options.Code && b.hasOptOuts[a.Message.AccountID] {
			of = append(of, a)
		}
	}
	if len(of) == 0 {
		return nil
	}
	pseudonyms := make([]string, len(of))
	for i, a := range of {
		accountID := a.Message.AccountID
		pseudonyms[i] = people.Pseudonym(accountID, a.Message.Address)
		if !a.HasAliases {
			continue
		}
		var err error
		if pseudonyms[i], err = person.Find(&b.tx.Query, accountID, pseudonyms[i]); err != nil {
			return err
		}
	}
	if err := b.rows.optedOut(b, of, pseudonyms); err != nil {
		return err
	}
	return b.tx.Flush()
}

func (r sqliteRows) optedOut(b *acceptBatch, of []*Acceptance, pseudonyms []string) error {
	for i, a := range of {
		var one int
		m := a.Message
		found, err := r.tx.Row(`SELECT 1 FROM opt_outs WHERE account_id = $1 AND channel = $2 AND person IN ($3, $4)`, m.AccountID, string(m.Channel), a.person, pseudonyms[i]).Scan(&one)
		if err != nil {
			return err
		}
		if found {
			b.optedOut[m.ID] = true
		}
	}
	return nil
}

const optedOutAll = `SELECT v.id FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS v (id, account, channel, person, pseudonym)
 JOIN opt_outs o ON o.account_id = v.account AND o.channel = v.channel AND o.person IN (v.person, v.pseudonym)`

func (r postgresRows) optedOut(b *acceptBatch, of []*Acceptance, pseudonyms []string) error {
	c := newColumns(len(of), "ttttt")
	for i, a := range of {
		m := a.Message
		c.add([]any{m.ID, m.AccountID, string(m.Channel), a.person, pseudonyms[i]})
	}
	return r.tx.Queue(addID(b.optedOut), optedOutAll, c.args()...)
}
