package verbs

import (
	"context"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/verb"
)

// Domain is a tenant's domain for email addresses, with the TXT record that proves it.
type Domain struct {
	Domain      string     `json:"domain" col:"DOMAIN"`
	RecordName  string     `json:"recordName" col:"TXT NAME"`
	RecordValue string     `json:"recordValue" col:"TXT VALUE"`
	CreatedAt   time.Time  `json:"createdAt" row:"added"`
	VerifiedAt  *time.Time `json:"verifiedAt" col:"PROVEN"`
	LostAt      *time.Time `json:"lostAt" row:"lost"` // another tenant has proven it
}

func newDomain(d *tenant.Domain) Domain {
	return Domain{d.Name, d.RecordName(), d.RecordValue(), d.CreatedAt, verb.TimeOrNull(d.VerifiedAt), verb.TimeOrNull(d.LostAt)}
}

// OfDomain names a domain of a tenant.
type OfDomain struct {
	OfTenant

	Domain string `json:"domain" arg:"DOMAIN" help:"domain, such as people.example.com"`
}

func (s *service) listDomains(ctx context.Context, in *OfTenant) ([]Domain, error) {
	found, err := s.tenants.Domains(ctx, in.TenantID)
	return verb.Each(found, newDomain), err
}

func (s *service) addDomain(ctx context.Context, in *OfDomain) (Domain, error) {
	name, err := tenant.ParseDomain(in.Domain)
	if err != nil {
		return Domain{}, err
	}
	d, _, err := s.tenants.AddDomain(ctx, in.TenantID, name)
	if err != nil {
		return Domain{}, err
	}
	return newDomain(d), nil
}

func (s *service) verifyDomain(ctx context.Context, in *OfDomain) (Domain, error) {
	name, err := tenant.ParseDomain(in.Domain)
	if err != nil {
		return Domain{}, err
	}
	d, err := s.tenants.VerifyDomain(ctx, in.TenantID, name)
	if err != nil {
		return Domain{}, err
	}
	return newDomain(d), nil
}

// RemovedDomain is the result of tenants.domains.remove.
type RemovedDomain struct {
	Domain string `json:"domain" row:"removed"`
}

func (s *service) removeDomain(ctx context.Context, in *OfDomain) (RemovedDomain, error) {
	name, err := tenant.ParseDomain(in.Domain)
	if err != nil {
		return RemovedDomain{}, err
	}
	removed, err := s.tenants.RemoveDomain(ctx, in.TenantID, name)
	if err == nil && !removed {
		err = apierror.AuthDomainNotFound.Err()
	}
	return RemovedDomain{name}, err
}
