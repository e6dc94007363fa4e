package outbox

import (
	"cmp"
	"database/sql"
	"slices"

	"griot/internal/db"
	"griot/messaging/inbox"
	"griot/messaging/message"
	"griot/messaging/quota"
	"griot/messaging/webhook"
)

// acceptBatch carries acceptances out, those of one caller in their order. Two callers' of one idempotency key do not go together.
func (w *postgres) acceptBatch(batch []*acceptOp) {
	for len(batch) > 0 {
		n := distinct(batch)
		write(w, batch[:n], func(tx *db.Tx) error { return w.acceptAll(tx, batch[:n]) },
			func(tx *db.Tx, o *acceptOp) error { return w.acceptAll(tx, []*acceptOp{o}) },
			func(o *acceptOp, err error) { o.err = err })
		batch = batch[n:]
	}
}

// distinct is how many operations can go together: until an idempotency key comes again.
func distinct(batch []*acceptOp) int {
	seen := map[keyOf]int{}
	for i, o := range batch {
		for _, a := range o.items {
			if first, again := seen[a.keyOf()]; again && first != i {
				return i
			}
			if a.Key != "" {
				seen[a.keyOf()] = i
			}
		}
	}
	return len(batch)
}

type keyOf struct{ account, key string }

func (a *Acceptance) keyOf() keyOf { return keyOf{a.Message.AccountID, a.Key} }

// capOf is a row of recipient_counts; without a recipient, of quotas.
type capOf struct {
	account, recipient string
	day                int64
}

// acceptance is a batch of acceptances while it is decided about.
type acceptance struct {
	tx     *db.Tx
	items  []*Acceptance
	fresh  map[string]bool       // ids of messages whose key was free
	holder map[keyOf]*Acceptance // whose the keys are
	used   map[capOf]int64       // what the day's quotas and caps have, with what this batch takes
	before map[capOf]int64       // without it
}

// acceptAll stores acceptances: their keys, then their quotas and caps, are locked in one order by everybody; then Go
// decides about one after the other, and what was accepted is inserted.
func (w *postgres) acceptAll(tx *db.Tx, ops []*acceptOp) error {
	b := &acceptance{tx: tx, fresh: map[string]bool{}, holder: map[keyOf]*Acceptance{}, used: map[capOf]int64{}, before: map[capOf]int64{}}
	begins := false
	for _, o := range ops {
		b.items = append(b.items, o.items...)
		for _, a := range o.items {
			a.set(false)
			a.Refusal, a.Used = Stored, 0
			begins = begins || !a.Until.IsZero()
		}
	}
	mine := false
	if begins {
		var err error
		if mine, err = w.s.node.fence(tx); err != nil {
			return err
		}
	}
	for _, lock := range []func() error{b.lockKeys, b.lockQuotas, b.lockCaps} {
		if err := lock(); err != nil {
			return err
		}
	}
	var stored []*Acceptance
	for _, o := range ops {
		skipping := false
		for _, a := range o.items {
			if err := b.decide(a, skipping); err != nil {
				return err
			}
			if a.Refusal == Stored {
				stored = append(stored, a)
			}
			skipping = skipping || (o.stop && a.Refusal != Stored && a.Refusal != KeyTaken)
		}
	}
	behind := map[string]bool{}
	if mine {
		var err error
		if behind, err = waitsBehind(tx, stored); err != nil {
			return err
		}
	}
	for _, a := range stored {
		a.set(mine && !a.Until.IsZero() && !behind[a.Message.ID])
	}
	return b.insert(stored)
}

func (b *acceptance) lockKeys() error {
	var keyed []*Acceptance
	for _, a := range b.items {
		if a.Key != "" {
			keyed = append(keyed, a)
		} else {
			b.fresh[a.Message.ID] = true
		}
	}
	if len(keyed) == 0 {
		return nil
	}
	slices.SortStableFunc(keyed, func(x, y *Acceptance) int {
		return cmp.Or(cmp.Compare(x.Message.AccountID, y.Message.AccountID), cmp.Compare(x.Key, y.Key))
	})
	c := newColumns(len(keyed), "tttt")
	for _, a := range keyed {
		c.add([]any{a.Message.AccountID, a.Key, a.Message.ID, a.Fingerprint})
	}
	err := b.tx.Each(func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		b.fresh[id] = true
		return err
	}, `INSERT INTO idempotency_keys (account_id, key, message_id, fingerprint) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
 ON CONFLICT (account_id, key) DO NOTHING RETURNING message_id`, c.args()...)
	for _, a := range keyed {
		if b.fresh[a.Message.ID] {
			b.holder[a.keyOf()] = a
		}
	}
	return err
}

