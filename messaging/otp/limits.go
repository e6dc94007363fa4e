package otp

import (
	"time"

	"griot/internal/db"
	"griot/internal/fault"
	"griot/internal/phone"
)

// Limits guard against pumping. Nil guards nothing, and so does a zero member.
type Limits struct {
	PrefixDigits   int              // how many of a number's first digits are its prefix
	PrefixHourly   int64            // codes an hour to a prefix, of all accounts
	CountryHourly  int64            // codes an hour to a country, of all accounts
	Countries      map[string]int64 // by calling code, instead of CountryHourly; here 0 is none at all
	AccountPercent int64            // of each cap, for one account; rounded up, and 0 for as much as there is
	Accounts       map[string]int64 // by id, instead of AccountPercent
	Sample         int              // how many codes of an account's prefix the breaker judges: the latest whose outcome is known
	Verified       int              // percent of them; fewer trip the breaker
	Block          time.Duration    // for how long it stays open
}

// DefaultPrefix is the PrefixDigits by which challenges are told apart where nothing is guarded.
const DefaultPrefix = 7

// memory is how far back the breaker looks.
const memory = 24 * time.Hour

func (l *Limits) prefix(n phone.Number) string {
	digits := DefaultPrefix
	if l != nil && l.PrefixDigits > 0 {
		digits = l.PrefixDigits
	}
	return string(n[:min(digits, len(n))])
}

// hourly is the cap of a country.
func (l *Limits) hourly(country string) (most int64, capped bool) {
	if most, ok := l.Countries[country]; ok {
		return most, true
	}
	return l.CountryHourly, l.CountryHourly > 0
}

// tripped reports whether of an account's latest codes to a prefix too few were verified.
func (l *Limits) tripped(q *db.Query, accountID string, n phone.Number, now time.Time) (bool, error) {
	if l == nil || l.Sample == 0 {
		return false, nil
	}
	since, _, err := blockOf(q, accountID, l.prefix(n))
	if err != nil {
		return false, err
	}
	if from := now.Add(-memory); since.Before(from) {
		since = from
	}
	known, verified, err := outcomes(q, accountID, l.prefix(n), since, now, l.Sample)
	return known >= l.Sample && verified*100 < l.Verified*known, err
}

// take counts a code against the caps, or says why it may not be sent. tripped
// opens the breaker, unless it is open.
func (l *Limits) take(tx *db.Tx, accountID string, n phone.Number, tripped bool, now time.Time) (refused, err error) {
	if l == nil {
		return nil, nil
	}
	prefix := l.prefix(n)
	if tripped {
		if err := block(tx, accountID, prefix, now, now.Add(l.Block)); err != nil {
			return nil, err
		}
	}
	if _, until, err := blockOf(&tx.Query, accountID, prefix); err != nil || until.After(now) {
		return fault.OTPBlocked.After(until.Sub(now)).Detailf("Too few of the account's latest codes to numbers like this one were verified."), err
	}
	full := fault.OTPBlocked.After(leftOfHour(now))
	caps := l.caps(accountID, n)
	for i, c := range caps {
		ok, err := addToCap(tx, c.area, hourOf(now), c.most)
		if err != nil {
			return nil, err
		}
		if ok {
			continue
		}
		for _, counted := range caps[:i] {
			if err := giveBackToCap(tx, counted.area, hourOf(now)); err != nil {
				return nil, err
			}
		}
		return full.Detailf("%s", c.why), nil
	}
	return nil, nil
}

// areaCap is a cap on the codes of an hour.
type areaCap struct {
	area string
	most int64
	why  string // it refuses
}

// caps are those that a code counts against. The account's come first: what they refuse takes nothing from the others.
func (l *Limits) caps(accountID string, n phone.Number) (own []areaCap) {
	var all []areaCap
	add := func(area string, most int64, where string) {
		if percent := l.percent(accountID); percent > 0 {
			own = append(own, areaCap{accountArea(accountID, area), share(most, percent), "This hour's codes of the account to " + where + " are used up."})
		}
		all = append(all, areaCap{area, most, "This hour's codes to " + where + " are used up."})
	}
	if most, capped := l.hourly(n.Country()); capped {
		add(countryArea(n.Country()), most, "this country")
	}
	if l.PrefixHourly > 0 {
		add(prefixArea(l.prefix(n)), l.PrefixHourly, "numbers like this one")
	}
	return append(own, all...)
}

// percent is how much of a cap is an account's; 0 for as much as there is.
func (l *Limits) percent(accountID string) int64 {
	if own, ok := l.Accounts[accountID]; ok {
		return own
	}
	return l.AccountPercent
}

func share(most, percent int64) int64 { return (most*percent + 99) / 100 }

// most is the cap of an area.
func (l *Limits) most(c *Cap) int64 {
	most := l.PrefixHourly
	if c.Country != "" {
		most, _ = l.hourly(c.Country)
	}
	if c.AccountID != "" {
		most = share(most, l.percent(c.AccountID))
	}
	return most
}

func countryArea(country string) string { return "country:" + country }
func prefixArea(prefix string) string   { return "prefix:" + prefix }

// accountArea is an account's share of an area.
func accountArea(accountID, area string) string { return accountMark + accountID + " " + area }

const accountMark = "account:"

func hourOf(at time.Time) int64 { return at.Unix() / int64(time.Hour/time.Second) }

func leftOfHour(now time.Time) time.Duration {
	return now.UTC().Truncate(time.Hour).Add(time.Hour).Sub(now)
}
