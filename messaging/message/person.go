package message

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/person"
)

// FindPerson reads the next n of an account's messages before a position, newest first, and returns the IDs of those
// to a person, on any of their routes. next is the zero Cursor after the last.
func FindPerson(q *db.Query, p *person.Person, after Cursor, n int) (ids []string, next Cursor, err error) {
	at, id := end, ""
	if after.ID != "" {
		at, id = db.Ms(after.CreatedAt), after.ID
	}
	read := 0
	err = q.Page(n, func(rows *sql.Rows) error {
		var created int64
		var id, recipient, address, options, tried string
		if err := rows.Scan(&created, &id, &recipient, &address, &options, &tried); err != nil {
			return err
		}
		read, next = read+1, Cursor{db.At(created), id}
		if p.Has(address) || p.Has(recipient) || p.Email && inRoutes(p, options, tried) {
			ids = append(ids, id)
		}
		return nil
	}, `SELECT created_at, id, recipient, address, COALESCE(options, ''), COALESCE(tried_routes, '')`+page+newestFirst, p.AccountID, at, id)
	if read < n {
		next = Cursor{}
	}
	return ids, next, err
}

// inRoutes reports whether a person's email address is in the stored options or tried routes of a message.
func inRoutes(p *person.Person, options, tried string) bool {
	var o Options
	var routes []Route
	if strings.Contains(options, `"email"`) && json.Unmarshal([]byte(options), &o) == nil && p.Has(o.Email) {
		return true
	}
	return strings.Contains(tried, "@") && json.Unmarshal([]byte(tried), &routes) == nil && slices.ContainsFunc(routes, func(r Route) bool { return p.Has(r.Address) })
}

// Recipients returns the stored recipients of an account's messages by ID. It omits messages that do not exist.
func Recipients(q *db.Query, accountID string, ids []string) (map[string]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	in, args := db.In(2, ids)
	return db.Pairs(q, `SELECT id, recipient FROM messages WHERE account_id = $1 AND id IN (`+in+`)`, append([]any{accountID}, args...)...)
}

// Erased reports whether the message's recipient was erased.
func (m *Message) Erased() bool { return person.IsPseudonym(m.Address) }

// Erase replaces the recipient's personal data in the message.
func (m *Message) Erase(pseudonym string) {
	o := m.Options
	m.To, m.Address, m.Content, m.Sealed, m.Metadata, m.ProviderID, m.ConversationID = pseudonym, pseudonym, Content{}, "", nil, "", ""
	m.Options = Options{SenderID: o.SenderID, FallbackMs: o.FallbackMs, Quick: o.Quick, GroupID: o.GroupID, Quiet: o.Quiet, Retry: o.Retry, Code: o.Code}
	tried := slices.Clone(m.Tried)
	for i := range tried {
		tried[i].Address, tried[i].ProviderID = pseudonym, ""
	}
	m.Tried = tried
}
