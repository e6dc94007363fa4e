package outbox

import (
	"database/sql"

	"griot/internal/db"
	"griot/messaging/events"
)

// postgresRows reads and writes the rows of a batch of acceptances by one statement of each kind.
type postgresRows struct{ tx *db.Tx }

func (r postgresRows) insertKeys(b *acceptBatch, keyed []*Acceptance) error {
	c := newColumns(len(keyed), "tttt")
	for _, a := range keyed {
		c.add([]any{a.Message.AccountID, a.Key, a.Message.ID, a.Fingerprint})
	}
	return r.tx.Each(func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		b.keyFree[id] = true
		return err
	}, `INSERT INTO idempotency_keys (account_id, key, message_id, fingerprint) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
 ON CONFLICT (account_id, key) DO NOTHING RETURNING message_id`, c.args()...)
}

func (r postgresRows) readCounters(b *acceptBatch, of []counter) error {
	c := newColumns(len(of), "tti")
	for _, o := range of {
		c.add([]any{o.account, o.recipient, o.day})
	}
	text := `INSERT INTO quotas (account_id, day, used) SELECT a, d, 0 FROM unnest($1::text[], $2::text[], $3::bigint[]) AS v (a, r, d)
 ON CONFLICT (account_id, day) DO UPDATE SET used = quotas.used RETURNING account_id, '', day, used`
	if of[0].recipient != "" {
		text = `INSERT INTO recipient_counts (account_id, recipient, day, used) SELECT a, r, d, 0 FROM unnest($1::text[], $2::text[], $3::bigint[]) AS v (a, r, d)
 ON CONFLICT (account_id, recipient, day) DO UPDATE SET used = recipient_counts.used RETURNING account_id, recipient, day, used`
	}
	return r.tx.Each(func(rows *sql.Rows) error {
		var o counter
		var used int64
		err := rows.Scan(&o.account, &o.recipient, &o.day, &used)
		b.used[o], b.usedBefore[o] = used, used
		return err
	}, text, c.args()...)
}

func (r postgresRows) writeCounters(b *acceptBatch, changed []counter) error {
	quotas, caps := newColumns(len(changed), "tii"), newColumns(len(changed), "ttii")
	for _, o := range changed {
		if n := b.used[o] - b.usedBefore[o]; o.recipient == "" {
			quotas.add([]any{o.account, o.day, n})
		} else {
			caps.add([]any{o.account, o.recipient, o.day, n})
		}
	}
	if len(quotas.texts[0]) > 0 {
		if _, err := r.tx.Exec(`UPDATE quotas q SET used = q.used + v.n FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS v (a, d, n) WHERE q.account_id = v.a AND q.day = v.d`, quotas.args()...); err != nil {
			return err
		}
	}
	if len(caps.texts[0]) == 0 {
		return nil
	}
	_, err := r.tx.Exec(`UPDATE recipient_counts c SET used = c.used + v.n FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS v (a, r, d, n)
 WHERE c.account_id = v.a AND c.recipient = v.r AND c.day = v.d`, caps.args()...)
	return err
}

// ids runs a query whose rows are ids.
func (r postgresRows) ids(text string, c *columns) (ids map[string]bool, err error) {
	ids = map[string]bool{}
	if len(c.texts[0]) == 0 {
		return ids, nil
	}
	err = r.tx.Each(func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids[id] = true
		return err
	}, text, c.args()...)
	return ids, err
}

const blockedAll = `SELECT v.id FROM unnest($1::text[], $2::text[], $3::text[]) AS v (id, sender, key)
 WHERE EXISTS (SELECT 1 FROM messages m WHERE m.sender_id = v.sender AND m.status = 'QUEUED' AND m.due_at IS NULL AND m.order_key = v.key)`

// blocked finds messages behind which another node may have accepted one that this node's worker hasn't read.
func (r postgresRows) blocked(items []*Acceptance) (map[string]bool, error) {
	c := newColumns(len(items), "ttt")
	for _, a := range items {
		if key := a.Message.OrderKey(); !a.BeginUntil.IsZero() && key != "" {
			c.add([]any{a.Message.ID, a.Message.SenderID, key})
		}
	}
	return r.ids(blockedAll, c)
}

func (r postgresRows) inConversations(items []*Acceptance) (map[string]bool, error) {
	c := newColumns(len(items), "ttt")
	for _, a := range items {
		c.add([]any{a.Message.ID, a.Message.AccountID, a.Message.Address})
	}
	return r.ids(`SELECT v.id FROM unnest($1::text[], $2::text[], $3::text[]) AS v (id, account, phone) JOIN conversations c ON c.account_id = v.account AND c.phone = v.phone`, c)
}

func (r postgresRows) insertMessages(items []*Acceptance) error { return insertMessages(r.tx, items) }

func (r postgresRows) insertEvents(all []*events.Event) error { return insertEvents(r.tx, all) }

const insertAll = `INSERT INTO messages (` + insertColumns + `, seq)
 SELECT v.id, v.notification_id, v.account_id, NULLIF(v.project_id, ''), v.requested_channel, v.channel, v.recipient, v.address, NULLIF(v.sender_id, ''), NULLIF(v.from_address, ''), NULLIF(v.gateway, ''), v.content,
 v.sensitive, v.source, v.status, v.rank, v.attempt, NULLIF(v.due_at, 0), v.timeline, NULLIF(v.charged_day, 0), v.created_at, NULLIF(v.scheduled_at, 0), v.expires_at, NULLIF(v.wish, ''), NULLIF(v.conversation_id, ''),
 v.order_key, v.calls, NULLIF(v.metadata, ''), nextval('messages_seq') - CASE WHEN v.sensitive = 1 THEN 4611686018427387904 ELSE 0 END
 FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::text[], $15::text[], $16::bigint[],
 $17::bigint[], $18::bigint[], $19::text[], $20::bigint[], $21::bigint[], $22::bigint[], $23::bigint[], $24::text[], $25::text[], $26::text[], $27::bigint[], $28::text[])
 AS v (id, notification_id, account_id, project_id, requested_channel, channel, recipient, address, sender_id, from_address, gateway, content, sensitive, source, status, rank,
 attempt, due_at, timeline, charged_day, created_at, scheduled_at, expires_at, wish, conversation_id, order_key, calls, metadata)`

// insertMessages stores messages in the order of their acceptance, by which they get their sequence numbers.
func insertMessages(tx *db.Tx, stored []*Acceptance) error {
	if len(stored) == 0 {
		return nil
	}
	c := newColumns(len(stored), "ttttttttttttittiiitiiiitttit")
	for _, a := range stored {
		c.add(insertValues(a.Message))
	}
	_, err := tx.Exec(insertAll, c.args()...)
	return err
}
