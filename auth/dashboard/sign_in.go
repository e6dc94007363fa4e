package dashboard

import (
	"net/http"
	"strings"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/web"
)

// signInPage shows the form for a tenant's id and an invitation key.
func (d *Dashboard) signInPage(w http.ResponseWriter, r *http.Request) error {
	next := httpx.OwnPath(r.URL.Query().Get("next"), Home)
	v, err := d.visit(r)
	if err != nil {
		return err
	}
	if v != nil {
		return httpx.SeeOther(w, next)
	}
	if b := d.browserCookie(); b.Only(r) == "" { // so that the form can be sent twice
		b.Set(w, id.Token(32), 0)
	}
	return d.Pages.Serve(w, r, http.StatusOK, web.PageTenantSignIn, web.TenantSignIn{Next: next, Accounts: d.Accounts})
}

// signIn exchanges an invitation key for a session. The response is the same for all invalid values.
func (d *Dashboard) signIn(w http.ResponseWriter, r *http.Request) error {
	if err := d.LimitSignIn(r); err != nil {
		return err
	}
	in, err := d.HTTP.ReadForm(w, r)
	if err != nil {
		return err
	}
	next := httpx.OwnPath(in.Get("next"), Home)
	tenantID, key := strings.TrimSpace(in.Get("tenantId")), strings.TrimSpace(in.Get("key"))
	token, opened := "", false
	if id.Valid(tenantID) {
		var seeds forms.Seeds
		if browser := d.browserCookie().Only(r); browser != "" {
			seeds = d.seeds.MACs("session", key, browser)
		}
		if token, opened, err = d.Tenants.OpenDashboard(r.Context(), tenantID, key, seeds, tenant.CallerOf(r.Context())); err != nil {
			return err
		}
	}
	if !opened {
		return d.Pages.Serve(w, r, http.StatusUnauthorized, web.PageTenantSignIn, web.TenantSignIn{Next: next, TenantID: tenantID, Wrong: true, Accounts: d.Accounts})
	}
	Cookie(d.Own.Secure).Set(w, token, int(tenant.DashboardTime/time.Second))
	return httpx.SeeOther(w, next)
}

// browserCookie returns the cookie of a browser in which someone signs in. It lasts until the browser is closed.
func (d *Dashboard) browserCookie() httpx.TokenCookie {
	return httpx.TokenCookie{Name: "svc_dashboard_browser", Path: Home, Secure: d.Own.Secure, Host: true}
}

// signOut ends the session of the request.
func (d *Dashboard) signOut(w http.ResponseWriter, r *http.Request, v *visit) error {
	if _, err := d.Tenants.CloseDashboard(r.Context(), v.token, tenant.CallerOf(r.Context())); err != nil {
		return err
	}
	Cookie(d.Own.Secure).Clear(w)
	return httpx.SeeOther(w, signInPath)
}
