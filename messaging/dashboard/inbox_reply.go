package dashboard

import (
	"net/http"

	"griot/internal/fault"
	"griot/internal/httpx"
	"griot/messaging/account"
	"griot/messaging/inbox"
	"griot/messaging/message"
)

// reply: POST /dashboard/inbox/:conversationId/reply. The reply goes the way of POST /api/inbox/conversations/:id/reply; one
// form sends once.
func (d *Dashboard) reply(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	form, err := d.readForm(w, r)
	if err != nil {
		return err
	}
	if err := owned(c); err != nil {
		return err
	}
	v, key, text := newVisit(w, r, c), form.Get("key"), form.Get("text")
	if key == "" {
		key = newKey(d)
	}
	if err := message.CheckIdempotencyKey(key); err != nil {
		return err
	}
	conversation, err := d.o.Inbox.Conversation(r.Context(), c.Account.ID, r.PathValue("conversationId"))
	if err != nil {
		return err
	}
	here := v.url(inboxURL(conversation.ID, "", "", ""))
	if err := inbox.CheckText(text); err != nil {
		return d.serveConversation(v, http.StatusBadRequest, key, text, v.lang.T("dashboard.inbox.no_text"))
	}
	res, err := d.o.Engine.Submit(r.Context(), c, inbox.Reply(c.Account, conversation, text, inbox.ReplyOptions{IdempotencyKey: key, Source: message.SourceInbox, Sandbox: d.o.Simulates}))
	if is(err, fault.MessageFailed) { // the same form has sent it, and the conversation says why it failed
		return httpx.SeeOther(w, here)
	}
	if e, ok := isRefusal(err); ok {
		httpx.SetRetryAfter(w.Header(), e.RetryAfter)
		return d.serveConversation(v, e.Kind.Status, key, text, explain(v.lang, e))
	}
	switch {
	case err != nil:
		return err
	case res.PayloadMismatch:
		return d.serveConversation(v, http.StatusConflict, newKey(d), text, v.lang.T("dashboard.inbox.changed"))
	case d.o.Simulates:
		return httpx.SeeOther(w, v.url(inboxURL(conversation.ID, "", "", "")+"?done=reply_simulated"))
	}
	return httpx.SeeOther(w, here)
}

// markRead: POST /dashboard/inbox/:conversationId/read.
func (d *Dashboard) markRead(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	if err := owned(c); err != nil {
		return err
	}
	id := r.PathValue("conversationId")
	if _, err := d.o.Inbox.MarkRead(r.Context(), c.Account.ID, id); err != nil {
		return err
	}
	return httpx.SeeOther(w, newVisit(w, r, c).url(inboxURL(id, "", "", "")))
}

// markUnread: POST /dashboard/inbox/:conversationId/unread. It leads to the list: an open conversation is read.
func (d *Dashboard) markUnread(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	if err := owned(c); err != nil {
		return err
	}
	if _, err := d.o.Inbox.MarkUnread(r.Context(), c.Account.ID, r.PathValue("conversationId")); err != nil {
		return err
	}
	return httpx.SeeOther(w, newVisit(w, r, c).url(inboxPath+"?done=marked_unread"))
}
