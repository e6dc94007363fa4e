package verbs

import (
	"context"
	"errors"
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

func invalidDomain() error {
	return verb.Refuse("Specify a domain with at least two labels, such as people.example.com. It can't be an IP address or a public suffix such as co.uk, and can have at most 227 characters.")
}

func noDomain() error { return verb.Refuse("The tenant doesn't have this domain.") }

func (s *service) listDomains(ctx context.Context, in *OfTenant) ([]Domain, error) {
	found, err := s.tenants.Domains(ctx, in.TenantID)
	return verb.Each(found, newDomain), err
}

func (s *service) addDomain(ctx context.Context, in *OfDomain) (Domain, error) {
	name, err := tenant.ParseDomain(in.Domain)
	if err != nil {
		return Domain{}, invalidDomain()
	}
	d, _, err := s.tenants.AddDomain(ctx, in.TenantID, name)
	if errors.Is(err, apierror.AuthTooManyDomains.Err()) {
		err = verb.Refuse("A tenant can have at most %d domains.", tenant.MaxDomains)
	}
	if err != nil {
		return Domain{}, err
	}
	return newDomain(d), nil
}

func (s *service) verifyDomain(ctx context.Context, in *OfDomain) (Domain, error) {
	name, err := tenant.ParseDomain(in.Domain)
	if err != nil {
		return Domain{}, invalidDomain()
	}
	d, err := s.tenants.VerifyDomain(ctx, in.TenantID, name)
	if refused, ok := errors.AsType[*apierror.Error](err); ok {
		if refused.Kind == apierror.AuthDomainNotFound {
			return Domain{}, noDomain()
		}
		return Domain{}, verb.Refuse("%s %s", refused.Text(), verifyAdvice[refused.Kind])
	}
	if err != nil {
		return Domain{}, err
	}
	return newDomain(d), nil
}

// verifyAdvice is the next step after a check that has proven nothing.
var verifyAdvice = map[*apierror.Kind]string{
	apierror.AuthDomainRecordMissing: "Publish the record that tenants domains list shows, wait until DNS serves it, and try again.",
	apierror.AuthDomainTaken:         "Its TXT record is still there. Remove it, and try again.",
	apierror.AuthDomainLookup:        "Try again in a few minutes.",
	apierror.AuthRateLimited:         "Try again in a minute.",
}

// RemovedDomain is the result of tenants.domains.remove.
type RemovedDomain struct {
	Domain string `json:"domain" row:"removed"`
}

func (s *service) removeDomain(ctx context.Context, in *OfDomain) (RemovedDomain, error) {
	name, err := tenant.ParseDomain(in.Domain)
	if err != nil {
		return RemovedDomain{}, invalidDomain()
	}
	removed, err := s.tenants.RemoveDomain(ctx, in.TenantID, name)
	if err == nil && !removed {
		err = noDomain()
	}
	return RemovedDomain{name}, err
}
