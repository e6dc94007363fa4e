package tenant

import (
	"context"
	"slices"
	"time"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
)

// Types of the audit events of clients.
const (
	ClientCreated       = "client.created"
	ClientUpdated       = "client.updated"
	ClientDeleted       = "client.deleted"
	ClientSecretRotated = "client.secret_rotated"
)

// NewEvent returns the event of a change that the context's actor makes to a tenant; see package actor.
func NewEvent(ctx context.Context, tenantID, typ string, at time.Time) *Event {
	a := actor.From(ctx)
	e := &Event{ID: id.New(at), TenantID: tenantID, Type: typ, At: at, Actor: ActorSystem, Caller: CallerOf(ctx)}
	if a.Type == actor.Tenant {
		e.Actor = ActorTenant
	}
	return e
}

// clientEvent returns the [NewEvent] for a change of a client.
func clientEvent(ctx context.Context, c *Client, typ string, at time.Time) *Event {
	e := NewEvent(ctx, c.TenantID, typ, at)
	e.ClientID, e.Mode = c.ClientID, c.Mode
	return e
}

// clientChange is a change of a client; nil fields stay unchanged.
type clientChange struct {
	name         *string
	redirectURIs []string
	active       *bool
	connect      *Connect
	replaced     Replaced              // with connect
	shown        string                // the version of a form, see [Client.Version] and [Connect.Version]; empty: not checked
	onlyNew      bool                  // writes and records nothing if the client already has these values
	also         func(tx *db.Tx) error // writes the consequences of the change; can be nil
}

// apply changes c and reports whether it differs afterward.
func (ch *clientChange) apply(c *Client) (differs bool) {
	if ch.name != nil && *ch.name != c.Name {
		c.Name, differs = *ch.name, true
	}
	if ch.redirectURIs != nil && !slices.Equal(ch.redirectURIs, c.RedirectURIs) {
		c.RedirectURIs, differs = slices.Clone(ch.redirectURIs), true
	}
	if ch.active != nil && *ch.active != c.Active {
		c.Active, differs = *ch.active, true
	}
	if ch.connect != nil && ch.connect.Version() != c.Connect.Version() {
		c.Connect, differs = *ch.connect, true
	}
	return differs
}

// version returns the version of the fields of c that the change's form shows.
func (ch *clientChange) version(c *Client) string {
	if ch.connect != nil {
		return c.Connect.Version()
	}
	return c.Version()
}

// check returns an error if the changed c is invalid. stored is the version that c had before.
func (ch *clientChange) check(c *Client, stored string) error {
	if err := forms.CheckVersion(ch.shown, stored, ch.version(c)); err != nil {
		return err
	}
	switch {
	case ch.redirectURIs != nil:
		return checkClient(c.Type, c.Mode, c.RedirectURIs)
	case ch.connect != nil:
		return ch.connect.check(c)
	}
	return nil
}

// checkClaims returns a refusal if the settings for claims of the changed c replace values of before that the change
// doesn't name, or if they have another domain than before that its tenant can't use. A domain that was lost later must
// not prevent changes of other settings.
func (ch *clientChange) checkClaims(tx *db.Tx, c *Client, before *Connect) (refused, err error) {
	if refused := ch.replaced.check(before, ch.connect); refused != nil {
		return refused, nil
	}
	if ch.connect.EmailDomain == "" || ch.connect.hasEmailOf(before) {
		return nil, nil
	}
	owner, err := selectDomainOwner(&tx.Query, ch.connect.EmailDomain)
	if err != nil {
		return nil, err
	}
	return ch.connect.checkDomain(stateOf(c.TenantID, owner)), nil
}

// ChangeClient replaces the redirect addresses of a tenant's client, 1 to 20, and
// enables or disables it. It returns nil if the tenant has no client with that ID.
// Other nodes see the change within 30 seconds.
func (s *Store) ChangeClient(ctx context.Context, tenantID, id string, redirectURIs []string, active bool) (*Client, error) {
	return s.changeClient(ctx, clientKey{id: id, tenantID: tenantID}, &clientChange{redirectURIs: given(redirectURIs), active: &active})
}

// DescribeClient changes a client's name, of at most [MaxName] characters, and its redirect addresses, as
// [Store.ChangeClient] does. shown is the version of the client that the form showed. It returns [forms.ErrStale] if
// the name or the addresses changed after that. An empty shown is not checked.
func (s *Store) DescribeClient(ctx context.Context, tenantID, id, shown, name string, redirectURIs []string) (*Client, error) {
	return s.changeClient(ctx, clientKey{id: id, tenantID: tenantID}, &clientChange{name: &name, redirectURIs: given(redirectURIs), shown: shown})
}

