package tenant

import (
	"context"
	"errors"
	"net"
	"slices"
	"time"

	"golang.org/x/net/publicsuffix"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/idn"
	"example.com/griot/internal/visible"
)

// MaxDomains is the maximum number of domains of a tenant.
const MaxDomains = 20

const (
	maxDomain  = 227 // characters: an address has at most 254 (RFC 5321 §4.5.3.1.3), with a subject of 26 before the at sign
	lookupTime = 5 * time.Second

	checks = 10 // lookups of a tenant in a minute
)

// ParseDomain returns a typed domain in lower-case A-labels. It returns [ErrDomain] for an IP address, a single label, a
// public suffix such as co.uk, a name that can't be registered, and a name of more than 227 characters.
func ParseDomain(typed string) (domain string, err error) {
	typed, ok := visible.Address(typed)
	if ok {
		domain, ok = idn.Registered(typed)
	}
	if !ok || len(domain) > maxDomain {
		return "", ErrDomain
	}
	if suffix, _ := publicsuffix.PublicSuffix(domain); suffix == domain {
		return "", ErrDomain
	}
	return domain, nil
}

// Domain is a domain that a tenant has added.
type Domain struct {
	Name       string // lower-case A-labels
	CreatedAt  time.Time
	VerifiedAt time.Time // zero: not proven
	LostAt     time.Time // zero: no other tenant's proof has replaced the tenant's

	token string
}

// RecordName returns the name of the TXT record that proves the domain.
func (d *Domain) RecordName() string { return "_griot." + d.Name }

// RecordValue returns the value of the TXT record that proves the domain.
func (d *Domain) RecordValue() string { return "griot-domain=" + d.token }

// DomainState is the state of a domain for a tenant.
type DomainState string

// The states of a domain.
const (
	DomainUnproven DomainState = "unproven" // no tenant has proven it
	DomainProven   DomainState = "proven"   // the tenant has proven it
	DomainTaken    DomainState = "taken"    // another tenant has proven it
)

// stateOf returns the state of a domain for a tenant. owner is the tenant that has proven the domain; empty: none.
func stateOf(tenantID, owner string) DomainState {
	switch owner {
	case "":
		return DomainUnproven
	case tenantID:
		return DomainProven
	}
	return DomainTaken
}

// EmailDomain returns the state of the domain of a client's email addresses; empty if the client has none. It makes no
// query for such a client.
func (s *Store) EmailDomain(ctx context.Context, c *Client) (DomainState, error) {
	if c.Connect.EmailDomain == "" {
		return "", nil
	}
	owner, err := selectDomainOwner(s.db.Read(ctx), c.Connect.EmailDomain)
	return stateOf(c.TenantID, owner), err
}

// Domains returns a tenant's domains in alphabetical order.
func (s *Store) Domains(ctx context.Context, tenantID string) ([]Domain, error) {
	return selectDomains(s.db.Read(ctx), tenantID)
}

// AddDomain adds a domain to a tenant, with a new record to prove it. If the tenant already has it, it is returned as it
// is, and added is false. domain must be the result of [ParseDomain].
//
// Errors: [apierror.AuthTooManyDomains].
func (s *Store) AddDomain(ctx context.Context, tenantID, domain string) (d *Domain, added bool, err error) {
	created := &Domain{Name: domain, CreatedAt: s.now(), token: id.Token(16)}
	e := NewEvent(ctx, tenantID, DomainAdded, created.CreatedAt)
	var refused *apierror.Error
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		refused, added = nil, false
		n, err := lockDomains(tx, tenantID) // if there are two requests, the second waits for the first
		if err != nil {
			return err
		}
		if d, err = selectDomain(&tx.Query, tenantID, domain); err != nil || d != nil {
			return err
		}
		if n >= MaxDomains {
			refused = apierror.AuthTooManyDomains.Err()
			return nil
		}
		d, added = created, true
		if err := insertDomain(tx, tenantID, d); err != nil {
			return err
		}
		return Record(tx, e)
	})
	if err == nil && refused != nil {
		err = refused
	}
	if err != nil {
		return nil, false, err
	}
	return d, added, nil
}