// rows returns the rows that the batch's messages count in, in the order in which everybody locks them.
func (b *acceptance) rows(of func(*Acceptance) (capOf, bool)) []capOf {
	seen := map[capOf]bool{}
	var rows []capOf
	for _, a := range b.items {
		if r, counts := of(a); counts && !seen[r] {
			seen[r] = true
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(x, y capOf) int {
		return cmp.Or(cmp.Compare(x.account, y.account), cmp.Compare(x.recipient, y.recipient), cmp.Compare(x.day, y.day))
	})
	return rows
}

func quotaOf(a *Acceptance) capOf {
	return capOf{account: a.Message.AccountID, day: quota.Day(a.Message.CreatedAt)}
}

func (b *acceptance) lockQuotas() error {
	c := newColumns(len(b.items), "ti")
	rows := b.rows(func(a *Acceptance) (capOf, bool) { return quotaOf(a), true })
	for _, r := range rows {
		c.add([]any{r.account, r.day})
	}
	return b.tx.Each(func(rows *sql.Rows) error {
		var r capOf
		var used int64
		err := rows.Scan(&r.account, &r.day, &used)
		b.used[r], b.before[r] = used, used
		return err
	}, `INSERT INTO quotas (account_id, day, used) SELECT a, d, 0 FROM unnest($1::text[], $2::bigint[]) AS v (a, d)
 ON CONFLICT (account_id, day) DO UPDATE SET used = quotas.used RETURNING account_id, day, used`, c.args()...)
}

func recipientOf(a *Acceptance) (capOf, bool) {
	return capOf{a.Message.AccountID, a.Message.Recipient(), quota.Day(a.Message.CreatedAt)}, a.RecipientCap > 0 && a.Message.Status != message.Sandbox
}

func (b *acceptance) lockCaps() error {
	rows := b.rows(recipientOf)
	if len(rows) == 0 {
		return nil
	}
	c := newColumns(len(rows), "tti")
	for _, r := range rows {
		c.add([]any{r.account, r.recipient, r.day})
	}
	return b.tx.Each(func(rows *sql.Rows) error {
		var r capOf
		var used int64
		err := rows.Scan(&r.account, &r.recipient, &r.day, &used)
		b.used[r], b.before[r] = used, used
		return err
	}, `INSERT INTO recipient_counts (account_id, recipient, day, used) SELECT a, r, d, 0 FROM unnest($1::text[], $2::text[], $3::bigint[]) AS v (a, r, d)
 ON CONFLICT (account_id, recipient, day) DO UPDATE SET used = recipient_counts.used RETURNING account_id, recipient, day, used`, c.args()...)
}

// decide says what becomes of an acceptance, and counts it.
func (b *acceptance) decide(a *Acceptance, skip bool) error {
	q := quotaOf(a)
	r, capped := recipientOf(a)
	switch {
	case skip:
		a.Refusal = Skipped
	case !b.fresh[a.Message.ID]:
		if first := b.holder[a.keyOf()]; first != nil && first.Refusal != Stored { // it leaves no key behind
			a.Refusal = first.Refusal
			return nil
		}
		return a.meet(b.tx)
	case a.Message.Status == message.Sandbox:
		a.Used = b.used[q]
	case capped && b.used[r] >= a.RecipientCap:
		a.Refusal = RecipientFull
	case a.DailyLimit > 0 && b.used[q] >= a.DailyLimit:
		a.Refusal = NoQuota
	default:
		if capped {
			b.used[r]++
		}
		b.used[q]++
		a.Used, a.Message.ChargedDay = b.used[q], q.day
	}
	return nil
}

// waitsBehind returns the ids of messages before which another of their sender's waits for its turn: one that another
// node has accepted, and of which this one may not have heard.
func waitsBehind(tx *db.Tx, items []*Acceptance) (behind map[string]bool, err error) {
	behind = map[string]bool{}
	c := newColumns(len(items), "ttt")
	for _, a := range items {
		if key := a.Message.OrderKey(); !a.Until.IsZero() && key != "" {
			c.add([]any{a.Message.ID, a.Message.SenderID, key})
		}
	}
	if len(c.texts[0]) == 0 {
		return behind, nil
	}
	err = tx.Each(func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		behind[id] = true
		return err
	}, `SELECT v.id FROM unnest($1::text[], $2::text[], $3::text[]) AS v (id, sender, key)
 WHERE EXISTS (SELECT 1 FROM messages m WHERE m.sender_id = v.sender AND m.status = 'QUEUED' AND m.due_at IS NULL AND m.order_key = v.key)`, c.args()...)
	return behind, err
}

// insert writes what was accepted, and takes the keys of what was refused away again.
func (b *acceptance) insert(stored []*Acceptance) error {
	if err := b.forgetKeys(); err != nil {
		return err
	}
	if err := b.count(); err != nil {
		return err
	}
	if err := b.join(stored); err != nil {
		return err
	}
	if err := insertMessages(b.tx, stored); err != nil {
		return err
	}
	var events []*webhook.Event
	for _, a := range stored {
		events = append(events, a.Events...)
	}
	if err := insertEvents(b.tx, events); err != nil {
		return err
	}
	for _, a := range stored {
		if a.Beside == nil {
			continue
		}
		if err := a.Beside(b.tx, a.Message); err != nil {
			return err
		}
	}
	return nil
}

