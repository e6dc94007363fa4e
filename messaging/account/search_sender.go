package account

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// A SenderSearch selects senders of all accounts and of the platform.
type SenderSearch struct {
	ID     string // a single sender; empty: all
	Text   string // part of an address, or an account's ID or part of its name; empty: all
	Before string // the last ID of the previous page
	Limit  int
}

// FindSenders lists senders, newest first. next is the start of the next page, or "" after the last. For the
// platform's senders, the account's name is empty.
func (d *Directory) FindSenders(ctx context.Context, f SenderSearch) (out []NamedSender, next string, err error) {
	where, args := `1 = 1`, []any{}
	and := func(condition string, value any) {
		args = append(args, value)
		where += " AND " + strings.ReplaceAll(condition, "?", fmt.Sprint("$", len(args)))
	}
	if f.ID != "" {
		and(`s.id = ?`, f.ID)
	}
	if f.Before != "" {
		and(`s.id < ?`, f.Before)
	}
	if f.Text != "" {
		args = append(args, strings.ToUpper(f.Text))
		and(fmt.Sprintf(`(s.account_id = $%d OR lower(s.address) LIKE ? ESCAPE '\' OR lower(a.name) LIKE ? ESCAPE '\')`, len(args)), contains(strings.TrimPrefix(f.Text, "+")))
	}
	err = d.db.Read(ctx).Page(f.Limit+1, func(rows *sql.Rows) error { // one more than the limit shows whether there is another page
		var n NamedSender
		err := readNamedSender(rows.Scan, &n)
		out = append(out, n)
		return err
	}, `SELECT s.id, s.account_id, s.channel, s.address, s.gateway, s.position, s.warm_from, s.warm_first, s.warm_days, s.paused_at, COALESCE(a.name, '')
 FROM senders s LEFT JOIN accounts a ON a.id = s.account_id WHERE `+where+` ORDER BY s.id DESC`, args...)
	if err == nil && len(out) > f.Limit {
		out = out[:f.Limit]
		next = out[f.Limit-1].ID
	}
	return out, next, err
}
