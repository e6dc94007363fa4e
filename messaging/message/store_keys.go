package message

import (
	"database/sql"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

// Holder is the message that an idempotency key is tied to.
type Holder struct {
	MessageID   string
	Fingerprint string // of what was asked for
	ProjectID   string // empty: the account's own
	Simulated   bool

	// Swept is the message as far as it is known, once its row may be gone; nil before.
	Swept *Message
}

// Replays reports whether a request that repeats the key is answered (M73) with the
// message: the account's own sees all of them, a project's only those of its project, and
// a real one never a simulated one, nor the reverse. To any other the key is used, and it
// learns nothing of the message: an answer that said "sent" would be believed.
func (h *Holder) Replays(projectID string, simulated bool) bool {
	return simulated == h.Simulated && (projectID == "" || projectID == h.ProjectID)
}

// FindKeyHolder returns what a key is tied to; nil for a fresh key.
func FindKeyHolder(q *db.Query, swept *SweptKeys, accountID, key string) (*Holder, error) {
	var h Holder
	var project, status sql.NullString
	found, err := q.Row(`SELECT k.message_id, k.fingerprint, m.project_id, m.status FROM idempotency_keys k LEFT JOIN messages m ON m.id = k.message_id
 WHERE k.account_id = $1 AND k.key = $2`, accountID, key).Scan(&h.MessageID, &h.Fingerprint, &project, &status)
	if err != nil {
		return nil, err
	}
	if !found {
		return findSweptKey(q, swept, accountID, key)
	}
	h.ProjectID, h.Simulated = project.String, Status(status.String) == Sandbox
	return &h, nil
}

func findSweptKey(q *db.Query, swept *SweptKeys, accountID, key string) (*Holder, error) {
	h := Holder{Swept: &Message{AccountID: accountID}}
	var project sql.NullString
	var status, channel string
	found, err := q.Row(`SELECT message_id, fingerprint, status, channel, project_id, simulated FROM swept_keys WHERE account_id = $1 AND key_hash = $2`, accountID, swept.Hash(accountID, key)).
		Scan(&h.MessageID, &h.Fingerprint, &status, &channel, &project, &h.Simulated)
	if err != nil || !found {
		return nil, err
	}
	h.ProjectID = project.String
	m := h.Swept
	m.ID, m.ProjectID, m.Status, m.Channel = h.MessageID, h.ProjectID, Status(status), gateway.Channel(channel)
	m.NotificationID = id.Notification + m.ID[len(m.ID)-min(id.Length, len(m.ID)):]
	return &h, nil
}

// SweptTo returns the swept message as the answer to a request that repeats its key: of whom it was for, nothing else is left.
func (h *Holder) SweptTo(r *Request) *Message {
	m := *h.Swept
	m.To = phone.Shown(r.To)
	return &m
}
