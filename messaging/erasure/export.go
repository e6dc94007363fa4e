package erasure

import (
	"context"
	"io"
	"slices"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/person"
)

// MaxExported is the maximum number of messages to a person, of messages from them, and of events about them in an
// export. It contains the latest.
const MaxExported = 10_000

// ExportFor returns a function that writes the data of the caller's account about a person with [Service.Export], and
// records the export in the audit log.
//
// Errors: those of [Service.Person].
func (s *Service) ExportFor(ctx context.Context, c *account.Caller, address string) (write func(w io.Writer, flush func() error) error, err error) {
	if err := account.MayManagePeople.Check(c, s.o.Now()); err != nil {
		return nil, err
	}
	p, err := s.Person(ctx, c.Account.ID, address)
	if err != nil {
		return nil, err
	}
	if err := s.RecordExport(ctx, p); err != nil {
		return nil, err
	}
	return func(w io.Writer, flush func() error) error { return s.Export(ctx, p, w, flush) }, nil
}

// RecordExport records the export of a person's data in the audit log.
func (s *Service) RecordExport(ctx context.Context, p *person.Person) error {
	event := audit.New(ctx, s.o.Now(), p.AccountID, audit.PersonExported, p.Pseudonym)
	return s.o.DB.Write(ctx, func(tx *db.Tx) error { return audit.Record(tx, event) })
}

// Export writes an account's data about a person as one JSON object. flush is called after each piece, so that a long
// export is not interrupted. After an error, the output is not valid JSON.
func (s *Service) Export(ctx context.Context, p *person.Person, to io.Writer, flush func() error) error {
	d := &document{w: to, flush: flush}
	x := &export{s: s, ctx: ctx, q: s.o.DB.Read(ctx), p: p, complete: true, ids: map[string]bool{}}
	d.member("address", p.Shown())
	d.member("pseudonym", p.Pseudonym)
	d.member("exportedAt", shownTime(s.o.Now()))
	for _, part := range []func(*document) error{x.optOuts, x.messages, x.conversation, x.codes, x.events, x.audit} {
		if err := part(d); err != nil {
			return err
		}
	}
	d.member("groups", x.groups)
	d.member("complete", x.complete)
	return d.end()
}

// export is one export.
type export struct {
	s        *Service
	ctx      context.Context //nolint:containedctx // for one call of Export
	q        *db.Query
	p        *person.Person
	complete bool
	groups   []string        // groups with messages that name the person
	ids      map[string]bool // IDs of messages to the person
}

type optOutItem struct {
	Channel string  `json:"channel"`
	Scope   string  `json:"scope,omitempty"`
	Source  string  `json:"source"`
	Since   *string `json:"since"`
}

func (x *export) optOuts(d *document) error {
	list, err := optout.OfPerson(x.q, x.p)
	if err != nil {
		return err
	}
	d.beginList("optOuts")
	for _, o := range list {
		channel, scope := optout.Scope(o.Channel)
		d.item(optOutItem{string(channel), scope, string(o.Reason), shownTime(o.At)})
	}
	d.endList()
	return d.page()
}

type stepItem struct {
	At      int64            `json:"at"`
	Status  message.Status   `json:"status"`
	Channel gateway.Channel  `json:"channel,omitempty"`
	Sender  string           `json:"sender,omitempty"`
	Failure *message.Failure `json:"failure,omitempty"`
	Note    string           `json:"note,omitempty"` // the sentence
}

type messageItem struct {
	ID             string           `json:"messageId"`
	NotificationID string           `json:"notificationId"`
	ProjectID      *string          `json:"projectId"`
	Source         string           `json:"source"`
	To             string           `json:"to"`
	Email          *string          `json:"email"`
	GroupID        *string          `json:"groupId"`
	Channel        string           `json:"channel"`
	From           *string          `json:"from"`
	Sensitive      bool             `json:"sensitive"` // its content is not stored
	Subject        *string          `json:"subject"`
	Message        *string          `json:"message"`
	HTML           *string          `json:"html"`
	MediaURL       *string          `json:"mediaUrl"`
	Metadata       message.Metadata `json:"metadata"`
	IdempotencyKey *string          `json:"idempotencyKey"`
	Status         string           `json:"status"`
	Timeline       []stepItem       `json:"timeline"`
	CreatedAt      *string          `json:"createdAt"`
	ScheduledAt    *string          `json:"scheduledAt"`
	SentAt         *string          `json:"sentAt"`
	DeliveredAt    *string          `json:"deliveredAt"`
	ReadAt         *string          `json:"readAt"`
}

func (x *export) messages(d *document) error {
	d.beginList("messages")
	x.groups = []string{}
	var after message.Cursor
	for {
		ids, next, err := message.FindPerson(x.q, x.p, after, messagesAtOnce)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if len(x.ids) == MaxExported {
				x.complete, next = false, message.Cursor{}
				break
			}
			m, err := message.Get(x.q, id)
			if err != nil || m == nil {
				return err
			}
			x.ids[id] = true
			if g := m.Options.GroupID; g != "" && !slices.Contains(x.groups, g) {
				x.groups = append(x.groups, g)
			}
			item, err := messageOf(m)
			if err != nil {
				return err
			}
			d.item(item)
		}
		if err := d.page(); err != nil {
			return err
		}
		if after = next; next.ID == "" {
			d.endList()
			return d.page()
		}
	}
}

func messageOf(m *message.Message) (*messageItem, error) {
	steps, err := m.Timeline.Steps()
	timeline := make([]stepItem, 0, len(steps))
	for _, s := range steps {
		timeline = append(timeline, stepItem{s.At, s.Status, s.Channel, s.Sender, s.Failure, s.Sentence()})
	}
	return &messageItem{
		ID: m.ID, NotificationID: m.NotificationID, ProjectID: textOrNull(m.ProjectID), Source: string(m.Source), To: m.To, Email: textOrNull(m.Options.Email), GroupID: textOrNull(m.Options.GroupID),
		Channel: string(m.Channel), From: textOrNull(m.From), Sensitive: m.Sensitive, Subject: textOrNull(m.Content.Subject), Message: textOrNull(m.Content.Text), HTML: textOrNull(m.Content.HTML),
		MediaURL: textOrNull(m.Options.MediaURL), Metadata: m.Metadata, IdempotencyKey: textOrNull(m.Options.Key), Status: string(m.Status), Timeline: timeline,
		CreatedAt: shownTime(m.CreatedAt), ScheduledAt: shownTime(m.ScheduledAt), SentAt: shownTime(m.SentAt), DeliveredAt: shownTime(m.DeliveredAt), ReadAt: shownTime(m.ReadAt),
	}, err
}
