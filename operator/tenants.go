package operator

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/internal/httpx"
	"example.com/griot/web"
)

const (
	tenantsPath    = Home + "/tenants"
	defaultInvited = 30 // days
	maxInvited     = 366
)

func (p *Pages) tenantsRoutes() []httpx.Route {
	at := tenantsPath + "/{id}"
	return []httpx.Route{
		{Method: "GET", Path: tenantsPath, Handler: p.page(p.tenants)},
		{Method: "POST", Path: tenantsPath, Handler: p.form(p.createTenant)},
		{Method: "GET", Path: at, Handler: p.page(p.tenant)},
		{Method: "POST", Path: at + "/rename", Handler: p.form(p.renameTenant)},
		{Method: "POST", Path: at + "/delete", Handler: p.form(p.deleteTenant)},
		{Method: "POST", Path: at + "/invitations", Handler: p.form(p.inviteTenant)},
		{Method: "POST", Path: at + "/invitations/{invitation}/revoke", Handler: p.form(p.revokeInvitation)},
		{Method: "POST", Path: at + "/clients/{client}/switch", Handler: p.form(p.switchClient)},
		{Method: "POST", Path: at + "/clients/{client}/rotate", Handler: p.form(p.rotateClient)},
		{Method: "POST", Path: at + "/clients/{client}/delete", Handler: p.form(p.deleteClient)},
		{Method: "POST", Path: at + "/webhook", Handler: p.form(p.setTenantWebhook)},
		{Method: "POST", Path: at + "/webhook/enable", Handler: p.form(p.changeTenantWebhook("tenants.webhook.enable", "operator.done.webhook_on"))},
		{Method: "POST", Path: at + "/webhook/disable", Handler: p.form(p.changeTenantWebhook("tenants.webhook.disable", "operator.done.webhook_off"))},
		{Method: "POST", Path: at + "/webhook/rotate", Handler: p.form(p.changeTenantWebhook("tenants.webhook.rotate-secret", "operator.done.rotated"))},
		{Method: "POST", Path: at + "/webhook/ping", Handler: p.form(p.pingTenantWebhook)},
		{Method: "POST", Path: at + "/webhook/resend-failed", Handler: p.form(p.resendTenantWebhook)},
	}
}

func tenantPath(id string) string { return tenantsPath + "/" + url.PathEscape(id) }

// tenants lists the tenants, or finds some.
func (p *Pages) tenants(v *visit) error {
	q := v.r.URL.Query()
	in := authadmin.TenantSearch{Text: strings.TrimSpace(q.Get("q")), Before: q.Get("before"), Limit: listed}
	found, err := verb[authadmin.TenantPage](v, "tenants.find", in)
	if err != nil {
		return err
	}
	page := web.OperatorTenants{URL: tenantsPath, Query: in.Text, Pages: v.older(tenantsPath, found.Next), Name: web.Field{ID: "name", Name: "name", Label: v.lang.T("operator.tenant.name"), Hint: v.lang.T("operator.tenant.name_hint"), Required: true}}
	for _, t := range found.Tenants {
		page.Tenants = append(page.Tenants, web.OperatorTenantLine{URL: tenantPath(t.ID), ID: t.ID, Name: t.Name, CreatedAt: t.CreatedAt})
	}
	return v.show(web.PageOperatorTenants, page)
}

func (p *Pages) createTenant(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	t, err := verb[authadmin.Tenant](v, "tenants.create", authadmin.TenantInput{Name: in.Get("name")})
	return v.leaveAfter(err, tenantsPath, tenantPath(t.ID), once{done: "operator.done.tenant_created"})
}

// tenant shows one tenant.
func (p *Pages) tenant(v *visit) error {
	of := authadmin.OfTenant{TenantID: v.r.PathValue("id")}
	t, err := verb[authadmin.Tenant](v, "tenants.show", of)
	if err != nil {
		return err
	}
	clients, err := verb[[]authadmin.Client](v, "clients.list", of)
	if err != nil {
		return err
	}
	invitations, err := verb[[]authadmin.Invitation](v, "invitations.list", of)
	if err != nil {
		return err
	}
	endpoint, err := verb[authadmin.Webhook](v, "tenants.webhook.show", of)
	if err != nil {
		return err
	}
	at := tenantPath(t.ID)
	page := web.OperatorTenant{
		OperatorTenantLine: web.OperatorTenantLine{URL: at, ID: t.ID, Name: t.Name, CreatedAt: t.CreatedAt}, TenantsURL: tenantsPath, EventsURL: httpx.WithQuery(loginEventsPath, url.Values{"tenant": {t.ID}}),
		Rename:   web.Field{ID: "name", Name: "name", Label: v.lang.T("operator.tenant.name"), Hint: v.lang.T("operator.tenant.name_hint"), Value: t.Name, Required: true},
		Endpoint: v.endpointLine(at+"/webhook", t.Name, &endpoint.View), Days: web.Field{ID: "days", Name: "days", Label: v.lang.T("operator.tenant.days"), InputMode: "numeric", Value: fmt.Sprint(defaultInvited), Required: true},
	}
	from, to := v.part(&page.Pages, at, max(len(clients), len(invitations)))
	for _, c := range clients[min(from, len(clients)):min(to, len(clients))] {
		page.Clients = append(page.Clients, web.OperatorClient{
			SwitchURL: at + "/clients/" + url.PathEscape(c.ClientID) + "/switch", RotateURL: at + "/clients/" + url.PathEscape(c.ClientID) + "/rotate",
			DeleteURL: at + "/clients/" + url.PathEscape(c.ClientID) + "/delete", ID: c.ID, ClientID: c.ClientID, Mode: c.Mode,
			Confidential: c.Type == "CONFIDENTIAL", Active: c.Active,
		})
	}
	for i := from; i < min(to, len(invitations)); i++ {
		page.Invitations = append(page.Invitations, v.invitationLine(at, &invitations[len(invitations)-1-i])) // the newest first
	}
	return v.show(web.PageOperatorTenant, page)
}

