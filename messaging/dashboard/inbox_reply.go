package dashboard

import (
	"net/http"

	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
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
	v, reply := newVisit(w, r, c), draft{Key: form.Get("key"), Text: form.Get("text"), ReplyTo: form.Get("replyTo")}
	if reply.Key == "" {
		reply.Key = newKey(d)
	}
	if err := message.CheckIdempotencyKey(reply.Key); err != nil {
		return err
	}
	conversation, err := d.o.Inbox.Conversation(r.Context(), c.Account.ID, r.PathValue("conversationId"))
	if err != nil {
		return err
	}
	here := v.url(inboxURL(conversation.ID, "", "", ""))
	refused := func(status int, why string) error {
		reply.Wrong = why
		return d.serveConversation(v, status, reply)
	}
	if err := inbox.CheckText(reply.Text); err != nil {
		return refused(http.StatusBadRequest, v.lang.T("dashboard.inbox.no_text"))
	}
	request, err := d.o.Inbox.Reply(r.Context(), c.Account, conversation, reply.Text, inbox.ReplyOptions{IdempotencyKey: reply.Key, ReplyTo: reply.ReplyTo, Source: message.SourceInbox, Sandbox: d.o.Simulates})
	if is(err, fault.InvalidRequest) { // the message that it answers was deleted meanwhile
		return refused(http.StatusBadRequest, v.lang.T("dashboard.inbox.quote_gone"))
	}
	if err != nil {
		return err
	}
	res, err := d.o.Engine.Submit(r.Context(), c, request)
	if is(err, fault.MessageFailed) { // the same form has sent it, and the conversation says why it failed
		return httpx.SeeOther(w, here)
	}
	if e, ok := isRefusal(err); ok {
		httpx.SetRetryAfter(w.Header(), e.RetryAfter)
		return refused(e.Kind.Status, explain(v.lang, e))
	}
	switch {
	case err != nil:
		return err
	case res.PayloadMismatch:
		reply.Key = newKey(d)
		return refused(http.StatusConflict, v.lang.T("dashboard.inbox.changed"))
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
