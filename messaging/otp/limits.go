package otp

import (
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/phone"
)

// Limits protect against SMS pumping. Nil, or a zero field, means no limit.
type Limits struct {
	PrefixDigits   int              // number of first digits of a number that form its prefix
	PrefixHourly   int64            // codes per hour to a prefix, for all accounts
	CountryHourly  int64            // codes per hour to a country, for all accounts
	Countries      map[string]int64 // by calling code, instead of CountryHourly; here, 0 allows no codes
	AccountPercent int64            // of each limit, for one account; rounded up, and 0 means the whole limit
	Accounts       map[string]int64 // by ID, instead of AccountPercent
	Sample         int              // number of codes that the breaker evaluates for an account's prefix: the latest with a known outcome
	Verified       int              // minimum percentage of verified codes; below it, the breaker opens
	Block          time.Duration    // time for which the breaker stays open
}

// DefaultPrefix is the number of PrefixDigits if there are no limits, because challenges are always stored with a prefix.
const DefaultPrefix = 7

// breakerPeriod is the maximum age of the codes that the breaker counts.
const breakerPeriod = 24 * time.Hour

func (l *Limits) prefix(n phone.Number) string {
	digits := DefaultPrefix
	if l != nil && l.PrefixDigits > 0 {
		digits = l.PrefixDigits
	}
	return string(n[:min(digits, len(n))])
}

// countryCap returns the hourly cap of a country.
func (l *Limits) countryCap(country string) (most int64, capped bool) {
	if most, ok := l.Countries[country]; ok {
		return most, true
	}
	return l.CountryHourly, l.CountryHourly > 0
}

// tooFewVerified reports whether too few of an account's latest codes to a prefix were verified.
func (l *Limits) tooFewVerified(q *db.Query, accountID string, n phone.Number, now time.Time) (bool, error) {
	if l == nil || l.Sample == 0 {
		return false, nil
	}
	since, _, err := selectBlock(q, accountID, l.prefix(n))
	if err != nil {
		return false, err
	}
	if from := now.Add(-breakerPeriod); since.Before(from) {
		since = from
	}
	known, verified, err := countOutcomes(q, accountID, l.prefix(n), since, now, l.Sample)
	return known >= l.Sample && verified*100 < l.Verified*known, err
}

// count counts a code toward the limits, or returns the reason why it must not be sent. If tooFewVerified is set, it
// blocks the prefix, unless the prefix is already blocked.
func (l *Limits) count(tx *db.Tx, accountID string, n phone.Number, tooFewVerified bool, now time.Time) (refused, err error) {
	if l == nil {
		return nil, nil
	}
	prefix := l.prefix(n)
	if tooFewVerified {
		if err := insertBlock(tx, accountID, prefix, now, now.Add(l.Block)); err != nil {
			return nil, err
		}
	}
	if _, until, err := selectBlock(&tx.Query, accountID, prefix); err != nil || until.After(now) {
		return apierror.OTPBlocked.After(until.Sub(now)).Detailf("Too few of the account's latest codes to numbers like this one were verified."), err
	}
	full := apierror.OTPBlocked.After(untilNextHour(now))
	caps := l.caps(accountID, n)
	for i, c := range caps {
		ok, err := addToCap(tx, c.area, hourOf(now), c.max)
		if err != nil {
			return nil, err
		}
		if ok {
			continue
		}
		for _, counted := range caps[:i] {
			if err := subtractFromCap(tx, counted.area, hourOf(now)); err != nil {
				return nil, err
			}
		}
		return full.Detailf("%s", c.why), nil
	}
	return nil, nil
}

// An areaCap is a limit for the codes of an hour.
type areaCap struct {
	area string
	max  int64
	why  string // the text of the refusal
}

// caps returns the limits that a code counts toward. The account's limits come first, so that a code that they refuse
// does not count toward the others.
func (l *Limits) caps(accountID string, n phone.Number) (own []areaCap) {
	var all []areaCap
	add := func(area string, most int64, where string) {
		if percent := l.percent(accountID); percent > 0 {
			own = append(own, areaCap{accountArea(accountID, area), share(most, percent), "This hour's codes of the account to " + where + " are used up."})
		}
		all = append(all, areaCap{area, most, "This hour's codes to " + where + " are used up."})
	}
	if most, capped := l.countryCap(n.Country()); capped {
		add(countryArea(n.Country()), most, "this country")
	}
	if l.PrefixHourly > 0 {
		add(prefixArea(l.prefix(n)), l.PrefixHourly, "numbers like this one")
	}
	return append(own, all...)
}

// percent returns an account's percentage of each limit. 0 means the whole limit.
func (l *Limits) percent(accountID string) int64 {
	if own, ok := l.Accounts[accountID]; ok {
		return own
	}
	return l.AccountPercent
}

func share(most, percent int64) int64 { return (most*percent + 99) / 100 }

// maxOf returns the maximum of a limit.
func (l *Limits) maxOf(c *Cap) int64 {
	most := l.PrefixHourly
	if c.Country != "" {
		most, _ = l.countryCap(c.Country)
	}
	if c.AccountID != "" {
		most = share(most, l.percent(c.AccountID))
	}
	return most
}

func countryArea(country string) string { return "country:" + country }
func prefixArea(prefix string) string   { return "prefix:" + prefix }

// accountArea returns the name of an account's share of an area.
func accountArea(accountID, area string) string { return accountAreaPrefix + accountID + " " + area }

const accountAreaPrefix = "account:"

func hourOf(at time.Time) int64 { return at.Unix() / int64(time.Hour/time.Second) }

func untilNextHour(now time.Time) time.Duration {
	return now.UTC().Truncate(time.Hour).Add(time.Hour).Sub(now)
}