// part returns the lines of the page that is asked for, of a list of n.
func (v *visit) part(pages *web.Pagination, path string, n int) (from, to int) {
	number, err := strconv.Atoi(v.r.URL.Query().Get("page"))
	if err != nil || number < 1 || (number-1)*listed >= n {
		number = 1
	}
	from, to = (number-1)*listed, number*listed
	if number > 1 {
		pages.NewerURL, pages.Text = httpx.WithQuery(path, url.Values{"page": {fmt.Sprint(number - 1)}}), v.lang.T("operator.prefixes.page", number)
	}
	if to < n {
		pages.OlderURL = httpx.WithQuery(path, url.Values{"page": {fmt.Sprint(number + 1)}})
	}
	return from, to
}

func (v *visit) invitationLine(at string, i *authadmin.Invitation) web.OperatorInvitation {
	out := web.OperatorInvitation{ID: i.ID, SingleUse: i.SingleUse, CreatedAt: i.CreatedAt, ExpiresAt: i.ExpiresAt, State: web.Badge{Text: v.lang.T("operator.invitation.valid"), Tone: web.Good}}
	switch {
	case i.RevokedAt != nil:
		out.State = web.Badge{Text: v.lang.T("operator.invitation.revoked")}
		return out
	case !v.pages.o.Now().Before(i.ExpiresAt):
		out.State = web.Badge{Text: v.lang.T("operator.invitation.expired")}
	case i.UsedAt != nil && i.SingleUse:
		out.State = web.Badge{Text: v.lang.T("operator.invitation.used")}
	}
	out.RevokeURL = at + "/invitations/" + url.PathEscape(i.ID) + "/revoke" // its sessions end too
	return out
}

// inviteTenant makes a key to the tenant's dashboard, which the next page shows once.
func (p *Pages) inviteTenant(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	id := v.r.PathValue("id")
	days, ok := number(in.Get("days"))
	if !ok || days < 1 || days > maxInvited {
		return v.leave(tenantPath(id), once{wrong: "operator.tenant.days_wrong"})
	}
	input := authadmin.InvitationInput{TenantID: id, TTLSeconds: days * int64(24*time.Hour/time.Second), SingleUse: in.Get("single") == "on"}
	return act(v, tenantPath(id), "invitations.create", input, func(i authadmin.NewInvitation) once {
		return once{done: "operator.done.invited", secret: i.Key, title: "invitation key"}
	})
}

func (p *Pages) revokeInvitation(v *visit) error {
	return act(v, tenantPath(v.r.PathValue("id"))+"#invitations", "invitations.revoke", authadmin.ByID{ID: v.r.PathValue("invitation")}, done("operator.done.invitation_revoked"))
}

func (p *Pages) switchClient(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	name, key := "clients.deactivate", "operator.done.client_off"
	if in.Get("active") == "true" {
		name, key = "clients.activate", "operator.done.client_on"
	}
	return act(v, tenantPath(v.r.PathValue("id")), name, authadmin.ByClientID{ClientID: v.r.PathValue("client")}, done(key))
}

func (p *Pages) rotateClient(v *visit) error {
	return act(v, tenantPath(v.r.PathValue("id")), "clients.rotate", authadmin.ByClientID{ClientID: v.r.PathValue("client")}, func(c authadmin.Client) once {
		return once{done: "operator.done.rotated", secret: c.ClientSecret, title: "client_secret"}
	})
}

func (p *Pages) setTenantWebhook(v *visit) error {
	in, err := p.http.ReadForm(v.w, v.r)
	if err != nil {
		return err
	}
	id := v.r.PathValue("id")
	if in.Get("confirm") != "yes" {
		return v.leave(tenantPath(id), once{wrong: "operator.confirm.missing"})
	}
	return act(v, tenantPath(id), "tenants.webhook.set", authadmin.WebhookInput{TenantID: id, URL: strings.TrimSpace(in.Get("url"))}, tenantWebhookDone("operator.done.saved"))
}

func tenantWebhookDone(key string) func(authadmin.Webhook) once {
	return func(w authadmin.Webhook) once { return once{done: key, secret: w.Secret, title: "webhook secret"} }
}

func (p *Pages) changeTenantWebhook(name, key string) visitHandler {
	return func(v *visit) error {
		id := v.r.PathValue("id")
		return act(v, tenantPath(id), name, authadmin.OfTenant{TenantID: id}, tenantWebhookDone(key))
	}
}

func (p *Pages) pingTenantWebhook(v *visit) error {
	id := v.r.PathValue("id")
	return act(v, tenantPath(id), "tenants.webhook.ping", authadmin.OfTenant{TenantID: id}, done("operator.done.pinged"))
}

func (p *Pages) resendTenantWebhook(v *visit) error {
	id := v.r.PathValue("id")
	return act(v, tenantPath(id), "tenants.webhook.resend-failed", authadmin.SinceInput{TenantID: id, Since: p.o.Now().Add(-resendSince)}, done("operator.done.resent"))
}
