package api

import (
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
		return apierror.AuthMalformed("type", "PUBLIC or CONFIDENTIAL")
	case in.Mode == "":
		return missing("mode")
	case in.Mode != tenant.Test && in.Mode != tenant.Live:
		return apierror.AuthMalformed("mode", "TEST or LIVE")
	case in.RedirectURIs == nil:
		return missing("redirectUris")
	}
	c, secret, err := a.tenants.CreateClient(r.Context(), t.ID, in.Type, in.Mode, in.RedirectURIs)
	if err != nil {
		return err
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
		return err
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
		return "", apierror.AuthMalformed("id", anID26)
	}
	return v, nil
}
