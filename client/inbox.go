package griot

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
)

// Millis is a time in Unix milliseconds.
type Millis int64

// Time returns m as a [time.Time].
func (m Millis) Time() time.Time { return time.UnixMilli(int64(m)) }

// An InboxFilter selects a part of the inbox. The zero value selects the newest page.
type InboxFilter struct {
	Query  string // for conversations: part of a number, a name, a WhatsApp ID, or a username
	Limit  int    // at most 100; zero: the default of the service
	Cursor string // NextCursor of the previous page
}

func (f InboxFilter) query() query {
	return query{}.text("q", f.Query).number("limit", f.Limit).text("cursor", f.Cursor)
}

// A Conversation contains the messages exchanged with one person.
type Conversation struct {
	ID              string `json:"id"`
	ContactPhone    string `json:"contactPhone"`    // empty: WhatsApp hides it, and ContactID is set
	ContactID       string `json:"contactId"`       // the contact's WhatsApp ID, to which messages can be sent; empty: not reported
	ContactUsername string `json:"contactUsername"` // without @; empty: none
	ContactName     string `json:"contactName"`     // the name that the contact has chosen
	LastMessageAt   Millis `json:"lastMessageAt"`
	LastPreview     string `json:"lastPreview"`
	UnreadCount     int    `json:"unreadCount"`
}

// An InboxMessage is a message of a conversation.
type InboxMessage struct {
	ID           string          `json:"id"`        // for outgoing messages that Griot has sent, the message ID
	Direction    string          `json:"direction"` // in or out
	Type         string          `json:"type"`      // text, image, video, audio, document, sticker, location, contacts, reaction, or unsupported
	Content      string          `json:"content"`   // the readable content
	MediaURL     string          `json:"mediaUrl"`  // an attachment, for [Client.Media]
	MediaMissing string          `json:"mediaMissing"`
	MIMEType     string          `json:"mimeType"`
	FileName     string          `json:"fileName"`
	Status       MessageStatus   `json:"status"` // of outgoing messages only
	Choice       *Pressed        `json:"choice"`
	Response     json.RawMessage `json:"response"` // the data of a submitted form, a JSON object; null: none
	ReplyTo      string          `json:"replyTo"`  // the ID of the message that this one replies to
	At           Millis          `json:"at"`
	EditedAt     Millis          `json:"editedAt"`  // the contact's last edit; zero: none
	DeletedAt    Millis          `json:"deletedAt"` // the contact deleted the message and its content; zero: not deleted
	Standby      bool            `json:"standby"`   // the provider's own agent, such as Meta's Business Agent, had the conversation
	FromPhone    bool            `json:"fromPhone"` // the owner of a linked number wrote the message on the phone; it has no status
}

// A Pressed is the button or row that a person chose.
type Pressed struct {
	ID    string `json:"id"` // the ID that it was sent with; empty if the gateway does not report it
	Title string `json:"title"`
}

// A Revision is a version of the inbox. It changes whenever a displayed value changes. Compare it for equality only.
type Revision string

// A ConversationPage is a page of conversations, newest first.
type ConversationPage struct {
	Answer
	Conversations []Conversation `json:"conversations"`
	NextCursor    string         `json:"nextCursor"` // empty: last page
	Revision      Revision       `json:"revision"`
}

// Conversations lists the conversations of the inbox. The inbox methods require a live key, and a plan that includes the inbox.
func (c *Client) Conversations(ctx context.Context, f InboxFilter) (*ConversationPage, error) {
	return get[ConversationPage](ctx, c, "/api/inbox/conversations", f.query())
}

// AllConversations iterates over the conversations on all pages of [Client.Conversations].
func (c *Client) AllConversations(ctx context.Context, f InboxFilter) iter.Seq2[Conversation, error] {
	return pages(f.Cursor, func(cursor string) ([]Conversation, string, error) {
		f.Cursor = cursor
		page, err := c.Conversations(ctx, f)
		if err != nil {
			return nil, "", err
		}
		return page.Conversations, page.NextCursor, nil
	})
}

