package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/httpx/accesstest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// TestAccess compares the callers of each route of the JSON API and of the dashboard with testdata/access.txt. A
// commit that changes a line of the file must explain the change. `go test -run '^TestAccess$' ./messaging/dashboard
// -record` writes the file again.
func TestAccess(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t), accountsSetURL)
	m := accesstest.Matrix{
		URL: w.URL, Routes: append(w.API.Routes(), w.Pages.Routes()...), Code: "code",
		Form: func(path string) bool { return strings.HasPrefix(path, "/dashboard") },
		Skip: func(r httpx.Route) bool {
			return strings.HasPrefix(r.Path, "/static/") || strings.HasPrefix(r.Path, "/docs")
		},
		After: func() { // signing out is also a route
			w.Exec(`INSERT INTO account_sessions SELECT * FROM saved_sessions WHERE 1 = 1 ON CONFLICT DO NOTHING`)
		},
	}
	cookies := func(p *messagingtest.Person) []*http.Cookie {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+"/dashboard", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		return p.Client.Jar.Cookies(r.URL)
	}
	old := cookies(w.SignIn(messagingtest.OwnerEmail))
	w.Clock.Advance(20 * time.Minute)
	owner := cookies(w.SignIn(messagingtest.OwnerEmail))
	developer := cookies(w.Member("developer@example.com", account.RoleDeveloper))
	viewer := cookies(w.Member("viewer@example.com", account.RoleViewer))
	if _, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Other", Email: "other@example.com", Plan: "pro"}); err != nil {
		t.Fatal(err)
	}
	foreign := cookies(w.SignIn("other@example.com"))
	w.Exec(`CREATE TABLE saved_sessions AS SELECT * FROM account_sessions`)

	project, err := w.Directory.CreateProject(t.Context(), w.Account.ID, "Boutique")
	if err != nil {
		t.Fatal(err)
	}
	w.Receive(t, "22376000001", "in1", "Bonjour")
	sent := w.Submit(t, &message.Request{To: "22376000001", Channel: gateway.SMS, Content: message.Content{Text: "Bonjour"}}).Message.ID
	first := func(query string) (id string) {
		if found, err := w.DB.Read(t.Context()).Row(query, w.Account.ID).Scan(&id); err != nil || !found {
			t.Fatalf("%s: found %v, %v", query, found, err)
		}
		return id
	}
	conversation := first(`SELECT id FROM conversations WHERE account_id = $1`)
	m.Objects = map[string]string{
		"/api/status": sent, "/dashboard/messages": sent,
		"/api/inbox/conversations": conversation, "/dashboard/inbox": conversation,
		"/api/senders": w.Account.Senders[0].ID, "/dashboard/senders": w.Account.Senders[0].ID,
		"/dashboard/keys": w.LiveCaller.KeyID, "/dashboard/projects": project.ID,
		"/dashboard/team/members": first(`SELECT id FROM members WHERE account_id = $1 AND role = 'viewer'`),
	}
	bearer := func(key string) http.Header { return http.Header{"Authorization": {"Bearer " + key}} }
	test := w.Key(t, w.Account.ID, "", account.Test)
	m.Callers = []accesstest.Caller{
		{Name: "nobody"},
		{Name: "project key", Header: bearer(w.Key(t, w.Account.ID, project.ID, account.ProjectKey))},
		{Name: "test key", Header: bearer(test)},
		{Name: "live key", Header: bearer(w.LiveKey)},
		{Name: "live key as X-API-Key", Header: http.Header{"X-Api-Key": {w.LiveKey}}},
		{Name: "two keys that differ", Header: http.Header{"Authorization": {"Bearer " + w.LiveKey}, "X-Api-Key": {test}}},
		{Name: "viewer", Cookies: viewer, Origin: w.URL},
		{Name: "developer", Cookies: developer, Origin: w.URL},
		{Name: "owner without a recent code", Cookies: old, Origin: w.URL},
		{Name: "owner", Cookies: owner, Origin: w.URL},
		{Name: "owner from a foreign origin", Cookies: owner, Origin: "https://elsewhere.example"},
		{Name: "owner without an origin", Cookies: owner},
		{Name: "owner of another account", Cookies: foreign, Origin: w.URL},
	}
	m.Compare(t)
}
