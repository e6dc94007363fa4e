package outbox

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/person"
)

// Store is the outbox on a database. It is safe for concurrent use.
type Store struct {
	db        *db.DB
	signal    *webhook.Signal
	sweptKeys *message.SweptKeys
	people    *person.Key
	now       clock.Now
	writer    writer
	node      node
	recent    recent
	fenceWait time.Duration
}

// A writer contains the differences between the engines. On SQLite, a batch is one closure of the group commit. On
// PostgreSQL, it is one transaction with a statement of each kind.
type writer interface {
	accept(ctx context.Context, items []*Acceptance, stop bool) error
	begin(ctx context.Context, all []*Begin) error
	apply(ctx context.Context, t *Transition) (Applied, error)
}

// New returns the outbox on a database.
func New(d *db.DB, swept *message.SweptKeys, people *person.Key, now clock.Now) *Store {
	return NewCounted(d, nil, swept, people, now, nil)
}

// NewCounted is like [New]. In addition, it counts the writes, and notifies signal of stored events.
func NewCounted(d *db.DB, signal *webhook.Signal, swept *message.SweptKeys, people *person.Key, now clock.Now, m *metrics.Messages) *Store {
	s := &Store{db: d, signal: signal, sweptKeys: swept, people: people, now: now, fenceWait: fenceWait}
	s.node.single = d.Engine() == db.SQLite
	if s.node.single {
		s.writer = newSQLite(s, m)
	} else {
		s.writer = newPostgres(s, m)
	}
	return s
}

// Accept stores messages in their order, in one commit, and sets each item's Refusal and Used. If stop is set, all
// items after the first one that is refused for another reason than [KeyTaken] are [Skipped].
//
// An error means that nothing was stored, or that this is unknown.
func (s *Store) Accept(ctx context.Context, items []*Acceptance, stop bool) error {
	err := s.writer.accept(ctx, items, stop)
	if err != nil {
		return err
	}
	for _, a := range items {
		if a.Refusal == Stored {
			s.recent.accepted(a.Message)
		}
	}
	return nil
}

// Apply writes a transition, unless the message has changed since the version for which it was decided.
//
// An error means that nothing was written, or that this is unknown. In that case, the message must be read again.
func (s *Store) Apply(ctx context.Context, t *Transition) (Applied, error) {
	done, err := s.writer.apply(ctx, t)
	if err == nil && done.Changed {
		s.recent.written(t)
	}
	return done, err
}

// An Entry is the part of a message's row that determines when its turn comes.
type Entry struct {
	ID       string
	Version  int64
	Status   message.Status
	Seq      int64
	OrderKey string // "": no order
	Address  string
	Channel  gateway.Channel
	From     string
	Gateway  string
	Due      time.Time
}

// EntryOf returns the entry of a message that has not been stored yet.
func EntryOf(m *message.Message) Entry {
	return Entry{ID: m.ID, Version: m.Version, Status: m.Status, OrderKey: m.OrderKey(), Address: m.Address, Channel: m.Channel, From: m.From, Gateway: m.Gateway, Due: m.DueAt}
}

// Find returns a message, or nil.
func (s *Store) Find(ctx context.Context, id string) (*message.Message, error) {
	return message.Get(s.db.Read(ctx), id)
}

// Take returns messages whose turn has come, by ID, without those that have changed since their entries were read. It
// takes them from memory if this process has just accepted them, and reads the others.
func (s *Store) Take(ctx context.Context, entries []Entry) (map[string]*message.Message, error) {
	found := make(map[string]*message.Message, len(entries))
	var missing []string
	for i := range entries {
		e := &entries[i]
		if m := s.recent.take(e.ID); m != nil && m.Version == e.Version {
			found[e.ID] = m
		} else {
			missing = append(missing, e.ID)
		}
	}
	read, err := message.GetAll(s.db.Read(ctx), missing)
	if err != nil {
		return nil, err
	}
	for i := range entries {
		if m := read[entries[i].ID]; m != nil && m.Version == entries[i].Version {
			found[m.ID] = m
		}
	}
	return found, nil
}

const entryColumns = `id, version, status, COALESCE(seq, 0), COALESCE(order_key, address), address, channel, COALESCE(from_address, ''), COALESCE(gateway, ''), COALESCE(due_at, 0)`

func (s *Store) readEntries(ctx context.Context, text string, args ...any) (out []Entry, err error) {
	err = s.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var e Entry
		var status, channel string
		var due int64
		err := rows.Scan(&e.ID, &e.Version, &status, &e.Seq, &e.OrderKey, &e.Address, &channel, &e.From, &e.Gateway, &due)
		e.Status, e.Channel = message.Status(status), gateway.Channel(channel)
		if due != 0 {
			e.Due = db.At(due)
		}
		out = append(out, e)
		return err
	}, text, args...)
	return out, err
}

// suspendedAccounts selects the accounts for which no submission starts.
const suspendedAccounts = `SELECT id FROM accounts WHERE suspended_at IS NOT NULL`

