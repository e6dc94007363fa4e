package inbox

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/person"
)

// Limits of the lists.
const (
	DefaultLimit = 50 // M126
	MaxLimit     = 100
	MaxQuery     = 200 // in characters (M127)
	maxScan      = 500 // conversations that are examined for a page
)

// A Query selects a page of a list.
type Query struct {
	Cursor string // nextCursor of the previous page; empty: first page
	Limit  int    // 1 to MaxLimit
	Q      string // for conversations only: part of a phone number, a name, a WhatsApp ID, or a username
	Unread bool   // for conversations only: those with unread messages
}

// Check checks the query's bounds. The cursor is checked with its list.
func (q *Query) Check() error {
	switch {
	case q.Limit < 1 || q.Limit > MaxLimit:
		return apierror.InvalidRequest.On("limit").Detailf("limit must be 1 to %d.", MaxLimit)
	case utf8.RuneCountInString(q.Q) > MaxQuery:
		return apierror.InvalidRequest.On("q").Detailf("q can have at most %d characters.", MaxQuery)
	case !utf8.ValidString(q.Q) || strings.ContainsRune(q.Q, 0):
		return apierror.InvalidRequest.On("q").Detailf("q must be UTF-8 without U+0000.")
	}
	return nil
}

// Conversations is a page of an account's conversations.
type Conversations struct {
	State
	List []Conversation
	Next string // the cursor of the next page; empty: last page
}

// State returns the summary that clients poll.
func (b *Inbox) State(ctx context.Context, c *account.Caller) (State, error) {
	if err := b.check(c, account.MayReadInbox); err != nil {
		return State{}, err
	}
	return b.readState(b.o.DB.Read(ctx), c.Account.ID)
}

func (b *Inbox) readState(q *db.Query, accountID string) (State, error) {
	revision, unread, err := findState(q, accountID)
	return b.state(accountID, revision, unread), err
}

// Conversations returns a page of an account's conversations, newest first. With Q or Unread, it contains those that
// match among the next 500, so an empty page is not necessarily the last.
//
// If a conversation gets a message while a client reads the pages, it moves to the top. The client does not see it
// again, but the revision changes.
//
// Errors: those of [Query.Check], invalid_cursor.
func (b *Inbox) Conversations(ctx context.Context, c *account.Caller, q *Query) (*Conversations, error) {
	if err := b.check(c, account.MayReadInbox); err != nil {
		return nil, err
	}
	accountID := c.Account.ID
	after, list := newest(), []string{"conversations", accountID, q.Q, strconv.FormatBool(q.Unread)}
	if err := b.checkQuery(q, &after, list); err != nil {
		return nil, err
	}
	match, scan := matcher(q), q.Limit
	if match != nil {
		scan = maxScan
	}
	seen, revision, unread, err := listConversations(b.o.DB.Read(ctx), accountID, after, scan+1) // one more than the limit shows whether there are more
	if err != nil {
		return nil, err
	}
	out := &Conversations{State: b.state(accountID, revision, unread)}
	out.List, out.Next = b.filterPage(seen, q, match, scan, list)
	return out, nil
}

// filterPage returns the matching conversations among the first scan ones that were read, and the cursor of the next page.
func (b *Inbox) filterPage(seen []Conversation, q *Query, match func(*Conversation) bool, scan int, list []string) (fit []Conversation, next string) {
	for i := range seen[:min(scan, len(seen))] {
		c := &seen[i]
		if match == nil || match(c) {
			fit = append(seen[:len(fit)], *c) // the result never overtakes the entry that is being examined
		}
		last := i == len(seen)-1
		if !last && (len(fit) == q.Limit || i == scan-1) {
			return fit, b.writeCursor(positionOf(c.LastAt, c.ID), list...)
		}
	}
	return fit, ""
}

// checkQuery checks a query and parses its cursor, if it has one.
func (b *Inbox) checkQuery(q *Query, after *position, list []string) error {
	if err := q.Check(); err != nil || q.Cursor == "" {
		return err
	}
	var ok bool
	if *after, ok = b.readCursor(q.Cursor, list...); !ok {
		return apierror.InvalidCursor.On("cursor")
	}
	return nil
}

