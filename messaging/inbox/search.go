package inbox

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/visible"
)

// maxSearched is how many messages one page of a search looks at for those that fit.
const maxSearched = 1000

// Found is a message that a search has found, and the conversation that it is in.
type Found struct {
	Message

	Conversation Conversation
	Cursor       string // of the page of the conversation's messages that begins with this one
}

// Search is a page of the messages that have a text.
type Search struct {
	State
	List []Found
	Next string // the cursor of the next page; empty at the end
}

// Search returns a page of the messages of an account's conversations that have the text Q, newest first, whatever case and
// accents it is written with. A page has those that fit among the next 1000, so it may be empty without being the last.
//
// Errors: those of [Query.Check], invalid_request for an empty text, invalid_cursor.
func (b *Inbox) Search(ctx context.Context, accountID string, q *Query) (*Search, error) {
	text := searchable(strings.TrimSpace(q.Q))
	after, list := newest(), []string{"search", accountID, q.Q}
	if err := b.checkQuery(q, &after, list); err != nil {
		return nil, err
	}
	if text == "" {
		return nil, fault.InvalidRequest.On("q").Detailf("q is what to search for.")
	}
	read := b.o.DB.Read(ctx)
	state, err := b.readState(read, accountID)
	if err != nil {
		return nil, err
	}
	out, seen, more, last := &Search{State: state}, 0, false, position{}
	err = walkMessages(read, accountID, after, maxSearched+1, func(f *Found) { // one more shows whether there is more
		if seen++; seen > maxSearched || len(out.List) == q.Limit {
			more = true
			return
		}
		last = positionOf(f.At, f.ID)
		if f.has(text) {
			from := position{last.at, f.ID + "~"} // behind its id, and before every later one
			f.Cursor = b.writeCursor(from, "messages", accountID, f.Conversation.ID)
			out.List = append(out.List, *f)
		}
	})
	if more {
		out.Next = b.writeCursor(last, list...)
	}
	return out, err
}

// has reports whether what can be read of a message has a text, which is searchable.
func (m *Message) has(text string) bool {
	return slices.ContainsFunc([]string{m.Content, m.FileName, m.Choice.Title}, func(s string) bool { return strings.Contains(searchable(s), text) })
}

// plain are letters that Unicode doesn't divide into a plain one and a mark, as people type them.
var plain = strings.NewReplacer("œ", "oe", "æ", "ae", "ß", "ss", "ø", "o", "ł", "l", "đ", "d")

// searchable writes a text without case, accents, and invisible characters, so that recu finds Reçu, and soeur Sœur.
func searchable(s string) string {
	if ascii := strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0; ascii {
		return strings.ToLower(s)
	}
	return plain.Replace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || visible.Invisible(r) && !unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r)) // letters with two small forms, such as σ and ς, are one
	}, norm.NFKD.String(s)))
}
