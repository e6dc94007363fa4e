package login

import "strings"

// Status is where a login stands (document 1 §3).
type Status string

// The statuses. CONSUMED and EXPIRED are final.
const (
	Pending   Status = "PENDING"
	Activated Status = "ACTIVATED"
	Verified  Status = "VERIFIED"
	Consumed  Status = "CONSUMED"
	Expired   Status = "EXPIRED"
)

// step is what moves a session.
type step int

const (
	activate step = iota // the person opened the deeplink
	prove                // a phone sent the words
	redeem               // the client exchanged the code
	kill                 // two phones sent the words, or the code was tried too often
	cancel               // the person took it back
)

// move is one line of the status table.
type move struct {
	step step
	from []Status
	to   Status
}

// moves is the status table (DESIGN §7). Time alone makes any of PENDING,
// ACTIVATED and VERIFIED read as EXPIRED: see [Session.StatusAt].
func moves() []move {
	return []move{
		{activate, []Status{Pending}, Activated},
		{prove, []Status{Pending, Activated}, Verified},
		{redeem, []Status{Verified}, Consumed},
		{kill, []Status{Verified}, Expired},
		{cancel, []Status{Pending, Activated, Verified}, Expired},
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
