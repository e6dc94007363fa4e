package outbox

import (
	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
)

// postgresRows reads and writes a batch's rows with one statement of each kind. The statements are sent to the server together.
type postgresRows struct{ tx *db.Tx }

func (r postgresRows) insertKeys(b *acceptBatch, keyed []*Acceptance) error {
	c := newColumns(len(keyed), "tttt")
	for _, a := range keyed {
		c.add([]any{a.Message.AccountID, a.Key, a.Message.ID, a.Fingerprint})
	}
	return r.tx.Queue(addID(b.keyFree), `INSERT INTO idempotency_keys (account_id, key, message_id, fingerprint) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
 ON CONFLICT (account_id, key) DO NOTHING RETURNING message_id`, c.args()...)
}

const sweptAll = `SELECT v.id FROM unnest($1::text[], $2::text[], $3::text[]) AS v (id, account, hash) JOIN swept_keys s ON s.account_id = v.account AND s.key_hash = v.hash`

func (r postgresRows) sweptKeys(b *acceptBatch, keyed []*Acceptance) error {
	c := newColumns(len(keyed), "ttt")
	for _, a := range keyed {
		c.add([]any{a.Message.ID, a.Message.AccountID, b.sweptKeys.Hash(a.Message.AccountID, a.Key)})
	}
	return r.tx.Queue(addID(b.swept), sweptAll, c.args()...)
}

// addID returns a function that reads IDs into a set.
func addID(set map[string]bool) func(db.Scan) error {
	return func(scan db.Scan) error {
		var id string
		err := scan(&id)
		set[id] = true
		return err
	}
}

const (
	takeQuotas = `INSERT INTO quotas (account_id, day, used) SELECT a, d, n FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS v (a, r, d, n)
 ON CONFLICT (account_id, day) DO UPDATE SET used = quotas.used + excluded.used RETURNING account_id, '', day, used`
	takeCaps = `INSERT INTO recipient_counts (account_id, recipient, day, used) SELECT a, r, d, n FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS v (a, r, d, n)
 ON CONFLICT (account_id, recipient, day) DO UPDATE SET used = recipient_counts.used + excluded.used RETURNING account_id, recipient, day, used`

	countQuotas = `UPDATE quotas q SET used = q.used + v.n FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS v (a, r, d, n) WHERE q.account_id = v.a AND q.day = v.d`
	countCaps   = `UPDATE recipient_counts c SET used = c.used + v.n FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS v (a, r, d, n)
 WHERE c.account_id = v.a AND c.recipient = v.r AND c.day = v.d`
)

// readCounters locks rows by adding the amounts that the batch needs. writeCounters reverts the refused amounts,
// which is rare, so most batches write each row once.
func (r postgresRows) readCounters(b *acceptBatch, of []counter) error {
	wanted := b.wanted()
	c := newColumns(len(of), "ttii")
	for _, o := range of {
		c.add([]any{o.account, o.recipient, o.day, wanted[o]})
	}
	text := takeQuotas
	if of[0].recipient != "" {
		text = takeCaps
	}
	return r.tx.Queue(func(scan db.Scan) error {
		var o counter
		var now int64
		err := scan(&o.account, &o.recipient, &o.day, &now)
		b.used[o], b.written[o] = now-wanted[o], now
		return err
	}, text, c.args()...)
}

// wanted returns the amounts that a batch adds if nothing is refused.
func (b *acceptBatch) wanted() map[counter]int64 {
	n := map[counter]int64{}
	for _, a := range b.items {
		if a.Message.Status == message.Sandbox {
			continue
		}
		n[quotaCounter(a)]++
		if r, capped := recipientCounter(a); capped {
			n[r]++
		}
	}
	return n
}

func (r postgresRows) writeCounters(b *acceptBatch, changed []counter) error {
	quotas, caps := newColumns(len(changed), "ttii"), newColumns(len(changed), "ttii")
	for _, o := range changed {
		c := quotas
		if o.recipient != "" {
			c = caps
		}
		c.add([]any{o.account, o.recipient, o.day, b.used[o] - b.written[o]})
	}
	if len(quotas.texts[0]) > 0 {
		if err := r.tx.Queue(nil, countQuotas, quotas.args()...); err != nil {
			return err
		}
	}
	if len(caps.texts[0]) == 0 {
		return nil
	}
	return r.tx.Queue(nil, countCaps, caps.args()...)
}

