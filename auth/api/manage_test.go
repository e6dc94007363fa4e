package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

const goodClient = `{"type":"CONFIDENTIAL","mode":"TEST","redirectUris":["` + redirect + `"]}`

// dashboard is the browser of a tenant's own user.
type dashboard struct {
	*service
	tenant tenant.Tenant
	key    string
	cookie string
}

// invited returns a user with an unused invitation key.
func (s *service) invited(of tenant.Tenant) *dashboard {
	s.t.Helper()
	key, err := s.Tenants.CreateInvitation(context.Background(), of.ID, tenant.InvitationTime)
	if err != nil {
		s.t.Fatal(err)
	}
	return &dashboard{service: s, tenant: of, key: key}
}

// dashboard returns a user who has signed in.
func (s *service) dashboard(of tenant.Tenant) *dashboard {
	s.t.Helper()
	d := s.invited(of)
	if got := d.login(); got.status != http.StatusOK {
		s.t.Fatalf("login: %d %s", got.status, got.body)
	}
	return d
}

func (d *dashboard) login() answer {
	d.t.Helper()
	got := d.send("POST", "/manage/login", fmt.Sprintf(`{"tenantId":%q,"key":%q}`, d.tenant.ID, d.key))
	if c := setCookie(got); c != nil {
		d.cookie = c.Value
	}
	return got
}

func setCookie(a answer) *http.Cookie {
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		if c.Name == "svc_dashboard" {
			return c
		}
	}
	return nil
}

func (d *dashboard) send(method, path, body string, header ...string) answer {
	d.t.Helper()
	r := d.request(method, path, body, append([]string{"Origin", d.URL}, header...)...)
	if d.cookie != "" {
		r.AddCookie(&http.Cookie{Name: "svc_dashboard", Value: d.cookie})
	}
	return d.do(r)
}

// createClient creates a client.
func (d *dashboard) createClient(body string) map[string]any {
	d.t.Helper()
	got := d.send("POST", "/manage/clients", body)
	if got.status != http.StatusCreated {
		d.t.Fatalf("create: %d %s", got.status, got.body)
	}
	return got.json(d.t)
}

func (d *dashboard) overview() map[string]any {
	d.t.Helper()
	got := d.send("GET", "/manage/overview", "")
	if got.status != http.StatusOK {
		d.t.Fatalf("overview: %d %s", got.status, got.body)
	}
	return got.json(d.t)
}

// list returns the objects of one of an overview's lists.
func list(t testing.TB, overview map[string]any, name string) (out []map[string]any) {
	t.Helper()
	items, ok := overview[name].([]any)
	if !ok {
		t.Fatalf("%s is %v", name, overview[name])
	}
	for _, item := range items {
		out = append(out, item.(map[string]any))
	}
	return out
}

