package login

import "example.com/griot/internal/db"

// Status is the status of a login.
type Status string

// The statuses. CONSUMED and EXPIRED are final (L69).
const (
	Pending   Status = "PENDING"
	Activated Status = "ACTIVATED"
	Verified  Status = "VERIFIED"
	Consumed  Status = "CONSUMED"
	Expired   Status = "EXPIRED"
)

// EndReason is the reason that a login ended before its time.
type EndReason string

// The reasons. A login that timed out has none.
const (
	BySecondPhone EndReason = "second_phone" // two phones sent the words
	ByPerson      EndReason = "person"       // the person who sent the words canceled it
	ByWrongCodes  EndReason = "wrong_codes"  // too many exchanges didn't match
	ByOtherPerson EndReason = "other_person" // someone other than the person that the client asked for sent the words
	ByClient      EndReason = "client"       // the client was disabled, or no longer has the redirect address
)

// step is a change of a session's status.
type step int

const (
	activate  step = iota // the person opened the deeplink
	prove                 // a phone sent the words
	redeem                // the client exchanged the code
	terminate             // two phones sent the words, the code was tried too often, or the client was changed
	cancel                // the person canceled it, or another person sent its words
)

// steps is the status table (L62 to L68). PENDING, ACTIVATED and VERIFIED are also read as
// EXPIRED after their time is over; see [Session.StatusAt].
func steps() []db.Step[Status] {
	return []db.Step[Status]{
		activate:  {From: []Status{Pending}, To: Activated},
		prove:     {From: []Status{Pending, Activated}, To: Verified},
		redeem:    {From: []Status{Verified}, To: Consumed},
		terminate: {From: []Status{Verified}, To: Expired},
		cancel:    {From: []Status{Pending, Activated, Verified}, To: Expired},
	}
}

func becomes(s step) string { return steps()[s].Becomes() }

// endedBy returns [becomes] for a step that ends a login, with a reason, or without one if the login timed out. now is
// the placeholder of the time in the query. A login that had expired before gets no reason, because its application was
// notified that it expired.
func endedBy(s step, by EndReason, now string) string {
	return becomes(s) + `, ended_by = CASE WHEN ` + live + ` > ` + now + ` THEN NULLIF('` + string(by) + `', '') END`
}

// live is the SQL expression for the end of a VERIFIED login's time; see [Session.StatusAt].
const live = `COALESCE(code_expires_at, live_until)`

func allows(s step) string { return steps()[s].Allows() }
