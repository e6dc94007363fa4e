package token

import "example.com/griot/internal/db"

// Status is the status of a signing key.
type Status string

// The statuses. There is always one active key, and at most one next.
const (
	Next     Status = "next"     // published, does not sign yet
	Active   Status = "active"   // signs
	Previous Status = "previous" // published for the tokens that it signed
	Retired  Status = "retired"  // not published any more
)

// step is a change of a key's status.
type step int

const (
	activate  step = iota // it has been published for long enough
	supersede             // its successor signs
	retire                // the tokens that it signed are long over
	revoke                // an emergency
)

// steps is the status table. A key begins as next; the first one, and one that is
// generated in an emergency, as active.
func steps() []db.Step[Status] {
	return []db.Step[Status]{
		activate:  {From: []Status{Next}, To: Active},
		supersede: {From: []Status{Active}, To: Previous},
		retire:    {From: []Status{Previous}, To: Retired},
		revoke:    {From: []Status{Next, Active, Previous}, To: Retired},
	}
}

func becomes(s step) string { return steps()[s].Becomes() }

func allows(s step) string { return steps()[s].Allows() }
