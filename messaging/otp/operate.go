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

// Cap is how many codes this hour has had to a country or to a prefix, of all accounts or of one.
type Cap struct {
	AccountID       string // empty: all
	Country, Prefix string // one of the two
	Sent, Most      int64
}

// Caps lists this hour's, the fullest first. At most n; none where nothing is limited.
func (s *Service) Caps(ctx context.Context, n int) ([]Cap, error) {
	list, err := caps(s.o.DB.Read(ctx), hourOf(s.o.Now()), n)
	if l := s.o.Limits; l != nil {
		for i := range list {
			list[i].Most = l.most(&list[i])
		}
	}
	return list, err
}

// Lift closes the breaker of an account's prefix, whose codes are judged anew, and
// empties this hour's count of the account's codes there. Without an account it empties
// this hour's count of all codes to a prefix or a country. It reports whether there was anything to lift.
func (s *Service) Lift(ctx context.Context, accountID, area string) (lifted bool, err error) {
	now := s.o.Now()
	err = s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if lifted, err = emptyCap(tx, accountID, area, hourOf(now)); err != nil || accountID == "" {
			return err
		}
		closed, err := unblock(tx, accountID, area, now)
		lifted = lifted || closed
		return err
	})
	return lifted, err
}

// readArea reads what countryArea, prefixArea and accountArea wrote.
func readArea(area string) (c Cap) {
	if rest, ok := strings.CutPrefix(area, accountMark); ok {
		c.AccountID, area, _ = strings.Cut(rest, " ")
	}
	if country, ok := strings.CutPrefix(area, countryArea("")); ok {
		c.Country = country
		return c
	}
	c.Prefix = strings.TrimPrefix(area, prefixArea(""))
	return c
}
