package message

import (
	"database/sql"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

// A Holder is the message that an idempotency key belongs to.
type Holder struct {
	MessageID   string
	Fingerprint string // of the request
	ProjectID   string // empty: the account itself
	Simulated   bool

	// Swept contains the known data of the message after its row might have been deleted, and nil before.
	Swept *Message
}

// Replays reports whether the response to a request that repeats the key is the message (M73). The account itself can
// see all messages, and a project only those of its project. A real request never gets a simulated message, or the
// reverse. For any other request, the key is in use, and the response reveals nothing about the message, because a
// response with "sent" would be misleading.
func (h *Holder) Replays(projectID string, simulated bool) bool {
	return simulated == h.Simulated && (projectID == "" || projectID == h.ProjectID)
}

// FindKeyHolder returns the holder of a key, or nil for a new key.
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

// SweptTo returns the deleted message for the response to a request that repeats its key. The recipient's data comes
// from the request, because it is no longer stored.
func (h *Holder) SweptTo(r *Request) *Message {
	m := *h.Swept
	m.To = phone.Shown(r.To)
	return &m
}
