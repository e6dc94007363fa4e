package erasure

import (
	"encoding/json"

	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/otp"
	"example.com/griot/messaging/webhooks"
)

type conversationItem struct {
	ID        string  `json:"id"`
	Name      *string `json:"name"`
	ContactID *string `json:"contactId"`       // the WhatsApp ID
	Username  *string `json:"contactUsername"` // without @
	LastAt    *string `json:"lastAt"`
	Unread    int64   `json:"unread"`
}

type receivedItem struct {
	ID           string               `json:"messageId"`
	Conversation *string              `json:"conversationId"`
	Channel      string               `json:"channel"`
	SenderID     string               `json:"senderId"` // the account's sender that received it
	Type         string               `json:"type"`
	Text         string               `json:"text"`
	MediaURL     *string              `json:"mediaUrl"`
	MediaMissing *string              `json:"mediaMissing"`
	MIMEType     *string              `json:"mimeType"`
	FileName     *string              `json:"fileName"`
	Choice       *webhooks.ChoiceBody `json:"choice"`
	Response     json.RawMessage      `json:"response"`
	At           *string              `json:"at"`
	EditedAt     *string              `json:"editedAt"`
	DeletedAt    *string              `json:"deletedAt"`
	Standby      bool                 `json:"standby,omitempty"`   // the provider's own agent had the conversation
	FromPhone    bool                 `json:"fromPhone,omitempty"` // the owner of the account's number wrote it to the person on another device
}

func (x *export) conversation(d *document) error {
	c, err := inbox.ConversationOf(x.q, x.p)
	if err != nil {
		return err
	}
	d.beginList("conversations")
	walks := []string{""}
	if c != nil {
		d.item(conversationItem{c.ID, textOrNull(c.Name), textOrNull(c.ContactID), textOrNull(c.Username), shownTime(c.LastAt), c.Unread})
		walks = append(walks, c.ID)
	}
	d.endList()
	d.beginList("received")
	n := 0
	for _, conversation := range walks {
		for after, first := "", true; first || after != ""; first = false {
			list, next, err := inbox.PersonPage(x.q, x.p, conversation, after, messagesAtOnce)
			if err != nil {
				return err
			}
			for _, m := range list {
				if n++; n > MaxExported {
					x.complete, next = false, ""
					break
				}
				d.item(receivedItem{m.ID, textOrNull(conversation), string(m.Channel), m.SenderID, string(m.Type), m.Content, textOrNull(x.s.mediaURL(&m.Message)), textOrNull(m.MediaMissing), textOrNull(m.MIMEType), textOrNull(m.FileName), webhooks.ChoiceOf(m.Choice), webhooks.ResponseOf(m.Response), shownTime(m.At), shownTime(m.EditedAt), shownTime(m.DeletedAt), m.Standby, m.FromPhone})
			}
			if err := d.page(); err != nil {
				return err
			}
			after = next
		}
	}
	d.endList()
	return d.page()
}

type codeItem struct {
	ChallengeID string  `json:"challengeId"`
	MessageID   string  `json:"messageId"`
	Sandbox     bool    `json:"sandbox"`
	Attempts    int64   `json:"attempts"`
	CreatedAt   *string `json:"createdAt"`
	ExpiresAt   *string `json:"expiresAt"`
	VerifiedAt  *string `json:"verifiedAt"`
}

func (x *export) codes(d *document) error {
	list, err := otp.SentTo(x.q, x.p)
	if err != nil {
		return err
	}
	d.beginList("codes")
	for _, c := range list {
		d.item(codeItem{c.ChallengeID, c.MessageID, c.Simulated, c.Attempts, shownTime(c.CreatedAt), shownTime(c.ExpiresAt), shownTime(c.VerifiedAt)})
	}
	d.endList()
	return d.page()
}

type eventItem struct {
	ID        string          `json:"eventId"`
	Type      string          `json:"type"`
	CreatedAt *string         `json:"createdAt"`
	Body      json.RawMessage `json:"body"`
}

func (x *export) events(d *document) error {
	d.beginList("events")
	n := 0
	for after, first := "", true; first || after != ""; first = false {
		list, next, err := webhooks.PersonPage(x.q, x.p, func([]string) (map[string]bool, error) { return x.ids, nil }, after, eventsAtOnce)
		if err != nil {
			return err
		}
		for _, e := range list {
			if n++; n > MaxExported {
				x.complete, next = false, ""
				break
			}
			d.item(eventItem{e.ID, e.Type, shownTime(e.At), json.RawMessage(e.Body)})
		}
		if err := d.page(); err != nil {
			return err
		}
		after = next
	}
	d.endList()
	return d.page()
}

type auditItem struct {
	ID     string  `json:"id"`
	At     *string `json:"at"`
	Action string  `json:"action"`
}

func (x *export) audit(d *document) error {
	d.beginList("audit")
	for after, first := "", true; first || after != ""; first = false {
		list, next, err := audit.PersonPage(x.q, x.p, after, messagesAtOnce)
		if err != nil {
			return err
		}
		for _, e := range list {
			d.item(auditItem{e.ID, shownTime(e.At), e.Action})
		}
		if err := d.page(); err != nil {
			return err
		}
		after = next
	}
	d.endList()
	return d.page()
}

// mediaURL returns the URL of an attachment.
func (s *Service) mediaURL(m *inbox.Message) string {
	if m.MediaID != "" {
		return s.o.URL + inbox.MediaPath(m.MediaID)
	}
	return m.MediaURL
}
