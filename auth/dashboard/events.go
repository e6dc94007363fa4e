package dashboard

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/web"
)

const (
	eventsPage = 50    // events per page
	allEvents  = "all" // the value of the choice that includes all events
)

// events lists the tenant's events, or shows one login as a timeline. By default, it omits starts of logins and failed
// sign-ins, because strangers can cause any number of them.
func (d *Dashboard) events(w http.ResponseWriter, r *http.Request, v *visit) error {
	q := r.URL.Query()
	f := tenant.EventFilter{Type: q.Get("type"), LoginID: strings.TrimSpace(q.Get("login")), Before: q.Get("before"), Limit: eventsPage}
	all := f.Type == allEvents
	if !slices.Contains(tenant.EventTypes(), f.Type) {
		f.Type = ""
	}
	f.WithoutCounted = !all
	if !id.Valid(f.Before) {
		f.Before = ""
	}
	page := web.TenantEvents{URL: eventsPath, Login: f.LoginID, Filtered: all || f.Type != "" || f.LoginID != "" || f.Before != "", Type: web.Select{
		ID: "type", Name: "type", Label: v.lang.T("tenant.events.type"), Options: []web.Option{
			{Label: v.lang.T("tenant.events.without_counted")}, {Value: allEvents, Label: v.lang.T("tenant.events.all"), Selected: all},
		},
	}}
	for _, typ := range tenant.EventTypes() {
		page.Type.Options = append(page.Type.Options, web.Option{Value: typ, Label: typ, Selected: typ == f.Type})
	}
	found, next, err := d.Tenants.SearchEvents(r.Context(), v.tenant.ID, f)
	if err != nil {
		return err
	}
	clients, err := d.Tenants.ListClients(r.Context(), v.tenant.ID)
	if err != nil {
		return err
	}
	page.Logins = byLogin(v, clients, found)
	if f.LoginID != "" {
		for i := len(found) - 1; i >= 0; i-- { // oldest first
			page.Steps = append(page.Steps, stepOf(v, clients, &found[i]))
		}
	}
	if next != "" {
		older := url.Values{"before": {next}}
		typ := f.Type
		if all {
			typ = allEvents
		}
		for name, value := range map[string]string{"type": typ, "login": f.LoginID} {
			if value != "" {
				older.Set(name, value)
			}
		}
		page.Pages.OlderURL = httpx.WithQuery(eventsPath, older)
	}
	return d.show(w, r, v, http.StatusOK, web.PageTenantEvents, once{}, page)
}

// byLogin groups events, newest first, by login. The login with the latest event comes first. An event without a login
// is a group of its own.
func byLogin(v *visit, clients []tenant.Client, found []tenant.StoredEvent) (groups []web.TenantLogin) {
	for i := range found {
		e := &found[i]
		line := eventView(v, e)
		at := slices.IndexFunc(groups, func(g web.TenantLogin) bool { return e.LoginID != "" && g.ID == e.LoginID })
		if at < 0 {
			at, groups = len(groups), append(groups, web.TenantLogin{ID: e.LoginID, URL: line.LoginURL, Mode: string(e.Mode)})
			groups[at].Client, groups[at].ClientURL = clientLink(clients, e.ClientID)
		}
		groups[at].Events = append(groups[at].Events, line)
	}
	return groups
}

func eventView(v *visit, e *tenant.StoredEvent) web.TenantEvent {
	out := web.TenantEvent{
		Count: e.Count, At: e.At, Type: e.Type, Phone: e.Phone, IP: e.IP,
		Result: web.Badge{Text: v.lang.T("tenant.events.ok"), Tone: web.Good},
	}
	if e.Count > 1 {
		out.Span = e.FirstAt.UTC().Format(time.TimeOnly) + " – " + e.At.UTC().Format(time.TimeOnly) + " UTC"
	}
	if e.LoginID != "" {
		out.LoginURL = httpx.WithQuery(eventsPath, url.Values{"login": {e.LoginID}})
	}
	if e.ErrorCode != "" {
		out.Result = web.Badge{Text: e.ErrorCode, Tone: web.Bad}
	}
	return out
}

// stepOf returns an event as a step of its login.
func stepOf(v *visit, clients []tenant.Client, e *tenant.StoredEvent) web.Step {
	titles := map[string]string{
		tenant.LoginStarted: "tenant.step.started", tenant.LoginActivated: "tenant.step.activated", tenant.LoginVerified: "tenant.step.verified",
		tenant.LoginDuplicate: "tenant.step.duplicate", tenant.LoginConflict: "tenant.step.conflict", tenant.LoginCanceled: "tenant.step.canceled",
		tenant.LoginHeld: "tenant.step.held", tenant.LoginNumberRequested: "tenant.step.number_requested", tenant.LoginOtherPerson: "tenant.step.other_person", tenant.LoginRefused: "tenant.step.refused", tenant.TokenIssued: "tenant.step.issued", tenant.TokenDenied: "tenant.step.denied",
		tenant.TokenRevoked: "tenant.step.revoked", tenant.CodeReplayed: "tenant.step.replayed",
	}
	s := web.Step{At: e.At, Title: e.Type, Tone: web.Good}
	if key, ok := titles[e.Type]; ok {
		s.Title = v.lang.T(key)
	}
	if e.ErrorCode != "" {
		s.Tone = web.Bad
	}
	var details []string
	client, _ := clientLink(clients, e.ClientID)
	for _, detail := range []string{e.ErrorCode, e.Phone, client, e.IP} {
		if detail != "" {
			details = append(details, detail)
		}
	}
	switch e.NumberSource {
	case string(gateway.NumberPaired):
		details = append(details, v.lang.T("tenant.step.paired"))
	case string(gateway.NumberShared):
		details = append(details, v.lang.T("tenant.step.shared"))
	}
	s.Text = strings.Join(details, " · ")
	return s
}
