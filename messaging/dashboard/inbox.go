package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
	"example.com/griot/web"
)

const inboxPath = "/dashboard/inbox"

func (d *Dashboard) inboxRoutes() []httpx.Route {
	const one = inboxPath + "/{conversationId}"
	return []httpx.Route{
		d.member("GET", inboxPath, account.MayReadInbox, d.inbox),
		d.member("GET", one, account.MayReadInbox, d.conversation),
		d.form(one+"/reply", account.MayReply, d.reply),
		d.member("POST", one+"/read", account.MayReadInbox, d.markRead),
		d.member("POST", one+"/unread", account.MayReadInbox, d.markUnread),
	}
}

const pageInbox = "dashboard_inbox" // inboxPage

const (
	conversationsOnPage = 30
	foundOnPage         = 20
	inMessages          = "messages" // the part of a search that continues
	inUnread            = "unread"   // the conversations with unread messages
)

// inboxPage is the page of the inbox: the conversations, the open one, and its contact.
type inboxPage struct {
	Upgrade    *web.Empty // the plan does not include the inbox
	Revision   string     // changes with every displayed value
	Search     web.Field
	Part       string // inUnread, or empty: all conversations
	Parts      web.Tabs
	InboxURL   string
	Rows       []conversationRow
	Found      []foundRow
	Searched   bool
	Note       string
	FirstURL   string // empty: these are the newest conversations
	NextURL    string // empty: there are no further conversations
	FurtherURL string // empty: all messages have been searched
	Empty      *web.Empty
	Wrong      string
	Thread     *thread // nil: no open conversation
}

type conversationRow struct {
	URL, Name, Address, Preview string
	At                          time.Time
	Out                         bool   // the account wrote the preview
	Unread                      string // empty: none
	Current                     bool
}

type foundRow struct {
	URL, Name, Text string
	At              time.Time
	Out             bool
}

// inbox handles GET /dashboard/inbox.
func (d *Dashboard) inbox(v *visit) error {
	if !v.caller.Account.Plan.Inbox {
		return d.upgradeInbox(v)
	}
	page, status, err := d.inboxPage(v, "")
	if err != nil {
		return err
	}
	return d.serve(v, status, pageInbox, inboxPath, page)
}

// upgradeInbox shows which plan includes the inbox, and how long its content is kept.
func (d *Dashboard) upgradeInbox(v *visit) error {
	e := &web.Empty{Icon: "lock", Title: v.lang.T("dashboard.inbox.upgrade"), Text: v.lang.T("dashboard.inbox.upgrade_text"), ActionURL: v.url(billingPath), Action: v.lang.T("dashboard.inbox.plans")}
	at, err := d.o.Inbox.EmptiedAt(v.r.Context(), v.caller)
	if err != nil {
		return err
	}
	if !at.IsZero() {
		e.Text += " " + v.lang.T("dashboard.inbox.hidden", v.moment(at))
	}
	return d.serve(v, http.StatusOK, pageInbox, inboxPath, &inboxPage{Upgrade: e})
}

// inboxPage returns the page with the conversations, which can include an open one, and with the results of a search.
// status is 400 if the address is invalid.
func (d *Dashboard) inboxPage(v *visit, open string) (page *inboxPage, status int, err error) {
	q := v.r.URL.Query()
	text, cursor := strings.TrimSpace(q.Get("q")), q.Get("cursor")
	page = &inboxPage{
		InboxURL: v.url(inboxPath), Searched: text != "",
		Search: web.Field{ID: "q", Name: "q", Value: text, Placeholder: v.lang.T("dashboard.inbox.search_in")},
	}
	in := q.Get("in")
	if in == inUnread {
		page.Part = inUnread
	}
	page.Parts = web.Tabs{Label: v.lang.T("dashboard.inbox.people"), Items: []web.Tab{
		{URL: v.url(inboxURL(open, text, "", "")), Label: v.lang.T("dashboard.inbox.everything"), Current: in != inUnread},
		{URL: v.url(inboxURL(open, text, inUnread, "")), Label: v.lang.T("dashboard.inbox.unread_only"), Current: in == inUnread},
	}}
	err = d.addConversations(v, page, &inbox.Query{Q: v.search(text), Unread: in == inUnread, Cursor: cursor, Limit: conversationsOnPage}, open, in == inMessages)
	if err == nil && text != "" && in != inUnread && (in == inMessages || cursor == "") {
		err = d.addFound(v, page, &inbox.Query{Q: text, Cursor: cursor, Limit: foundOnPage})
	}
	if e, ok := refusal(err); ok {
		page.Wrong = explain(v.lang, e)
		return page, e.Kind.Status, nil
	}
	page.finish(v)
	return page, http.StatusOK, err
}

