package token

import "strings"

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

// move is one line of the status table.
type move struct {
	step step
	from []Status
	to   Status
}

// moves is the status table (DESIGN §7). A key begins as next; the first one,
// and one that an emergency makes, as active.
func moves() []move {
	return []move{
		{activate, []Status{Next}, Active},
		{relieve, []Status{Active}, Previous},
		{retire, []Status{Previous}, Retired},
		{revoke, []Status{Next, Active, Previous}, Retired},
	}
}

// becomes writes a step's new status for SQL.
func becomes(s step) string { return "status = '" + string(moves()[s].to) + "'" }

// allows writes the condition under which a step may be made for SQL.
func allows(s step) string {
	var from []string
	for _, f := range moves()[s].from {
		from = append(from, "'"+string(f)+"'")
	}
	return "status IN (" + strings.Join(from, ", ") + ")"
}
