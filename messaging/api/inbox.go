package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"example.com/griot/gateway"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/access"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/webhooks"
)

// withInbox refuses callers whose plan doesn't include the inbox before their request is read.
func withInbox(h access.Handler) access.Handler {
	return func(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
		if err := inbox.CheckPlan(c.Account); err != nil {
			return err
		}
		return h(w, r, c)
	}
}

// A conversationBody is a conversation in a response.
type conversationBody struct {
	ID              string  `json:"id"`
	ContactPhone    *string `json:"contactPhone"`    // null: WhatsApp hides it
	ContactID       *string `json:"contactId"`       // the WhatsApp ID
	ContactUsername *string `json:"contactUsername"` // without @
	ContactName     *string `json:"contactName"`
	LastMessageAt   int64   `json:"lastMessageAt"` // in Unix milliseconds
	LastPreview     *string `json:"lastPreview"`
	UnreadCount     int64   `json:"unreadCount"`
}

func conversationOf(c *inbox.Conversation) conversationBody {
	return conversationBody{
		ID: c.ID, ContactPhone: textOrNull(phone.Shown(c.Phone)), ContactID: textOrNull(c.ContactID), ContactUsername: textOrNull(c.Username), ContactName: textOrNull(c.Name), LastMessageAt: c.LastAt.UnixMilli(), LastPreview: textOrNull(c.LastPreview), UnreadCount: c.Unread,
	}
}

type conversationsAnswer struct {
	Conversations []conversationBody `json:"conversations"`
	NextCursor    *string            `json:"nextCursor"`
	Revision      string             `json:"revision"`
	Account       string             `json:"account"`
}

