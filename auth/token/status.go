package token

import "griot/internal/db"

// Status is where a signing key stands.
type Status string

// The statuses. There is always one active key, and at most one next.
const (
	Next     Status = "next"     // published, does not sign yet
	Active   Status = "active"   // signs
	Previous Status = "previous" // published for the tokens that it signed
	Retired  Status = "retired"  // checks nothing any more
)

// step is what moves a key.
type step int

const (
	activate step = iota // it has been published for long enough
	relieve              // its successor signs
	retire               // the tokens that it signed are long over
	revoke               // an emergency
)

// moves is the status table (DESIGN §7). A key begins as next; the first one,
// and one that an emergency makes, as active.
func moves() []db.Step[Status] {
	return []db.Step[Status]{
		activate: {From: []Status{Next}, To: Active},
		relieve:  {From: []Status{Active}, To: Previous},
		retire:   {From: []Status{Previous}, To: Retired},
		revoke:   {From: []Status{Next, Active, Previous}, To: Retired},
	}
}

func becomes(s step) string { return moves()[s].Becomes() }

func allows(s step) string { return moves()[s].Allows() }