// accountStatesAll has a limit in its subqueries, so that no plan reads all opt-outs into a hash table.
const accountStatesAll = `SELECT v.id, COALESCE((SELECT 1 FROM accounts a WHERE a.closed_at IS NOT NULL AND a.id = v.id LIMIT 1), 0),
 COALESCE((SELECT 1 FROM accounts a WHERE a.suspended_at IS NOT NULL AND a.id = v.id LIMIT 1), 0), COALESCE((SELECT 1 FROM opt_outs o WHERE o.account_id = v.id LIMIT 1), 0) FROM unnest($1::text[]) AS v (id)`

func (r postgresRows) accountStates(b *acceptBatch, ids []string) error {
	c := newColumns(len(ids), "t")
	for _, id := range ids {
		c.add([]any{id})
	}
	return r.tx.Queue(func(scan db.Scan) error {
		var id string
		var of accountState
		err := scan(&id, &of.closed, &of.suspended, &of.hasOptOuts)
		b.noteAccount(id, of)
		return err
	}, accountStatesAll, c.args()...)
}

const blockedAll = `SELECT v.id FROM unnest($1::text[], $2::text[], $3::text[]) AS v (id, sender, key)
 WHERE EXISTS (SELECT 1 FROM messages m WHERE m.sender_id = v.sender AND m.status = 'QUEUED' AND m.due_at IS NULL AND m.order_key = v.key)
 OR EXISTS (` + repeated + ` AND r.sender_id = v.sender AND r.order_key = v.key)`

// blocked finds messages behind which another node might have accepted one that this node's worker has not read.
func (r postgresRows) blocked(b *acceptBatch) error {
	c := newColumns(len(b.items), "ttt")
	for _, a := range b.items {
		if key := a.Message.OrderKey(); !a.BeginUntil.IsZero() && key != "" {
			c.add([]any{a.Message.ID, a.Message.SenderID, key})
		}
	}
	if len(c.texts[0]) == 0 {
		return nil
	}
	return r.tx.Queue(addID(b.blocked), blockedAll, c.args()...)
}

func (r postgresRows) inConversations(b *acceptBatch, of []*Acceptance) error {
	c := newColumns(len(of), "ttt")
	for _, a := range of {
		c.add([]any{a.Message.ID, a.Message.AccountID, a.person})
	}
	return r.tx.Queue(addID(b.inConversation), `SELECT v.id FROM unnest($1::text[], $2::text[], $3::text[]) AS v (id, account, person) JOIN conversations c ON c.account_id = v.account AND c.person = v.person`, c.args()...)
}

func (r postgresRows) insertMessages(items []*Acceptance) error { return insertMessages(r.tx, items) }

const insertAll = `INSERT INTO messages (` + insertColumns + `, seq)
 SELECT v.id, v.notification_id, v.account_id, NULLIF(v.project_id, ''), v.requested_channel, v.channel, v.recipient, v.address, NULLIF(v.sender_id, ''), NULLIF(v.from_address, ''), NULLIF(v.gateway, ''), v.content,
 v.sensitive, v.source, v.status, v.rank, v.version, NULLIF(v.due_at, 0), v.timeline, NULLIF(v.charged_day, 0), v.created_at, NULLIF(v.scheduled_at, 0), v.expires_at, NULLIF(v.options, ''), NULLIF(v.conversation_id, ''),
 v.order_key, v.calls, NULLIF(v.metadata, ''), nextval('messages_seq') - CASE WHEN v.sensitive = 1 THEN 4611686018427387904 ELSE 0 END
 FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::text[], $15::text[], $16::bigint[],
 $17::bigint[], $18::bigint[], $19::text[], $20::bigint[], $21::bigint[], $22::bigint[], $23::bigint[], $24::text[], $25::text[], $26::text[], $27::bigint[], $28::text[])
 AS v (id, notification_id, account_id, project_id, requested_channel, channel, recipient, address, sender_id, from_address, gateway, content, sensitive, source, status, rank,
 version, due_at, timeline, charged_day, created_at, scheduled_at, expires_at, options, conversation_id, order_key, calls, metadata)`

// insertMessages stores messages in the order of their acceptance, which determines their sequence numbers.
func insertMessages(tx *db.Tx, stored []*Acceptance) error {
	if len(stored) == 0 {
		return nil
	}
	c := newColumns(len(stored), "ttttttttttttittiiitiiiitttit")
	for _, a := range stored {
		c.add(insertValues(a.Message))
	}
	return tx.Queue(nil, insertAll, c.args()...)
}
