package webhook

import (
	"strings"

	"example.com/griot/internal/db"
	"example.com/griot/internal/masterkey"
	"example.com/griot/internal/seal"
)

// Tables are the names of the tables with a service's events and their owners.
type Tables struct {
	// Owners is the table of the owners of endpoints, with the columns id and name, and the columns of an endpoint's
	// address and of the sealed secret that signs its requests. This package reads them, and the two functions change
	// them. An empty Secret means that requests contain their own proof and aren't signed.
	Owners      string
	URL, Secret string
	SetURL      func(tx *db.Tx, ownerID, url string) error
	SetSecret   func(tx *db.Tx, ownerID, sealed string) error

	Owner                       string // the column of the following tables with the owner's id
	Events, Attempts, Endpoints string // with the columns of migration 00100

	Choice string // an SQL expression over the owner's row, which is called a: [State.Choice]
	Box    string // name of the box that seals the secrets; the associated data is the owner's id
	Log    string // key of an owner's id in logs
}

// Queue is the stored events of one service and the state of its endpoints: it has every statement about them that
// doesn't depend on the content of an event. It is safe for concurrent use.
type Queue struct {
	t     Tables
	names *strings.Replacer
}

// NewQueue returns the queue that is stored in tables.
func NewQueue(t Tables) *Queue {
	secret := "''"
	if t.Secret != "" {
		secret = "a." + t.Secret
	}
	return &Queue{t, strings.NewReplacer("{url}", "a."+t.URL, "{secret}", secret, "{owners}", t.Owners, "{owner}", t.Owner, "{events}", t.Events, "{attempts}", t.Attempts, "{endpoints}", t.Endpoints, "{choice}", t.Choice)}
}

// sql returns a statement with the service's names.
func (q *Queue) sql(text string) string { return q.names.Replace(text) }

// Sealed returns the columns with values that are sealed under the master key.
func (q *Queue) Sealed() []masterkey.Place {
	return []masterkey.Place{
		{Table: q.t.Owners, Column: q.t.Secret, Purpose: q.t.Box, Key: "id"},
		{Table: q.t.Endpoints, Column: "previous_secret", Purpose: q.t.Box, Key: q.t.Owner},
	}
}

// SecretBox returns the box that seals the secrets of endpoints.
func (q *Queue) SecretBox(k *seal.Key) *seal.Box { return k.Box(q.t.Box) }
