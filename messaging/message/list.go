package message

import (
	"database/sql"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
)

// A Filter selects messages of an account. A zero field does not filter.
type Filter struct {
	AccountID string
	ProjectID string
	Status    Status
	Channel   gateway.Channel
	To        string // an address in any spelling
	SenderID  string
	Source    Source
	Code      string    // of the latest failure, in the form of [gateway.IsRef]
	Search    string    // an ID, or part of the address, text, or subject
	Since     time.Time // created at this time or later
	Until     time.Time // created before this time
	Real      bool      // leaves out simulated messages
	After     Cursor    // the last message of the previous page
	Limit     int
	Metadata  Metadata // all of these pairs

	to              []string // the addresses of To, or the form of an email address; set by List
	noConversations bool     // leaves out messages of conversations
}

// A Cursor is a position in a list, newest first.
type Cursor struct {
	CreatedAt time.Time
	ID        string
}

const cursorFormat = "%013d%s" // milliseconds and ID

// Encode returns the cursor as a text. The zero cursor is "".
func (c Cursor) Encode() string {
	if c.ID == "" {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, cursorFormat, db.Ms(c.CreatedAt), c.ID))
}

// DecodeCursor parses the texts of [Cursor.Encode]. ok is false for any other text.
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

// end is a time after every message. The first page starts there.
const end = int64(9_999_999_999_999)

// maxScan is the maximum number of an account's messages that are read for one page.
const maxScan = 5000

// page is the beginning of a list's statement. The filter's conditions are appended.
const page = ` FROM messages WHERE account_id = $1 AND (created_at, id) < ($2, $3)`

const newestFirst = ` ORDER BY created_at DESC, id DESC`

// List returns the newest messages that the filter selects, at most Limit, and the start of the next page, or the
// zero Cursor after the last. It reads at most [maxScan] messages, so a page can be short or empty although more
// pages follow.
func List(q *db.Query, f *Filter) (list []*Message, next Cursor, err error) {
	if f.to, err = findAddresses(q, f); err != nil {
		return nil, next, err
	}
	t := &terms{args: []any{f.AccountID, end, ""}}
	if f.After.ID != "" {
		t.args[1], t.args[2] = db.Ms(f.After.CreatedAt), f.After.ID
	}
	if !f.Until.IsZero() && (f.After.ID == "" || f.Until.Before(f.After.CreatedAt)) {
		t.args[1], t.args[2] = db.Ms(f.Until), "" // before all messages of that moment
	}
	if !f.Since.IsZero() {
		t.and("created_at >= ", db.Ms(f.Since))
	}
	if f.Status == Sandbox { // these have a separate index
		t.text += " AND status = 'SANDBOX'"
	}
	if f.Code != "" { // these also have an index
		t.text += " AND failure IS NOT NULL"
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
	list, err = collectPage(q, f.Limit+1, `SELECT `+Columns+page+t.text+newestFirst, t.args...) // one more shows whether there is another page
	if len(list) > f.Limit {
		list = list[:f.Limit]
		next = cursorOf(list[f.Limit-1])
	}
	list = slices.DeleteFunc(list, func(m *Message) bool { return !f.matches(m) })
	return list, next, err
}

func cursorOf(m *Message) Cursor { return Cursor{m.CreatedAt, m.ID} }

// lastScanned returns the position of the last message that is read for a page, or the zero Cursor at the end of the list.
func lastScanned(q *db.Query, t *terms) (c Cursor, err error) {
	err = q.Page(1, func(rows *sql.Rows) error {
		var at int64
		err := rows.Scan(&at, &c.ID)
		c.CreatedAt = db.At(at)
		return err
	}, `SELECT created_at, id FROM (SELECT created_at, id`+page+t.text+newestFirst+fmt.Sprint(" LIMIT 1 OFFSET ", maxScan-1)+`) AS walked`, t.args...)
	return c, err
}

// terms are a statement's conditions and arguments. Unset conditions are left out of the text, because PostgreSQL
// creates one plan for all values of a text.
type terms struct {
	text string
	args []any
}

func (t *terms) and(condition string, value any) {
	t.args = append(t.args, value)
	t.text += fmt.Sprintf(" AND %s$%d", condition, len(t.args))
}

// addConditions adds the filter's conditions.
func (f *Filter) addConditions(t *terms) {
	status := f.Status
	if status == Sandbox { // the condition is already there
		status = ""
	}
	for _, c := range []struct{ condition, value string }{
		{"project_id = ", f.ProjectID},
		{"status = ", string(status)},
		{"channel = ", string(f.Channel)},
		{"sender_id = ", f.SenderID},
		{"source = ", string(f.Source)},
	} {
		if c.value != "" {
			t.and(c.condition, c.value)
		}
	}
	f.addressTerms(t)
	if f.Code != "" {
		start := fmt.Sprintf(`{"code":%q,`, f.Code) // in the format of [Message.StoredFailure]
		t.and(fmt.Sprintf("substr(failure, 1, %d) = ", len(start)), start)
	}
	if f.Real {
		t.text += " AND status <> 'SANDBOX'"
	}
	if f.noConversations {
		t.text += fmt.Sprintf(" AND source NOT IN ('%s', '%s')", SourceInbox, SourceMCP)
	}
	f.searchTerms(t)
	also, args := f.Metadata.condition(t.args)
	t.text, t.args = t.text+also, args
}
