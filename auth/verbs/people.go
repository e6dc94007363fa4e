package verbs

import (
	"context"

	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/verb"
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

// Move names a person of a tenant and the number that WhatsApp has reported.
type Move struct {
	OfPerson

	Phone string `json:"phone" flag:"phone,required" number:"true" help:"new number that WhatsApp has reported"`
}

// MovedPerson is the result of people.move.
type MovedPerson struct {
	ID     string `json:"id" row:"moved"`
	Logins int    `json:"logins" row:"logins ended"`   // in progress, ended by the call
	Tokens int    `json:"tokens" row:"tokens revoked"` // revoked by the call
}

func (s *service) movePerson(ctx context.Context, in *Move) (MovedPerson, error) {
	number, err := phone.Lookup(in.Phone)
	if err != nil {
		return MovedPerson{}, verb.Refuse("Specify the new number with its country code. The number %s.", err)
	}
	ended, err := s.logins.Move(ctx, in.TenantID, in.ID, number)
	if err != nil {
		return MovedPerson{}, err
	}
	return MovedPerson{in.ID, ended.Logins, ended.Tokens}, nil
}

func noPerson() error {
	return verb.Refuse("The tenant doesn't have this person, or their number is already detached.")
}
