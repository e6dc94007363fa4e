package dashboard

import (
	"errors"
	"net/http"
	"strings"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/stale"
	"example.com/griot/internal/visible"
	"example.com/griot/web"
)

// connectForm is the submitted form with a client's settings for OpenID Connect and native applications, and the reason
// for the refusal.
type connectForm struct {
	redirects, logoutURI string
	allowed              bool // the setting of the client's type: [tenant.Connect.StateOptional] or [tenant.Connect.AnyLoopbackPort]
	wrongRedirects       bool
	wrongURI, stale      bool
}

func savedConnect(c *tenant.Connect) *connectForm {
	return &connectForm{redirects: strings.Join(c.PostLogoutRedirectURIs, "\n"), logoutURI: c.BackchannelLogoutURI, allowed: c.StateOptional || c.AnyLoopbackPort}
}

// connectView returns the form for a client's page, with the health of the deliveries of logout tokens.
func (d *Dashboard) connectView(r *http.Request, v *visit, c *tenant.Client, in *connectForm) (view web.TenantConnect, err error) {
	view = web.TenantConnect{
		URL: clientPath(c.ID) + "/connect", Version: c.Connect.Version(), RedirectLines: in.redirects, WrongRedirects: in.wrongRedirects,
		LogoutURI: web.Field{ID: "backchannel", Name: "backchannel", Type: "url", Label: v.lang.T("tenant.connect.backchannel"), Value: in.logoutURI, Hint: v.lang.T("tenant.connect.backchannel_hint")},
	}
	view.Allowed, view.Allows, view.AllowsHint = in.allowed, v.lang.T("tenant.connect.state_optional"), v.lang.T("tenant.connect.state_optional_hint")
	if c.Type == tenant.Public {
		view.Allows, view.AllowsHint = v.lang.T("tenant.connect.any_port"), v.lang.T("tenant.connect.any_port_hint")
	}
	switch {
	case in.stale:
		view.LogoutURI.Wrong = web.StaleText(v.lang, in.logoutURI, c.Connect.BackchannelLogoutURI)
		view.StaleAllowed = web.StaleText(v.lang, onOrOff(v, in.allowed), onOrOff(v, savedConnect(&c.Connect).allowed))
		view.StaleRedirects = web.StaleText(v.lang, strings.Join(strings.Fields(in.redirects), " "), strings.Join(c.Connect.PostLogoutRedirectURIs, " "))
	case in.wrongURI:
		view.LogoutURI.Wrong = v.lang.T("tenant.connect.backchannel_wrong")
	}
	if c.Connect.BackchannelLogoutURI == "" {
		return view, nil
	}
	s, err := d.Clients.State(r.Context(), c.ID)
	if err != nil || s == nil {
		return view, err
	}
	state := &endpoint{}
	state.describe(v, s, d.Now())
	if !s.DisabledAt.IsZero() {
		state.Problem.Text = v.lang.T("tenant.connect.disabled")
	}
	view.State, view.Problem = &state.State, state.Problem
	return view, nil
}

// onOrOff names the state of a checkbox.
func onOrOff(v *visit, on bool) string {
	if on {
		return v.lang.T("tenant.connect.on")
	}
	return v.lang.T("tenant.connect.off")
}

// changeConnect handles POST /dashboard/clients/{id}/connect.
func (d *Dashboard) changeConnect(w http.ResponseWriter, r *http.Request, v *visit, c *tenant.Client) error {
	in, err := d.HTTP.ReadForm(w, r)
	if err != nil {
		return err
	}
	sent := &connectForm{redirects: in.Get("after"), logoutURI: visible.Trim(in.Get("backchannel")), allowed: in.Has("allow")}
	if sent.wrongURI = sent.logoutURI != "" && d.Clients.CheckURL(sent.logoutURI) != nil; sent.wrongURI {
		return d.showClient(w, r, v, http.StatusBadRequest, c, savedClient(c), sent)
	}
	_, err = d.Clients.Set(r.Context(), v.tenant.ID, c.ID, in.Get(stale.Field), tenant.Connect{
		PostLogoutRedirectURIs: tenant.Pasted(strings.Fields(sent.redirects)), BackchannelLogoutURI: sent.logoutURI,
		StateOptional: sent.allowed && c.Type == tenant.Confidential, AnyLoopbackPort: sent.allowed && c.Type == tenant.Public,
	})
	switch {
	case errors.Is(err, stale.Err):
		if c, err = d.owned(r, v); err != nil { // the client as it is stored now
			return err
		}
		sent.stale = true
		return d.showClient(w, r, v, http.StatusConflict, c, savedClient(c), sent)
	case errors.Is(err, tenant.ErrInvalidClient):
		sent.wrongRedirects = true
		return d.showClient(w, r, v, http.StatusBadRequest, c, savedClient(c), sent)
	case err != nil:
		return err
	}
	return d.done(w, v, clientPath(c.ID), once{Done: "tenant.done.saved"})
}