// allRows returns all rows that the dashboard can change, to check that a refused request changed nothing.
func (s *service) allRows() string {
	s.t.Helper()
	var out strings.Builder
	fmt.Fprint(&out, s.rows(), " sessions ", s.count(`SELECT count(*) FROM dashboard_sessions`))
	tenants, err := s.Tenants.ListTenants(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, of := range tenants {
		clients, err := s.Tenants.ListClients(context.Background(), of.ID)
		if err != nil {
			s.t.Fatal(err)
		}
		fmt.Fprintf(&out, "\n%s: %+v", of.Name, clients)
	}
	return out.String()
}

// manageCalls returns the endpoints of sessions and clients (L148 to L163).
func manageCalls(id string) map[string][2]string { // "METHOD path" -> method, path
	calls := map[string][2]string{}
	for _, c := range [][2]string{
		{"POST", "/manage/logout"},
		{"GET", "/manage/overview"},
		{"POST", "/manage/clients"},
		{"PATCH", "/manage/clients/" + id},
		{"POST", "/manage/clients/" + id + "/rotate"},
	} {
		calls[c[0]+" "+strings.Replace(c[1], id, "{id}", 1)] = c
	}
	return calls
}

// manageMore returns the JSON endpoints of the dashboard's other pages.
func manageMore(id string) map[string][2]string {
	calls := map[string][2]string{}
	for _, c := range [][2]string{
		{"GET", "/manage/stats"},
		{"GET", "/manage/events"},
		{"GET", "/manage/people"},
		{"DELETE", "/manage/people/" + id},
		{"POST", "/manage/people/" + id + "/move"},
		{"GET", "/manage/appearance"},
		{"PATCH", "/manage/appearance"},
		{"GET", "/manage/webhook"},
		{"POST", "/manage/webhook/enable"},
		{"POST", "/manage/webhook/rotate"},
		{"POST", "/manage/webhook/ping"},
		{"GET", "/manage/webhook/events"},
		{"POST", "/manage/webhook/events/evt_" + id + "/resend"},
		{"GET", "/manage/clients/" + id + "/connect"},
		{"PUT", "/manage/clients/" + id + "/connect"},
	} {
		calls[c[0]+" "+strings.Replace(c[1], id, "{id}", 1)] = c
	}
	return calls
}

// Rules: L149.
func TestManage_NeedsASession(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in := s.dashboard(s.Tenant)
		over := s.dashboard(s.Tenant)
		over.send("POST", "/manage/logout", "")
		id := text(t, in.createClient(goodClient), "id")
		before := s.allRows()
		calls := manageCalls(id)
		maps.Copy(calls, manageMore(id))
		for name, call := range calls {
			t.Run(name, func(t *testing.T) {
				for cookie, code := range map[string]string{
					"": "dashboard_missing", "short": "dashboard_missing", in.cookie + "x": "dashboard_missing",
					strings.Repeat("A", 43): "dashboard_expired", over.cookie: "dashboard_expired",
				} {
					(&dashboard{service: s.in(t), cookie: cookie}).send(call[0], call[1], "").refused(t, 401, "access_denied", code)
				}
				// The cookie of a login isn't accepted by the dashboard.
				s.in(t).do(s.request(call[0], call[1], "", "Origin", s.URL, "Cookie", "svc_sid="+in.cookie)).refused(t, 401, "access_denied", "dashboard_missing")
			})
		}
		if after := s.allRows(); after != before {
			t.Errorf("stored:\n%s\nbefore:\n%s", after, before)
		}
	})
}

// Rules: L150.
func TestManage_OnlyFromItsOwnPages(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	in := s.dashboard(s.Tenant)
	id := text(t, in.createClient(goodClient), "id")
	before := s.allRows()
	calls := manageCalls(id)
	maps.Copy(calls, manageMore(id))
	calls["POST /manage/login"] = [2]string{"POST", "/manage/login"}
	for name, call := range calls {
		if call[0] == "GET" {
			if got := in.send(call[0], call[1], "", "Origin", "https://evil.example"); got.status != http.StatusOK || got.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s: %d %v", name, got.status, got.header)
			}
			continue
		}
		bodies := map[string]string{
			"/manage/login":         fmt.Sprintf(`{"tenantId":%q,"key":%q}`, s.Tenant.ID, in.key),
			"/manage/clients":       goodClient,
			"/manage/clients/" + id: `{"redirectUris":["` + redirect + `"],"active":false}`,
		}
		for _, origin := range []string{"", "null", "https://evil.example", s.URL + "/", strings.Replace(s.URL, "127.0.0.1", "localhost", 1)} {
			r := s.request(call[0], call[1], bodies[call[1]], "Cookie", "svc_dashboard="+in.cookie)
			if origin != "" {
				r.Header.Set("Origin", origin)
			}
			s.do(r).refused(t, 403, "access_denied", "origin_mismatch")
		}
		for _, site := range []string{"cross-site", "same-site"} {
			in.send(call[0], call[1], bodies[call[1]], "Sec-Fetch-Site", site).refused(t, 403, "access_denied", "origin_mismatch")
		}
		in.send("TRACE", call[1], "").refused(t, 405, "invalid_request", "method_not_allowed")
	}
	if after := s.allRows(); after != before {
		t.Errorf("stored:\n%s\nbefore:\n%s", after, before)
	}
}

