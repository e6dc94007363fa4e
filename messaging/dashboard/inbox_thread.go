package dashboard

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
	"example.com/griot/web"
)

const messagesOnPage = 50

// A thread is an open conversation with its contact.
type thread struct {
	Name, Initial string
	Address       string    // the number, or otherwise the username or the short WhatsApp ID
	Copied        string    // the address for programs
	Hidden        bool      // WhatsApp hides the number
	OptedOut      *optedOut // on WhatsApp, the contact's channel
	OptOuts       []optedOut
	AddOptOutURL  string
	Facts         []fact
	LastAt        time.Time
	LogsURL       string
	Curl          web.Code

	Bubbles            []bubble // oldest first
	OlderURL           string   // empty: there are none
	NewestURL          string   // empty: the newest are shown
	Standby            bool     // Meta's Business Agent has the conversation
	Unread             string   // number of unread messages; empty: none
	ReadURL, UnreadURL string
	ReplyURL           string
	draft
	Answering *quote // the message that the reply quotes; nil: none
	NoQuote   string // the address of a reply without a quote
}

// A draft is a reply that is being written.
type draft struct {
	Key, Text string
	ReplyTo   string // the message that it replies to; empty: none
	Wrong     string
}

type optedOut struct{ Channel, URL string }

// A bubble is a message of a conversation.
type bubble struct {
	ID        string
	Day       time.Time // the day that starts with this message; zero: the same day as the previous message
	At        time.Time
	Out       bool
	Text      string
	Kind      string // its type, unless it is a text
	Media     *attachment
	Quote     *quote
	Edited    bool
	Deleted   bool // by the contact, so that it has no content
	Standby   bool // it arrived while Meta's Business Agent had the conversation
	FromPhone bool // the owner of the account's number wrote it on another device
	Pressed   bool // Text is the title of a pressed button
	Answers   []fact
	Status    web.Badge // of outgoing messages only
	Icon      string
	URL       string // of its page
	Failure   string
	Answer    string // the address of a reply to this message
}

// An attachment is the attachment of a message. Inline is a picture's path. Only attachments that this server has
// stored are shown inline.
type attachment struct{ URL, Name, About, Inline, Missing string }

// A quote is the message that another message replies to. It has no text if the conversation does not show it.
type quote struct{ Author, Text, URL string }

// conversation handles GET /dashboard/inbox/:conversationId. It does not mark messages as read.
func (d *Dashboard) conversation(v *visit) error {
	if !v.caller.Account.Plan.Inbox {
		return v.see(inboxPath)
	}
	return d.serveConversation(v, http.StatusOK, draft{Key: newKey(d), ReplyTo: v.r.URL.Query().Get("answer")})
}

// serveConversation responds with a conversation and the draft of a reply.
func (d *Dashboard) serveConversation(v *visit, status int, reply draft) error {
	id := v.r.PathValue("conversationId")
	page, listed, err := d.inboxPage(v, id)
	if err != nil {
		return err
	}
	if page.Thread, err = d.thread(v, id); err != nil {
		return err
	}
	if page.Thread.draft = reply; reply.ReplyTo != "" {
		if err := d.addAnswering(v, page.Thread, id); err != nil {
			return err
		}
	}
	return d.serve(v, max(status, listed), pageInbox, inboxPath, page)
}

func (d *Dashboard) thread(v *visit, id string) (*thread, error) {
	before := v.r.URL.Query().Get("before")
	list, err := d.o.Inbox.Messages(v.r.Context(), v.caller, id, &inbox.Query{Cursor: before, Limit: messagesOnPage})
	if err != nil {
		return nil, err
	}
	c := list.Conversation
	here := inboxURL(c.ID, "", "", "")
	t := &thread{
		Name: contactName(c), Address: contactAddress(c), Copied: phone.Shown(c.Address()), Hidden: c.Phone == "", Initial: initial(c), LastAt: c.LastAt, LogsURL: v.url(withQuery(logsPath, map[string]string{"to": c.Address()})),
		ReadURL: v.url(here + "/read"), UnreadURL: v.url(here + "/unread"), ReplyURL: v.url(here + "/reply"),
		AddOptOutURL: v.url(newOptOutPath + "?channel=whatsapp&address=" + url.QueryEscape(c.Address())),
		Curl: web.Code{ID: "reply-curl", Title: "curl", Text: curlTo(d.o.URL+"/api/inbox/conversations/"+c.ID+"/reply", "$GRIOT_API_KEY", struct {
			Text string `json:"text"`
		}{"…"})},
	}
	if c.Username != "" {
		t.Facts = append(t.Facts, fact{Label: v.lang.T("dashboard.inbox.username"), Value: "@" + c.Username})
	}
	if c.Unread > 0 {
		t.Unread = number(v.lang, c.Unread)
	}
	for _, s := range v.caller.Account.Senders {
		if s.ID == c.SenderID {
			t.Facts = append(t.Facts, fact{Label: v.lang.T("dashboard.inbox.your_number"), Value: phone.Grouped(s.Address)})
		}
	}
	if list.Next != "" {
		t.OlderURL = v.url(inboxURL(c.ID, "", "", "") + "?before=" + list.Next)
	}
	if before != "" {
		t.NewestURL = v.url(here)
	}
	t.Standby = before == "" && list.Standby()
	if err := d.addOptOuts(v, t, c); err != nil {
		return nil, err
	}
	return t, d.addBubbles(v, t, c, list.List)
}

