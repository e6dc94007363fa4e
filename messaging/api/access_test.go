package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
)

// who lists the callers of a request, in the order of the columns below. The "owner with a past" has not entered a
// code from an email in the last 15 minutes.
var who = []string{"nobody", "live", "test", "project", "revoked", "owner", "owner with a past", "developer", "viewer", "stranger"}

const (
	in  = "in"
	no  = "unauthorized"
	not = "forbidden"
	ses = "session_required"
	acc = "account_required"
	own = "live_key_required"
	old = "recent_code_required"
)

// access lists the allowed callers of each route.
var access = map[string][]string{
	"POST /api/send":                             {no, in, in, in, no, no, no, no, no, no},
	"POST /api/send/batch":                       {no, in, in, in, no, no, no, no, no, no},
	"GET /api/status/{messageId}":                {no, in, in, in, no, in, in, in, in, acc},
	"GET /api/me":                                {no, ses, ses, ses, no, in, in, in, in, acc},
	"GET /api/partner/whatsapp/groups":           {no, in, in, not, no, in, in, not, not, acc},
	"POST /api/otp/send":                         {no, in, in, not, no, no, no, no, no, no},
	"POST /api/otp/verify":                       {no, in, in, not, no, no, no, no, no, no},
	"GET /api/svc-analytics":                     {no, in, in, not, no, in, in, not, in, acc},
	"GET /api/svc-logs":                          {no, in, in, in, no, in, in, in, in, acc},
	"GET /api/svc-logs.csv":                      {no, ses, ses, ses, no, in, old, not, not, acc},
	"GET /api/inbox/conversations":               {no, in, own, own, no, in, in, not, not, acc},
	"GET /api/inbox/conversations/{id}/messages": {no, in, own, own, no, in, in, not, not, acc},
	"POST /api/inbox/conversations/{id}/read":    {no, in, own, own, no, in, in, not, not, acc},
	"POST /api/inbox/conversations/{id}/reply":   {no, in, own, own, no, in, in, not, not, acc},
	"GET /api/inbox/revision":                    {no, in, own, own, no, in, in, not, not, acc},
	"GET /api/inbox/messages":                    {no, in, own, own, no, in, in, not, not, acc},
	"GET /api/media/{id}":                        {no, in, own, own, no, in, in, not, not, acc},
	"POST /api/inbox/conversations/{id}/unread":  {no, in, own, own, no, in, in, not, not, acc},
	"GET /api/webhooks":                          {no, in, own, own, no, in, in, not, not, acc},
	"GET /api/webhooks/events":                   {no, in, own, own, no, in, in, not, not, acc},
	"GET /api/webhooks/events/{eventId}":         {no, in, own, own, no, in, in, not, not, acc},
	"POST /api/webhooks/events/{eventId}/resend": {no, in, own, own, no, in, in, not, not, acc},
	"POST /api/webhooks/resend-failed":           {no, in, own, own, no, in, in, not, not, acc},
	"POST /api/webhooks/ping":                    {no, in, own, own, no, in, in, not, not, acc},
	"POST /api/webhooks/enable":                  {no, in, own, own, no, in, in, not, not, acc},
	"PUT /api/webhooks":                          {no, in, own, own, no, in, in, not, not, acc},
	"POST /api/webhooks/rotate-secret":           {no, in, own, own, no, in, in, not, not, acc},
	"POST /api/webhooks/stream/rotate-secret":    {no, in, own, own, no, in, in, not, not, acc},
	"GET /api/senders":                           {no, in, own, own, no, in, in, not, not, acc},
	"GET /api/senders/{id}":                      {no, in, own, own, no, in, in, not, not, acc},
	"POST /api/senders/{id}/pause":               {no, in, own, own, no, in, in, not, not, acc},
	"POST /api/senders/{id}/resume":              {no, in, own, own, no, in, in, not, not, acc},
	"POST /api/senders/{id}/pair":                {no, ses, ses, ses, no, in, old, not, not, acc},
	"DELETE /api/senders/{id}/pair":              {no, ses, ses, ses, no, in, old, not, not, acc},
	"GET /api/senders/{id}/pair/events":          {no, ses, ses, ses, no, in, old, not, not, acc},
	"POST /api/messages/{messageId}/cancel":      {no, in, in, not, no, in, in, not, not, acc},
	"GET /api/session":                           {no, ses, ses, ses, no, in, in, in, in, in},
	"POST /api/session":                          {in, in, in, in, in, in, in, in, in, in},
	"PATCH /api/session":                         {no, ses, ses, ses, no, in, in, in, in, in},
	"POST /api/session/verify":                   {in, in, in, in, in, in, in, in, in, in},
	"POST /api/session/invitation":               {no, ses, ses, ses, no, in, old, in, in, in},
	"GET /api/projects":                          {no, ses, ses, ses, no, in, in, in, in, acc},
	"POST /api/projects":                         {no, ses, ses, ses, no, in, in, in, not, acc},
	"GET /api/keys":                              {no, ses, ses, ses, no, in, in, in, not, acc},
	"POST /api/keys":                             {no, ses, ses, ses, no, in, old, in, not, acc},
	"POST /api/keys/{id}/rotate":                 {no, ses, ses, ses, no, in, old, in, not, acc},
	"PATCH /api/keys/{id}":                       {no, ses, ses, ses, no, in, old, not, not, acc},
	"DELETE /api/keys/{id}":                      {no, ses, ses, ses, no, in, old, in, not, acc},
	"GET /api/members":                           {no, ses, ses, ses, no, in, in, not, not, acc},
	"POST /api/members":                          {no, ses, ses, ses, no, in, old, not, not, acc},
	"DELETE /api/members/{id}":                   {no, ses, ses, ses, no, in, old, not, not, acc},
	"DELETE /api/invitations/{id}":               {no, ses, ses, ses, no, in, old, not, not, acc},
	"PATCH /api/projects/{id}":                   {no, ses, ses, ses, no, in, in, in, not, acc},
	"DELETE /api/projects/{id}":                  {no, ses, ses, ses, no, in, old, in, not, acc},
	"PATCH /api/members/{id}":                    {no, ses, ses, ses, no, in, old, not, not, acc},
	"POST /api/invitations/{id}/resend":          {no, ses, ses, ses, no, in, old, not, not, acc},
	"GET /api/opt-outs":                          {no, in, own, own, no, in, in, not, not, acc},
	"POST /api/opt-outs":                         {no, in, own, own, no, in, in, not, not, acc},
	"DELETE /api/opt-outs/{id}":                  {no, in, own, own, no, in, in, not, not, acc},
	"POST /api/people/export":                    {no, ses, ses, ses, no, in, old, not, not, acc},
	"POST /api/people/erase":                     {no, ses, ses, ses, no, in, old, not, not, acc},
	"GET /api/stats":                             {no, in, in, not, no, in, in, in, in, acc},
	"GET /api/otp/stats":                         {no, in, in, not, no, in, in, not, in, acc},
	"POST /api/account":                          {no, ses, ses, ses, no, not, not, not, not, not}, // sign-up is closed
	"PATCH /api/account":                         {no, ses, ses, ses, no, in, in, not, not, acc},
	"GET /api/key":                               {no, in, in, in, no, no, no, no, no, no},
	"GET /api/presets":                           {no, in, in, in, no, in, in, in, in, acc},
	"GET /api/alerts":                            {no, ses, ses, ses, no, in, in, in, in, acc},
	"GET /api/audit":                             {no, ses, ses, ses, no, in, in, not, not, acc},
	"GET /api/billing":                           {no, ses, ses, ses, no, in, in, not, not, acc},
	"POST /api/billing/checkout":                 {no, ses, ses, ses, no, in, old, not, not, acc},
	"POST /api/billing/portal":                   {no, ses, ses, ses, no, in, old, not, not, acc},
	"POST /api/account/transfer":                 {no, ses, ses, ses, no, in, old, not, not, acc},
	"POST /api/account/close":                    {no, ses, ses, ses, no, in, old, not, not, acc},
	"DELETE /api/session":                        {no, ses, ses, ses, no, in, in, in, in, in}, // last: it ends the sessions
}

