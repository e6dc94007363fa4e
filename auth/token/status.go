package token

import "example.com/griot/internal/db"

// Status is the status of a signing key.
type Status string

// The statuses. There is always one active key, and at most one next.
const (
	Next     Status = "next"     // published, does not sign yet
	Active   Status = "active"   // signs
	Previous Status = "previous" // published for the tokens that it signed
	Retired  Status = "retired"  // no longer published
)

// step is a change of a key's status.
type step int

const (
	activate  step = iota // it has been published long enough
	supersede             // its successor signs
	retire                // the tokens that it signed have expired
	revoke                // an emergency
)

// steps returns the status table. A key starts as next. The first key, and one that is
// generated in an emergency, starts as active.
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