// A ConversationMessagePage is a page of a conversation's messages, newest first.
type ConversationMessagePage struct {
	Answer
	Conversation Conversation   `json:"conversation"`
	Messages     []InboxMessage `json:"messages"`
	NextCursor   string         `json:"nextCursor"` // empty: last page
	Revision     Revision       `json:"revision"`
}

// ConversationMessages lists the messages of a conversation without marking them as read. It ignores the filter's Query.
func (c *Client) ConversationMessages(ctx context.Context, conversationID string, f InboxFilter) (*ConversationMessagePage, error) {
	path, err := at("/api/inbox/conversations/", "id", conversationID, "/messages")
	if err != nil {
		return nil, err
	}
	f.Query = ""
	return get[ConversationMessagePage](ctx, c, path, f.query())
}

// AllConversationMessages iterates over the messages on all pages of [Client.ConversationMessages].
func (c *Client) AllConversationMessages(ctx context.Context, conversationID string, f InboxFilter) iter.Seq2[InboxMessage, error] {
	return pages(f.Cursor, func(cursor string) ([]InboxMessage, string, error) {
		f.Cursor = cursor
		page, err := c.ConversationMessages(ctx, conversationID, f)
		if err != nil {
			return nil, "", err
		}
		return page.Messages, page.NextCursor, nil
	})
}

// A FoundMessage is a search result.
type FoundMessage struct {
	Conversation Conversation `json:"conversation"`
	Message      InboxMessage `json:"message"`
}

// A FoundPage is a page of search results. An empty page is not necessarily the last one.
type FoundPage struct {
	Answer
	Messages   []FoundMessage `json:"messages"`
	NextCursor string         `json:"nextCursor"` // empty: last page
	Revision   Revision       `json:"revision"`
}

// SearchInbox returns the messages whose text, file name, or pressed button contains the filter's Query.
func (c *Client) SearchInbox(ctx context.Context, f InboxFilter) (*FoundPage, error) {
	return get[FoundPage](ctx, c, "/api/inbox/messages", f.query())
}

// AllSearchInbox iterates over the results on all pages of [Client.SearchInbox].
func (c *Client) AllSearchInbox(ctx context.Context, f InboxFilter) iter.Seq2[FoundMessage, error] {
	return pages(f.Cursor, func(cursor string) ([]FoundMessage, string, error) {
		f.Cursor = cursor
		page, err := c.SearchInbox(ctx, f)
		if err != nil {
			return nil, "", err
		}
		return page.Messages, page.NextCursor, nil
	})
}

// An InboxRevision reports the current version of the inbox.
type InboxRevision struct {
	Answer
	Revision     Revision `json:"revision"`
	Saturated    bool     `json:"saturated"` // the revision might miss changes
	UnreadTotal  int      `json:"unreadTotal"`
	UnreadCapped bool     `json:"unreadCapped"` // the count has reached its maximum; there might be more
}

// InboxRevision returns the current revision of the inbox. Call it every few seconds: when Revision differs from the
// previous one, the lists have changed.
func (c *Client) InboxRevision(ctx context.Context) (*InboxRevision, error) {
	return get[InboxRevision](ctx, c, "/api/inbox/revision", nil)
}

// A ReadMark is the state of a conversation after a change of its read mark.
type ReadMark struct {
	Answer
	UnreadCount      int      `json:"unreadCount"`
	PreviousRevision Revision `json:"previousRevision"`
	Revision         Revision `json:"revision"`
}

// MarkRead sets a conversation's number of unread messages to 0. If the gateway supports read receipts, the contact sees one.
func (c *Client) MarkRead(ctx context.Context, conversationID string) (*ReadMark, error) {
	return c.mark(ctx, conversationID, "/read")
}

// MarkUnread marks the latest message of a conversation's contact as unread. The contact is not notified.
func (c *Client) MarkUnread(ctx context.Context, conversationID string) (*ReadMark, error) {
	return c.mark(ctx, conversationID, "/unread")
}

func (c *Client) mark(ctx context.Context, conversationID, as string) (*ReadMark, error) {
	path, err := at("/api/inbox/conversations/", "id", conversationID, as)
	if err != nil {
		return nil, err
	}
	return fetch[ReadMark](ctx, c, call{method: http.MethodPost, path: path})
}
