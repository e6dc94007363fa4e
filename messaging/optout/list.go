package optout

import (
	"database/sql"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"griot/gateway"
	"griot/internal/db"
)

// OptOut is one address that gets no more messages on a channel.
type OptOut struct {
	Channel gateway.Channel
	Address string // as gateways take it
	Reason  Reason
	At      time.Time
}

// ID names an opt-out within its account.
func (o *OptOut) ID() string {
	return base64.RawURLEncoding.EncodeToString([]byte(string(o.Channel) + ":" + o.Address))
}

// ParseID returns the channel and the address of an id; ok is false for anything else.
func ParseID(id string) (channel gateway.Channel, address string, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil {
		return "", "", false
	}
	c, address, ok := strings.Cut(string(b), ":")
	o := OptOut{Channel: gateway.Channel(c), Address: address}
	return o.Channel, o.Address, ok && address != "" && o.ID() == id
}

// Filter says which of an account's opt-outs to list; a zero member asks for all.
type Filter struct {
	AccountID string
	Channel   gateway.Channel
	Address   string // as gateways take it
	After     string // the last id of the page before
	Limit     int
}

// maxScan is how many opt-outs a page looks at for those that fit.
const maxScan = 5000

// List returns opt-outs in the order of channel and address, and the id after which the next page begins; "" after the
// last. It looks at the next [maxScan] for those that fit, so a page may be short, or empty, and not the last.
func List(q *db.Query, f *Filter) (out []*OptOut, next string, err error) {
	channel, address, _ := ParseID(f.After)
	walk, args := ` FROM opt_outs WHERE account_id = $1 AND (channel, address) > ($2, $3)`, []any{f.AccountID, string(channel), address}
	and := func(condition string, values ...any) string {
		for _, v := range values {
			args = append(args, v)
			condition = strings.Replace(condition, "?", fmt.Sprintf("$%d", len(args)), 1)
		}
		return " AND " + condition
	}
	const inOrder = ` ORDER BY channel, address`
	if f.Channel != "" {
		walk += and("channel = ?", string(f.Channel))
	}
	where := ""
	if f.Address != "" {
		var last OptOut
		err := q.Page(1, func(rows *sql.Rows) error { return rows.Scan(&last.Channel, &last.Address) },
			`SELECT channel, address FROM (SELECT channel, address`+walk+inOrder+fmt.Sprint(` LIMIT 1 OFFSET `, maxScan-1)+`) AS walked`, args...)
		if err != nil {
			return nil, "", err
		}
		if last.Address != "" {
			next = last.ID()
			where = and("(channel, address) <= (?, ?)", string(last.Channel), last.Address)
		}
		where += and("address = ?", f.Address)
	}
	err = q.Page(f.Limit+1, func(rows *sql.Rows) error { // one more tells whether there is another page
		o, at := &OptOut{}, int64(0)
		err := rows.Scan(&o.Channel, &o.Address, &o.Reason, &at)
		o.At = db.At(at)
		out = append(out, o)
		return err
	}, `SELECT channel, address, reason, at`+walk+where+inOrder, args...)
	if len(out) > f.Limit {
		out = out[:f.Limit]
		next = out[f.Limit-1].ID()
	}
	return out, next, err
}
