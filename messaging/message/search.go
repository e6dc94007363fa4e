package message

import (
	"fmt"
	"strings"

	"example.com/griot/internal/phone"
	"example.com/griot/messaging/person"
)

// MaxSearch is the maximum length of a search text, in characters.
const MaxSearch = 200

// searchTerms adds the condition of a search: a message's ID, or part of its address, text, or subject. The database
// searches the stored JSON, which contains more fields, so [Filter.matches] makes the final decision.
func (f *Filter) searchTerms(t *terms) {
	if f.Search == "" {
		return
	}
	text := string(appendText(nil, f.Search))
	t.args = append(t.args, f.Search, person.Part(f.Search), text[1:len(text)-1])
	n := len(t.args)
	t.text += fmt.Sprintf(` AND (id = $%d OR notification_id = $%d OR REPLACE(lower(address), $%d, '') <> lower(address) OR (sensitive = 0 AND REPLACE(lower(content), lower(CAST($%d AS TEXT)), '') <> lower(content)))`, n-2, n-2, n-1, n)
}

// matches reports whether a message fits the search.
func (f *Filter) matches(m *Message) bool {
	if f.byEmail() && person.Form(m.Address) != f.to[0] {
		return false
	}
	if f.Search == "" || m.ID == f.Search || m.NotificationID == f.Search {
		return true
	}
	part := person.Part(f.Search)
	if strings.Contains(strings.ToLower(m.Address), part) || strings.Contains(phone.Shown(m.Address), f.Search) {
		return true
	}
	s := strings.ToLower(f.Search)
	return !m.Sensitive && (strings.Contains(strings.ToLower(m.Content.Text), s) || strings.Contains(strings.ToLower(m.Content.Subject), s))
}
