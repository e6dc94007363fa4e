package message

import (
	"context"
	"strconv"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/isotime"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
)

// A Reader reads the messages that a caller can see: those of their account, those of their projects for developers and
// for a project's key, and only simulated ones for a test key. It is safe for concurrent use.
type Reader struct {
	DB        *db.DB
	Directory *account.Directory
	Now       clock.Now
}

// Find returns the message with an ID, its own or that of its notification.
//
// Errors: [apierror.MessageNotFound], also for the messages that the caller can't see.
func (r *Reader) Find(ctx context.Context, c *account.Caller, id string) (*Message, error) {
	if err := account.MayReadMessages.Check(c, r.Now()); err != nil {
		return nil, err
	}
	for _, id := range IDs(id) {
		m, err := Get(r.DB.Read(ctx), id)
		if err != nil {
			return nil, err
		}
		if m == nil || m.AccountID != c.Account.ID || m.Status != Sandbox && c.SandboxOnly() {
			continue
		}
		if sees, err := r.Directory.SeesProject(ctx, c, m.ProjectID); err != nil || sees {
			return m, err
		}
	}
	return nil, apierror.MessageNotFound.Err()
}

// List returns messages as [List] does. It sets the filter's account and restricts the filter to the messages that the
// caller can see. A developer's filter must name one of their projects; otherwise, it selects nothing.
func (r *Reader) List(ctx context.Context, c *account.Caller, f *Filter) ([]*Message, Cursor, error) {
	if err := account.MayReadMessages.Check(c, r.Now()); err != nil {
		return nil, Cursor{}, err
	}
	f.AccountID = c.Account.ID
	if c.ProjectID != "" && f.ProjectID == "" {
		f.ProjectID = c.ProjectID
	}
	if sees, err := r.Directory.SeesProject(ctx, c, f.ProjectID); err != nil || !sees {
		return nil, Cursor{}, err
	}
	if c.SandboxOnly() {
		if f.Status != "" && f.Status != Sandbox {
			return nil, Cursor{}, nil
		}
		f.Status = Sandbox
	}
	f.noConversations = f.Search != "" && !c.ReadsConversations()
	return List(r.DB.Read(ctx), f)
}

// Recipients returns the stored recipients of messages of the caller's account by ID. It omits messages that do not exist.
func (r *Reader) Recipients(ctx context.Context, c *account.Caller, ids []string) (map[string]string, error) {
	if err := account.MayReadMessages.Check(c, r.Now()); err != nil {
		return nil, err
	}
	return Recipients(r.DB.Read(ctx), c.Account.ID, ids)
}

const exportPage = 1000 // messages per database read

// Export calls each with up to n messages as [Reader.List] selects them, and records the export in the audit log. It
// returns the start of the rest, or the zero Cursor if there is none.
func (r *Reader) Export(ctx context.Context, c *account.Caller, f *Filter, n int, each func(*Message) error) (Cursor, error) {
	if err := account.MayExportMessages.Check(c, r.Now()); err != nil {
		return Cursor{}, err
	}
	exported := 0
	for first := true; exported < n && (first || f.After.ID != ""); first = false {
		f.Limit = min(exportPage, n-exported)
		page, next, err := r.List(ctx, c, f)
		if err != nil {
			return next, err
		}
		for _, m := range page {
			if err := each(m); err != nil {
				return next, err
			}
		}
		exported, f.After = exported+len(page), next
	}
	event := audit.New(ctx, r.Now(), c.Account.ID, audit.LogsExported, "", "messages", strconv.Itoa(exported), "since", timeOrEmpty(f.Since), "until", timeOrEmpty(f.Until), "project", f.ProjectID)
	return f.After, r.DB.Write(ctx, func(tx *db.Tx) error { return audit.Record(tx, event) })
}

func timeOrEmpty(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return isotime.Format(t)
}

// View returns a message of any account for an operator, or nil. Before that, it records the access in the audit log of the
// message's account.
func (r *Reader) View(ctx context.Context, id string) (*Message, error) {
	m, err := Get(r.DB.Read(ctx), id)
	if err != nil {
		return nil, err
	}
	accountID, found := "", "no"
	if m != nil {
		accountID, found = m.AccountID, ""
	}
	event := audit.New(ctx, r.Now(), accountID, audit.MessageViewed, id, "found", found)
	return m, r.DB.Write(ctx, func(tx *db.Tx) error { return audit.Record(tx, event) })
}

// ShowsText reports whether a caller who can see a message can also read its text, if it has one. Viewers cannot read
// conversations.
func ShowsText(c *account.Caller, m *Message) bool {
	return c.ReadsConversations() || m.Source != SourceInbox && m.Source != SourceMCP
}
