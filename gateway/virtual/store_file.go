package virtual

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
)

// file is the store in an SQLite file.
type file struct {
	db  *db.DB
	box *seal.Box
	log *slog.Logger
	// hasPeople means that there is a [person]. Until then, reading receipts doesn't read their messages too.
	hasPeople atomic.Bool
}

func openFile(ctx context.Context, path string, box *seal.Box, log *slog.Logger) (*file, error) {
	d, err := db.Open(ctx, "sqlite:"+path)
	if err != nil {
		return nil, err
	}
	err = d.Write(ctx, func(tx *db.Tx) error {
		for _, text := range schema() {
			if _, err := tx.Exec(text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &file{db: d, box: box, log: log}, nil
}

func (f *file) close() error { return f.db.Close() }

const (
	insertMessage = `INSERT INTO messages (id, owner, direction, channel, sender, recipient, text, html, subject, sealed, name, ref, at, status, first_ref)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, `
	insertOnce    = insertMessage + `$15) ON CONFLICT (first_ref) DO NOTHING`
	insertAgain   = insertMessage + `CASE WHEN EXISTS (SELECT 1 FROM messages WHERE first_ref = $15) THEN NULL ELSE $15 END)`
	insertAttempt = `INSERT INTO attempts (ref, at, channel, sender, recipient, outcome) VALUES ($1, $2, $3, $4, $5, $6)`
	insertReceipt = `INSERT INTO receipts (ref, provider_id, status, at) VALUES ($1, $2, $3, $4)`
	insertExtra   = `INSERT INTO extras (id, type, media) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`
	touchPhone    = `INSERT INTO phones (address, unread, last_at) VALUES ($1, $2, $3)
		ON CONFLICT (address) DO UPDATE SET unread = unread + excluded.unread, last_at = excluded.last_at`
)

func (f *file) deliver(ctx context.Context, m *message, att attempt, once bool) (id string, err error) {
	text := insertAgain
	if once {
		text = insertOnce
	}
	args, extra, err := f.columns(m)
	if err != nil {
		return "", err
	}
	err = f.db.Write(ctx, func(tx *db.Tx) error {
		id = m.id
		n, err := tx.Exec(text, args...)
		if err != nil {
			return err
		}
		if n == 0 {
			if _, err := tx.Row(`SELECT id FROM messages WHERE first_ref = $1`, m.ref).Scan(&id); err != nil {
				return err
			}
		}
		if err := addAttempt(tx, att, att.finalOutcome(n == 0)); err != nil || n == 0 {
			return err
		}
		if err := addExtra(tx, extra); err != nil || m.hidden() {
			return err
		}
		if _, err := tx.Exec(touchPhone, m.owner, 1, db.Ms(m.at)); err != nil || m.noReceipt {
			return err
		}
		_, err = tx.Exec(insertReceipt, m.ref, m.id, string(gateway.ReceiptDelivered), db.Ms(m.at))
		return err
	})
	return id, err
}

// sealed is the content of a sensitive message.
type sealed struct {
	Text, HTML, Subject string
	Media               *media `json:",omitempty"`
	forms
}

// extraContent is a message's content in addition to its text, in the table extras.
type extraContent struct {
	media
	forms
	reply
	author
	Revised revision `json:",omitempty"`
}

// content returns the message's row in extras.
func (m *message) content() extraContent {
	return extraContent{deref(m.media), m.forms, m.reply, m.author, m.revised}
}

func deref(m *media) media {
	if m == nil {
		return media{}
	}
	return *m
}

// columns returns the values of insertMessage, and those of insertExtra if the message needs a row there. A sensitive
// message's content is sealed.
func (f *file) columns(m *message) (args, extra []any, err error) {
	text, html, subject, box, more := m.text, m.html, m.subject, any(nil), any(nil)
	switch {
	case m.sensitive:
		plain, err := json.Marshal(sealed{text, html, subject, m.media, m.forms})
		if err != nil {
			return nil, nil, err
		}
		text, html, subject, box = "", "", "", f.box.Seal(plain, m.id)
	case m.content() != extraContent{}:
		b, err := json.Marshal(m.content())
		if err != nil {
			return nil, nil, err
		}
		more = string(b)
	}
	if more != nil || m.kind() != gateway.InboundText {
		extra = []any{m.id, string(m.kind()), more}
	}
	return []any{
		m.id, m.owner, string(m.direction), string(m.channel), m.from, m.to, text, html, subject, box,
		m.name, m.ref, db.Ms(m.at), string(m.status), db.Null(m.ref),
	}, extra, nil
}

func addExtra(tx *db.Tx, extra []any) error {
	if extra == nil {
		return nil
	}
	_, err := tx.Exec(insertExtra, extra...)
	return err
}

func (f *file) first(ctx context.Context, ref string) (id string, known bool, err error) {
	known, err = f.db.Read(ctx).Row(`SELECT id FROM messages WHERE first_ref = $1`, ref).Scan(&id)
	return id, known, err
}

func (f *file) record(ctx context.Context, att attempt) error {
	return f.db.Write(ctx, func(tx *db.Tx) error { return addAttempt(tx, att, att.outcome) })
}

func addAttempt(tx *db.Tx, att attempt, o outcome) error {
	_, err := tx.Exec(insertAttempt, att.ref, db.Ms(att.at), string(att.channel), att.from, att.to, string(o))
	return err
}

func (f *file) write(ctx context.Context, m *message) (seq int64, err error) {
	args, extra, err := f.columns(m)
	if err != nil {
		return 0, err
	}
	err = f.db.Write(ctx, func(tx *db.Tx) error {
		if _, err := tx.Exec(insertOnce, args...); err != nil {
			return err
		}
		if err := addExtra(tx, extra); err != nil {
			return err
		}
		if _, err := tx.Row(`SELECT seq FROM messages WHERE id = $1`, m.id).Scan(&seq); err != nil {
			return err
		}
		_, err := tx.Exec(touchPhone, m.owner, 0, db.Ms(m.at))
		return err
	})
	return seq, err
}

func (f *file) release(ctx context.Context, address string, at time.Time) error {
	const hidden = ` WHERE owner = $1 AND status = 'sent' AND direction = 'in'`
	return f.db.Write(ctx, func(tx *db.Tx) error {
		if _, err := tx.Exec(`INSERT INTO receipts (ref, provider_id, status, at)
			SELECT ref, id, 'delivered', $2 FROM messages`+hidden+` ORDER BY seq`, address, db.Ms(at)); err != nil {
			return err
		}
		n, err := tx.Exec(`UPDATE messages SET status = 'delivered'`+hidden, address)
		if err != nil || n == 0 {
			return err
		}
		_, err = tx.Exec(touchPhone, address, n, db.Ms(at))
		return err
	})
}

// releaseAll releases the hidden messages of all addresses.
func (f *file) releaseAll(ctx context.Context, at time.Time) error {
	var owners []string
	err := f.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var owner string
		err := rows.Scan(&owner)
		owners = append(owners, owner)
		return err
	}, `SELECT DISTINCT owner FROM messages WHERE status = 'sent' AND direction = 'in'`)
	for _, owner := range owners {
		err = errors.Join(err, f.release(ctx, owner, at))
	}
	return err
}

func (f *file) read(ctx context.Context, address, id string, at time.Time) (found bool, err error) {
	err = f.db.Write(ctx, func(tx *db.Tx) error {
		var ref, channel, was string
		var err error
		found, err = tx.Row(`SELECT ref, channel, status FROM messages
			WHERE id = $1 AND owner = $2 AND direction = 'in' AND status <> 'sent'`, id, address).Scan(&ref, &channel, &was)
		if err != nil || !found || was == string(statusRead) {
			return err
		}
		if _, err := tx.Exec(`UPDATE messages SET status = 'read' WHERE id = $1`, id); err != nil {
			return err
		}
		if _, err := tx.Exec(`UPDATE phones SET unread = unread - 1 WHERE address = $1`, address); err != nil {
			return err
		}
		if gateway.Channel(channel) != gateway.WhatsApp {
			return nil
		}
		_, err = tx.Exec(insertReceipt, ref, id, string(gateway.ReceiptRead), db.Ms(at))
		return err
	})
	return found, err
}
