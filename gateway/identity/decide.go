package identity

import (
	"slices"
	"time"

	"example.com/griot/internal/phone"
	"example.com/griot/internal/whatsappid"
)

// A Source is the report that a pair was learned from.
type Source string

// The sources.
const (
	FromMessage Source = "message" // a message with both
	FromReceipt Source = "receipt" // the receipt of a message to the number
	FromChange  Source = "change"  // WhatsApp's report of a changed number
	FromGateway Source = "gateway" // the gateway's own map of LIDs
	FromShared  Source = "shared"  // the person has shared the number on request
)

// A Reason is the reason why a pair is no longer used.
type Reason string

// The reasons.
const (
	NewerID  Reason = "newer_id" // the number was seen with another ID
	Moved    Reason = "moved"    // WhatsApp has reported that the person has another number or ID
	Operator Reason = "operator" // withdrawn by the operator
)

// linkedFor is the time for which the pair of a LID is used after its last confirmation.
const linkedFor = 30 * 24 * time.Hour

// A kind is a kind of ID. A number has at most one live ID of each kind in a portfolio.
type kind string

const (
	user   kind = "user"   // a business-scoped user ID
	parent kind = "parent" // a user ID of the parent portfolio
	linked kind = "lid"
)

func kindOf(id string) kind {
	switch parsed, _ := whatsappid.Parse(id); {
	case parsed.Linked():
		return linked
	case parsed != "" && parsed.Parent():
		return parent
	}
	return user
}

// A Pair is a number and an ID that were reported to belong to one person.
type Pair struct {
	Portfolio   string
	ID          string
	Number      string // E.164 digits
	Source      Source // of the first report
	LearnedAt   time.Time
	ConfirmedAt time.Time // the time of the latest report, by the gateway's clock but not in the future
	WithdrawnAt time.Time // zero while it is in use
	Reason      Reason    // with WithdrawnAt
}

func (p *Pair) live() bool { return p.WithdrawnAt.IsZero() }

// stale reports whether the pair is that of a LID that wasn't confirmed for too long.
func (p *Pair) stale(now time.Time) bool {
	return kindOf(p.ID) == linked && now.Sub(p.ConfirmedAt) >= linkedFor
}

// An observation is a report that has a number with one or two IDs: the user ID and that of the parent portfolio.
type observation struct {
	portfolio string
	ids       []string
	number    string
	source    Source
	at        time.Time
}

// A decision is what an observation changes.
type decision struct {
	put       []Pair // new or confirmed
	withdrawn []Pair // no longer in use, with their reason
	conflict  bool   // a put pair is new, and its ID has another number, too
}

// decide decides what an observation changes. known are the stored pairs with its number or one of its IDs.
//
// The reports of providers arrive late and in any order, so their times decide: an older report never replaces a newer one.
func decide(o *observation, known []Pair) (d decision) {
	for _, id := range o.ids {
		p := Pair{Portfolio: o.portfolio, ID: id, Number: o.number, Source: o.source, LearnedAt: o.at, ConfirmedAt: o.at}
		fresh := true
		for _, k := range known {
			if k.ID == id && k.Number == o.number {
				fresh, p = !k.live(), confirmed(k, o.at)
			}
		}
		if newer := otherIDs(o, id, known, func(k Pair) bool { return k.ConfirmedAt.After(o.at) }); len(newer) > 0 {
			d.end(p, o.at, fresh)
			continue
		}
		for _, k := range otherIDs(o, id, known, func(Pair) bool { return true }) {
			d.withdraw(k, o.at)
		}
		d.conflict = d.conflict || fresh && slices.ContainsFunc(known, func(k Pair) bool { return k.ID == id && !same(k.Number, o.number) && k.live() })
		d.put = append(d.put, p)
	}
	if slices.ContainsFunc(d.withdrawn, func(k Pair) bool { return kindOf(k.ID) == user }) { // another person has the number, so the parent's ID is another one, too
		for _, k := range known {
			if k.Number == o.number && kindOf(k.ID) == parent && k.live() && !k.ConfirmedAt.After(o.at) && !slices.Contains(o.ids, k.ID) {
				d.withdraw(k, o.at)
			}
		}
	}
	return d
}

// otherIDs returns the live pairs of an observation's number with other IDs of the same kind.
func otherIDs(o *observation, id string, known []Pair, where func(Pair) bool) (list []Pair) {
	for _, k := range known {
		if k.Number == o.number && k.ID != id && kindOf(k.ID) == kindOf(id) && k.live() && where(k) {
			list = append(list, k)
		}
	}
	return list
}

// end stores a pair that a later report has ended before this one arrived. fresh is true if it isn't in use.
func (d *decision) end(p Pair, at time.Time, fresh bool) {
	if !fresh {
		d.withdraw(p, at)
		return
	}
	if p.live() {
		p.WithdrawnAt, p.Reason = at, NewerID
	}
	d.put = append(d.put, p)
}

// confirmed returns a stored pair after another report of it. A withdrawn pair is in use again if the report is newer
// than its end.
func confirmed(k Pair, at time.Time) Pair {
	if at.After(k.ConfirmedAt) {
		k.ConfirmedAt = at
	}
	if !k.live() && at.After(k.WithdrawnAt) {
		k.WithdrawnAt, k.Reason = time.Time{}, ""
	}
	return k
}

// withdraw ends a pair because its number was seen with another ID.
func (d *decision) withdraw(k Pair, at time.Time) {
	if slices.ContainsFunc(d.withdrawn, func(w Pair) bool { return w.ID == k.ID && w.Number == k.Number }) {
		return
	}
	k.WithdrawnAt, k.Reason = at, NewerID
	d.withdrawn = append(d.withdrawn, k)
}

// numberOf returns the number of a person by the stored pairs of the IDs and of their numbers. conflict is true if
// the pairs contradict each other.
func numberOf(ids []string, known []Pair, now time.Time) (p Pair, ok, conflict bool) {
	for _, k := range known {
		switch {
		case !k.live() || k.stale(now) || !slices.Contains(ids, k.ID):
		case ok && !same(k.Number, p.Number):
			return Pair{}, false, true
		case !ok || k.ConfirmedAt.After(p.ConfirmedAt):
			p, ok = k, true
		}
	}
	if !ok {
		return Pair{}, false, false
	}
	for _, k := range known { // two reports at the same time have both stored their ID
		if k.Number == p.Number && kindOf(k.ID) == kindOf(p.ID) && !slices.Contains(ids, k.ID) && k.live() && !k.ConfirmedAt.Before(p.ConfirmedAt) {
			return Pair{}, false, true
		}
	}
	return p, true, false
}

// same reports whether two numbers are spellings of one number. In Argentina, Brazil, and Mexico, WhatsApp's own spelling
// can differ from the one that people dial.
func same(a, b string) bool { return phone.Number(a).Long() == phone.Number(b).Long() }