// Ready lists up to n of a sender's messages that wait only for their turn, with sequence numbers greater than after:
// codes first, then in the order of their acceptance. It omits messages of suspended accounts, because a sender of the
// platform continues for others. It omits order keys in skip, so that many messages to one recipient do not hide others.
// It also omits messages behind one that a gateway is called with again, which [Store.Due] lists.
func (s *Store) Ready(ctx context.Context, senderID string, skip []string, after int64, n int) ([]Entry, error) {
	text, args := `SELECT `+entryColumns+` FROM messages WHERE sender_id = $1 AND seq > $3 AND status = 'QUEUED' AND due_at IS NULL AND NOT EXISTS (`+suspension+`)`+notBehindRepeated, []any{senderID, n, after}
	for _, key := range skip {
		args = append(args, key)
	}
	text += exceptOrderKeys(len(skip)) + ` ORDER BY seq LIMIT CAST($2 AS BIGINT)`
	return s.readEntries(ctx, text, args...)
}

// repeated finds messages that a gateway which deduplicates is called with again: their due time is that of their unknown
// outcome. There are few, and an index contains only them. Those of suspended accounts delay no other account.
const repeated = `SELECT 1 FROM messages r WHERE r.status = 'SENDING' AND r.due_at = r.unknown_at AND NOT EXISTS (SELECT 1 FROM accounts s WHERE s.id = r.account_id AND s.suspended_at IS NOT NULL)`

// notBehindRepeated leaves out messages behind a repeated one of the sender $1 in their line.
const notBehindRepeated = ` AND (NOT EXISTS (` + repeated + ` AND r.sender_id = $1)
 OR NOT EXISTS (` + repeated + ` AND r.sender_id = messages.sender_id AND r.order_key = messages.order_key AND r.order_key <> '' AND r.seq < messages.seq))`

// notSuspended leaves out what waits for the end of its account's suspension, unless it has expired: messages that wait for
// their turn, and those that a gateway which deduplicates is called with again, whose due time is that of their unknown
// outcome.
const notSuspended = ` AND (expires_at <= $2 OR status = 'SENT' OR status = 'SENDING' AND (unknown_at IS NULL OR due_at <> unknown_at) OR NOT EXISTS (` + suspension + `))`

// Due lists up to n of a sender's due messages: scheduled ones, retries, and those whose check is due. For a
// suspended account, it lists only those whose check is due, and expired ones.
func (s *Store) Due(ctx context.Context, senderID string, n int) ([]Entry, error) {
	return s.readEntries(ctx, `SELECT `+entryColumns+` FROM messages WHERE sender_id = $1 AND due_at <= $2`+notSuspended+` ORDER BY due_at, seq LIMIT CAST($3 AS BIGINT)`, senderID, db.Ms(s.now()), n)
}

// DueHandedOver is like [Store.Due], for only the messages that a gateway has or might have. A paused sender's worker handles them.
func (s *Store) DueHandedOver(ctx context.Context, senderID string, n int) ([]Entry, error) {
	return s.readEntries(ctx, `SELECT `+entryColumns+` FROM messages WHERE sender_id = $1 AND due_at <= $2 AND status IN ('SENDING', 'SENT')`+notSuspended+` ORDER BY due_at, seq LIMIT CAST($3 AS BIGINT)`, senderID, db.Ms(s.now()), n)
}

// Expired lists up to n messages that have expired while they waited for their turn. Messages that wait for their
// time are checked at that time. They are listed here only if their sender or the deployment is paused, or the
// sender's account is suspended.
func (s *Store) Expired(ctx context.Context, n int) ([]Entry, error) {
	now := db.Ms(s.now())
	out, err := s.readEntries(ctx, `SELECT `+entryColumns+` FROM messages WHERE status = 'QUEUED' AND due_at IS NULL AND expires_at <= $1 LIMIT CAST($2 AS BIGINT)`, now, n)
	if err != nil || len(out) == n {
		return out, err
	}
	due, err := s.readEntries(ctx, `SELECT `+entryColumns+` FROM messages WHERE sender_id IN (SELECT id FROM senders WHERE paused_at IS NOT NULL OR account_id IN (`+suspendedAccounts+`) OR EXISTS (SELECT 1 FROM sending_pause)) AND due_at <= $1 AND status IN ('SCHEDULED', 'QUEUED') AND expires_at <= $1 LIMIT CAST($2 AS BIGINT)`,
		now, n-len(out))
	return append(out, due...), err
}

// InFlight lists a sender's messages that another node might be submitting. Due is the end of the wait for that.
func (s *Store) InFlight(ctx context.Context, senderID string) ([]Entry, error) {
	return s.readEntries(ctx, `SELECT `+entryColumns+` FROM messages WHERE sender_id = $1 AND status = 'SENDING' AND unknown_at IS NULL AND due_at > $2 LIMIT 10000`, senderID, db.Ms(s.now()))
}

