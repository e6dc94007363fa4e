package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// listenClose is the time limit for closing a listening connection.
const listenClose = time.Second

// Listen calls receive with each payload that [Tx.Notify] sends on a channel. It uses its own connection and returns
// when ctx or the connection ends. Payloads that are sent while no one listens are lost, and a connection pooler might
// not forward them. It is only for PostgreSQL.
func (d *DB) Listen(ctx context.Context, channel string, receive func(payload string)) error {
	conn, err := pgx.ConnectConfig(ctx, d.config.Copy())
	if err != nil {
		return wrap(err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), listenClose)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if _, err := conn.Exec(ctx, `LISTEN `+pgx.Identifier{channel}.Sanitize()); err != nil {
		return wrap(err)
	}
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return wrap(err)
		}
		receive(n.Payload)
	}
}

// Notify sends a payload of less than 8,000 bytes to the listeners of a channel, once the transaction is committed. It
// is only for PostgreSQL, where such commits wait for each other.
func (tx *Tx) Notify(channel, payload string) error {
	_, err := tx.Exec(`SELECT pg_notify($1, $2)`, channel, payload)
	return err
}
