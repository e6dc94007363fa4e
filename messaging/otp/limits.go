package otp

import (
	"time"

	"griot/internal/db"
	"griot/internal/fault"
	"griot/internal/phone"
)

// Limits guard against pumping. Nil guards nothing, and so does a zero member.
type Limits struct {
	PrefixDigits  int              // how many of a number's first digits are its prefix
	PrefixHourly  int64            // codes an hour to a prefix, of all accounts
	CountryHourly int64            // codes an hour to a country, of all accounts
	Countries     map[string]int64 // by calling code, instead of CountryHourly; here 0 is none at all
	Sample        int              // how many codes of an account's prefix the breaker judges: the latest whose outcome is known
	Verified      int              // percent of them; fewer trip the breaker
	Block         time.Duration    // for how long it stays open
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
	prefix, country := l.prefix(n), n.Country()
	if tripped {
		if err := block(tx, accountID, prefix, now, now.Add(l.Block)); err != nil {
			return nil, err
		}
	}
	if _, until, err := blockOf(&tx.Query, accountID, prefix); err != nil || until.After(now) {
		return fault.OTPBlocked.After(until.Sub(now)).Say("Too few of the account's latest codes to numbers like this one were verified."), err
	}
	hour, full := hourOf(now), fault.OTPBlocked.After(leftOfHour(now))
	most, capped := l.hourly(country)
	if capped {
		if ok, err := addToCap(tx, countryArea(country), hour, most); err != nil || !ok {
			return full.Say("This hour's codes to this country are used up."), err
		}
	}
	if l.PrefixHourly == 0 {
		return nil, nil
	}
	ok, err := addToCap(tx, prefixArea(prefix), hour, l.PrefixHourly)
	if err != nil || ok {
		return nil, err
	}
	if capped {
		err = giveBackToCap(tx, countryArea(country), hour)
	}
	return full.Say("This hour's codes to numbers like this one are used up."), err
}

func countryArea(country string) string { return "country:" + country }
func prefixArea(prefix string) string   { return "prefix:" + prefix }

func hourOf(at time.Time) int64 { return at.Unix() / int64(time.Hour/time.Second) }

func leftOfHour(now time.Time) time.Duration {
	return now.UTC().Truncate(time.Hour).Add(time.Hour).Sub(now)
}
