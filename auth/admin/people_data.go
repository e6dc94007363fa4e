package admin

import (
	"context"
	"encoding/json"
	"time"

	"example.com/griot/auth/login"
	"example.com/griot/internal/admin"
	"example.com/griot/internal/phone"
)

// PersonInput names a person by their number.
type PersonInput struct {
	TenantID string `json:"tenantId"` // empty: all tenants
	Phone    string `json:"phone"`
}

// PersonData is the data that one tenant has about a person, in one mode.
type PersonData struct {
	TenantID    string          `json:"tenantId" row:"tenant"`
	Tenant      string          `json:"tenant"`
	ID          string          `json:"id"` // the subject of their tokens
	Phone       string          `json:"phone"`
	Mode        string          `json:"mode"`
	DisplayName string          `json:"displayName,omitempty"`
	Metadata    json.RawMessage `json:"metadata"`
	FirstSeenAt time.Time       `json:"firstSeenAt"`
	LastSeenAt  time.Time       `json:"lastSeenAt"`
	Logins      []PersonLogin   `json:"logins"` // of the last day
	Events      []Event         `json:"events"` // of the audit log, newest first
	Complete    bool            `json:"complete"`
}

// PersonLogin is a login that is still stored.
type PersonLogin struct {
	ID         string     `json:"id"`
	ClientID   string     `json:"clientId"`
	Status     string     `json:"status"`
	CreatedAt  time.Time  `json:"createdAt"`
	VerifiedAt *time.Time `json:"verifiedAt"`
}

// eachPerson calls do for each person with a number, tenant by tenant.
func (s *service) eachPerson(ctx context.Context, in *PersonInput, do func(of Tenant, p *login.Person) error) error {
	number, ok := phone.Parse(phone.Typed(in.Phone))
	if !ok {
		return admin.Refuse("Specify the person by a phone number with its country code.")
	}
	tenants, err := s.listTenants(ctx, nil)
	if err != nil {
		return err
	}
	if in.TenantID != "" {
		one, err := s.showTenant(ctx, &OfTenant{in.TenantID})
		if err != nil {
			return err
		}
		tenants = []Tenant{one}
	}
	for _, of := range tenants {
		found, err := s.logins.FindPeople(ctx, of.ID, number)
		if err != nil {
			return err
		}
		for i := range found {
			if err := do(of, &found[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *service) exportPerson(ctx context.Context, in *PersonInput) ([]PersonData, error) {
	out := []PersonData{}
	err := s.eachPerson(ctx, in, func(of Tenant, p *login.Person) error {
		logins, err := s.logins.PersonLogins(ctx, of.ID, p, login.MaxExported)
		if err != nil {
			return err
		}
		e, err := s.logins.Export(ctx, of.ID, p.ID)
		if err != nil || e == nil {
			return err
		}
		out = append(out, PersonData{
			TenantID: of.ID, Tenant: of.Name, ID: p.ID, Phone: string(p.Phone), Mode: string(p.Mode), DisplayName: p.DisplayName, Metadata: json.RawMessage(p.Metadata),
			FirstSeenAt: p.FirstSeenAt, LastSeenAt: p.LastSeenAt, Events: admin.Each(e.Events, shownEvent), Complete: e.Complete,
			Logins: admin.Each(logins, func(l *login.PersonLogin) PersonLogin {
				return PersonLogin{l.ID, l.ClientID, l.Status, l.CreatedAt, admin.TimeOrNull(l.VerifiedAt)}
			}),
		})
		return nil
	})
	return out, err
}

// ErasedPerson is a person whose data a tenant has erased.
type ErasedPerson struct {
	TenantID string `json:"tenantId" col:"TENANT"`
	Tenant   string `json:"tenant"`
	ID       string `json:"id"`
	Mode     string `json:"mode"`
}

func (s *service) erasePerson(ctx context.Context, in *PersonInput) ([]ErasedPerson, error) {
	out := []ErasedPerson{}
	err := s.eachPerson(ctx, in, func(of Tenant, p *login.Person) error {
		erased, err := s.logins.Erase(ctx, of.ID, p.ID)
		if err == nil && erased {
			out = append(out, ErasedPerson{of.ID, of.Name, p.ID, string(p.Mode)})
		}
		return err
	})
	return out, err
}
