package otp

import (
	"context"
	"strings"
	"time"

	"griot/internal/db"
	"griot/internal/phone"
)

// Traffic is what an account has sent to a prefix of numbers, without the sandbox's.
type Traffic struct {
	AccountID      string
	Prefix         string
	Country        string // its calling code
	Sent, Verified int64
	BlockedUntil   time.Time // zero: it is not
}

// Traffic lists the prefixes of the time since: those that are blocked first, then
// those with the most codes that were not verified. At most n.
func (s *Service) Traffic(ctx context.Context, since time.Duration, n int) ([]Traffic, error) {
	now := s.o.Now()
	list, err := traffic(s.o.DB.Read(ctx), now.Add(-since), now, n)
	for i := range list {
		list[i].Country = phone.Number(list[i].Prefix).Country()
	}
	return list, err
}

// Cap is how many codes this hour has had to a country or to a prefix, of all accounts.
type Cap struct {
	Country, Prefix string // one of the two
	Sent, Most      int64
}

// Caps lists this hour's, the fullest first. At most n; none where nothing is limited.
func (s *Service) Caps(ctx context.Context, n int) ([]Cap, error) {
	list, err := caps(s.o.DB.Read(ctx), hourOf(s.o.Now()), n)
	if l := s.o.Limits; l != nil {
		for i := range list {
			if list[i].Most = l.PrefixHourly; list[i].Country != "" {
				list[i].Most, _ = l.hourly(list[i].Country)
			}
		}
	}
	return list, err
}

// Lift closes the breaker of an account's prefix; its codes are judged anew. Without
// an account it empties this hour's count of a prefix or a country. It reports
// whether there was anything to lift.
func (s *Service) Lift(ctx context.Context, accountID, area string) (lifted bool, err error) {
	now := s.o.Now()
	err = s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if accountID != "" {
			lifted, err = unblock(tx, accountID, area, now)
		} else {
			lifted, err = emptyCap(tx, area, hourOf(now))
		}
		return err
	})
	return lifted, err
}

// areaOf reads what countryArea and prefixArea wrote.
func areaOf(area string) (country, prefix string) {
	if c, ok := strings.CutPrefix(area, countryArea("")); ok {
		return c, ""
	}
	return "", strings.TrimPrefix(area, prefixArea(""))
}
