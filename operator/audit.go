package operator

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/internal/admin"
	"example.com/griot/internal/httpx"
	messagingadmin "example.com/griot/messaging/admin"
	"example.com/griot/web"
)

const (
	auditPath       = Home + "/audit"
	loginEventsPath = auditPath + "/logins"
)

func (p *Pages) auditRoutes() []httpx.Route {
	return []httpx.Route{
		{Method: "GET", Path: auditPath, Handler: p.page(p.audit)},
		{Method: "GET", Path: loginEventsPath, Handler: p.page(p.loginEvents)},
	}
}

func (v *visit) auditTabs() web.Tabs {
	return web.Tabs{Label: v.lang.T("operator.audit.title"), Items: []web.Tab{
		{URL: auditPath, Label: v.lang.T("operator.nav.messaging"), Current: v.r.URL.Path == auditPath}, {URL: loginEventsPath, Label: v.lang.T("operator.nav.login"), Current: v.r.URL.Path == loginEventsPath},
	}}
}

// filter is a text of the address by which a list is filtered.
func (v *visit) filter(name, label, hint string) (string, web.Field) {
	value := strings.TrimSpace(v.r.URL.Query().Get(name))
	return value, web.Field{ID: name, Name: name, Label: v.lang.T(label), Value: value, Placeholder: hint}
}

// audit lists the audit events of the messaging service.
func (p *Pages) audit(v *visit) error {
	in := messagingadmin.AuditInput{Before: v.r.URL.Query().Get("before"), Limit: listed}
	page := web.OperatorAudit{URL: auditPath, Tabs: v.auditTabs(), Fields: make([]web.Field, 2)}
	in.Account, page.Fields[0] = v.filter("account", "operator.audit.account", "")
	in.Action, page.Fields[1] = v.filter("action", "operator.audit.action", "key.created, key.")
	page.Filtered = in.Account+in.Action != ""
	found, err := verb[messagingadmin.AuditPage](v, "audit.list", in)
	if text, refused := admin.Refusal(err); refused {
		return v.showForm(http.StatusBadRequest, web.PageOperatorAudit, page, text)
	}
	if err != nil {
		return err
	}
	page.Pages = v.older(auditPath, found.Next)
	for i := range found.Events {
		page.Events = append(page.Events, auditLine(&found.Events[i]))
	}
	return v.show(web.PageOperatorAudit, page)
}

func auditLine(e *messagingadmin.AuditEvent) web.OperatorAuditEvent {
	out := web.OperatorAuditEvent{At: e.At, Action: e.Action, Actor: e.Actor, Who: strings.TrimSpace(e.ActorEmail + " " + e.ActorID), Target: e.Target, Network: e.Address}
	if e.AccountID != "" {
		out.Of, out.OfURL = e.AccountID, accountPath(e.AccountID)
	}
	var details []string
	for _, name := range slices.Sorted(maps.Keys(e.Details)) {
		details = append(details, name+": "+e.Details[name])
	}
	out.Details = strings.Join(details, ", ")
	return out
}

// loginEvents lists the audit events of the login service: a tenant's, or those that belong to none.
func (p *Pages) loginEvents(v *visit) error {
	in := authadmin.EventsInput{Before: v.r.URL.Query().Get("before"), Limit: listed + 1}
	page := web.OperatorAudit{URL: loginEventsPath, Tabs: v.auditTabs(), Fields: make([]web.Field, 3), Logins: true}
	in.TenantID, page.Fields[0] = v.filter("tenant", "operator.audit.tenant", "")
	in.Type, page.Fields[1] = v.filter("type", "operator.audit.type", "login.verified")
	in.LoginID, page.Fields[2] = v.filter("login", "operator.audit.login", "")
	page.Filtered = in.TenantID+in.Type+in.LoginID != ""
	found, err := verb[[]authadmin.Event](v, "events.list", in)
	if text, refused := admin.Refusal(err); refused {
		return v.showForm(http.StatusBadRequest, web.PageOperatorAudit, page, text)
	}
	if err != nil {
		return err
	}
	next := ""
	if len(found) > listed {
		found = found[:listed]
		next = found[listed-1].ID
	}
	page.Pages = v.older(loginEventsPath, next)
	for i := range found {
		page.Events = append(page.Events, loginLine(in.TenantID, &found[i]))
	}
	return v.show(web.PageOperatorAudit, page)
}

func loginLine(tenantID string, e *authadmin.Event) web.OperatorAuditEvent {
	out := web.OperatorAuditEvent{At: e.At, Action: e.Type, Actor: e.Actor, Target: e.ClientID, Network: e.IP, Failed: e.ErrorCode, Details: strings.TrimSpace(e.Phone + " " + e.Mode)}
	if e.LoginID != "" {
		out.Of, out.OfURL = e.LoginID, httpx.WithQuery(loginEventsPath, url.Values{"tenant": {tenantID}, "login": {e.LoginID}})
	}
	return out
}
