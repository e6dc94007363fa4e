package admin

import (
	"context"

	"example.com/griot/internal/admin"
	"example.com/griot/internal/id"
)

// OfPerson names a person of a tenant by their subject.
type OfPerson struct {
	OfTenant

	ID string `json:"id" arg:"PERSON" help:"subject of the person's tokens"`
}

// DetachedPerson is the result of people.detach.
type DetachedPerson struct {
	ID     string `json:"id" row:"detached"`
	Logins int    `json:"logins" row:"logins ended"`   // in progress, ended by the call
	Tokens int    `json:"tokens" row:"tokens revoked"` // revoked by the call
}

func (s *service) detachPerson(ctx context.Context, in *OfPerson) (DetachedPerson, error) {
	if !id.Valid(in.ID) {
		return DetachedPerson{}, noPerson()
	}
	d, err := s.logins.Detach(ctx, in.TenantID, in.ID)
	if err != nil {
		return DetachedPerson{}, err
	}
	if d == nil {
		return DetachedPerson{}, noPerson()
	}
	return DetachedPerson{in.ID, d.Logins, d.Tokens}, nil
}

func noPerson() error {
	return admin.Refuse("The tenant doesn't have this person, or their number is already detached.")
}
