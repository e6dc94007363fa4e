package otp

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"griot/internal/db"
	"griot/internal/phone"
)

// AccountStats is how the codes of an account came back.
type AccountStats struct {
	Since     time.Time
	Complete  bool // every prefix was counted
	Countries []CountryTraffic
	Blocked   []Traffic // prefixes to which no codes go for now
}

// CountryTraffic counts the codes to a country.
type CountryTraffic struct {
	Country        string // its calling code
	Sent, Verified int64
}

const (
	statsWindow  = 24 * time.Hour // challenges are deleted a day after their end
	maxPrefixes  = 5000
	maxCountries = 100
	maxBlocked   = 1000
)

// AccountStats counts an account's codes of the last 24 hours by country, those with the most codes first; the simulated
// ones, or the others.
func (s *Service) AccountStats(ctx context.Context, accountID string, simulated bool) (*AccountStats, error) {
	now := s.o.Now()
	out := &AccountStats{Since: now.Add(-statsWindow), Complete: true}
	q := s.o.DB.Read(ctx)
	prefixes, err := selectPrefixes(q, accountID, out.Since, simulated)
	if err != nil {
		return nil, err
	}
	if len(prefixes) > maxPrefixes {
		prefixes, out.Complete = prefixes[:maxPrefixes], false
	}
	countries := map[string]*CountryTraffic{}
	byPrefix := map[string]Traffic{}
	for _, p := range prefixes {
		code := phone.Number(p.Prefix).Country()
		if countries[code] == nil {
			countries[code] = &CountryTraffic{Country: code}
		}
		countries[code].Sent += p.Sent
		countries[code].Verified += p.Verified
		byPrefix[p.Prefix] = p
	}
	for _, c := range countries {
		out.Countries = append(out.Countries, *c)
	}
	slices.SortFunc(out.Countries, func(a, b CountryTraffic) int {
		return cmp.Or(cmp.Compare(b.Sent, a.Sent), strings.Compare(a.Country, b.Country))
	})
	out.Countries = out.Countries[:min(len(out.Countries), maxCountries)]
	if simulated {
		return out, nil
	}
	blocked, err := selectBlocked(q, accountID, now)
	for _, b := range blocked {
		b.Sent, b.Verified, b.Country = byPrefix[b.Prefix].Sent, byPrefix[b.Prefix].Verified, phone.Number(b.Prefix).Country()
		out.Blocked = append(out.Blocked, b)
	}
	return out, err
}

// selectPrefixes counts an account's codes by prefix, in the order of the prefixes, one more than there may be.
func selectPrefixes(q *db.Query, accountID string, since time.Time, simulated bool) (out []Traffic, err error) {
	sandbox := 0
	if simulated {
		sandbox = 1
	}
	err = q.Page(maxPrefixes+1, func(rows *sql.Rows) error {
		t := Traffic{AccountID: accountID}
		err := rows.Scan(&t.Prefix, &t.Sent, &t.Verified)
		out = append(out, t)
		return err
	}, `SELECT prefix, count(*), count(used_at) FROM otp_challenges WHERE account_id = $1 AND created_at > $2 AND sandbox = $3 GROUP BY prefix ORDER BY prefix`, accountID, db.Ms(since), sandbox)
	return out, err
}

func selectBlocked(q *db.Query, accountID string, now time.Time) (out []Traffic, err error) {
	err = q.Page(maxBlocked, func(rows *sql.Rows) error {
		t, until := Traffic{AccountID: accountID}, int64(0)
		err := rows.Scan(&t.Prefix, &until)
		t.BlockedUntil = db.At(until)
		out = append(out, t)
		return err
	}, `SELECT prefix, until FROM otp_blocks WHERE account_id = $1 AND until > $2 ORDER BY prefix`, accountID, db.Ms(now))
	return out, err
}
