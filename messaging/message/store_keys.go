package message

import (
	"database/sql"

	"griot/internal/db"
)

// Holder is the message that an idempotency key is tied to.
type Holder struct {
	MessageID   string
	Fingerprint string // of what was asked for
	ProjectID   string // empty: the account's own
	Simulated   bool
}

// Replays reports whether a request that repeats the key is answered with the
// message: the account's own sees all of them, a project's only those of its project, and
// a real one never a simulated one, nor the reverse. To any other the key is used, and it
// learns nothing of the message: an answer that said "sent" would be believed.
func (h *Holder) Replays(projectID string, simulated bool) bool {
	return simulated == h.Simulated && (projectID == "" || projectID == h.ProjectID)
}

// FindKeyHolder returns what a key is tied to; nil for a fresh key.
func FindKeyHolder(q *db.Query, accountID, key string) (*Holder, error) {
	var h Holder
	var project, status sql.NullString
	found, err := q.Row(`SELECT k.message_id, k.fingerprint, m.project_id, m.status FROM idempotency_keys k LEFT JOIN messages m ON m.id = k.message_id
 WHERE k.account_id = $1 AND k.key = $2`, accountID, key).Scan(&h.MessageID, &h.Fingerprint, &project, &status)
	if err != nil || !found {
		return nil, err
	}
	h.ProjectID, h.Simulated = project.String, Status(status.String) == Sandbox
	return &h, nil
}
