package otp

import (
	"context"
	"strings"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/audit"
)

// Traffic counts the codes that an account has sent to a prefix of numbers, except for simulated ones.
type Traffic struct {
	AccountID      string
	Prefix         string
	Country        string // the calling code
	Sent, Verified int64
	BlockedSince   time.Time // if known
	BlockedUntil   time.Time // zero: not blocked
}

// Traffic lists the prefixes of the last period since: blocked ones first, then those with the most unverified codes.
// It returns at most n.
func (s *Service) Traffic(ctx context.Context, since time.Duration, n int) ([]Traffic, error) {
	now := s.o.Now()
	list, err := selectTraffic(s.o.DB.Read(ctx), now.Add(-since), now, n)
	for i := range list {
		list[i].Country = phone.Number(list[i].Prefix).Country()
	}
	return list, err
}

// A Cap counts this hour's codes to a country or to a prefix, for all accounts or for one.
type Cap struct {
	AccountID       string // empty: all
	Country, Prefix string // only one of the two
	Sent, Most      int64
}

// Caps lists at most n of this hour's counts, those with the most codes first.
func (s *Service) Caps(ctx context.Context, n int) ([]Cap, error) {
	list, err := selectCaps(s.o.DB.Read(ctx), hourOf(s.o.Now()), n)
	if l := s.o.Limits; l != nil {
		for i := range list {
			list[i].Most = l.maxOf(&list[i])
		}
	}
	return list, err
}

// Unblock ends the block of an account's prefix, and resets this hour's count of the account's codes there. Without
// an account, it resets this hour's count of all codes to a prefix or a country. It reports whether there was a block
// or a count.
func (s *Service) Unblock(ctx context.Context, accountID, area string) (unblocked bool, err error) {
	now := s.o.Now()
	event := audit.New(ctx, now, accountID, audit.CodesUnblocked, area)
	err = s.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if unblocked, err = resetCap(tx, accountID, area, hourOf(now)); err != nil {
			return err
		}
		if accountID != "" {
			closed, err := endBlock(tx, accountID, area, now)
			if unblocked = unblocked || closed; err != nil {
				return err
			}
		}
		if !unblocked {
			return nil
		}
		return audit.Record(tx, event)
	})
	return unblocked, err
}

// readArea parses the names that countryArea, prefixArea, and accountArea create.
func readArea(area string) (c Cap) {
	if rest, ok := strings.CutPrefix(area, accountAreaPrefix); ok {
		c.AccountID, area, _ = strings.Cut(rest, " ")
	}
	if country, ok := strings.CutPrefix(area, countryArea("")); ok {
		c.Country = country
		return c
	}
	c.Prefix = strings.TrimPrefix(area, prefixArea(""))
	return c
}
