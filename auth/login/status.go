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

// End is why a login ended before its time.
type End string

// The ends. A login that merely took too long has none.
const (
	BySecondPhone End = "second_phone" // two phones sent the words
	ByPerson      End = "person"       // who sent the words took it back
	ByWrongCodes  End = "wrong_codes"  // exchanges that did not fit burnt the code
	ByClient      End = "client"       // the client was switched off, or no longer has the address to go back to
)

// step is what moves a session.
type step int

const (
	activate step = iota // the person opened the deeplink
	prove                // a phone sent the words
	redeem               // the client exchanged the code
	kill                 // two phones sent the words, the code was tried too often, or the client may not have it
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

// ends is [becomes] of a step that ends a login, with the reason; now is the time's place in the
// query. What time had ended before stays ended by time: an application was told so.
func ends(s step, by End, now string) string {
	return becomes(s) + `, ended_by = CASE WHEN ` + live + ` > ` + now + ` THEN '` + string(by) + `' END`
}

// live is the end of a VERIFIED login's time, as [Session.StatusAt] has it.
const live = `COALESCE(code_expires_at, live_until)`

func allows(s step) string { return moves()[s].Allows() }
