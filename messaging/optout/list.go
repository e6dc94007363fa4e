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
	return o.Channel, o.Address, ok && address != "" && storable(string(b)) && o.ID() == id
}

// storable reports whether both databases take a text.
func storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// Searchable reports whether a text can be searched for.
func Searchable(s string) bool { return storable(s) && utf8.RuneCountInString(s) <= MaxSearch }

// Filter says which of an account's opt-outs to list; a zero member asks for all.
type Filter struct {
	AccountID string
	Channel   gateway.Channel
	Address   string // in any spelling
	Search    string // a part of the address, as people write it
	Pseudonym string // of the address; empty: none
	After     string // the last id of the page before
	Limit     int
}

// MaxSearch is how long what is searched for may be, in characters.
const MaxSearch = 200

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
			who, err := person.Find(q, f.AccountID, f.Address)
			if err != nil {
				return nil, "", err
			}
			where += and("person IN (?, ?)", who, f.Pseudonym)
		}
		if f.Search != "" { // what is replaced by nothing is there; LIKE would read % and _. SQLite's lower is that of ASCII
			part := person.Part(f.Search)
			where += and("(REPLACE(lower(address), CAST(? AS TEXT), '') <> lower(address) OR REPLACE(person, CAST(? AS TEXT), '') <> person OR address = ?)", part, part, f.Pseudonym)
		}
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
