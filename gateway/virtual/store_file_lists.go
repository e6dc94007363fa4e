package virtual

import (
	"context"
	"database/sql"
	"encoding/json"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
)

func (f *file) messages(ctx context.Context, address string) ([]message, error) {
	var list []message
	err := f.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var m message
		var at int64
		var box sql.NullString
		var x extra
		err := rows.Scan(&m.id, &m.owner, &m.direction, &m.channel, &m.from, &m.to, &m.text, &m.html, &m.subject, &box, &m.name, &m.ref, &at, &m.status, &x.typ, &x.media)
		m.at = db.At(at)
		if err == nil {
			err = x.read(&m)
		}
		if box.Valid {
			f.unseal(ctx, &m, box.String)
		}
		list = append(list, m)
		return err
	}, `SELECT messages.id, owner, direction, channel, sender, recipient, text, html, subject, sealed, name, ref, at, status, type, media
		FROM messages LEFT JOIN extras ON extras.id = messages.id WHERE owner = $1 AND NOT (status = 'sent' AND direction = 'in') ORDER BY seq`, address)
	return list, err
}

// extra is a row of extras. Its values are null if there is no row.
type extra struct{ typ, media sql.NullString }

// read sets the message's fields from the row.
func (x *extra) read(m *message) error {
	m.typ = gateway.InboundType(x.typ.String)
	if !x.media.Valid {
		return nil
	}
	var b extraContent
	if err := json.Unmarshal([]byte(x.media.String), &b); err != nil {
		return err
	}
	m.reply, m.author, m.revised = b.reply, b.author, b.Revised
	if m.forms = b.forms; b.media != (media{}) {
		m.media = &b.media
	}
	return nil
}

// unseal sets the content of a sensitive message. If it was sealed with another key, the content stays empty.
func (f *file) unseal(ctx context.Context, m *message, box string) {
	var s sealed
	plain, err := f.box.Open(box, m.id)
	if err == nil {
		err = json.Unmarshal(plain, &s)
	}
	if err != nil {
		f.log.WarnContext(ctx, "virtual phones: a sensitive message cannot be opened", "message", m.id)
		return
	}
	m.text, m.html, m.subject, m.media, m.forms, m.sensitive = s.Text, s.HTML, s.Subject, s.Media, s.forms, true
}

func (f *file) attempts(ctx context.Context, ref string) ([]attempt, error) {
	var list []attempt
	err := f.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var a attempt
		var at int64
		err := rows.Scan(&a.ref, &at, &a.channel, &a.from, &a.to, &a.outcome)
		a.at = db.At(at)
		if continues(ref, a.ref) {
			list = append(list, a)
		}
		return err
	}, `SELECT ref, at, channel, sender, recipient, outcome FROM attempts WHERE ref = $1 OR ref >= $1 || '-' AND ref < $1 || '.' ORDER BY seq`, ref)
	return list, err
}

func (f *file) recent(ctx context.Context, n int) ([]activity, error) {
	var list []activity
	err := f.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var a activity
		var last int64
		err := rows.Scan(&a.address, &a.unread, &last)
		a.lastAt = db.At(last)
		list = append(list, a)
		return err
	}, `SELECT address, unread, last_at FROM phones ORDER BY last_at DESC LIMIT CAST($1 AS BIGINT)`, n)
	return list, err
}

func (f *file) activity(ctx context.Context, address string) (activity, error) {
	a := activity{address: address}
	var last int64
	found, err := f.db.Read(ctx).Row(`SELECT unread, last_at FROM phones WHERE address = $1`, address).Scan(&a.unread, &last)
	if found {
		a.lastAt = db.At(last)
	}
	return a, err
}

const (
	selectReceipts = `SELECT receipts.seq, receipts.ref, provider_id, receipts.status, receipts.at, `
	pageOfReceipts = ` WHERE receipts.seq > $1 ORDER BY receipts.seq LIMIT CAST($2 AS BIGINT)`

	receiptsAlone         = selectReceipts + `'' FROM receipts` + pageOfReceipts
	receiptsAndRecipients = selectReceipts + `COALESCE(recipient, '') FROM receipts
		LEFT JOIN messages ON messages.id = provider_id AND channel = 'whatsapp'` + pageOfReceipts
)