func (b *acceptance) forgetKeys() error {
	for _, a := range b.items { // few: a refusal is rare
		if a.Key == "" || a.Refusal == Stored || !b.fresh[a.Message.ID] {
			continue
		}
		if _, err := b.tx.Exec(forgetKey, a.Message.AccountID, a.Key, a.Message.ID); err != nil {
			return err
		}
	}
	return nil
}

// count writes what the batch has taken of quotas and caps.
func (b *acceptance) count() error {
	quotas, caps := newColumns(len(b.used), "tii"), newColumns(len(b.used), "ttii")
	for r, used := range b.used {
		switch n := used - b.before[r]; {
		case n == 0:
		case r.recipient == "":
			quotas.add([]any{r.account, r.day, n})
		default:
			caps.add([]any{r.account, r.recipient, r.day, n})
		}
	}
	if len(quotas.texts[0]) > 0 {
		if _, err := b.tx.Exec(`UPDATE quotas q SET used = q.used + v.n FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS v (a, d, n) WHERE q.account_id = v.a AND q.day = v.d`, quotas.args()...); err != nil {
			return err
		}
	}
	if len(caps.texts[0]) == 0 {
		return nil
	}
	_, err := b.tx.Exec(`UPDATE recipient_counts c SET used = c.used + v.n FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS v (a, r, d, n)
 WHERE c.account_id = v.a AND c.recipient = v.r AND c.day = v.d`, caps.args()...)
	return err
}

// join lets those messages appear in the inbox that have a conversation there.
func (b *acceptance) join(stored []*Acceptance) error {
	c := newColumns(len(stored), "ttt")
	for _, a := range stored {
		a.Message.ConversationID = ""
		if inbox.Shows(a.Message) {
			c.add([]any{a.Message.ID, a.Message.AccountID, a.Message.Address})
		}
	}
	if len(c.texts[0]) == 0 {
		return nil
	}
	shown := map[string]bool{}
	err := b.tx.Each(func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		shown[id] = true
		return err
	}, `SELECT v.id FROM unnest($1::text[], $2::text[], $3::text[]) AS v (id, account, phone) JOIN conversations c ON c.account_id = v.account AND c.phone = v.phone`, c.args()...)
	if err != nil || len(shown) == 0 {
		return err
	}
	sorted := slices.Clone(stored)
	slices.SortStableFunc(sorted, func(x, y *Acceptance) int { return cmp.Compare(x.Message.AccountID, y.Message.AccountID) })
	for _, a := range sorted {
		if !shown[a.Message.ID] {
			continue
		}
		if err := inbox.Join(b.tx, a.Message); err != nil {
			return err
		}
	}
	return nil
}

const insertAll = `INSERT INTO messages (` + insertColumns + `, seq)
 SELECT v.id, v.notification_id, v.account_id, NULLIF(v.project_id, ''), v.requested_channel, v.channel, v.recipient, v.address, NULLIF(v.sender_id, ''), NULLIF(v.from_address, ''), NULLIF(v.gateway, ''), v.content,
 v.sensitive, v.source, v.status, v.rank, v.attempt, NULLIF(v.due_at, 0), v.timeline, NULLIF(v.charged_day, 0), v.created_at, NULLIF(v.scheduled_at, 0), v.expires_at, NULLIF(v.wish, ''), NULLIF(v.conversation_id, ''),
 v.order_key, v.calls, NULLIF(v.metadata, ''), nextval('messages_seq') - CASE WHEN v.sensitive = 1 THEN 4611686018427387904 ELSE 0 END
 FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::text[], $15::text[], $16::bigint[],
 $17::bigint[], $18::bigint[], $19::text[], $20::bigint[], $21::bigint[], $22::bigint[], $23::bigint[], $24::text[], $25::text[], $26::text[], $27::bigint[], $28::text[])
 AS v (id, notification_id, account_id, project_id, requested_channel, channel, recipient, address, sender_id, from_address, gateway, content, sensitive, source, status, rank,
 attempt, due_at, timeline, charged_day, created_at, scheduled_at, expires_at, wish, conversation_id, order_key, calls, metadata)`

// insertMessages stores rows in the order of their acceptance, by which they are numbered.
func insertMessages(tx *db.Tx, stored []*Acceptance) error {
	if len(stored) == 0 {
		return nil
	}
	c := newColumns(len(stored), "ttttttttttttittiiitiiiitttit")
	for _, a := range stored {
		c.add(rowOf(a.Message))
	}
	_, err := tx.Exec(insertAll, c.args()...)
	return err
}