// Rules: L3, L152, L153, L154, L155, L156.
func TestOverview(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in := s.dashboard(s.Tenant)
		if got := in.overview(); fmt.Sprint(got["tenant"]) != fmt.Sprint(map[string]any{"id": s.Tenant.ID, "name": "Bamako Bank"}) || len(list(t, got, "clients")) != 0 {
			t.Errorf("a tenant without clients: %v", got)
		}
		s.Clock.Advance(time.Second)
		a := s.app(tenant.Confidential, tenant.Live)
		s.Clock.Advance(time.Second)
		b := s.browser()
		loginID := b.start(a)
		s.Clock.Advance(time.Second)
		s.accepted("m1", alice, b.words(loginID))
		got := in.overview()
		want := map[string]any{
			"id": a.ID, "tenantId": s.Tenant.ID, "clientId": a.ClientID, "type": "CONFIDENTIAL", "mode": "LIVE",
			"redirectUris": []any{redirect, localRedirect}, "active": true,
		}
		if clients := list(t, got, "clients"); len(clients) != 1 || fmt.Sprint(clients[0]) != fmt.Sprint(want) {
			t.Errorf("clients: %v, want %v", clients, want)
		}
		events := list(t, got, "events")
		var types []string
		for _, e := range events {
			types = append(types, text(t, e, "type"))
		}
		if fmt.Sprint(types) != "[login.verified login.started client.created dashboard.login]" {
			t.Fatalf("events: %v", types)
		}
		verified, started, created, login := events[0], events[1], events[2], events[3]
		for member, want := range map[string]any{
			"at": "2026-03-01T12:00:03.000Z", "actor": "user", "clientId": a.ClientID, "loginId": loginID, "mode": "LIVE", "result": "ok",
			"errorCode": nil, "phone": "+223*****210", "ip": nil, "requestId": nil,
		} {
			if verified[member] != want {
				t.Errorf("login.verified: %s is %v, want %v", member, verified[member], want)
			}
		}
		if started["ip"] != "127.0.0.0/24" || started["requestId"] == nil || started["phone"] != nil {
			t.Errorf("login.started: %v", started)
		}
		if created["actor"] != "system" || created["clientId"] != a.ClientID || created["mode"] != "LIVE" || created["loginId"] != nil {
			t.Errorf("client.created: %v", created)
		}
		if login["actor"] != "tenant" || login["clientId"] != nil || login["mode"] != nil || login["ip"] != "127.0.0.0/24" || len(login) != 12 {
			t.Errorf("dashboard.login: %v", login)
		}
		body, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{alice, a.Secret, in.key, in.cookie, "127.0.0.1\"", `"127.0.0.1`} {
			if strings.Contains(string(body), secret) {
				t.Errorf("the overview contains %q", secret)
			}
		}
	})
}

// Rules: L155.
func TestOverview_HasTheFiftyLatestEvents(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	in := s.dashboard(s.Tenant)
	id := text(t, in.createClient(goodClient), "id")
	var requests []string
	for i := range 51 {
		s.Clock.Advance(time.Second)
		got := in.send("PATCH", "/manage/clients/"+id, fmt.Sprintf(`{"redirectUris":[%q],"active":%t}`, redirect, i%2 == 0))
		got.must(t, http.StatusOK)
		requests = append(requests, got.header.Get("X-Request-Id"))
	}
	events := list(t, in.overview(), "events")
	if len(events) != 50 {
		t.Fatalf("%d events", len(events))
	}
	for i, e := range events {
		if want := requests[50-i]; e["requestId"] != want || e["type"] != "client.updated" {
			t.Errorf("event %d is of request %v, want %s", i, e["requestId"], want)
		}
	}
}