// open lists the routes without authentication, and two with rules and tests of their own.
var open = []string{"POST /mcp", "GET /api/webhooks/stream", "POST /billing/stripe/events", "GET /healthz", "GET /openapi.yaml", "GET /terms", "GET /privacy", "GET /docs/errors", "GET /docs", "GET /docs/{page...}", "GET /docs/reference", "GET /docs/reference/{name}", "GET /static/{path...}"}

// routes lists the table's routes, the one that ends sessions last.
func routes() []string {
	var list []string
	for route := range access {
		if route != "DELETE /api/session" {
			list = append(list, route)
		}
	}
	slices.Sort(list)
	return append(list, "DELETE /api/session")
}

// Rules: M11, M14, M15, M16, M83, M121, M168, M170.
func TestAccess_EachKindOfKeyOnEachRoute(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d, accountsSetURL)
		for _, r := range p.api.Routes() {
			if route := r.Method + " " + r.Path; access[route] == nil && !slices.Contains(open, route) {
				t.Errorf("%s is not in the table", route)
			}
		}
		past := p.signIn(ownerEmail)
		p.Clock.Advance(account.RecentCode)
		owner := p.signIn(ownerEmail)
		developer, _ := p.member(owner, "awa@example.com", "developer")
		viewer, _ := p.member(owner, "moussa@example.com", "viewer")
		p.invited(owner, "eve@example.com")
		project, err := p.Directory.CreateProject(t.Context(), p.Account.ID, "Boutique")
		if err != nil {
			t.Fatal(err)
		}
		old, revoked, err := p.Directory.MakeKey(t.Context(), account.KeySpec{AccountID: p.Account.ID, Kind: account.Live})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Directory.RevokeKey(t.Context(), p.Account.ID, "", old.ID); err != nil {
			t.Fatal(err)
		}
		shows := map[string]string{
			"nobody": "X-Nothing: x", "live": "X-API-Key: " + p.LiveKey, "test": "X-API-Key: " + p.Key(t, p.Account.ID, "", account.Test),
			"project": "X-API-Key: " + p.Key(t, p.Account.ID, project.ID, account.ProjectKey), "revoked": "X-API-Key: " + revoked,
			"owner": owner, "owner with a past": past, "developer": developer, "viewer": viewer, "stranger": p.signIn("eve@example.com"),
		}
		for _, route := range routes() {
			method, path, _ := strings.Cut(route, " ")
			path = strings.NewReplacer("{messageId}", "msg_01KJWBG7G0NGJ7V25V1R3KGN47", "{id}", "none").Replace(path)
			body := ""
			if method == "POST" || method == "PUT" || method == "PATCH" {
				body = `{}`
			}
			for i, name := range who {
				a := p.do(method, path, body, shows[name], p.origin())
				got := a.text("code")
				if a.status != 401 && a.status != 403 {
					got = in
				}
				if got != access[route][i] {
					t.Errorf("%s by %s: %d %s, want %s", route, name, a.status, a.raw, access[route][i])
				}
				if a.status == 401 && a.header.Get("WWW-Authenticate") == "" {
					t.Errorf("%s by %s: 401 without WWW-Authenticate", route, name)
				}
			}
		}
	})
}

