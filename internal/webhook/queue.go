package webhook

import (
	"strings"

	"griot/internal/db"
	"griot/internal/seal"
)

// Tables say where a service keeps what it tells, and whose it is.
type Tables struct {
	// Owners is the table of who has an endpoint, with the columns id, name,
	// webhook_url and webhook_secret (sealed). This package reads them; the two
	// functions change them.
	Owners    string
	SetURL    func(tx *db.Tx, ownerID, url string) error
	SetSecret func(tx *db.Tx, ownerID, sealed string) error

	Owner                       string // the column of the following tables that holds the owner's id
	Events, Attempts, Endpoints string // made as migration 00010 makes them

	Choice string // an SQL expression over the owner's row, which is called a: [State.Choice]
	Box    string // names the box that seals the secrets; what they are about is the owner's id
	Log    string // names an owner's id in logs
}

// Queue is the events of one service on their way: every statement about them that
// does not depend on what they tell. It is safe for concurrent use.
type Queue struct {
	t     Tables
	names *strings.Replacer
}

// NewQueue returns the queue that is in tables.
func NewQueue(t Tables) *Queue {
	return &Queue{t, strings.NewReplacer("{owners}", t.Owners, "{owner}", t.Owner, "{events}", t.Events, "{attempts}", t.Attempts, "{endpoints}", t.Endpoints, "{choice}", t.Choice)}
}

// sql writes the service's names into a statement.
func (q *Queue) sql(text string) string { return q.names.Replace(text) }

// SecretBox seals the secrets of endpoints.
func (q *Queue) SecretBox(k *seal.Key) *seal.Box { return k.Box(q.t.Box) }