// The latest events are listed regardless of their type.
// Rules: L155.
func TestOverview_StartsAreEventsAsOthers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in, a, b := s.dashboard(s.Tenant), s.app(tenant.Public, tenant.Live), s.browser()
		for range 52 {
			s.Clock.Advance(time.Minute)
			b.start(a)
		}
		events := list(t, in.overview(), "events")
		if len(events) != 50 {
			t.Fatalf("%d events, want 50", len(events))
		}
		for i, e := range events {
			if at := s.Clock.Now().Add(-time.Duration(i) * time.Minute).UTC().Format("2006-01-02T15:04:05.000Z"); e["type"] != "login.started" || e["at"] != at {
				t.Errorf("event %d is %v of %v, want the start of %s", i, e["type"], e["at"], at)
			}
		}
	})
}

// Anyone can start logins and send wrong keys, so the events of each minute are one row.
// Rules: L155, L156.
func TestOverview_AFloodIsARowAMinute(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in, a, b := s.dashboard(s.Tenant), s.app(tenant.Public, tenant.Test), s.browser()
		s.Clock.Advance(time.Second)
		in.createClient(goodClient)
		wrong := fmt.Sprintf(`{"tenantId":%q,"key":%q}`, s.Tenant.ID, "inv_"+strings.Repeat("x", 43))
		for i := range 400 {
			from := fmt.Sprintf("192.0.2.%d", i%250)
			s.do(s.request("POST", "/manage/login", wrong, "X-Forwarded-For", from, "Origin", s.URL)).must(t, http.StatusUnauthorized)
			if i%20 == 0 {
				b.start(a)
			}
			if i == 0 {
				s.Clock.Advance(10 * time.Second)
			}
		}
		s.Clock.Advance(10 * time.Second)
		loginID := b.start(a)
		var got []string
		for _, e := range list(t, in.overview(), "events") {
			at, err := time.Parse(time.RFC3339, text(t, e, "at"))
			if err != nil {
				t.Fatal(err)
			}
			between := time.Duration(0)
			if e["count"] != nil {
				first, err := time.Parse(time.RFC3339, text(t, e, "firstAt"))
				if err != nil {
					t.Fatal(err)
				}
				between = at.Sub(first)
			}
			got = append(got, fmt.Sprint(e["type"], " ", e["count"], " ", e["loginId"], " ", e["ip"], " ", s.Clock.Now().Sub(at), " ", between))
		}
		slices.Sort(got)
		want := []string{
			"client.created <nil> <nil> 127.0.0.0/24 20s 0s", "client.created <nil> <nil> <nil> 21s 0s", "dashboard.login <nil> <nil> 127.0.0.0/24 21s 0s",
			"dashboard.login_failed 400 <nil> 192.0.2.0/24 10s 10s", "login.started 21 <nil> 127.0.0.0/24 0s 20s",
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("events %q, want %q", got, want)
		}
		if total, _ := in.send("GET", "/manage/stats?mode=TEST", "").json(t)["total"].(map[string]any); total["started"] != 21.0 {
			t.Errorf("statistics count %v starts, want 21", total["started"])
		}
		own := list(t, in.send("GET", "/manage/events?loginId="+loginID, "").json(t), "events")
		if len(own) != 1 || own[0]["type"] != "login.started" || own[0]["id"] != loginID || own[0]["clientId"] != a.ClientID || own[0]["mode"] != "TEST" {
			t.Errorf("the login's own events are %v, want its start", own)
		}
		s.Clock.Advance(time.Minute)
		b.start(a)
		newest := list(t, in.overview(), "events")[0]
		_, counted := newest["count"]
		_, spans := newest["firstAt"]
		if newest["type"] != "login.started" || counted || spans {
			t.Errorf("a minute later: %v, want a start of its own", newest)
		}
	})
}

