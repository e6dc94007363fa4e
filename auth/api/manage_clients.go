package api

import (
	"errors"
	"fmt"
	"net/http"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
)

type clientIn struct {
	Type         tenant.Type `json:"type"`
	Mode         tenant.Mode `json:"mode"`
	RedirectURIs []string    `json:"redirectUris"`
}

// createdClientOut is a Client with its secret, which is shown only once; null for a PUBLIC client.
type createdClientOut struct {
	clientOut
	Secret *string `json:"clientSecret"`
}

func (a *API) createClient(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	in := &clientIn{}
	if err := a.http.DecodeJSON(w, r, in); err != nil {
		return err
	}
	switch {
	case in.Type == "":
		return missing("type")
	case in.Type != tenant.Public && in.Type != tenant.Confidential:
		return malformed("type", "PUBLIC or CONFIDENTIAL")
	case in.Mode == "":
		return missing("mode")
	case in.Mode != tenant.Test && in.Mode != tenant.Live:
		return malformed("mode", "TEST or LIVE")
	case in.RedirectURIs == nil:
		return missing("redirectUris")
	}
	c, secret, err := a.tenants.CreateClient(r.Context(), t.ID, in.Type, in.Mode, in.RedirectURIs)
	if err != nil {
		return redirectError(err, len(in.RedirectURIs))
	}
	out := createdClientOut{clientOut: newClientOut(&c)}
	if secret != "" {
		out.Secret = &secret
	}
	return httpx.WriteJSON(w, http.StatusCreated, &out)
}

type clientChange struct {
	RedirectURIs []string `json:"redirectUris"`
	Active       *bool    `json:"active"`
}

func (a *API) changeClient(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	clientID, err := pathID(r)
	if err != nil {
		return err
	}
	in := &clientChange{}
	if err := a.http.DecodeJSON(w, r, in); err != nil {
		return err
	}
	switch {
	case in.RedirectURIs == nil:
		return missing("redirectUris")
	case in.Active == nil:
		return missing("active")
	}
	c, err := a.tenants.ChangeClient(r.Context(), t.ID, clientID, in.RedirectURIs, *in.Active)
	if err != nil {
		return redirectError(err, len(in.RedirectURIs))
	}
	if c == nil {
		return apierror.AuthClientNotFound.Err()
	}
	out := newClientOut(c)
	return httpx.WriteJSON(w, http.StatusOK, &out)
}

type secretOut struct {
	Secret string `json:"clientSecret"`
}

func (a *API) rotateSecret(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	clientID, err := pathID(r)
	if err != nil {
		return err
	}
	secret, found, err := a.tenants.RotateSecret(r.Context(), t.ID, clientID)
	switch {
	case errors.Is(err, tenant.ErrPublic):
		return apierror.AuthClientIsPublic.Err()
	case err != nil:
		return err
	case !found:
		return apierror.AuthClientNotFound.Err()
	}
	return httpx.WriteJSON(w, http.StatusCreated, secretOut{secret})
}

// pathID returns the ID26 of the path.
func pathID(r *http.Request) (string, error) {
	v := r.PathValue("id")
	if !id.Valid(v) {
		return "", malformed("id", anID26)
	}
	return v, nil
}

// redirectError returns the refusal for redirect addresses that the store didn't accept.
func redirectError(err error, addresses int) error {
	switch {
	case errors.Is(err, tenant.ErrTooManyClients):
		return apierror.AuthTooManyClients.Err()
	case !errors.Is(err, tenant.ErrInvalidClient):
		return err
	}
	return redirectsError(err, "redirectUris", 1, addresses)
}

// redirectsError returns the refusal for a list of addresses to which browsers return. least is the minimum number of
// addresses.
func redirectsError(err error, name string, least, addresses int) error {
	if errors.Is(err, tenant.ErrInvisible) {
		return malformed(name, "addresses without invisible characters, which pasting can add")
	}
	if addresses < least || addresses > tenant.MaxRedirects {
		return malformed(name, fmt.Sprintf("a list of %d to %d addresses", least, tenant.MaxRedirects))
	}
	return malformed(name, "addresses in ASCII (the domain café.example is xn--caf-dma.example) with https, with http for this machine or, of a TEST client, a private network's address, or for a PUBLIC client "+
		"with an own scheme that is a domain name in reverse; without a wildcard, a fragment, and credentials, with a port from 1 to 65535, "+
		"and without code, state, iss, or error in the query")
}
