package account

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/quota"
)

// A Search selects accounts.
type Search struct {
	Text   string // an ID, or part of a name or an email address; empty: all
	Before string // the last ID of the previous page
	Limit  int
}

// Names returns the names of accounts by their IDs, without those of unknown IDs.
func (d *Directory) Names(ctx context.Context, ids []string) (map[string]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	in, args := db.In(1, slices.Compact(slices.Sorted(slices.Values(ids))))
	return db.Pairs(d.db.Read(ctx), `SELECT id, name FROM accounts WHERE id IN (`+in+`)`, args...)
}

// FindAccounts lists accounts, newest first. next is the start of the next page, or "" after the last.
func (d *Directory) FindAccounts(ctx context.Context, s Search) (out []Account, next string, err error) {
	plans, err := d.allPlans(ctx)
	if err != nil {
		return nil, "", err
	}
	if s.Before == "" {
		s.Before = strings.Repeat("Z", id.Length+1) // after every id
	}
	where, args := `id < $1`, []any{s.Before}
	if s.Text != "" {
		where, args = where+` AND (id = $2 OR email LIKE $3 ESCAPE '\' OR lower(name) LIKE $3 ESCAPE '\')`, append(args, strings.ToUpper(s.Text), contains(s.Text))
	}
	err = d.db.Read(ctx).Page(s.Limit+1, func(rows *sql.Rows) error { // one more than the limit shows whether there is another page
		var a Account
		err := readAccount(rows.Scan, &a)
		out = append(out, a)
		return err
	}, `SELECT `+accountColumns+` FROM accounts WHERE `+where+` ORDER BY id DESC`, args...)
	if err != nil {
		return nil, "", err
	}
	if len(out) > s.Limit {
		out = out[:s.Limit]
		next = out[s.Limit-1].ID
	}
	for i := range out {
		d.applySubscription(&out[i], plans, d.now())
	}
	return out, next, nil
}

// contains returns the LIKE pattern for texts that contain text, in lowercase.
func contains(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(strings.ToLower(text)) + "%"
}

// Used returns the number of an account's messages that count toward its quota today.
func (d *Directory) Used(ctx context.Context, accountID string) (int64, error) {
	return quota.Used(d.db.Read(ctx), accountID, quota.Day(d.now()))
}