// A tenant can only see and change its own data.
// Rules: L152, L164.
func TestManage_TenantsAreApart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in, other := s.dashboard(s.Tenant), s.dashboard(s.NewTenant(s.t, "Other"))
		mine, theirs := in.createClient(goodClient), other.createClient(goodClient)
		for of, want := range map[*dashboard]map[string]any{in: mine, other: theirs} {
			got := of.overview()
			if clients := list(t, got, "clients"); len(clients) != 1 || clients[0]["id"] != want["id"] || clients[0]["tenantId"] != of.tenant.ID {
				t.Errorf("%s sees the clients %v", of.tenant.Name, clients)
			}
			events := list(t, got, "events")
			for _, e := range events {
				if e["clientId"] != nil && e["clientId"] != want["clientId"] {
					t.Errorf("%s sees %v", of.tenant.Name, e)
				}
			}
			if len(events) != 2 {
				t.Errorf("%s sees %d events", of.tenant.Name, len(events))
			}
		}
		before := s.allRows()
		foreign := text(t, theirs, "id")
		for _, call := range [][2]string{{"PATCH", ""}, {"POST", "/rotate"}} {
			body := `{"redirectUris":["https://evil.example/"],"active":false}`
			if call[1] != "" {
				body = ""
			}
			var bodies []string
			// the client of another tenant, an unknown one, and the tenant's own by its public identifier
			for _, id := range []string{foreign, unknownID, strings.TrimPrefix(text(t, mine, "clientId"), "cl_test_")} {
				got := in.send(call[0], "/manage/clients/"+id+call[1], body)
				got.refused(t, 403, "access_denied", "client_not_found")
				bodies = append(bodies, strings.Replace(string(got.body), got.header.Get("X-Request-Id"), "", 1))
			}
			if bodies[0] != bodies[1] || bodies[1] != bodies[2] {
				t.Errorf("foreign and absent differ: %q", bodies)
			}
		}
		// An address that can't be registered reveals nothing.
		for _, id := range []string{foreign, unknownID} {
			in.send("PATCH", "/manage/clients/"+id, `{"redirectUris":["x"],"active":true}`).refused(t, 403, "access_denied", "client_not_found")
		}
		if after := s.allRows(); after != before {
			t.Errorf("stored:\n%s\nbefore:\n%s", after, before)
		}
	})
}

// Rules: L142, L166.
func TestManage_WithoutStorage(t *testing.T) {
	d := dbtest.Postgres(t)
	s := newService(t, d)
	in := s.dashboard(s.Tenant)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	calls := manageCalls(unknownID)
	calls["login"] = [2]string{"POST", "/manage/login"}
	for name, call := range calls {
		got := in.send(call[0], call[1], fmt.Sprintf(`{"tenantId":%q,"key":%q}`, s.Tenant.ID, in.key))
		got.refused(t, 503, "access_denied", "storage_unavailable")
		if got.header.Get("Retry-After") != "5" {
			t.Errorf("%s: Retry-After %q", name, got.header.Get("Retry-After"))
		}
	}
}

// A change by the dashboard and its audit event are stored together or not at all.
// Rules: L165.
func TestManage_NothingWithoutItsEvent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in := s.dashboard(s.Tenant)
		id := text(t, in.createClient(goodClient), "id")
		before := s.allRows()
		rename := func(from, to string) {
			t.Helper()
			s.Exec(t, `ALTER TABLE `+from+` RENAME TO `+to)
		}
		rename("audit_events", "elsewhere")
		bodies := map[string]string{"/manage/clients": goodClient, "/manage/clients/" + id: `{"redirectUris":["https://new.example/"],"active":false}`}
		for _, call := range manageCalls(id) {
			in.send(call[0], call[1], bodies[call[1]]).refused(t, 503, "access_denied", "storage_unavailable")
		}
		in.login().refused(t, 503, "access_denied", "storage_unavailable")
		rename("elsewhere", "audit_events")
		if after := s.allRows(); after != before {
			t.Errorf("stored:\n%s\nbefore:\n%s", after, before)
		}
	})
}
