package message

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/person"
)

// findAddresses returns the addresses under which a filter finds the messages to a person.
func findAddresses(q *db.Query, f *Filter) ([]string, error) {
	switch {
	case f.To == "":
		return nil, nil
	case person.KindOf(f.To) == person.Email:
		return []string{person.Form(f.To)}, nil
	}
	return person.Addresses(q, f.AccountID, f.To)
}

// addressTerms adds the condition for To. For an email address, the condition compares the start of the local part in
// lowercase, as far as it is ASCII. [Filter.matches] compares the remaining part.
func (f *Filter) addressTerms(t *terms) {
	switch {
	case len(f.to) == 0:
	case f.byEmail():
		start := f.to[0][:strings.LastIndexByte(f.to[0], '@')]
		if i := strings.IndexFunc(start, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
			start = start[:max(i-1, 0)] // a combining mark changes the letter before it
		}
		t.and(fmt.Sprintf("lower(substr(address, 1, %d)) = ", len(start)), start)
	default:
		in, args := db.In(len(t.args)+1, f.to)
		t.args = append(t.args, args...)
		t.text += " AND address IN (" + in + ")"
	}
}

// byEmail reports whether the filter contains an email address.
func (f *Filter) byEmail() bool { return len(f.to) == 1 && person.KindOf(f.to[0]) == person.Email }
