package tenant

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/griot/auth/oauth"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/visible"
)

// Type is the client type: whether it can keep a secret (RFC 6749 §2.1).
type Type string

// The two types.
const (
	Public       Type = "PUBLIC"
	Confidential Type = "CONFIDENTIAL"
)

// Mode is the mode of a client: real logins or test logins.
type Mode string

// The two modes.
const (
	Test Mode = "TEST"
	Live Mode = "LIVE"
)

// MaxRedirects is the maximum number of addresses that a client can register (L158).
const MaxRedirects = 20

// Client is an application that signs people in.
type Client struct {
	ID           string // ID26
	TenantID     string
	TenantName   string
	TenantAccent string // see [Appearance]
	TenantLogo   string // see [Appearance]
	ClientID     string // the public identifier: cl_test_ or cl_live_ and an ID26
	Name         string // the tenant's own, for its dashboard; can be empty
	Type         Type
	Mode         Mode
	RedirectURIs []string
	Active       bool
	Connect      Connect
	HasWebhook   bool // its tenant has an endpoint for events of logins
	CreatedAt    time.Time

	secretHash string
}

// Connect holds a client's settings for OpenID Connect and for native applications.
type Connect struct {
	PostLogoutRedirectURIs []string // where the browser can return to after sign-out, matched character for character
	BackchannelLogoutURI   string   // gets logout tokens; empty: none
	// StateOptional allows a CONFIDENTIAL client's requests with the scope openid that have neither state, nonce, nor a
	// PKCE challenge. Nothing then binds the response to the browser (RFC 9700 §4.7).
	StateOptional bool
	// AnyLoopbackPort allows a PUBLIC client's requests any port of a registered http address of 127.0.0.1 or [::1], for
	// programs that listen on a free port (RFC 8252 §7.3).
	AnyLoopbackPort bool

	EmailDomain       string // the domain of the claim email, as [ParseDomain] returns it; empty: no claim
	EmailVerified     *bool  // the claim email_verified; nil: no claim. True needs a domain that the tenant has proven.
	PreferredUsername UsernameForm
}

// UsernameForm is the form of the claim preferred_username. Empty: no claim.
type UsernameForm string

// The forms of preferred_username.
const (
	UsernameSub  UsernameForm = "sub"  // the subject in lowercase
	UsernameName UsernameForm = "name" // the person's name and a suffix, see [Username]
)

// Valid reports whether a form exists.
func (u UsernameForm) Valid() bool { return u == "" || u == UsernameSub || u == UsernameName }

// Replaced names the stored values that a change of [Connect] settings replaces, because programs know people by them.
// The zero value replaces none.
type Replaced struct {
	EmailDomain       string
	PreferredUsername UsernameForm
}

// check returns an error unless it names each value of stored that differs in next.
func (r *Replaced) check(stored, next *Connect) error {
	if next.EmailDomain != stored.EmailDomain && r.EmailDomain != stored.EmailDomain {
		return apierror.AuthReplacesMismatch.On("replacesEmailDomain").Detailf("The change of emailDomain must name the stored value in replacesEmailDomain. It gives everyone another address in the program.")
	}
	if next.PreferredUsername != stored.PreferredUsername && r.PreferredUsername != stored.PreferredUsername {
		return apierror.AuthReplacesMismatch.On("replacesPreferredUsername").Detailf("The change of preferredUsername must name the stored value in replacesPreferredUsername. It gives everyone another user name in the program.")
	}
	return nil
}

// hasEmailOf reports whether the settings for email are those of other.
func (c *Connect) hasEmailOf(other *Connect) bool {
	return c.EmailDomain == other.EmailDomain && c.EmailVerifiedText() == other.EmailVerifiedText()
}

// EmailVerifiedText returns EmailVerified as true or false; empty: no claim.
func (c *Connect) EmailVerifiedText() string {
	if c.EmailVerified == nil {
		return ""
	}
	return strconv.FormatBool(*c.EmailVerified)
}

// checkDomain returns an error if a tenant can't have the settings for email with a domain in a state.
func (c *Connect) checkDomain(state DomainState) error {
	switch {
	case state == DomainTaken:
		return apierror.AuthDomainTaken.On("emailDomain")
	case c.EmailVerified != nil && *c.EmailVerified && state != DomainProven:
		return apierror.AuthDomainNotProven.On("emailVerified")
	}
	return nil
}

