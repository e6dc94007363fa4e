package verbs

import (
	"context"
	"encoding/json"
	"time"

	"example.com/griot/auth/login"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/verb"
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
	Username    string          `json:"preferredUsername,omitempty"` // for applications; empty before its first use
	NewPhone    string          `json:"newPhone,omitempty"`          // the person's number now, as reported by WhatsApp
	ChangedAt   *time.Time      `json:"numberChangedAt,omitempty"`   // with NewPhone: the time of the report
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

// eachTenant calls do with a person's number for each tenant that is meant.
func (s *service) eachTenant(ctx context.Context, in *PersonInput, do func(of Tenant, number phone.Number) error) error {
	number, err := phone.Lookup(in.Phone)
	if err != nil {
		return verb.Refuse("Specify the person by a phone number with its country code. The number %s.", err)
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
		if err := do(of, number); err != nil {
			return err
		}
	}
	return nil
}

// exportPerson also exports the people of whom WhatsApp has reported the number as their new one.
func (s *service) exportPerson(ctx context.Context, in *PersonInput) ([]PersonData, error) {
	out := []PersonData{}
	err := s.eachTenant(ctx, in, func(of Tenant, number phone.Number) error {
		people, err := s.logins.FindPeople(ctx, of.ID, number)
		if err != nil {
			return err
		}
		changed, err := s.logins.FindByNewNumber(ctx, of.ID, number)
		if err != nil {
			return err
		}
		for _, p := range append(people, changed...) {
			data, err := s.personData(ctx, of, &p)
			if err != nil {
				return err
			}
			if data != nil {
				out = append(out, *data)
			}
		}
		return nil
	})
	return out, err
}

// personData returns nil if the person was erased.
func (s *service) personData(ctx context.Context, of Tenant, p *login.Person) (*PersonData, error) {
	logins, err := s.logins.PersonLogins(ctx, of.ID, p, login.MaxExported)
	if err != nil {
		return nil, err
	}
	e, err := s.logins.Export(ctx, of.ID, p.ID)
	if err != nil || e == nil {
		return nil, err
	}
	return &PersonData{
		TenantID: of.ID, Tenant: of.Name, ID: p.ID, Phone: string(p.Phone), Mode: string(p.Mode), DisplayName: p.DisplayName, Username: p.Username, Metadata: json.RawMessage(p.Metadata),
		NewPhone: string(p.NewPhone), ChangedAt: verb.TimeOrNull(p.ChangedAt),
		FirstSeenAt: p.FirstSeenAt, LastSeenAt: p.LastSeenAt, Events: verb.Each(e.Events, shownEvent), Complete: e.Complete,
		Logins: verb.Each(logins, func(l *login.PersonLogin) PersonLogin {
			return PersonLogin{l.ID, l.ClientID, l.Status, l.CreatedAt, verb.TimeOrNull(l.VerifiedAt)}
		}),
	}, nil
}

// ErasedPerson is a person whose data a tenant has erased.
type ErasedPerson struct {
	TenantID string `json:"tenantId" col:"TENANT"`
	Tenant   string `json:"tenant"`
	ID       string `json:"id"`
	Mode     string `json:"mode"`
}

// erasePerson also removes the number from the people of whom WhatsApp has reported it as their new one. It doesn't
// erase them, because their profile has another number.
func (s *service) erasePerson(ctx context.Context, in *PersonInput) ([]ErasedPerson, error) {
	out := []ErasedPerson{}
	err := s.eachTenant(ctx, in, func(of Tenant, number phone.Number) error {
		people, err := s.logins.FindPeople(ctx, of.ID, number)
		if err != nil {
			return err
		}
		for _, p := range people {
			erased, err := s.logins.Erase(ctx, of.ID, p.ID)
			if err != nil {
				return err
			}
			if erased {
				out = append(out, ErasedPerson{of.ID, of.Name, p.ID, string(p.Mode)})
			}
		}
		return s.logins.ForgetNewNumber(ctx, of.ID, number)
	})
	return out, err
}