// SwitchClient enables or disables a client by its public identifier. found is false if
// there is none. Other nodes see the change within 30 seconds.
func (s *Store) SwitchClient(ctx context.Context, clientID string, active bool) (c *Client, found bool, err error) {
	c, err = s.changeClient(ctx, clientKey{clientID: clientID}, &clientChange{active: &active})
	return c, c != nil, err
}

// RenameClient changes the name of a client, by its public identifier. It returns nil if the client doesn't exist.
//
// Errors: [ErrName].
func (s *Store) RenameClient(ctx context.Context, clientID, name string) (*Client, error) {
	return s.changeClient(ctx, clientKey{clientID: clientID}, &clientChange{name: &name})
}

// SetRedirectURIs replaces a client's redirect addresses, 1 to 20, with the checks of [Store.CreateClient]. It
// returns nil if the client doesn't exist. Other nodes see the change within 30 seconds.
func (s *Store) SetRedirectURIs(ctx context.Context, clientID string, redirectURIs []string) (*Client, error) {
	return s.changeClient(ctx, clientKey{clientID: clientID}, &clientChange{redirectURIs: given(redirectURIs), onlyNew: true})
}

// ConnectClient replaces the [Connect] settings of a tenant's client, as changed in a form that showed a version of
// them. An empty shown is not checked. replaced must name the values for email and preferred_username that the change
// replaces. also writes the consequences in the same transaction, for the client's ID. The caller must check the address
// for logout tokens. It returns nil if the tenant has no client with that ID.
//
// Errors: [ErrAfterSignOut], [ErrStateOptional], [ErrAnyLoopbackPort], [ErrUsernameForm], [ErrEmailVerified], [ErrEmailDomain],
// [apierror.AuthReplacesMismatch], [apierror.AuthDomainTaken], [apierror.AuthDomainNotProven], [forms.ErrStale].
func (s *Store) ConnectClient(ctx context.Context, tenantID, id, shown string, connect Connect, replaced Replaced, also func(tx *db.Tx) error) (*Client, error) {
	if connect.EmailDomain != "" {
		domain, err := ParseDomain(connect.EmailDomain)
		if err != nil {
			return nil, ErrEmailDomain
		}
		connect.EmailDomain = domain
	}
	return s.changeClient(ctx, clientKey{id: id, tenantID: tenantID}, &clientChange{connect: &connect, replaced: replaced, shown: shown, also: also})
}

// given returns a copy of a list that is never nil, so that an empty list is checked, too.
func given(uris []string) []string { return append([]string{}, uris...) }

// changeClient changes the client of a key. It reads and writes it in one transaction, and writes only the columns
// of the change. It returns nil if the client doesn't exist.
func (s *Store) changeClient(ctx context.Context, key clientKey, change *clientChange) (*Client, error) {
	if change.name != nil && !validName(*change.name) {
		return nil, ErrName
	}
	now := s.now()
	eventID := id.New(now)
	var changed *Client
	var refused error
	err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
		changed, refused = nil, nil
		c, err := lockClient(tx, key)
		if err != nil || c == nil {
			return err
		}
		stored, before := change.version(c), c.Connect
		differs := change.apply(c)
		if refused = change.check(c, stored); refused == nil && change.connect != nil {
			if refused, err = change.checkClaims(tx, c, &before); err != nil {
				return err
			}
		}
		if refused == nil {
			changed = c
		}
		if changed == nil || change.onlyNew && !differs {
			return nil
		}
		if err := updateClient(tx, c.ID, change); err != nil {
			return err
		}
		if change.also != nil {
			if err := change.also(tx); err != nil {
				return err
			}
		}
		updated := clientEvent(ctx, c, ClientUpdated, now)
		updated.ID = eventID
		return Record(tx, updated)
	})
	if err == nil {
		err = refused
	}
	if err != nil || changed == nil {
		return nil, err
	}
	s.cache.invalidate(changed.ClientID)
	return changed, nil
}

// RotateSecret replaces the secret of a tenant's client and returns the new one, only
// this once. The old secret is invalid immediately, on every node. found is false if
// the tenant has no client with that ID.
func (s *Store) RotateSecret(ctx context.Context, tenantID, id string) (secret string, found bool, err error) {
	c, err := s.selectOwned(ctx, tenantID, id)
	if err != nil || c == nil {
		return "", false, err
	}
	if c.Type != Confidential {
		return "", true, ErrPublic
	}
	secret = newSecret(forms.Seeds(nil).First())
	hash := seal.Hash(secret)
	rotated := clientEvent(ctx, c, ClientSecretRotated, s.now())
	defer s.cache.invalidate(c.ClientID)
	err = s.db.Write(ctx, func(tx *db.Tx) (err error) {
		if found, err = updateSecret(tx, c, hash); err != nil || !found {
			return err
		}
		return Record(tx, rotated)
	})
	if err != nil || !found { // not found: it was deleted in between
		return "", found, err
	}
	return secret, true, nil
}
