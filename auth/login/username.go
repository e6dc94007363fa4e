package login

import (
	"context"
	"strings"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
)

// Username returns the user name of one of a tenant's people for applications, and fixes it at its first use:
// [tenant.Username] of their name at that time, or their subject in lowercase if another person of the tenant and mode
// has that user name. It is empty if the tenant has no such person.
//
// The profile's row is the guard, so that two nodes return the same value, and the unique index decides between people.
func (s *Service) Username(ctx context.Context, tenantID, profileID, name string) (username string, err error) {
	wanted, own := tenant.Username(name, profileID), strings.ToLower(profileID)
	fix := func(candidates ...string) error {
		return s.db.Write(ctx, func(tx *db.Tx) error {
			for _, candidate := range candidates {
				if fixed, err := fixUsername(tx, tenantID, profileID, candidate); err != nil || fixed {
					return err
				}
			}
			return nil
		})
	}
	if err = fix(wanted, own); err != nil { // perhaps another person got it at the same moment
		err = fix(own)
	}
	if err != nil {
		return "", err
	}
	p, err := s.Person(ctx, tenantID, profileID)
	if err != nil || p == nil {
		return "", err
	}
	return p.Username, nil
}
