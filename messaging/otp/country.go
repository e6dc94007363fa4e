package otp

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
)

// AccountStats summarizes the results of an account's codes.
type AccountStats struct {
	Since     time.Time
	Complete  bool // every prefix was counted
	Total     CountryTraffic
	Countries []CountryTraffic
	Blocked   []Traffic // prefixes to which codes are blocked because too few were verified
}

// CountryTraffic counts the codes to a country.
type CountryTraffic struct {
	Country   string // its calling code
	Sent      int64
	Delivered int64 // by receipts, including verified codes
	Verified  int64
	Median    time.Duration // in whole seconds, from the request to the verification; zero if none was verified

	seconds map[int64]int64 // number of codes that were verified after a number of seconds
}

// add counts codes with the same result. seconds is negative for codes that were not verified.
func (t *CountryTraffic) add(sent, delivered, seconds int64) {
	t.Sent += sent
	t.Delivered += delivered
	if seconds < 0 {
		return
	}
	t.Verified += sent
	if t.seconds == nil {
		t.seconds = map[int64]int64{}
	}
	t.seconds[seconds] += sent
}

// setMedian sets the median from the counts. For an even number, it is the lower one.
func (t *CountryTraffic) setMedian() {
	passed := int64(0)
	for _, seconds := range slices.Sorted(maps.Keys(t.seconds)) {
		if passed += t.seconds[seconds]; passed*2 >= t.Verified {
			t.Median = time.Duration(seconds) * time.Second
			break
		}
	}
	t.seconds = nil
}

const (
	statsWindow  = 24 * time.Hour // challenges are deleted one day after they end
	maxPrefixes  = 5000
	maxOutcomes  = 50_000 // maximum number of rows, each for a prefix and a number of seconds
	maxCountries = 100
	maxBlocked   = 1000
)

// AccountStats counts the account's codes of the last 24 hours by country, those with the most codes first. It counts
// either simulated or real codes; for a test key, always simulated ones.
func (s *Service) AccountStats(ctx context.Context, c *account.Caller, simulated bool) (*AccountStats, error) {
	if err := account.MayReadAccountStatistics.Check(c, s.o.Now()); err != nil {
		return nil, err
	}
	simulated = simulated || c.SandboxOnly()
	now := s.o.Now()
	out := &AccountStats{Since: now.Add(-statsWindow), Complete: true}
	q := s.o.DB.Read(ctx)
	countries := map[string]*CountryTraffic{}
	byPrefix := map[string]*Traffic{}
	read := 0
	err := eachOutcome(q, c.Account.ID, out.Since, simulated, func(prefix string, sent, delivered, seconds int64) {
		if read++; read > maxOutcomes || byPrefix[prefix] == nil && len(byPrefix) == maxPrefixes {
			out.Complete = false
			return
		}
		if byPrefix[prefix] == nil {
			byPrefix[prefix] = &Traffic{}
		}
		code := phone.Number(prefix).Country()
		if countries[code] == nil {
			countries[code] = &CountryTraffic{Country: code}
		}
		countries[code].add(sent, delivered, seconds)
		out.Total.add(sent, delivered, seconds)
		byPrefix[prefix].Sent += sent
		if seconds >= 0 {
			byPrefix[prefix].Verified += sent
		}
	})
	if err != nil {
		return nil, err
	}
	out.Total.setMedian()
	for _, of := range countries {
		of.setMedian()
		out.Countries = append(out.Countries, *of)
	}
	slices.SortFunc(out.Countries, func(a, b CountryTraffic) int {
		return cmp.Or(cmp.Compare(b.Sent, a.Sent), strings.Compare(a.Country, b.Country))
	})
	out.Countries = out.Countries[:min(len(out.Countries), maxCountries)]
	if simulated {
		return out, nil
	}
	blocked, err := selectBlocked(q, c.Account.ID, now)
	for _, b := range blocked {
		b.Country = phone.Number(b.Prefix).Country()
		if t := byPrefix[b.Prefix]; t != nil {
			b.Sent, b.Verified = t.Sent, t.Verified
		}
		out.Blocked = append(out.Blocked, b)
	}
	return out, err
}

// eachOutcome counts an account's codes by prefix and by the number of seconds until they were verified, sorted by
// prefix. The number is -1 for codes that were not verified.
func eachOutcome(q *db.Query, accountID string, since time.Time, simulated bool, count func(prefix string, sent, delivered, seconds int64)) error {
	return q.Page(maxOutcomes+1, func(rows *sql.Rows) error {
		var prefix string
		var sent, delivered, seconds int64
		if err := rows.Scan(&prefix, &seconds, &sent, &delivered); err != nil {
			return err
		}
		count(prefix, sent, delivered, seconds)
		return nil
	}, `SELECT c.prefix, CASE WHEN c.used_at IS NULL THEN -1 WHEN c.used_at < c.created_at THEN 0 ELSE (c.used_at - c.created_at) / 1000 END AS seconds, count(*), count(COALESCE(m.delivered_at, c.used_at))
 FROM otp_challenges c LEFT JOIN messages m ON m.id = c.message_id WHERE c.account_id = $1 AND c.created_at > $2 AND c.sandbox = $3
 GROUP BY c.prefix, seconds ORDER BY c.prefix, seconds`, accountID, db.Ms(since), db.Flag(simulated))
}

func selectBlocked(q *db.Query, accountID string, now time.Time) (out []Traffic, err error) {
	err = q.Page(maxBlocked, func(rows *sql.Rows) error {
		t := Traffic{AccountID: accountID}
		var since, until int64
		err := rows.Scan(&t.Prefix, &since, &until)
		t.BlockedSince, t.BlockedUntil = db.At(since), db.At(until)
		out = append(out, t)
		return err
	}, `SELECT prefix, since, until FROM otp_blocks WHERE account_id = $1 AND until > $2 ORDER BY prefix`, accountID, db.Ms(now))
	return out, err
}
