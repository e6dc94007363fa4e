package inbox

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/visible"
	"example.com/griot/messaging/account"
)

// maxSearched is the maximum number of messages that are examined for a page of a search.
const maxSearched = 1000

// A Found is a search result: a message with its conversation.
type Found struct {
	Message

	Conversation Conversation
	Cursor       string // of the page of the conversation's messages that starts with this one
}

// A Search is a page of search results.
type Search struct {
	State
	List []Found
	Next string // the cursor of the next page; empty: last page
}

// Search returns a page of the messages of the account's conversations that contain the text Q, newest first, ignoring
// case and accents. A page contains the matches among the next 1000 messages, so an empty page is not necessarily the
// last.
//
// Errors: those of [Query.Check], invalid_request for an empty text, invalid_cursor.
func (b *Inbox) Search(ctx context.Context, c *account.Caller, q *Query) (*Search, error) {
	if err := b.check(c, account.MayReadInbox); err != nil {
		return nil, err
	}
	accountID := c.Account.ID
	text := searchable(strings.TrimSpace(q.Q))
	after, list := newest(), []string{"search", accountID, q.Q}
	if err := b.checkQuery(q, &after, list); err != nil {
		return nil, err
	}
	if text == "" {
		return nil, apierror.InvalidRequest.On("q").Detailf("q is required: the text to search for.")
	}
	read := b.o.DB.Read(ctx)
	state, err := b.readState(read, accountID)
	if err != nil {
		return nil, err
	}
	out, seen, more, last := &Search{State: state}, 0, false, position{}
	err = walkMessages(read, accountID, after, maxSearched+1, func(f *Found) { // one more than the limit shows whether there are more
		if seen++; seen > maxSearched || len(out.List) == q.Limit {
			more = true
			return
		}
		last = positionOf(f.At, f.ID)
		if f.has(text) {
			from := position{last.at, f.ID + "~"} // after its ID and before every later one
			f.Cursor = b.writeCursor(from, "messages", accountID, f.Conversation.ID)
			out.List = append(out.List, *f)
		}
	})
	if more {
		out.Next = b.writeCursor(last, list...)
	}
	return out, err
}

// has reports whether the readable content of a message contains a text that searchable has normalized.
func (m *Message) has(text string) bool {
	return slices.ContainsFunc([]string{m.Content, m.FileName, m.Choice.Title}, func(s string) bool { return strings.Contains(searchable(s), text) })
}

// plain replaces letters that Unicode does not decompose into a plain letter and a mark with their usual spelling.
var plain = strings.NewReplacer("œ", "oe", "æ", "ae", "ß", "ss", "ø", "o", "ł", "l", "đ", "d")

// searchable returns a text without case, accents, and invisible characters, so that recu finds Reçu, and soeur finds Sœur.
func searchable(s string) string {
	if ascii := strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0; ascii {
		return strings.ToLower(s)
	}
	return plain.Replace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || visible.Invisible(r) && !unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r)) // letters with two lowercase forms, such as σ and ς, become the same
	}, norm.NFKD.String(s)))
}
