package dashboard_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/message"
)

var record = flag.Bool("record", false, "write testdata/access.txt instead of comparing with it")

// accessCaller is one kind of caller in the recorded access matrix.
type accessCaller struct {
	name    string
	header  http.Header
	cookies []*http.Cookie
	origin  string
}

// TestAccess compares who may call each route of the JSON API and of the dashboard with testdata/access.txt: per route the
// responses, and the callers that get each. A commit that changes a line of the file names the change. `go test -run
// '^TestAccess$' ./messaging/dashboard -record` writes the file again.
func TestAccess(t *testing.T) {
	var o api.Options
	w := newWorld(t, dbtest.SQLite(t), func(used *api.Options) { o = *used })
	surface, err := api.New(o)
	if err != nil {
		t.Fatal(err)
	}
	callers, path := accessWorld(t, w)
	w.Write(t, func(tx *db.Tx) error {
		_, err := tx.Exec(`CREATE TABLE saved_sessions AS SELECT * FROM account_sessions`)
		return err
	})
	var out strings.Builder
	for _, route := range append(surface.Routes(), w.pages.Routes()...) {
		if strings.HasPrefix(route.Path, "/static/") || strings.HasPrefix(route.Path, "/docs") {
			continue // they ask nobody who they are
		}
		by := map[string][]string{}
		for _, c := range callers {
			got := w.access(route.Method, path(route), c)
			by[got] = append(by[got], c.name)
			w.Write(t, func(tx *db.Tx) error { // signing out is a route too
				_, err := tx.Exec(`INSERT INTO account_sessions SELECT * FROM saved_sessions WHERE 1 = 1 ON CONFLICT DO NOTHING`)
				return err
			})
		}
		fmt.Fprintf(&out, "%s %s\n", route.Method, route.Path)
		for _, response := range slices.Sorted(maps.Keys(by)) {
			fmt.Fprintf(&out, "\t%s: %s\n", response, strings.Join(by[response], ", "))
		}
	}
	const file = "testdata/access.txt"
	if *record {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil { //nolint:gosec // it is committed
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	differences(t, strings.Split(string(want), "\n"), strings.Split(out.String(), "\n"))
}

// differences reports the lines of two recordings that differ, below their routes.
func differences(t *testing.T, want, got []string) {
	t.Helper()
	index := func(lines []string) map[string]bool {
		set, route := map[string]bool{}, ""
		for _, line := range lines {
			if !strings.HasPrefix(line, "\t") {
				route = line
			}
			set[route+"\n"+line] = true
		}
		return set
	}
	wanted, found := index(want), index(got)
	for _, line := range slices.Sorted(maps.Keys(wanted)) {
		if !found[line] {
			t.Errorf("no longer: %s", line)
		}
	}
	for _, line := range slices.Sorted(maps.Keys(found)) {
		if !wanted[line] {
			t.Errorf("new: %s", line)
		}
	}
}

// accessWorld makes the callers, and a function that fills in a route's path. Reading routes name objects that the account
// has; routes that change something name objects that don't exist, so that each caller finds the world as it was.
func accessWorld(t *testing.T, w *world) (callers []accessCaller, path func(httpx.Route) string) {
	t.Helper()
	cookies := func(p *person) []*http.Cookie {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+"/dashboard", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		return p.client.Jar.Cookies(r.URL)
	}
	old := cookies(w.signIn(ownerEmail))
	w.Clock.Advance(20 * time.Minute)
	owner := cookies(w.signIn(ownerEmail))
	developer := cookies(w.member("developer@example.com", account.RoleDeveloper))
	viewer := cookies(w.member("viewer@example.com", account.RoleViewer))
	if _, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Other", Email: "other@example.com", Plan: "pro"}); err != nil {
		t.Fatal(err)
	}
	foreign := cookies(w.signIn("other@example.com"))

	project, err := w.Directory.CreateProject(t.Context(), w.Account.ID, "Boutique")
	if err != nil {
		t.Fatal(err)
	}
	w.Receive(t, "22376000001", "in1", "Bonjour")
	sent, err := w.Engine.Submit(t.Context(), w.LiveCaller, &message.Request{To: "22376000001", Channel: gateway.SMS, Content: message.Content{Text: "Bonjour"}})
	if err != nil {
		t.Fatal(err)
	}
	bearer := func(key string) http.Header { return http.Header{"Authorization": {"Bearer " + key}} }
	test := w.Key(t, w.Account.ID, "", account.Test)
	callers = []accessCaller{
		{name: "nobody"},
		{name: "project key", header: bearer(w.Key(t, w.Account.ID, project.ID, account.ProjectKey))},
		{name: "test key", header: bearer(test)},
		{name: "live key", header: bearer(w.LiveKey)},
		{name: "live key as X-API-Key", header: http.Header{"X-Api-Key": {w.LiveKey}}},
		{name: "two keys that differ", header: http.Header{"Authorization": {"Bearer " + w.LiveKey}, "X-Api-Key": {test}}},
		{name: "viewer", cookies: viewer, origin: w.url},
		{name: "developer", cookies: developer, origin: w.url},
		{name: "owner without a recent code", cookies: old, origin: w.url},
		{name: "owner", cookies: owner, origin: w.url},
		{name: "owner from a foreign origin", cookies: owner, origin: "https://elsewhere.example"},
		{name: "owner without an origin", cookies: owner},
		{name: "owner of another account", cookies: foreign, origin: w.url},
	}
	first := func(query string) (id string) {
		if found, err := w.DB.Read(t.Context()).Row(query, w.Account.ID).Scan(&id); err != nil || !found {
			t.Fatalf("%s: found %v, %v", query, found, err)
		}
		return id
	}
	objects := map[string]string{
		"/api/status": sent.Message.ID, "/dashboard/messages": sent.Message.ID,
		"/api/inbox/conversations": first(`SELECT id FROM conversations WHERE account_id = $1`), "/dashboard/inbox": first(`SELECT id FROM conversations WHERE account_id = $1`),
		"/api/senders": w.Account.Senders[0].ID, "/dashboard/senders": w.Account.Senders[0].ID,
		"/dashboard/keys": w.LiveCaller.KeyID, "/dashboard/projects": project.ID,
		"/dashboard/team/members": first(`SELECT id FROM members WHERE account_id = $1 AND role = 'viewer'`),
	}
	return callers, func(r httpx.Route) string {
		before, rest, has := strings.Cut(r.Path, "/{")
		_, after, _ := strings.Cut(rest, "}")
		object := objects[before]
		switch {
		case !has:
			return r.Path
		case rest == "$}":
			return before + "/"
		case r.Method != http.MethodGet || object == "":
			object = "absent"
		}
		return before + "/" + object + after
	}
}

var ids = regexp.MustCompile(`\b([a-z]{3}_)?[0-9A-HJKMNP-TV-Z]{26}\b`)

// access makes one request, and returns its status with the error code or the page that it leads to.
func (w *world) access(method, path string, c accessCaller) string {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel() // ends streams
	body, contentType := "{}", "application/json"
	if strings.HasPrefix(path, "/dashboard") {
		body, contentType = "", "application/x-www-form-urlencoded"
	}
	r, err := http.NewRequestWithContext(ctx, method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	maps.Copy(r.Header, c.header)
	for _, cookie := range c.cookies {
		r.AddCookie(cookie)
	}
	if method != http.MethodGet {
		r.Header.Set("Content-Type", contentType)
	}
	if c.origin != "" {
		r.Header.Set("Origin", c.origin)
	}
	res, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	detail, err := url.QueryUnescape(res.Header.Get("Location"))
	if err != nil {
		w.t.Fatal(err)
	}
	if res.StatusCode >= 400 && strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		var refusal struct{ Code any }
		b, err := io.ReadAll(res.Body)
		if err == nil {
			err = json.Unmarshal(b, &refusal)
		}
		if err != nil {
			w.t.Fatal(err)
		}
		detail = fmt.Sprint(refusal.Code)
	}
	return strings.TrimSpace(fmt.Sprint(res.StatusCode, " ", ids.ReplaceAllString(detail, "ID")))
}
