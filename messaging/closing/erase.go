package closing

import (
	"cmp"
	"context"
	"errors"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
)

const (
	eraseSize = 500         // rows per transaction
	purgeWait = time.Minute // time to wait for readers of SQLite's write-ahead log
)

// errRead keeps an account for the next sweep.
var errRead = errors.New("closing: a reader, such as a backup, needs what was erased")

// A table is a table with rows of accounts. key contains the columns of its primary key, and of is the condition for
// an account's rows.
type table struct{ name, key, of string }

const ofAccount = "account_id = $1"

// tables returns all tables with an account's data, in an order in which rows can be deleted: rows that refer to others first.
func tables() []table {
	const ofSenders = "sender_id IN (SELECT id FROM senders WHERE account_id = $1)"
	// People who belong to another account keep their sign-in data.
	const ofItsPeople = `email IN (SELECT email FROM accounts WHERE id = $1 UNION SELECT email FROM members WHERE account_id = $1)
 AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.email = whatsapp_links.email AND a.id <> $1)
 AND NOT EXISTS (SELECT 1 FROM members m WHERE m.email = whatsapp_links.email AND m.account_id <> $1 AND m.removed_at IS NULL)`
	return []table{
		{"whatsapp_links", "email", ofItsPeople},
		{"account_sessions", "id", ofAccount},
		{"project_members", "member_id, project_id", "member_id IN (SELECT id FROM members WHERE account_id = $1)"},
		{"api_keys", "id", ofAccount},
		{"member_invitations", "id", ofAccount},
		{"members", "id", ofAccount},
		{"projects", "id", ofAccount},
		{"sender_counts", "sender_id, day", ofSenders},
		{"sender_owners", "sender_id", ofSenders},
		{"sender_states", "sender_id", ofSenders},
		{"sender_state_changes", "sender_id, id", ofSenders},
		{"sender_pairings", "id", ofAccount},
		{"senders", "id", ofAccount},
		{"otp_challenges", "id", ofAccount},
		{"otp_claims", "account_id, key", ofAccount},
		{"otp_rates", "account_id, address", ofAccount},
		{"otp_blocks", "account_id, prefix", ofAccount},
		{"messages", "id", ofAccount},
		{"message_counts", "account_id, step, at, project_id, channel, simulated, kind", ofAccount},
		{"inbox_media_chunks", "media_id, n", "media_id IN (SELECT id FROM inbox_media WHERE account_id = $1)"},
		{"inbox_media", "id", ofAccount},
		{"inbox_messages", "id", ofAccount},
		{"inbox_reads", "conversation_id", ofAccount},
		{"conversations", "id", ofAccount},
		{"inbox_states", "account_id", ofAccount},
		{"idempotency_keys", "account_id, key", ofAccount},
		{"swept_keys", "account_id, key_hash", ofAccount},
		{"quotas", "account_id, day", ofAccount},
		{"recipient_counts", "account_id, recipient, day", ofAccount},
		{"opt_outs", "account_id, channel, person", ofAccount},
		{"opt_out_keywords", "account_id, channel, person", ofAccount},
		{"person_aliases", "account_id, alias", ofAccount},
		{"template_categories", "account_id, name, language", ofAccount},
		{"account_requests", "id", ofAccount},
		{"account_alerts", "account_id, kind, subject", ofAccount},
		{"person_erasures", "id", ofAccount},
		{"webhook_attempts", "account_id, event_id, version", ofAccount},
		{"webhook_events", "account_id, id", ofAccount},
		{"webhook_endpoints", "account_id", ofAccount},
		{"billing_customers", "account_id, provider, mode", ofAccount},
		{"billing_events", "provider, id", ofAccount},
		{"account_audit_events", "id", ofAccount},
	}
}

// erase deletes an account's data in short transactions, and the account itself last, so that the next sweep
// continues after an interruption.
func (s *Service) erase(ctx context.Context, c account.Closing) error {
	for _, t := range tables() {
		text := "DELETE FROM " + t.name + " WHERE (" + t.key + ") IN (SELECT " + t.key + " FROM " + t.name + " WHERE " + t.of + " LIMIT CAST($2 AS BIGINT))"
		for n := int64(eraseSize); n == eraseSize; {
			err := s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
				n, err = tx.Exec(text, c.AccountID, eraseSize)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	if purged, err := s.o.DB.PurgeWithin(ctx, purgeWait); err != nil || !purged {
		return cmp.Or(err, errRead)
	}
	event := audit.New(ctx, s.o.Now(), "", audit.AccountErased, c.AccountID)
	err := s.o.DB.Write(ctx, func(tx *db.Tx) error {
		erased, err := account.Erase(tx, c.AccountID)
		if err != nil || !erased {
			return err
		}
		return audit.Record(tx, event)
	})
	s.o.Directory.Forget(c.AccountID)
	if err == nil {
		_, err = s.o.DB.Purge(ctx) // for the account's own row
	}
	return err
}
