package api

import (
	"net/http"
	"net/url"
	"slices"

	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/auth/token"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/web"
)

const (
	signOutPath   = oauth.SignOutPath
	signedOutPath = "/signed-out"
)

// signOut ends the sign-in of an ID token, and returns the browser to the application (OpenID Connect RP-Initiated
// Logout 1.0). The ID token is the credential, as a code is at /token. No cookie is read, so a page of another site
// can't sign out anyone whose ID token it doesn't have. The browser is redirected only to an address that the token's
// client has registered.
func (a *API) signOut(w http.ResponseWriter, r *http.Request) error {
	in, err := a.readSignOut(w, r)
	if err != nil {
		return err
	}
	hint, client, err := a.signedIn(r, in)
	if err != nil {
		return err
	}
	returnTo := in.Get("post_logout_redirect_uri")
	if returnTo != "" && !slices.Contains(client.Connect.PostLogoutRedirectURIs, returnTo) {
		return refuseSignOut("post_logout_redirect_uri is not in the client's list.")
	}
	if err := a.logins.SignOut(r.Context(), client, hint.Subject, hint.LoginID, tenant.CallerOf(r.Context())); err != nil {
		return err
	}
	w.Header().Set("Location", signOutLocation(returnTo, in.Get("state")))
	return httpx.WriteJSON(w, http.StatusSeeOther, okBody{true})
}

// signOutLocation returns the target of the redirect after a sign-out. If the application gave no address, it is a
// page of this service.
func signOutLocation(returnTo, state string) string {
	switch {
	case returnTo == "":
		return signedOutPath
	case state == "":
		return returnTo
	}
	return oauth.Redirect(returnTo, oauth.Param{Name: "state", Value: state})
}

// signedOut serves the page after a sign-out without an address to return to.
func (a *API) signedOut(w http.ResponseWriter, r *http.Request) error {
	return a.page(w, r, web.PageSignedOut, nil)
}

// readSignOut reads the parameters of a sign-out from the URL or a form.
func (a *API) readSignOut(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if r.Method == http.MethodPost {
		return a.http.ReadForm(w, r)
	}
	if err := getOnly(w, r); err != nil { // a HEAD ends nothing
		return nil, err
	}
	return query(r)
}

// signedIn returns the ID token of a sign-out, and its client.
func (a *API) signedIn(r *http.Request, in url.Values) (*token.IDClaims, *tenant.Client, error) {
	if in.Get("id_token_hint") == "" {
		return nil, nil, refuseSignOut("id_token_hint is missing. The service keeps no session that could be ended without it.")
	}
	hint, err := a.signer.VerifyHint(r.Context(), in.Get("id_token_hint"))
	if err != nil {
		return nil, nil, err
	}
	if hint == nil || hint.Issuer != a.own.URL {
		if err := a.limits.countRefused(nil, r); err != nil {
			return nil, nil, err
		}
		return nil, nil, refuseSignOut("id_token_hint is not an ID token of this service, or ended more than 30 days ago.")
	}
	if id := in.Get("client_id"); id != "" && id != hint.Audience {
		return nil, nil, refuseSignOut("id_token_hint is an ID token of another client than client_id.")
	}
	client, err := activeClient(a.tenants.ClientNow(r.Context(), hint.Audience))
	return hint, client, err
}

func refuseSignOut(description string) error {
	return apierror.AuthSignOutRequest.Err().Detailf("%s", description)
}
