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

// Time returns it as a time.
func (m Millis) Time() time.Time { return time.UnixMilli(int64(m)) }

// InboxFilter says which part of the inbox to list; the zero value is its newest page.
type InboxFilter struct {
	Query  string // of conversations, part of a number or a name
	Limit  int    // at most 100; zero: the service's own
	Cursor string // NextCursor of the page before
}

func (f InboxFilter) query() query {
	return query{}.text("q", f.Query).number("limit", f.Limit).text("cursor", f.Cursor)
}

// Conversation is the messages with one person.
type Conversation struct {
	ID            string `json:"id"`
	ContactPhone  string `json:"contactPhone"`
	ContactName   string `json:"contactName"` // as the contact calls itself
	LastMessageAt Millis `json:"lastMessageAt"`
	LastPreview   string `json:"lastPreview"`
	UnreadCount   int    `json:"unreadCount"`
}

// InboxMessage is a message of a conversation.
type InboxMessage struct {
	ID           string          `json:"id"`        // of one that went out, its message id
	Direction    string          `json:"direction"` // in or out
	Type         string          `json:"type"`      // text, image, video, audio, document, sticker, location, contacts, reaction, or unsupported
	Content      string          `json:"content"`   // what can be read of it
	MediaURL     string          `json:"mediaUrl"`  // for [Client.Media]
	MediaMissing string          `json:"mediaMissing"`
	MIMEType     string          `json:"mimeType"`
	FileName     string          `json:"fileName"`
	Status       MessageStatus   `json:"status"` // of one that went out
	Choice       *Pressed        `json:"choice"`
	Response     json.RawMessage `json:"response"` // what a form was filled in with, an object; null: none
	ReplyTo      string          `json:"replyTo"`  // the id of the message that it answers
	At           Millis          `json:"at"`
}

// Pressed is the button or row that a person chose.
type Pressed struct {
	ID    string `json:"id"` // with which it was sent; empty where the gateway gives none
	Title string `json:"title"`
}

// Revision changes with everything that the inbox shows. Compare it for equality only.
type Revision string

// ConversationPage is a page of conversations, the newest first.
type ConversationPage struct {
	Answer
	Conversations []Conversation `json:"conversations"`
	NextCursor    string         `json:"nextCursor"` // empty: this is the last page
	Revision      Revision       `json:"revision"`
}

// Conversations lists the conversations of the inbox. The inbox takes the live key of an account whose plan has it.
func (c *Client) Conversations(ctx context.Context, f InboxFilter) (*ConversationPage, error) {
	return get[ConversationPage](ctx, c, "/api/inbox/conversations", f.query())
}

// AllConversations iterates over [Client.Conversations], page after page.
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

// ConversationMessagePage is a page of a conversation's messages, the newest first.
type ConversationMessagePage struct {
	Answer
	Conversation Conversation   `json:"conversation"`
	Messages     []InboxMessage `json:"messages"`
	NextCursor   string         `json:"nextCursor"` // empty: this is the last page
	Revision     Revision       `json:"revision"`
}

// ConversationMessages lists the messages of a conversation, and marks none as read. The filter has no Query here.
func (c *Client) ConversationMessages(ctx context.Context, conversationID string, f InboxFilter) (*ConversationMessagePage, error) {
	path, err := at("/api/inbox/conversations/", "id", conversationID, "/messages")
	if err != nil {
		return nil, err
	}
	f.Query = ""
	return get[ConversationMessagePage](ctx, c, path, f.query())
}

// AllConversationMessages iterates over [Client.ConversationMessages], page after page.
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

// FoundMessage is a message that a search has found.
type FoundMessage struct {
	Conversation Conversation `json:"conversation"`
	Message      InboxMessage `json:"message"`
}

// FoundPage is a page of a search. It may be empty and not the last.
type FoundPage struct {
	Answer
	Messages   []FoundMessage `json:"messages"`
	NextCursor string         `json:"nextCursor"` // empty: this is the last page
	Revision   Revision       `json:"revision"`
}

// SearchInbox finds the messages whose text, file name, or pressed button has the filter's Query.
func (c *Client) SearchInbox(ctx context.Context, f InboxFilter) (*FoundPage, error) {
	return get[FoundPage](ctx, c, "/api/inbox/messages", f.query())
}

// AllSearchInbox iterates over [Client.SearchInbox], page after page.
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

// InboxRevision is whether something has changed in the inbox.
type InboxRevision struct {
	Answer
	Revision     Revision `json:"revision"`
	Saturated    bool     `json:"saturated"` // the revision may miss changes for now
	UnreadTotal  int      `json:"unreadTotal"`
	UnreadCapped bool     `json:"unreadCapped"` // there are as many as are counted, or more
}

// InboxRevision is what to ask every few seconds: when Revision is another one, the lists have changed.
func (c *Client) InboxRevision(ctx context.Context) (*InboxRevision, error) {
	return get[InboxRevision](ctx, c, "/api/inbox/revision", nil)
}

// ReadMark is a conversation after it was marked.
type ReadMark struct {
	Answer
	UnreadCount      int      `json:"unreadCount"`
	PreviousRevision Revision `json:"previousRevision"`
	Revision         Revision `json:"revision"`
}

// MarkRead sets a conversation's count of unread messages to 0. Where the gateway can, the contact's phone shows it.
func (c *Client) MarkRead(ctx context.Context, conversationID string) (*ReadMark, error) {
	return c.mark(ctx, conversationID, "/read")
}

// MarkUnread marks the latest message of a conversation's contact as unread. The contact does not get to know it.
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