func (f *file) receipts(ctx context.Context, after int64, limit int) ([]queued[gateway.Receipt], error) {
	text := receiptsAlone
	if f.hasPeople.Load() {
		text = receiptsAndRecipients
	}
	var list []queued[gateway.Receipt]
	err := f.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var q queued[gateway.Receipt]
		var at int64
		err := rows.Scan(&q.seq, &q.item.Ref, &q.item.ProviderID, &q.item.Status, &at, &q.item.Recipient)
		q.item.At = db.At(at)
		list = append(list, q)
		return err
	}, text, after, limit)
	return list, err
}

func (f *file) removeReceipts(ctx context.Context, seqs []int64) error {
	return f.remove(ctx, `DELETE FROM receipts WHERE seq BETWEEN $1 AND $2`, seqs)
}

func (f *file) removeChanges(ctx context.Context, seqs []int64) error {
	return f.remove(ctx, `DELETE FROM changes WHERE seq BETWEEN $1 AND $2`, seqs)
}

// remove runs a statement that deletes a range of numbers.
func (f *file) remove(ctx context.Context, text string, seqs []int64) error {
	return f.db.Write(ctx, func(tx *db.Tx) error {
		for first := 0; first < len(seqs); {
			last := first
			for last+1 < len(seqs) && seqs[last+1] == seqs[last]+1 {
				last++
			}
			if _, err := tx.Exec(text, seqs[first], seqs[last]); err != nil {
				return err
			}
			first = last + 1
		}
		return nil
	})
}

func (f *file) inbound(ctx context.Context, after int64, limit int) ([]queued[gateway.Inbound], error) {
	var list []queued[gateway.Inbound]
	err := f.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var q queued[gateway.Inbound]
		var m message
		var at int64
		var x extra
		err := rows.Scan(&q.seq, &m.id, &m.channel, &m.from, &m.to, &m.name, &m.text, &at, &x.typ, &x.media)
		m.at = db.At(at)
		if err == nil {
			err = x.read(&m)
		}
		q.item = m.inbound()
		list = append(list, q)
		return err
	}, `SELECT seq, messages.id, channel, sender, recipient, name, text, at, type, media
		FROM messages LEFT JOIN extras ON extras.id = messages.id WHERE status = 'sent' AND direction = 'out' AND seq > $1 ORDER BY seq LIMIT CAST($2 AS BIGINT)`, after, limit)
	return list, err
}

func (f *file) markInboundDelivered(ctx context.Context, seqs []int64) error {
	return f.db.Write(ctx, func(tx *db.Tx) error {
		for _, seq := range seqs {
			if _, err := tx.Exec(`UPDATE messages SET status = 'delivered' WHERE seq = $1 AND status = 'sent'`, seq); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *file) option(ctx context.Context, name string, otherwise bool) (bool, error) {
	value := otherwise
	_, err := f.db.Read(ctx).Row(`SELECT value FROM options WHERE name = $1`, name).Scan(&value)
	return value, err
}

func (f *file) setOption(ctx context.Context, name string, value bool) error {
	return f.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO options (name, value) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, db.Flag(value))
		return err
	})
}

func (f *file) markRead(ctx context.Context, address string, ids []string) (waiting bool, err error) {
	err = f.db.Write(ctx, func(tx *db.Tx) error {
		waiting = false
		for _, id := range ids {
			var was string
			found, err := tx.Row(`SELECT status FROM messages WHERE id = $1 AND owner = $2 AND direction = 'out'`, id, address).Scan(&was)
			if err != nil {
				return err
			}
			switch {
			case found && was == string(statusSent):
				waiting = true
			case found:
				if _, err := tx.Exec(`UPDATE messages SET status = 'read' WHERE id = $1`, id); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return waiting, err
}
