package api

import (
	"net/http"
	"time"
	"unicode/utf8"

	"example.com/griot/auth/dashboard"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
)

const (
	minInvitationKey = 32 // characters (L144)
	overviewEvents   = 50 // L155
)

func (a *API) dashboardCookie() httpx.TokenCookie {
	return dashboard.Cookie(a.own.Secure)
}

type manageLoginIn struct {
	TenantID string `json:"tenantId"`
	Key      string `json:"key"`
}

// manageLogin exchanges an invitation key for a session.
func (a *API) manageLogin(w http.ResponseWriter, r *http.Request) error {
	if err := a.limits.manageLogin(r); err != nil {
		return err
	}
	in := &manageLoginIn{}
	if err := a.http.DecodeJSON(w, r, in); err != nil {
		return err
	}
	switch {
	case in.TenantID == "":
		return missing("tenantId")
	case !id.Valid(in.TenantID):
		return apierror.AuthMalformed("tenantId", anID26)
	case in.Key == "":
		return missing("key")
	case utf8.RuneCountInString(in.Key) < minInvitationKey:
		return apierror.AuthMalformed("key", "an invitation key of at least 32 characters")
	}
	token, opened, err := a.tenants.OpenDashboard(r.Context(), in.TenantID, in.Key, nil, tenant.CallerOf(r.Context()))
	if err != nil {
		return err
	}
	if !opened {
		return apierror.AuthInvitationInvalid.Err()
	}
	a.dashboardCookie().Set(w, token, int(tenant.DashboardTime/time.Second))
	return httpx.WriteJSON(w, http.StatusOK, okBody{true})
}

// manageLogout ends the session of the request.
func (a *API) manageLogout(w http.ResponseWriter, r *http.Request, _ *tenant.Tenant) error {
	closed := false
	for _, token := range a.dashboardCookie().Tokens(r) { // only one of them is valid
		one, err := a.tenants.CloseDashboard(r.Context(), token, tenant.CallerOf(r.Context()))
		if err != nil {
			return err
		}
		closed = closed || one
	}
	if !closed { // by another tab, a moment ago
		return apierror.AuthDashboardExpired.Err()
	}
	a.dashboardCookie().Clear(w)
	return httpx.WriteJSON(w, http.StatusOK, okBody{true})
}

type tenantOut struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type overviewOut struct {
	Tenant  tenantOut   `json:"tenant"`
	Clients []clientOut `json:"clients"`
	Events  []eventOut  `json:"events"`
}

// overview returns a tenant's clients and latest events.
func (a *API) overview(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	clients, err := a.tenants.ListClients(r.Context(), t.ID)
	if err != nil {
		return err
	}
	events, err := a.tenants.ListEvents(r.Context(), t.ID, overviewEvents)
	if err != nil {
		return err
	}
	out := overviewOut{Tenant: tenantOut{t.ID, t.Name}, Clients: []clientOut{}, Events: []eventOut{}}
	for i := range clients {
		out.Clients = append(out.Clients, newClientOut(&clients[i]))
	}
	for i := range events {
		out.Events = append(out.Events, newEventOut(&events[i]))
	}
	return httpx.WriteJSON(w, http.StatusOK, &out)
}