// check returns an error if the settings don't fit the client.
func (c *Connect) check(of *Client) error {
	switch {
	case !c.PreferredUsername.Valid():
		return ErrUsernameForm
	case c.EmailDomain == "" && c.EmailVerified != nil:
		return ErrEmailVerified
	case c.StateOptional && of.Type != Confidential:
		return ErrStateOptional
	case c.AnyLoopbackPort && of.Type != Public:
		return ErrAnyLoopbackPort
	}
	return checkRedirects(of.Type, of.Mode, ErrAfterSignOut.Field, c.PostLogoutRedirectURIs, 0)
}

// Version returns the version of the fields that a form shows; see package forms.
func (c *Connect) Version() string {
	return forms.Version(append([]string{
		c.BackchannelLogoutURI, strconv.FormatBool(c.StateOptional), strconv.FormatBool(c.AnyLoopbackPort), c.EmailDomain, c.EmailVerifiedText(), string(c.PreferredUsername),
	}, c.PostLogoutRedirectURIs...)...)
}

// Ports returns the rule for the ports of the client's redirect addresses.
func (c *Client) Ports() oauth.Ports {
	switch {
	case c.Mode == Test:
		return oauth.AnyPort
	case c.Type == Public && c.Connect.AnyLoopbackPort:
		return oauth.AnyPortOfIP
	}
	return oauth.RegisteredPort
}

// HasSecret reports whether secret is the client's secret, in constant time. It is false for a PUBLIC client.
func (c *Client) HasSecret(secret string) bool {
	return c.Type == Confidential && seal.Equal(seal.Hash(secret), c.secretHash)
}

// Version returns the version of the fields that a client's form shows, the name and the redirect addresses; see
// package forms.
func (c *Client) Version() string {
	return forms.Version(append([]string{c.Name}, c.RedirectURIs...)...)
}

// ClientNow returns the client from its row, not from the cache, so it includes changes by other
// nodes; see [Store.Client].
func (s *Store) ClientNow(ctx context.Context, clientID string) (*Client, error) {
	return s.selectClient(ctx, clientID)
}

// HasSecretNow reports whether secret is the client's secret according to its row. A secret that was replaced on
// another node is invalid here, too (L163). See [Client.HasSecret].
func (s *Store) HasSecretNow(ctx context.Context, c *Client, secret string) (bool, error) {
	hash, err := s.selectSecret(ctx, c.ClientID)
	now := Client{Type: c.Type, secretHash: hash}
	return err == nil && now.HasSecret(secret), err
}

// CreateClient stores a new active client with 1 to 20 redirect addresses. The secret
// is returned only this once. It is empty for a PUBLIC client.
//
// Errors: [ErrRedirects], [ErrTooManyClients], [apierror.AuthMalformedParameter] for an unknown type or mode.
func (s *Store) CreateClient(ctx context.Context, tenantID string, typ Type, mode Mode, redirectURIs []string) (c Client, secret string, err error) {
	return s.CreateNamedClient(ctx, tenantID, "", typ, mode, redirectURIs)
}

// MaxClients is the maximum number of clients of a tenant.
const MaxClients = 200

// CreateNamedClient creates a client with a name of at most [MaxName] characters; see [Store.CreateClient].
func (s *Store) CreateNamedClient(ctx context.Context, tenantID, name string, typ Type, mode Mode, redirectURIs []string) (c Client, secret string, err error) {
	return s.CreateFormClient(ctx, forms.Creation{}, tenantID, name, typ, mode, redirectURIs)
}