// conversations handles GET /api/inbox/conversations.
func (a *API) conversations(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	q, err := inboxQuery(r)
	if err != nil {
		return err
	}
	out, err := inboxBodies{a}.Conversations(r.Context(), c, q)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

// Conversations implements [mcp.Inbox].
func (b inboxBodies) Conversations(ctx context.Context, c *account.Caller, q *inbox.Query) (any, error) {
	page, err := b.a.o.Inbox.Conversations(ctx, c, q)
	if err != nil {
		return nil, err
	}
	out := &conversationsAnswer{Conversations: make([]conversationBody, 0, len(page.List)), NextCursor: textOrNull(page.Next), Revision: page.Revision, Account: page.Account}
	for i := range page.List {
		out.Conversations = append(out.Conversations, conversationOf(&page.List[i]))
	}
	return out, nil
}

// inboxQuery parses the parameters of the two lists.
func inboxQuery(r *http.Request) (*inbox.Query, error) {
	values, err := query(r)
	if err != nil {
		return nil, err
	}
	q := &inbox.Query{Cursor: values.Get("cursor"), Limit: inbox.DefaultLimit, Q: values.Get("q")}
	if s := values.Get("limit"); s != "" {
		if q.Limit, err = strconv.Atoi(s); err != nil {
			q.Limit = 0 // out of bounds, so that Check reports it
		}
	}
	return q, q.Check()
}

// An inboxMessage is a message of the inbox in a response. Missing values are null.
type inboxMessage struct {
	ID           string               `json:"id"`
	Direction    string               `json:"direction"` // in, out
	Type         string               `json:"type"`
	Content      *string              `json:"content"`
	MediaURL     *string              `json:"mediaUrl"`
	MIMEType     *string              `json:"mimeType"`
	FileName     *string              `json:"fileName"`
	Status       *message.Status      `json:"status"`              // of outgoing messages only
	Choice       *webhooks.ChoiceBody `json:"choice"`              // the pressed button or row
	Response     json.RawMessage      `json:"response"`            // the data of a submitted form
	ReplyTo      *string              `json:"replyTo"`             // our ID of the message that this one replies to
	MediaMissing *string              `json:"mediaMissing"`        // the reason why the attachment is missing
	At           int64                `json:"at"`                  // in Unix milliseconds
	EditedAt     *int64               `json:"editedAt"`            // the contact's last edit, in Unix milliseconds
	DeletedAt    *int64               `json:"deletedAt"`           // the contact deleted the message and its content, in Unix milliseconds
	Standby      bool                 `json:"standby,omitempty"`   // the provider's own agent had the conversation
	FromPhone    bool                 `json:"fromPhone,omitempty"` // the owner of the account's number wrote it on another device
}

func (a *API) inboxMessageOf(m *inbox.Message) inboxMessage {
	out := inboxMessage{
		ID: m.ID, Direction: "in", Type: string(m.Type), Content: textOrNull(m.Content), MediaURL: textOrNull(m.MediaURL), MediaMissing: textOrNull(m.MediaMissing), MIMEType: textOrNull(m.MIMEType), FileName: textOrNull(m.FileName), At: m.At.UnixMilli(),
		Choice: webhooks.ChoiceOf(m.Choice), Response: webhooks.ResponseOf(m.Response), ReplyTo: textOrNull(m.ReplyTo), EditedAt: millisOrNull(m.EditedAt), DeletedAt: millisOrNull(m.DeletedAt), Standby: m.Standby, FromPhone: m.FromPhone,
	}
	if m.MediaID != "" {
		out.MediaURL = textOrNull(a.o.URL + inbox.MediaPath(m.MediaID))
	}
	if m.Out {
		out.Direction = "out"
	}
	if m.Status != "" {
		s := m.Status
		if s == message.Sending || s == message.Queued { // being sent, or waiting
			if s = message.Queued; m.Scheduled {
				s = message.Scheduled
			}
		}
		out.Status = &s
	}
	if m.Type == gateway.InboundText && out.Content == nil {
		out.Content = new(string)
	}
	return out
}

type messagesAnswer struct {
	Conversation conversationBody `json:"conversation"`
	Messages     []inboxMessage   `json:"messages"`
	NextCursor   *string          `json:"nextCursor"`
	Revision     string           `json:"revision"`
	Account      string           `json:"account"`
}

// conversation handles GET /api/inbox/conversations/:id/messages.
func (a *API) conversation(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	q, err := inboxQuery(r)
	if err != nil {
		return err
	}
	q.Q = ""
	out, err := inboxBodies{a}.Messages(r.Context(), c, r.PathValue("id"), q)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

// Messages implements [mcp.Inbox].
func (b inboxBodies) Messages(ctx context.Context, c *account.Caller, id string, q *inbox.Query) (any, error) {
	page, err := b.a.o.Inbox.Messages(ctx, c, id, q)
	if err != nil {
		return nil, err
	}
	out := &messagesAnswer{
		Conversation: conversationOf(page.Conversation), Messages: make([]inboxMessage, 0, len(page.List)), NextCursor: textOrNull(page.Next), Revision: page.Revision, Account: page.Account,
	}
	for i := range page.List {
		out.Messages = append(out.Messages, b.a.inboxMessageOf(&page.List[i]))
	}
	return out, nil
}

type foundAnswer struct {
	Messages   []foundMessage `json:"messages"`
	NextCursor *string        `json:"nextCursor"`
	Revision   string         `json:"revision"`
	Account    string         `json:"account"`
}

type foundMessage struct {
	Conversation conversationBody `json:"conversation"`
	Message      inboxMessage     `json:"message"`
}

// searchInbox handles GET /api/inbox/messages.
func (a *API) searchInbox(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	q, err := inboxQuery(r)
	if err != nil {
		return err
	}
	out, err := inboxBodies{a}.Search(r.Context(), c, q)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

// Search implements [mcp.Inbox].
func (b inboxBodies) Search(ctx context.Context, c *account.Caller, q *inbox.Query) (any, error) {
	page, err := b.a.o.Inbox.Search(ctx, c, q)
	if err != nil {
		return nil, err
	}
	out := &foundAnswer{Messages: make([]foundMessage, 0, len(page.List)), NextCursor: textOrNull(page.Next), Revision: page.Revision, Account: page.Account}
	for i := range page.List {
		f := &page.List[i]
		out.Messages = append(out.Messages, foundMessage{conversationOf(&f.Conversation), b.a.inboxMessageOf(&f.Message)})
	}
	return out, nil
}
