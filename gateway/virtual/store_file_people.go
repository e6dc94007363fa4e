package virtual

import (
	"context"
	"database/sql"
	"encoding/json"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
)

// revise implements [store]. Messages that a phone has written are never sealed.
func (f *file) revise(ctx context.Context, address, id string, apply func(m *message) (gateway.Change, error)) (found bool, err error) {
	var refused error
	err = f.db.Write(ctx, func(tx *db.Tx) error {
		m, x := message{}, extra{}
		var at int64
		refused = nil
		found, err = tx.Row(`SELECT messages.id, owner, direction, channel, sender, recipient, text, name, ref, at, status, type, media
			FROM messages LEFT JOIN extras ON extras.id = messages.id WHERE messages.id = $1 AND owner = $2 AND NOT (status = 'sent' AND direction = 'in')`, id, address).
			Scan(&m.id, &m.owner, &m.direction, &m.channel, &m.from, &m.to, &m.text, &m.name, &m.ref, &at, &m.status, &x.typ, &x.media)
		if err != nil || !found {
			return err
		}
		m.at = db.At(at)
		if err := x.read(&m); err != nil {
			return err
		}
		var c gateway.Change
		if c, refused = apply(&m); refused != nil {
			return nil //nolint:nilerr // a refusal is a result; an error would roll back the batch
		}
		content, err := json.Marshal(m.content())
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`UPDATE messages SET text = $2 WHERE id = $1`, m.id, m.text); err != nil {
			return err
		}
		if _, err := tx.Exec(`INSERT INTO extras (id, type, media) VALUES ($1, $2, $3)
			ON CONFLICT (id) DO UPDATE SET media = excluded.media`, m.id, string(m.kind()), string(content)); err != nil {
			return err
		}
		return addChange(tx, c)
	})
	if err == nil {
		err = refused
	}
	return found, err
}

func addChange(tx *db.Tx, c gateway.Change) error {
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO changes (body) VALUES ($1)`, string(body))
	return err
}

func (f *file) changes(ctx context.Context, after int64, limit int) ([]queued[gateway.Change], error) {
	var list []queued[gateway.Change]
	err := f.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var q queued[gateway.Change]
		var body string
		if err := rows.Scan(&q.seq, &body); err != nil {
			return err
		}
		err := json.Unmarshal([]byte(body), &q.item)
		list = append(list, q)
		return err
	}, `SELECT seq, body FROM changes WHERE seq > $1 ORDER BY seq LIMIT CAST($2 AS BIGINT)`, after, limit)
	return list, err
}

func (f *file) people(ctx context.Context) ([]person, error) {
	var list []person
	err := f.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var p person
		err := rows.Scan(&p.number, &p.owner, &p.id, &p.username, &p.hidden)
		list = append(list, p)
		return err
	}, `SELECT number, owner, id, username, hidden FROM people`)
	f.hasPeople.Store(len(list) > 0)
	return list, err
}

func (f *file) changePeople(ctx context.Context, list []person, changes []gateway.Change) error {
	if len(list) > 0 {
		f.hasPeople.Store(true)
	}
	return f.db.Write(ctx, func(tx *db.Tx) error {
		for _, p := range list {
			if _, err := tx.Exec(`INSERT INTO people (number, owner, id, username, hidden) VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT (number) DO UPDATE SET owner = excluded.owner, id = excluded.id, username = excluded.username, hidden = excluded.hidden`,
				p.number, p.owner, p.id, p.username, db.Flag(p.hidden)); err != nil {
				return err
			}
		}
		for _, c := range changes {
			if err := addChange(tx, c); err != nil {
				return err
			}
		}
		return nil
	})
}
