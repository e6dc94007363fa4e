package optout

import (
	"database/sql"
	"encoding/base64"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/person"
)

// An OptOut is an address that must not get messages on a channel, or for [Marketing], only no marketing messages.
type OptOut struct {
	Channel gateway.Channel
	Address string // in the form that gateways use
	Reason  Reason
	At      time.Time
}

// ID returns the ID of an opt-out within its account.
func (o *OptOut) ID() string {
	return base64.RawURLEncoding.EncodeToString([]byte(string(o.Channel) + ":" + o.Address))
}

// ParseID returns the channel and the address of an ID. ok is false for any other text.
func ParseID(id string) (channel gateway.Channel, address string, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil {
		return "", "", false
	}
	c, address, ok := strings.Cut(string(b), ":")
	o := OptOut{Channel: gateway.Channel(c), Address: address}
	return o.Channel, o.Address, ok && address != "" && storable(string(b)) && o.ID() == id
}

// storable reports whether both databases can store a text.
func storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// searchable reports whether a text can be searched for.
func searchable(s string) bool { return storable(s) && utf8.RuneCountInString(s) <= maxSearch }

// A Filter selects an account's opt-outs. A zero field does not filter.
type Filter struct {
	Channel gateway.Channel // WhatsApp includes [Marketing]
	Address string          // in any spelling
	Search  string          // part of the address, as people write it
	Whole   string          // the address that Search stands for, which finds an erased person's opt-out; empty: Search itself
	After   string          // the last ID of the previous page
	Limit   int

	accountID string
	pseudonym string // of the address; empty: none
}

// maxSearch is the maximum length of a search text, in characters.
const maxSearch = 200

// maxScan is the maximum number of opt-outs that are examined for a page.
const maxScan = 5000

// list returns opt-outs, sorted by channel and address, and the ID after which the next page starts, or "" after the
// last. It examines the next [maxScan] opt-outs, so a page can be short or empty although more pages follow.
func list(q *db.Query, f *Filter) (out []*OptOut, next string, err error) {
	channel, address, _ := ParseID(f.After)
	walk, args := ` FROM opt_outs WHERE account_id = $1 AND (channel, address) > ($2, $3)`, []any{f.accountID, string(channel), address}
	and := func(condition string, values ...any) string {
		for _, v := range values {
			args = append(args, v)
			condition = strings.Replace(condition, "?", fmt.Sprintf("$%d", len(args)), 1)
		}
		return " AND " + condition
	}
	const inOrder = ` ORDER BY channel, address`
	switch f.Channel {
	case "":
	case gateway.WhatsApp:
		walk += and("channel IN (?, ?)", string(gateway.WhatsApp), string(Marketing))
	default:
		walk += and("channel = ?", string(f.Channel))
	}
	where := ""
	if f.Address != "" || f.Search != "" {
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
		if f.Address != "" {
			who, err := person.Find(q, f.accountID, f.Address)
			if err != nil {
				return nil, "", err
			}
			where += and("person IN (?, ?)", who, f.pseudonym)
		}
		if f.Search != "" { // not LIKE, which would interpret % and _. SQLite's lower handles only ASCII
			part := person.Part(f.Search)
			where += and("(REPLACE(lower(address), CAST(? AS TEXT), '') <> lower(address) OR REPLACE(person, CAST(? AS TEXT), '') <> person OR address = ?)", part, part, f.pseudonym)
		}
	}
	err = q.Page(f.Limit+1, func(rows *sql.Rows) error { // one more than the limit shows whether there is another page
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