// Rules: M8, M121.
func TestAccess_AKeyGoesBeforeACookie(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	owner := p.signIn(ownerEmail)
	p.wants(p.do("GET", "/api/me", "", owner, "Authorization: Bearer "+p.LiveKey), 403, "session_required")
	p.wants(p.do("GET", "/api/me", "", owner, "Authorization: Basic eDp5"), 401, "unauthorized")
	p.wants(p.do("GET", "/api/svc-logs", "", owner, "X-API-Key: "+p.LiveKey+"x"), 401, "unauthorized")
	p.wants(p.do("GET", "/api/me", "", "Cookie: svc_account=short"), 401, "unauthorized")
	p.wants(p.do("GET", "/api/me", "", "Cookie: svc_account="+strings.Repeat("A", 43)), 401, "unauthorized")
	if a := p.do("GET", "/api/me", "", "Cookie: svc_account=short; "+strings.TrimPrefix(owner, "Cookie: ")); a.status != 200 {
		t.Errorf("behind another cookie of the name: %d", a.status)
	}
}

// A change is made only if a page of the service sends the request.
// Rules: M17.
func TestAccess_OnlyOwnPagesChangeAnything(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t), accountsSetURL)
	owner := p.signIn(ownerEmail)
	waittest.Receive(t, p.notices) // the last message of the sign-in is stored
	state := func() string {
		s := ""
		for _, table := range []string{"projects", "api_keys", "members", "member_invitations", "account_sessions", "sign_in_mails", "messages"} {
			s += fmt.Sprint(table, p.Int(t, "SELECT count(*) FROM "+table), " ")
		}
		return s
	}
	before := state()
	for _, route := range routes() {
		method, path, _ := strings.Cut(route, " ")
		if method == "GET" || strings.HasPrefix(path, "/api/send") || strings.HasPrefix(path, "/api/otp") { // these accept only keys
			continue
		}
		path = strings.NewReplacer("{messageId}", "msg_01KJWBG7G0NGJ7V25V1R3KGN47", "{id}", "none").Replace(path)
		body := `{"name":"x","kind":"live","email":"` + ownerEmail + `","code":"000000"}`
		if method == "DELETE" {
			body = ""
		}
		for _, headers := range [][]string{
			{},
			{"Origin: null"},
			{"Origin: https://evil.example"},
			{"Origin: " + p.URL + ".evil.example"},
			{p.origin(), "Sec-Fetch-Site: cross-site"},
			{p.origin(), "Sec-Fetch-Site: same-site"},
		} {
			a := p.do(method, path, body, append(headers, owner)...)
			if a.status != 403 || a.text("code") != "origin_mismatch" {
				t.Errorf("%s with %v: %d %s", route, headers, a.status, a.raw)
			}
		}
	}
	if after := state(); after != before {
		t.Errorf("changed:\n%s\n%s", before, after)
	}
	if a := p.do("POST", "/api/projects", `{"name":"x"}`, owner, p.origin(), "Sec-Fetch-Site: same-origin"); a.status != 201 {
		t.Errorf("an own page: %d %s", a.status, a.raw)
	}
}