// RemoveDomain removes a domain from a tenant. removed is false if the tenant doesn't have it.
func (s *Store) RemoveDomain(ctx context.Context, tenantID, domain string) (removed bool, err error) {
	e := NewEvent(ctx, tenantID, DomainRemoved, s.now())
	err = s.db.Write(ctx, func(tx *db.Tx) (err error) {
		if removed, err = deleteDomain(tx, tenantID, domain); err != nil || !removed {
			return err
		}
		return Record(tx, e)
	})
	return removed, err
}

// VerifyDomain looks up the TXT record of a tenant's domain, and stores the proof. If another tenant has proven the
// domain, its record must be gone. The new proof then replaces the old one in one transaction, with an event for both.
// A proof stays until the tenant removes the domain or another tenant replaces it, also if the record is gone.
//
// Errors: [apierror.AuthDomainNotFound], [apierror.AuthDomainRecordMissing], [apierror.AuthDomainTaken] if the other tenant's
// record still exists, [apierror.AuthDomainLookup] if DNS didn't answer, [apierror.AuthRateLimited].
func (s *Store) VerifyDomain(ctx context.Context, tenantID, domain string) (*Domain, error) {
	d, err := selectDomain(s.db.Read(ctx), tenantID, domain)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, apierror.AuthDomainNotFound.Err()
	}
	if ok, wait := s.checks.Allow(tenantID); !ok {
		return nil, apierror.AuthRateLimited.After(wait)
	}
	owner, other, err := selectOtherProof(s.db.Read(ctx), tenantID, domain)
	if err != nil {
		return nil, err
	}
	found, err := s.lookup(ctx, d.RecordName())
	if err != nil {
		return nil, err
	}
	switch {
	case !slices.Contains(found, d.RecordValue()):
		return nil, recordMissing(len(found))
	case other != nil && slices.Contains(found, other.RecordValue()):
		return nil, apierror.AuthDomainTaken.Err()
	case !d.VerifiedAt.IsZero():
		return d, nil
	}
	proven, err := s.storeProof(ctx, tenantID, d, owner, other)
	if err == nil && proven {
		return d, nil
	}
	now, again := selectDomain(s.db.Read(ctx), tenantID, domain)
	if again != nil || now != nil && !now.VerifiedAt.IsZero() { // another call stored the proof
		return now, again
	}
	if owner, again := selectDomainOwner(s.db.Read(ctx), domain); again == nil && owner != "" { // another tenant proved it at the same moment
		return nil, apierror.AuthDomainTaken.Err()
	}
	if err == nil { // it was removed in between
		err = apierror.AuthDomainNotFound.Err()
	}
	return nil, err
}

// storeProof stores that a tenant has proven its domain, instead of the proof of the tenant owner, unless other is nil.
// proven is false if the tenant's row has changed since it was read.
func (s *Store) storeProof(ctx context.Context, tenantID string, d *Domain, owner string, other *Domain) (proven bool, err error) {
	now := s.now()
	verified := NewEvent(ctx, tenantID, DomainVerified, now)
	lost := &Event{ID: id.New(now), TenantID: owner, Type: DomainLost, At: now, Actor: ActorSystem}
	err = s.db.Write(ctx, func(tx *db.Tx) (err error) {
		if proven, err = lockUnproven(tx, tenantID, d); err != nil || !proven {
			return err
		}
		if other != nil {
			was, err := markLost(tx, owner, other, now)
			if err != nil {
				return err
			}
			if was {
				if err := Record(tx, lost); err != nil {
					return err
				}
			}
		}
		if err := markProven(tx, tenantID, d, now); err != nil {
			return err
		}
		return Record(tx, verified)
	})
	if proven = proven && err == nil; proven {
		d.VerifiedAt, d.LostAt = now, time.Time{}
	}
	return proven, err
}

// lookup returns the TXT records of a name. The strings of a record are joined (RFC 7208 §3.3).
func (s *Store) lookup(ctx context.Context, name string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	resolver := s.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	found, err := resolver.LookupTXT(ctx, name+".") // not below this machine's search domains
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, apierror.AuthDomainLookup.Because(err)
	}
	return found, nil
}

// recordMissing returns the refusal of a domain with a number of other TXT records.
func recordMissing(others int) error {
	e := apierror.AuthDomainRecordMissing.Err()
	if others > 0 {
		return e.Detailf("The name has %d TXT records, but not the one of this domain.", others)
	}
	return e
}
