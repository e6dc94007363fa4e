package delivery

import (
	"context"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/outbox"
)

// maxCategories is the maximum number of templates whose category is stored for an account.
const maxCategories = 500

// learnCategory stores the category that a transition has shown for a message's template. If it fails, or the process
// ends before, the next message with the template stores it.
func (s *Service) learnCategory(ctx context.Context, of *outbox.Transition) {
	m, t := of.Message, of.Message.Content.Template
	marketing, known := shownCategory(of)
	if t == nil || !known {
		return
	}
	stored, found, err := findCategory(s.o.DB.Read(ctx), m.AccountID, t)
	if err == nil && (!found || stored != marketing) { // so that the row is seldom written
		err = s.o.DB.Write(ctx, func(tx *db.Tx) error { return storeCategory(tx, m.AccountID, t, marketing, db.Ms(s.o.Now())) })
	}
	if err != nil {
		s.o.Log.Warn("storing a template's category", "messageId", m.ID, "err", err)
	}
}

// shownCategory reports whether a transition shows that its message's template is marketing, or that it isn't: by a new
// price, or because the recipient refuses marketing.
func shownCategory(t *outbox.Transition) (marketing, known bool) {
	m, category := t.Message, t.Message.Price.Category()
	switch {
	case t.OptOut != nil && t.OptOut.Channel == optout.Marketing:
		return true, true
	case m.Channel != gateway.WhatsApp || m.Price == t.Before.Price || category == "":
		return false, false
	}
	return category == message.CategoryMarketing || category == "marketing_lite", true
}

func findCategory(q *db.Query, accountID string, t *gateway.Template) (marketing, found bool, err error) {
	found, err = q.Row(`SELECT marketing FROM template_categories WHERE account_id = $1 AND name = $2 AND language = $3`, accountID, t.Name, t.Language).Scan(&marketing)
	return marketing, found, err
}

// storeCategory stores a template's category, and deletes the account's oldest ones beyond [maxCategories].
func storeCategory(tx *db.Tx, accountID string, t *gateway.Template, marketing bool, at int64) error {
	if _, err := tx.Exec(`INSERT INTO template_categories (account_id, name, language, marketing, at) VALUES ($1, $2, $3, $4, $5)
 ON CONFLICT (account_id, name, language) DO UPDATE SET marketing = excluded.marketing, at = excluded.at`, accountID, t.Name, t.Language, db.Flag(marketing), at); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM template_categories WHERE account_id = $1 AND (name, language) IN
 (SELECT name, language FROM template_categories WHERE account_id = $1 ORDER BY at DESC, name, language LIMIT 1000000 OFFSET CAST($2 AS BIGINT))`, accountID, maxCategories)
	return err
}

// applyCategory sets whether a message is a marketing template if its request doesn't say so, but an earlier receipt does.
func (s *Service) applyCategory(ctx context.Context, m *message.Message) (err error) {
	if t := m.Content.Template; t != nil && m.Content.Category == "" {
		m.Options.Marketing, _, err = findCategory(s.o.DB.Read(ctx), m.AccountID, t)
	}
	return err
}
