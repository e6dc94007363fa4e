package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/counts"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
)

// history stores past messages in a database that no program uses.
type history struct {
	db      *db.DB
	account *account.Account
	engine  *delivery.Service

	from    time.Time // of the first message
	message string    // the id of one message
}

// openHistory opens the database of a program that has ended. The messages belong to its unlimited account.
func openHistory(ctx context.Context, s *pagesSite) (*history, error) {
	text, err := os.ReadFile(filepath.Join(s.dir, "master.key"))
	if err != nil {
		return nil, err
	}
	master, err := seal.ParseKey(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, err
	}
	h := &history{}
	if h.db, err = db.Open(ctx, s.database()); err != nil {
		return nil, err
	}
	directory := account.NewDirectory(h.db, clock.System)
	if h.account, err = directory.Account(ctx, s.Accounts.Unlimited.ID); err != nil {
		return nil, errors.Join(err, h.db.Close())
	}
	h.engine = delivery.New(delivery.Options{
		DB: h.db, Key: master, Directory: directory, Gateways: gateway.NewSet(nil), Presets: message.Presets{}, Now: clock.System, Log: slog.New(slog.DiscardHandler),
	})
	return h, nil
}

// fill stores delivered messages that were sent at an interval.
func (h *history) fill(ctx context.Context, at time.Time, each time.Duration, messages int) error {
	caller := &account.Caller{Account: h.account, Kind: account.Live}
	h.from = at
	for from := 0; from < messages; from += fillSize {
		all := make([]*delivery.Past, min(fillSize, messages-from))
		for i := range all {
			all[i] = &delivery.Past{
				Caller: caller, At: at,
				Request: &message.Request{
					To: fmt.Sprint(22376000000 + (from+i)%recipients), Channel: gateway.SMS, Source: message.SourceAPI,
					Content: message.Content{Text: "Votre commande 2041 est en route."},
				},
				Events: []delivery.PastEvent{
					{Kind: delivery.PastTaken, At: at.Add(time.Second)},
					{Kind: delivery.PastReceipt, At: at.Add(5 * time.Second), Status: message.Delivered},
				},
				AlsoStore: func(_ *db.Tx, m *message.Message) error {
					h.message = m.ID
					return nil
				},
			}
			at = at.Add(each)
		}
		if err := h.db.Write(ctx, func(tx *db.Tx) error { return h.engine.Import(tx, all) }); err != nil {
			return err
		}
	}
	return nil
}

const (
	blocks    = 100
	blockTime = 1 << 25 * time.Millisecond // 9.3 hours: the ids of a block differ only after their first five characters
	blockName = 5
)

// fillBlocks stores messages of the last 39 days: the first block like fill, and the others as copies of it at other
// times. Then it updates the counters for all of them. stored is their number. Their timelines have the times of the
// first block.
func (h *history) fillBlocks(ctx context.Context, messages int) (stored int, err error) {
	size := max(messages/blocks, 1)
	now := clock.System().UnixMilli()
	first := time.UnixMilli(now - now%blockTime.Milliseconds()).Add(-blocks * blockTime)
	if err := h.fill(ctx, first, blockTime/time.Duration(size), size); err != nil {
		return 0, err
	}
	text, err := h.copyText(ctx)
	if err != nil {
		return 0, err
	}
	for i := 1; i < blocks; i++ {
		shift := time.Duration(i) * blockTime
		err := h.db.Write(ctx, func(tx *db.Tx) error {
			_, err := tx.Exec(text, id.First(first.Add(shift))[:blockName], shift.Milliseconds(), id.Message+id.First(first), id.Message+id.First(first.Add(blockTime)))
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return blocks * size, h.count(ctx)
}

// copyText returns the statement that copies the messages of a block ($3, $4) to another one ($1), later by some milliseconds ($2).
func (h *history) copyText(ctx context.Context) (string, error) {
	var columns []string
	err := h.db.Read(ctx).Each(func(rows *sql.Rows) (err error) {
		columns, err = rows.Columns()
		return err
	}, `SELECT * FROM messages LIMIT 1`)
	if err != nil {
		return "", err
	}
	copied := slices.Clone(columns)
	for i, c := range columns {
		switch c {
		case "id":
			copied[i] = `'msg_' || CAST($1 AS TEXT) || substr(id, 10)`
		case "notification_id":
			copied[i] = `'ntf_' || CAST($1 AS TEXT) || substr(id, 10)`
		case "provider_id":
			copied[i] = `'vp_msg_' || CAST($1 AS TEXT) || substr(provider_id, 13)`
		case "created_at", "expires_at", "sent_at", "delivered_at":
			copied[i] = c + ` + CAST($2 AS BIGINT)`
		}
	}
	return `INSERT INTO messages (` + strings.Join(columns, ", ") + `) SELECT ` + strings.Join(copied, ", ") + ` FROM messages WHERE id >= $3 AND id < $4 ORDER BY id`, nil
}

// count derives the counters of all messages from those of the first ones, because each message has the same kinds.
func (h *history) count(ctx context.Context) error {
	folder := &counts.Folder{DB: h.db, Now: clock.System, Log: slog.New(slog.DiscardHandler)}
	if err := folder.Fold(ctx); err != nil {
		return err
	}
	var kinds []string
	err := h.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var kind string
		err := rows.Scan(&kind)
		kinds = append(kinds, kind)
		return err
	}, `SELECT DISTINCT kind FROM message_counts WHERE account_id = $1 AND n > 0`, h.account.ID)
	if err != nil {
		return err
	}
	type step struct{ hours, at int64 }
	return h.db.Write(ctx, func(tx *db.Tx) error { // it can take longer than a query outside of a transaction
		sums := map[step]int64{}
		err := tx.Each(func(rows *sql.Rows) error {
			var at, n int64
			err := rows.Scan(&at, &n)
			sums[step{1, at}] += n
			sums[step{24, at - at%24}] += n
			return err
		}, `SELECT created_at / 3600000, count(*) FROM messages WHERE account_id = $1 GROUP BY 1`, h.account.ID)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`DELETE FROM message_counts WHERE account_id = $1`, h.account.ID); err != nil {
			return err
		}
		for s, n := range sums {
			for _, kind := range kinds {
				err := tx.Queue(nil, `INSERT INTO message_counts (account_id, step, at, project_id, channel, simulated, kind, n) VALUES ($1, $2, $3, '', 'sms', 0, $4, $5)`,
					h.account.ID, s.hours, s.at, kind, n)
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}