// CreateFormClient creates a client by a form; see [Store.CreateNamedClient]. For [forms.RepeatTime], the same form
// returns its client again, if the client is enabled and its secret was not replaced.
func (s *Store) CreateFormClient(ctx context.Context, form forms.Creation, tenantID, name string, typ Type, mode Mode, redirectURIs []string) (c Client, secret string, err error) {
	if !validName(name) {
		return Client{}, "", ErrName
	}
	if err := checkClient(typ, mode, redirectURIs); err != nil {
		return Client{}, "", err
	}
	t, found, err := s.selectTenant(ctx, tenantID)
	if err != nil {
		return Client{}, "", err
	}
	if !found {
		return Client{}, "", errors.New("tenant: no such tenant")
	}
	now := s.now()
	c = Client{
		ID: cmp.Or(form.ID, id.New(now)), TenantID: t.ID, TenantName: t.Name, TenantAccent: t.Accent, TenantLogo: t.Logo, ClientID: clientIDPrefix(mode) + id.New(now), Name: name,
		Type: typ, Mode: mode, RedirectURIs: slices.Clone(redirectURIs), Active: true, CreatedAt: now,
		Connect: Connect{PostLogoutRedirectURIs: []string{}},
	}
	if typ == Confidential {
		secret = newSecret(form.Seeds.First())
		c.secretHash = seal.Hash(secret)
	}
	uris, err := json.Marshal(c.RedirectURIs)
	if err != nil {
		return Client{}, "", err
	}
	created := clientEvent(ctx, &c, ClientCreated, now)
	var before *Client
	var refused error
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		before, refused = nil, nil
		n, err := lockClients(tx, t.ID) // if there are two requests, the second waits for the first
		if err != nil {
			return err
		}
		if before, err = db.First(&tx.Query, readClient, clientsWhere+`c.id = $1`, c.ID); err != nil || before != nil {
			return err
		}
		if n >= MaxClients {
			refused = ErrTooManyClients
			return nil
		}
		inserted, err := insertClient(tx, &c, string(uris))
		if err != nil {
			return err
		}
		if !inserted {
			refused = ErrClientMade
			return nil
		}
		return Record(tx, created)
	})
	if err = cmp.Or(err, refused); err != nil {
		return Client{}, "", err
	}
	if before == nil {
		return c, secret, nil
	}
	secret, found = before.secretOf(form.Seeds)
	if !found || before.TenantID != t.ID || !before.Active || !before.CreatedAt.After(forms.RepeatsSince(now)) {
		return Client{}, "", ErrClientMade
	}
	return *before, secret, nil
}

// secretOf returns the secret of a client if it was derived from one of the seeds. A PUBLIC client has none.
func (c *Client) secretOf(seeds forms.Seeds) (secret string, found bool) {
	if c.Type == Public {
		return "", true
	}
	for _, seed := range seeds {
		if secret := newSecret(seed); c.HasSecret(secret) {
			return secret, true
		}
	}
	return "", false
}

// Pasted returns addresses that a person has pasted, without the spaces and invisible characters around each
// ([visible.Trim]). Programs must send addresses as they are, because they are compared character for character.
func Pasted(uris []string) []string {
	trimmed := make([]string, len(uris))
	for i, uri := range uris {
		trimmed[i] = visible.Trim(uri)
	}
	return trimmed
}

func checkClient(typ Type, mode Mode, redirectURIs []string) error {
	switch {
	case typ != Public && typ != Confidential:
		return apierror.AuthMalformed("type", "PUBLIC or CONFIDENTIAL")
	case mode != Test && mode != Live:
		return apierror.AuthMalformed("mode", "TEST or LIVE")
	}
	return checkRedirects(typ, mode, ErrRedirects.Field, redirectURIs, 1)
}

// checkRedirects checks the addresses of a field to which browsers return. There must be at least a minimum number of them.
func checkRedirects(typ Type, mode Mode, field string, redirectURIs []string, least int) error {
	if len(redirectURIs) < least || len(redirectURIs) > MaxRedirects {
		return apierror.AuthMalformed(field, fmt.Sprintf("a list of %d to %d addresses", least, MaxRedirects))
	}
	for _, uri := range redirectURIs {
		if strings.ContainsFunc(uri, visible.Invisible) {
			e := apierror.AuthMalformed(field, "addresses without invisible characters, which pasting can add")
			e.Cause = ErrInvisible
			return e
		}
		if !oauth.Registrable(uri, typ == Public, mode == Test) {
			return apierror.AuthMalformed(field, "addresses in ASCII (the domain café.example is xn--caf-dma.example) with https, with http for this machine or, of a TEST client, a private network's address, or for a PUBLIC client "+
				"with an own scheme that is a domain name in reverse; without a wildcard, a fragment, and credentials, with a port from 1 to 65535, "+
				"and without code, state, iss, or error in the query")
		}
	}
	return nil
}

func clientIDPrefix(mode Mode) string {
	if mode == Live {
		return "cl_live_"
	}
	return "cl_test_"
}

// newSecret returns the secret of a seed: cs_, 43 characters of base64url, and a checksum
// of 6, which lets secret scanners recognize a leaked secret.
func newSecret(seed []byte) string {
	s := "cs_" + forms.Token(seed)
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], crc32.ChecksumIEEE([]byte(s)))
	return s + base64.RawURLEncoding.EncodeToString(sum[:])
}
