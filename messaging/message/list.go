package message

import (
	"database/sql"
	"encoding/base64"
	"fmt"
	"time"

	"griot/gateway"
	"griot/internal/db"
)

// Filter says which of an account's messages to list; a zero member asks for all.
type Filter struct {
	AccountID string
	ProjectID string
	Status    Status
	Channel   gateway.Channel
	To        string    // as gateways take it
	Since     time.Time // created then or later
	After     Cursor    // the last one of the page before
	Limit     int
	Metadata  Metadata // each of these
}

// Cursor is a place in a list, newest first.
type Cursor struct {
	CreatedAt time.Time
	ID        string
}

const cursorFormat = "%013d%s" // milliseconds, id

// Encode writes the cursor for the wire.
func (c Cursor) Encode() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, cursorFormat, db.Ms(c.CreatedAt), c.ID))
}

// DecodeCursor reads what [Cursor.Encode] wrote; ok is false for anything else.
func DecodeCursor(s string) (c Cursor, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) < 14 {
		return c, false
	}
	var ms int64
	if n, err := fmt.Sscanf(string(b[:13]), "%013d", &ms); err != nil || n != 1 || ms < 0 {
		return c, false
	}
	c = Cursor{db.At(ms), string(b[13:])}
	return c, len(IDs(c.ID)) == 1 && c.Encode() == s
}

// end is after every message: the first page begins there.
const end = int64(9_999_999_999_999)

// maxScan is how many of an account's messages a page looks at for those that fit.
const maxScan = 5000

// page is the text of a list, of an account from a place on; its conditions are added as they are set.
const page = ` FROM messages WHERE account_id = $1 AND (created_at, id) < ($2, $3)`

const newestFirst = ` ORDER BY created_at DESC, id DESC`

// List returns the newest messages that fit, at most Limit, and where the next page
// begins; the zero Cursor after the last. It looks at the next [maxScan] messages for
// those that fit, so a page may be short, or empty, and not the last.
func List(q *db.Query, f *Filter) (list []*Message, next Cursor, err error) {
	t := &terms{args: []any{f.AccountID, end, ""}}
	if f.After.ID != "" {
		t.args[1], t.args[2] = db.Ms(f.After.CreatedAt), f.After.ID
	}
	if !f.Since.IsZero() {
		t.and("created_at >= ", db.Ms(f.Since))
	}
	if f.Status == Sandbox { // these have an index of their own
		t.text += " AND status = 'SANDBOX'"
	}
	walk := *t
	f.addConditions(t)
	if t.text != walk.text {
		if next, err = lastScanned(q, &walk); err != nil {
			return nil, next, err
		}
	}
	if next.ID != "" {
		t.args = append(t.args, db.Ms(next.CreatedAt), next.ID)
		t.text += fmt.Sprintf(" AND (created_at, id) >= ($%d, $%d)", len(t.args)-1, len(t.args))
	}
	list, err = collectPage(q, f.Limit+1, `SELECT `+Columns+page+t.text+newestFirst, t.args...) // one more tells whether there is another page
	if len(list) > f.Limit {
		list = list[:f.Limit]
		next = cursorOf(list[f.Limit-1])
	}
	return list, next, err
}

func cursorOf(m *Message) Cursor { return Cursor{m.CreatedAt, m.ID} }

// lastScanned returns the place of the last message that a page looks at; none when it is at the list's end.
func lastScanned(q *db.Query, t *terms) (c Cursor, err error) {
	err = q.Page(1, func(rows *sql.Rows) error {
		var at int64
		err := rows.Scan(&at, &c.ID)
		c.CreatedAt = db.At(at)
		return err
	}, `SELECT created_at, id FROM (SELECT created_at, id`+page+t.text+newestFirst+fmt.Sprint(" LIMIT 1 OFFSET ", maxScan-1)+`) AS walked`, t.args...)
	return c, err
}

// terms are conditions and what they compare to. Only those that are set are in the
// text: a plan that PostgreSQL makes for all values of one text would be made for those that are not.
type terms struct {
	text string
	args []any
}

func (t *terms) and(condition string, value any) {
	t.args = append(t.args, value)
	t.text += fmt.Sprintf(" AND %s$%d", condition, len(t.args))
}

// addConditions adds what messages are to fit.
func (f *Filter) addConditions(t *terms) {
	status := f.Status
	if status == Sandbox { // there already
		status = ""
	}
	for _, c := range []struct{ condition, value string }{
		{"project_id = ", f.ProjectID}, {"status = ", string(status)}, {"channel = ", string(f.Channel)}, {"address = ", f.To},
	} {
		if c.value != "" {
			t.and(c.condition, c.value)
		}
	}
	also, args := f.Metadata.condition(t.args)
	t.text, t.args = t.text+also, args
}