// matcher returns a function that finds a text in a name, ignoring case and accents, in a phone number in any format,
// or in a WhatsApp ID or a username, which can be preceded by @. It returns nil for an empty text.
func matcher(q *Query) func(*Conversation) bool {
	text := searchable(strings.TrimSpace(q.Q))
	if text == "" && !q.Unread {
		return nil
	}
	digits, isNumber := phone.Part(q.Q)
	username := strings.TrimPrefix(text, "@")
	return func(c *Conversation) bool {
		found := isNumber && strings.Contains(c.Phone, digits) || strings.Contains(searchable(c.Name), text) || strings.Contains(searchable(c.ContactID), text) ||
			username != "" && strings.Contains(searchable(c.Username), username)
		return found && (c.Unread > 0 || !q.Unread)
	}
}

// Messages is a page of a conversation.
type Messages struct {
	State
	Conversation *Conversation
	List         []Message
	Next         string // the cursor of the next page; empty: last page
}

// Standby reports whether the provider's own agent has the conversation, by its newest page: the contact's newest
// message arrived while the agent had it, and no later message of the account has been sent, which takes it over.
func (m *Messages) Standby() bool {
	for i := range m.List {
		switch m := &m.List[i]; {
		case !m.Out:
			return m.Standby
		case m.Status == message.Sent || m.Status == message.Delivered || m.Status == message.Read:
			return false
		}
	}
	return false
}

// Messages returns a page of a conversation, newest first.
//
// Errors: those of [Query.Check], invalid_cursor, conversation_not_found.
func (b *Inbox) Messages(ctx context.Context, c *account.Caller, conversationID string, q *Query) (*Messages, error) {
	if err := b.check(c, account.MayReadInbox); err != nil {
		return nil, err
	}
	accountID := c.Account.ID
	after, list := newest(), []string{"messages", accountID, conversationID}
	if err := b.checkQuery(q, &after, list); err != nil {
		return nil, err
	}
	read := b.o.DB.Read(ctx)
	state, err := b.readState(read, accountID)
	if err != nil {
		return nil, err
	}
	out := &Messages{State: state}
	if out.Conversation, err = findConversation(read, accountID, conversationID); err != nil {
		return nil, err
	}
	if out.Conversation == nil {
		return nil, apierror.ConversationNotFound.Err()
	}
	if out.List, err = listMessages(read, conversationID, after, q.Limit+1); err != nil {
		return nil, err
	}
	if len(out.List) > q.Limit {
		out.List = out.List[:q.Limit]
		last := &out.List[q.Limit-1]
		out.Next = b.writeCursor(positionOf(last.At, last.ID), list...)
	}
	return out, nil
}

func (b *Inbox) conversation(ctx context.Context, accountID, conversationID string) (*Conversation, error) {
	c, err := findConversation(b.o.DB.Read(ctx), accountID, conversationID)
	if err == nil && c == nil {
		err = apierror.ConversationNotFound.Err()
	}
	return c, err
}

// ConversationWith returns the account's conversation with the person who has an address, a phone number or a WhatsApp ID
// in any spelling.
//
// Errors: conversation_not_found, also for anything that isn't such an address.
func (b *Inbox) ConversationWith(ctx context.Context, c *account.Caller, address string) (*Conversation, error) {
	if err := b.check(c, account.MayReadInbox); err != nil {
		return nil, err
	}
	read, accountID, id := b.o.DB.Read(ctx), c.Account.ID, ""
	if kind := person.KindOf(address); kind == person.Number || kind == person.ID {
		who, err := person.Find(read, accountID, address)
		if err != nil {
			return nil, err
		}
		if id, err = conversationWith(read, accountID, who); err != nil {
			return nil, err
		}
	}
	return b.conversation(ctx, accountID, id)
}

// OptOuts returns the channels on which a contact has opted out of all messages.
func (b *Inbox) OptOuts(ctx context.Context, c *account.Caller, with *Conversation) (map[gateway.Channel]bool, error) {
	if err := b.check(c, account.MayReadInbox); err != nil {
		return nil, err
	}
	return optout.Channels(b.o.DB.Read(ctx), b.people, c.Account.ID, with.Address(), with.Address(), false)
}

// ValidID reports whether a text has the form of a conversation's ID.
func ValidID(s string) bool {
	rest, ok := strings.CutPrefix(s, id.Conversation)
	return ok && id.Valid(rest)
}