// addAnswering adds the message that the reply quotes, if it belongs to the conversation.
func (d *Dashboard) addAnswering(v *visit, t *thread, id string) error {
	answered, err := d.o.Inbox.Answered(v.r.Context(), v.caller, id, []inbox.Message{{ReplyTo: t.ReplyTo}})
	if err != nil {
		return err
	}
	if _, ok := answered[t.ReplyTo]; !ok {
		t.ReplyTo = ""
		return nil
	}
	t.Answering, t.NoQuote = quoteOf(v, t, answered, t.ReplyTo), v.url(inboxURL(id, "", "", ""))+"#reply"
	return nil
}

// initial returns the text that replaces a contact's picture.
func initial(c *inbox.Conversation) string {
	for _, r := range contactName(c) {
		if r != '+' && r != '@' {
			return string(r)
		}
	}
	return ""
}

// addOptOuts adds the channels on which the contact has opted out.
func (d *Dashboard) addOptOuts(v *visit, t *thread, of *inbox.Conversation) error {
	channels, err := d.o.Inbox.OptOuts(v.r.Context(), v.caller, of)
	if err != nil {
		return err
	}
	for _, c := range []gateway.Channel{gateway.WhatsApp, gateway.SMS} {
		if !channels[c] {
			continue
		}
		one := optedOut{channelName(v.lang, c), v.url(withQuery(optOutsPath, map[string]string{"q": phone.Shown(of.Address()), "channel": string(c)}))}
		t.OptOuts = append(t.OptOuts, one)
		if c == gateway.WhatsApp {
			t.OptedOut = &one
		}
	}
	return nil
}

// addBubbles adds messages, which are sorted newest first.
func (d *Dashboard) addBubbles(v *visit, t *thread, c *inbox.Conversation, list []inbox.Message) error {
	answered, err := d.o.Inbox.Answered(v.r.Context(), v.caller, c.ID, list)
	if err != nil {
		return err
	}
	day := time.Time{}
	for _, m := range slices.Backward(list) {
		b := bubble{ID: m.ID, At: m.At, Out: m.Out, Text: m.Content, Kind: typeName(v.lang, m.Type), Edited: !m.EditedAt.IsZero() && m.DeletedAt.IsZero(), Deleted: !m.DeletedAt.IsZero(), Standby: m.Standby, FromPhone: m.FromPhone, Pressed: m.Choice.Title != "", Answers: answers(m.Response)}
		at := m.At.In(v.zone())
		if of := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, at.Location()); !of.Equal(day) {
			b.Day, day = of, of
		}
		b.Media = attachmentOf(v, &m, b.Kind)
		if m.ReplyTo != "" {
			b.Quote = quoteOf(v, t, answered, m.ReplyTo)
		}
		if m.Out && !m.FromPhone {
			if err := d.addStatus(v, &b, &m); err != nil {
				return err
			}
		}
		if t.OptedOut == nil && b.Failure == "" && !b.Deleted && !m.FromPhone { // gateways can't quote what the owner has written
			b.Answer = v.url(inboxURL(c.ID, "", "", "")+"?answer="+m.ID) + "#reply"
		}
		t.Bubbles = append(t.Bubbles, b)
	}
	return nil
}

// attachmentOf returns a message's attachment, or nil.
func attachmentOf(v *visit, m *inbox.Message, kind string) *attachment {
	a := &attachment{URL: webLink(m.MediaURL), Name: cmp.Or(m.FileName, kind), About: m.MIMEType, Missing: mediaMissing(v.lang, m.MediaMissing)}
	if m.MediaID != "" {
		a.URL = inbox.MediaPath(m.MediaID)
		if m.IsImage() {
			a.Inline = a.URL
		}
	}
	if a.URL == "" && m.FileName == "" && a.Missing == "" {
		return nil
	}
	return a
}

func quoteOf(v *visit, t *thread, answered map[string]inbox.Message, id string) *quote {
	m, ok := answered[id]
	if !ok {
		return &quote{Author: v.lang.T("dashboard.inbox.earlier"), URL: v.url(messageURL(id))}
	}
	q := &quote{Author: t.Name, Text: readable(v.lang, &m), URL: "#" + id}
	if m.Out {
		q.Author = v.lang.T("dashboard.inbox.you")
	}
	return q
}

// addStatus adds the status of an outgoing message.
func (d *Dashboard) addStatus(v *visit, b *bubble, m *inbox.Message) error {
	b.Status, b.URL = statusBadge(v.lang, m.Status), v.url(messageURL(m.ID))
	switch m.Status {
	case message.Sent:
		b.Icon = "check"
	case message.Delivered, message.Read:
		b.Icon = "checks"
	case message.Failed, message.Expired:
		b.Icon = "alert"
		sent, err := d.find(v, m.ID)
		if err != nil && !is(err, apierror.MessageNotFound) {
			return err
		}
		b.Failure = replyFailure(v.lang, sent)
	case message.Scheduled, message.Queued, message.Sending, message.Canceled, message.Sandbox:
		b.Icon = "clock"
	}
	return nil
}
