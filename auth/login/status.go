package login

import "griot/internal/db"

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

// moves is the status table (DESIGN §7). Time alone makes any of PENDING,
// ACTIVATED and VERIFIED read as EXPIRED: see [Session.StatusAt].
func moves() []db.Step[Status] {
	return []db.Step[Status]{
		activate: {From: []Status{Pending}, To: Activated},
		prove:    {From: []Status{Pending, Activated}, To: Verified},
		redeem:   {From: []Status{Verified}, To: Consumed},
		kill:     {From: []Status{Verified}, To: Expired},
		cancel:   {From: []Status{Pending, Activated, Verified}, To: Expired},
	}
}

func becomes(s step) string { return moves()[s].Becomes() }

func allows(s step) string { return moves()[s].Allows() }