// addConversations adds the conversations of a query. passed means that the search has moved on to the messages.
func (d *Dashboard) addConversations(v *visit, page *inboxPage, q *inbox.Query, open string, passed bool) error {
	if passed {
		q = &inbox.Query{Q: q.Q, Limit: q.Limit}
	}
	list, err := d.o.Inbox.Conversations(v.r.Context(), v.caller, q)
	if err != nil {
		return err
	}
	if page.Revision = list.Revision; passed {
		page.FirstURL = v.url(inboxURL("", q.Q, "", ""))
		return nil
	}
	for i := range list.List {
		c := &list.List[i]
		row := conversationRow{
			URL: v.url(inboxURL(c.ID, q.Q, page.Part, "")), Name: contactName(c), Address: contactAddress(c), Preview: previewText(v.lang, c.LastPreview), Out: c.LastOut, At: c.LastAt, Current: c.ID == open,
		}
		if c.Unread > 0 {
			row.Unread = number(v.lang, c.Unread)
		}
		page.Rows = append(page.Rows, row)
	}
	if q.Cursor != "" {
		page.FirstURL = v.url(inboxURL("", q.Q, page.Part, ""))
	}
	if list.Next != "" {
		page.NextURL = v.url(inboxURL("", q.Q, page.Part, list.Next))
	}
	return nil
}

// addFound adds the messages that contain the search text.
func (d *Dashboard) addFound(v *visit, page *inboxPage, q *inbox.Query) error {
	found, err := d.o.Inbox.Search(v.r.Context(), v.caller, q)
	if err != nil {
		return err
	}
	for i := range found.List {
		f := &found.List[i]
		to := inboxURL(f.Conversation.ID, q.Q, "", "") + "&" + url.Values{"before": {f.Cursor}}.Encode()
		page.Found = append(page.Found, foundRow{v.url(to) + "#" + f.ID, contactName(&f.Conversation), excerpt(readable(v.lang, &f.Message), q.Q), f.At, f.Out})
	}
	if found.Next != "" {
		page.FurtherURL = v.url(inboxURL("", q.Q, inMessages, found.Next))
		page.Note = v.lang.T("dashboard.inbox.searched")
	}
	return nil
}

// finish adds instructions to an empty page.
func (p *inboxPage) finish(v *visit) {
	switch {
	case len(p.Rows) > 0 || len(p.Found) > 0 || p.NextURL != "" || p.FurtherURL != "":
	case p.Part == inUnread && !p.Searched:
		p.Empty = &web.Empty{Icon: "check", Title: v.lang.T("dashboard.inbox.none_unread"), Text: v.lang.T("dashboard.inbox.none_unread_text"), ActionURL: v.url(inboxPath), Action: v.lang.T("dashboard.inbox.all")}
	case p.Searched || p.FirstURL != "":
		p.Empty = &web.Empty{Icon: "search", Title: v.lang.T("dashboard.inbox.none_found"), Text: v.lang.T("dashboard.inbox.none_found_text"), ActionURL: v.url(inboxPath), Action: v.lang.T("dashboard.inbox.all")}
	default:
		p.Empty = &web.Empty{Icon: "inbox", Title: v.lang.T("dashboard.inbox.none"), Text: v.lang.T("dashboard.inbox.none_text")}
		for _, s := range v.caller.Account.Senders {
			if s.Channel == gateway.WhatsApp && s.AccountID == v.caller.Account.ID {
				p.Empty.Text = v.lang.T("dashboard.inbox.none_number", phone.Grouped(s.Address))
				break
			}
		}
	}
}

// inboxURL returns the address of a place in the inbox: a conversation, or the list, with the search text.
func inboxURL(conversation, search, in, cursor string) string {
	path := inboxPath
	if conversation != "" {
		path += "/" + url.PathEscape(conversation)
	}
	return withQuery(path, map[string]string{"q": search, "in": in, "cursor": cursor})
}

// unread counts an owner's unread messages, for the navigation.
func (d *Dashboard) unread(v *visit) (int, error) {
	if !v.caller.Account.Plan.Inbox {
		return 0, nil
	}
	s, err := d.o.Inbox.State(v.r.Context(), v.caller)
	return int(s.Unread), err
}

// previewText returns a conversation's latest message for the list. A message without text is shown as, for example, "[image]".
func previewText(lang i18n.Lang, s string) string {
	if kind, ok := strings.CutPrefix(s, "["); ok && strings.HasSuffix(kind, "]") {
		if name := typeName(lang, gateway.InboundType(strings.TrimSuffix(kind, "]"))); name != "" {
			return name
		}
	}
	return s
}
