package api

import (
	"cmp"
	"context"
	"net/http"

	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
)

type readAnswer struct {
	Success          bool   `json:"success"`
	UnreadCount      int64  `json:"unreadCount"`
	PreviousRevision string `json:"previousRevision"`
	Revision         string `json:"revision"`
	Account          string `json:"account"`
}

// markRead handles POST /api/inbox/conversations/:id/read.
func (a *API) markRead(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	out, err := inboxBodies{a}.MarkRead(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

// MarkRead implements [mcp.Inbox].
func (b inboxBodies) MarkRead(ctx context.Context, c *account.Caller, id string) (any, error) {
	m, err := b.a.o.Inbox.MarkRead(ctx, c, id)
	if err != nil {
		return nil, err
	}
	return markedAnswer(m), nil
}

func markedAnswer(m *inbox.MarkResult) *readAnswer {
	return &readAnswer{Success: true, UnreadCount: m.Conversation, PreviousRevision: m.Previous, Revision: m.Revision, Account: m.Account}
}

// markUnread handles POST /api/inbox/conversations/:id/unread.
func (a *API) markUnread(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	out, err := inboxBodies{a}.MarkUnread(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

// MarkUnread implements [mcp.Inbox].
func (b inboxBodies) MarkUnread(ctx context.Context, c *account.Caller, id string) (any, error) {
	m, err := b.a.o.Inbox.MarkUnread(ctx, c, id)
	if err != nil {
		return nil, err
	}
	return markedAnswer(m), nil
}

type revisionAnswer struct {
	Revision     string `json:"revision"`
	Saturated    bool   `json:"saturated"`
	UnreadTotal  int64  `json:"unreadTotal"`
	UnreadCapped bool   `json:"unreadCapped"`
	Account      string `json:"account"`
}

// revision handles GET /api/inbox/revision.
func (a *API) revision(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	s, err := a.o.Inbox.State(r.Context(), c)
	if err != nil {
		return err
	}
	return httpx.WriteJSON(w, http.StatusOK, revisionAnswer{s.Revision, s.Saturated, s.Unread, s.Capped, s.Account})
}

type replyBody struct {
	Text           string  `json:"text"`
	ReplyTo        string  `json:"replyTo"`
	IdempotencyKey *string `json:"idempotencyKey"`
	Sandbox        bool    `json:"sandbox"`
}

// reply handles POST /api/inbox/conversations/:id/reply. Its response is the same as that of /api/send.
func (a *API) reply(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	var body replyBody
	var warnings []warning
	err := a.http.ReadJSON(w, r, func(raw []byte) (err error) {
		warnings, err = a.decode(raw, &body, replyAliases)
		return err
	})
	if err != nil {
		return err
	}
	key, err := idempotencyKey(r, body.IdempotencyKey)
	if err != nil {
		return err
	}
	sandbox, err := sandboxed(r, body.Sandbox)
	if err != nil {
		return err
	}
	out, status, err := a.answerConversation(r.Context(), c, r.PathValue("id"), body.Text, inbox.ReplyOptions{IdempotencyKey: key, ReplyTo: body.ReplyTo, Source: message.SourceInbox, Sandbox: sandbox})
	if err != nil {
		return err
	}
	out.Warnings = warnings
	return httpx.WriteJSON(w, status, out)
}

func (a *API) answerConversation(ctx context.Context, c *account.Caller, id, words string, o inbox.ReplyOptions) (*sendAnswer, int, error) {
	request, err := a.o.Inbox.Reply(ctx, c, id, words, o)
	if err != nil { // what is wrong with the text comes first
		return nil, 0, cmp.Or(o.Wrong, inbox.CheckText(words), err)
	}
	return a.submit(ctx, c, request)
}
