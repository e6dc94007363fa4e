package message

import (
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

// List returns the newest messages that fit, at most Limit.
func List(q *db.Query, f *Filter) ([]*Message, error) {
	at, id := end, ""
	if f.After.ID != "" {
		at, id = db.Ms(f.After.CreatedAt), f.After.ID
	}
	also, args := f.Metadata.has([]any{f.AccountID, at, id, sinceMs(f.Since), f.ProjectID, string(f.Status), string(f.Channel), f.To, f.Limit})
	return collect(q, `SELECT `+Columns+` FROM messages WHERE account_id = $1 AND (created_at, id) < ($2, $3) AND created_at >= $4
 AND ($5 = '' OR project_id = $5) AND ($6 = '' OR status = $6) AND ($7 = '' OR channel = $7) AND ($8 = '' OR address = $8)`+also+`
 ORDER BY created_at DESC, id DESC LIMIT CAST($9 AS BIGINT)`, args...)
}

func sinceMs(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return db.Ms(t)
}
