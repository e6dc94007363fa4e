package dashboard

import (
	"net/http"
	"net/url"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
)

// reply handles POST /dashboard/inbox/:conversationId/reply. It works like POST /api/inbox/conversations/:id/reply.
// Each form sends only once.
func (d *Dashboard) reply(v *visit, form url.Values) error {
	reply := draft{Key: form.Get("key"), Text: form.Get("text"), ReplyTo: form.Get("replyTo")}
	if reply.Key == "" {
		reply.Key = newKey(d)
	}
	if err := message.CheckIdempotencyKey(reply.Key); err != nil {
		return err
	}
	id := v.r.PathValue("conversationId")
	here := inboxURL(id, "", "", "")
	refused := func(status int, why string) error {
		reply.Wrong = why
		return d.serveConversation(v, status, reply)
	}
	request, err := d.o.Inbox.Reply(v.r.Context(), v.caller, id, reply.Text, inbox.ReplyOptions{IdempotencyKey: reply.Key, ReplyTo: reply.ReplyTo, Source: message.SourceInbox, Sandbox: d.o.Simulates})
	if err != nil {
		return err
	}
	res, err := d.o.Delivery.Submit(v.r.Context(), v.caller, request)
	if is(err, apierror.MessageFailed) { // the same form has sent it, and the conversation shows the reason for the failure
		return v.see(here)
	}
	if e, ok := refusal(err); ok {
		httpx.SetRetryAfter(v.w.Header(), e.RetryAfter)
		return refused(e.Kind.Status, explain(v.lang, e))
	}
	switch {
	case err != nil:
		return err
	case res.PayloadMismatch:
		reply.Key = newKey(d)
		return refused(http.StatusConflict, v.lang.T("dashboard.inbox.changed"))
	case d.o.Simulates:
		return v.see(here + "?done=reply_simulated")
	}
	return v.see(here)
}

// markRead handles POST /dashboard/inbox/:conversationId/read.
func (d *Dashboard) markRead(v *visit) error {
	id := v.r.PathValue("conversationId")
	_, err := d.o.Inbox.MarkRead(v.r.Context(), v.caller, id)
	return v.seeAfter(err, inboxURL(id, "", "", ""))
}

// markUnread handles POST /dashboard/inbox/:conversationId/unread. It redirects to the list, because opening a
// conversation marks it as read.
func (d *Dashboard) markUnread(v *visit) error {
	_, err := d.o.Inbox.MarkUnread(v.r.Context(), v.caller, v.r.PathValue("conversationId"))
	return v.seeAfter(err, inboxPath+"?done=marked_unread")
}
