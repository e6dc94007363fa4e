package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/cmd/griot/console"
)

// conversations shows the newest conversations, newest last. Later calls show only the conversations with changes.
func (o *inboxOptions) conversations(ctx context.Context, w io.Writer, api *griot.Client, first bool) error {
	page, err := api.Conversations(ctx, griot.InboxFilter{Query: o.query, Limit: o.limit})
	if err != nil {
		return err
	}
	if o.json && !o.watch {
		return printJSON(w, page.Raw)
	}
	list := slices.DeleteFunc(page.Conversations, func(c griot.Conversation) bool { return !first && c.LastMessageAt <= o.newest })
	slices.Reverse(list)
	clock := console.Clock{Width: console.Width(w), Now: time.Now()}
	t := console.Table{Shrink: []int{3}}
	if first {
		t.Head = []string{clock.Head(), "CONVERSATION", "NEW", "FROM", "TEXT"}
	}
	for _, c := range list {
		o.newest = max(o.newest, c.LastMessageAt)
		if o.json {
			if err := json.NewEncoder(w).Encode(c); err != nil {
				return err
			}
			continue
		}
		t.Add(clock.Cell(c.LastMessageAt.Time()), c.ID, fmt.Sprint(c.UnreadCount), strings.TrimSpace(contact(&c)+" "+c.ContactName), c.LastPreview)
	}
	if o.json {
		return nil
	}
	return t.Write(w)
}

// contact returns the number of a conversation's contact or, without one, the WhatsApp ID.
func contact(c *griot.Conversation) string { return cmp.Or(c.ContactPhone, c.ContactID) }

// messages shows the newest messages of a conversation, newest last. Later calls show only the new ones.
func (o *inboxOptions) messages(ctx context.Context, w io.Writer, api *griot.Client, id string, first bool) error {
	page, err := api.ConversationMessages(ctx, id, griot.InboxFilter{Limit: o.limit})
	if err != nil {
		return err
	}
	if o.markRead {
		if _, err := api.MarkRead(ctx, id); err != nil {
			return err
		}
	}
	if o.json && !o.watch {
		return printJSON(w, page.Raw)
	}
	list := page.Messages
	if known := slices.IndexFunc(list, func(m griot.InboxMessage) bool { return m.ID == o.newestMessageID }); !first && known >= 0 {
		list = list[:known]
	}
	if len(list) > 0 {
		o.newestMessageID = list[0].ID
	}
	slices.Reverse(list)
	return o.showMessages(w, list, first)
}

func (o *inboxOptions) showMessages(w io.Writer, list []griot.InboxMessage, first bool) error {
	clock := console.Clock{Width: console.Width(w), Now: time.Now()}
	t := console.Table{}
	if first {
		t.Head = []string{clock.Head(), "MESSAGE", "WHO", "TEXT"}
	}
	for i := range list {
		m := &list[i]
		if o.json {
			if err := json.NewEncoder(w).Encode(m); err != nil {
				return err
			}
			continue
		}
		t.Add(clock.Cell(m.At.Time()), m.ID, who(m), textOf(m))
	}
	if o.json {
		return nil
	}
	return t.Write(w)
}

// who returns the name of a message's author.
func who(m *griot.InboxMessage) string {
	if m.Direction == "in" {
		return "contact"
	}
	return cmp.Or(string(m.Status), "you")
}

// textOf returns the text of a message, or its type.
func textOf(m *griot.InboxMessage) string {
	s := m.Content
	if m.Type != "text" {
		s = strings.TrimSpace("[" + m.Type + "] " + cmp.Or(m.FileName, "") + " " + s)
	}
	return s
}

// search shows the results of a search, newest first. A page can be empty although later pages are not.
func (o *inboxOptions) search(ctx context.Context, w io.Writer, api *griot.Client, _ bool) error {
	clock := console.Clock{Width: console.Width(w), Now: time.Now()}
	t := console.Table{Head: []string{clock.Head(), "CONVERSATION", "FROM", "TEXT"}, Shrink: []int{2}}
	n := 0
	for found, err := range api.AllSearchInbox(ctx, griot.InboxFilter{Query: o.query, Limit: inboxPage}) {
		if err != nil {
			return err
		}
		if o.json {
			if err := json.NewEncoder(w).Encode(found); err != nil {
				return err
			}
		}
		t.Add(clock.Cell(found.Message.At.Time()), found.Conversation.ID, contact(&found.Conversation), textOf(&found.Message))
		if n++; n == o.limit {
			break
		}
	}
	if o.json {
		return nil
	}
	return t.Write(w)
}