// sendersCTE steps from sender to sender in the indexes of messages with a due time (w) and of ready ones (r).
const sendersCTE = `WITH RECURSIVE w (id) AS (
 SELECT MIN(sender_id) FROM messages WHERE due_at IS NOT NULL
 UNION ALL SELECT (SELECT MIN(m.sender_id) FROM messages m WHERE m.due_at IS NOT NULL AND m.sender_id > w.id) FROM w WHERE w.id IS NOT NULL),
 r (id) AS (
 SELECT MIN(sender_id) FROM messages WHERE status = 'QUEUED' AND due_at IS NULL
 UNION ALL SELECT (SELECT MIN(m.sender_id) FROM messages m WHERE m.status = 'QUEUED' AND m.due_at IS NULL AND m.sender_id > r.id) FROM r WHERE r.id IS NOT NULL)
 `

// Senders lists the senders with ready or due messages.
func (s *Store) Senders(ctx context.Context) (out []string, err error) {
	err = s.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var sender string
		err := rows.Scan(&sender)
		out = append(out, sender)
		return err
	}, ``+sendersCTE+`SELECT id FROM w WHERE id IS NOT NULL AND EXISTS (SELECT 1 FROM messages d WHERE d.sender_id = w.id AND d.due_at <= $1)
 UNION ALL SELECT id FROM r WHERE id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM messages d WHERE d.sender_id = r.id AND d.due_at <= $1)`, db.Ms(s.now()))
	return out, err
}

// Backlog counts, with the indexes only, the messages that are ready or are due before until. If until is an
// attempt's time from now, these are the waiting messages, those in flight, and a few that are due soon. Messages
// that wait for a paused sender or a sender of a suspended account are not counted, so that no account can fill the
// backlog by pausing its own senders.
func (s *Store) Backlog(ctx context.Context, until time.Time) (n int64, err error) {
	_, err = s.db.Read(ctx).Row(sendersCTE+`SELECT CAST(COALESCE((SELECT SUM((SELECT count(*) FROM messages d WHERE d.sender_id = w.id AND d.due_at <= $1)) FROM w WHERE w.id IS NOT NULL`+notPaused("w")+`), 0)
 + COALESCE((SELECT SUM((SELECT count(*) FROM messages d WHERE d.sender_id = r.id AND d.status = 'QUEUED' AND d.due_at IS NULL)) FROM r WHERE r.id IS NOT NULL`+notPaused("r")+`), 0) AS BIGINT)`, db.Ms(until)).Scan(&n)
	return n, err
}

func notPaused(senders string) string {
	return ` AND NOT EXISTS (SELECT 1 FROM senders p WHERE p.id = ` + senders + `.id AND (p.paused_at IS NOT NULL OR p.account_id IN (` + suspendedAccounts + `)))`
}

// MaxDepth is the maximum count of [Store.Depth].
const MaxDepth = 10_000

// A Depth is the number of a sender's waiting messages.
type Depth struct {
	Ready int // ready to be sent
	Later int // scheduled, or waiting for a retry
}

// Depth counts a sender's waiting messages, each kind up to [MaxDepth].
func (s *Store) Depth(ctx context.Context, senderID string) (Depth, error) {
	return DepthOf(s.db.Read(ctx), senderID)
}

// DepthOf is like [Store.Depth], within a transaction.
func DepthOf(q *db.Query, senderID string) (d Depth, err error) {
	_, err = q.Row(fmt.Sprint(`SELECT (SELECT count(*) FROM (SELECT 1 FROM messages WHERE sender_id = $1 AND status = 'QUEUED' AND due_at IS NULL LIMIT `, MaxDepth, `) AS r),
 (SELECT count(*) FROM (SELECT 1 FROM messages WHERE sender_id = $1 AND due_at IS NOT NULL AND status IN ('SCHEDULED', 'QUEUED') LIMIT `, MaxDepth, `) AS w)`), senderID).Scan(&d.Ready, &d.Later)
	return d, err
}

// Waiting lists the IDs of up to n of a sender's messages that wait for their turn or their time, after an ID.
func (s *Store) Waiting(ctx context.Context, senderID, after string, n int) (ids []string, err error) {
	err = s.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM (SELECT id FROM messages WHERE sender_id = $1 AND status = 'QUEUED' AND due_at IS NULL
 UNION ALL SELECT id FROM messages WHERE sender_id = $1 AND due_at IS NOT NULL AND status IN ('SCHEDULED', 'QUEUED')) AS w WHERE id > $2 ORDER BY id LIMIT CAST($3 AS BIGINT)`, senderID, after, n)
	return ids, err
}

// NeverHandedOver is a condition for the row m of messages: the message has ended, and no gateway has accepted it, or
// might have accepted it, on any of its routes ([message.Message.HandedOver]).
const NeverHandedOver = `m.status IN ('FAILED', 'EXPIRED', 'CANCELED') AND m.handed_over IS NULL`
