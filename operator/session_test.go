package operator_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/httpx"
	"example.com/griot/operator"
)

func TestOpen_ALinkOpensThePagesOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.get("/operator").Leads(t, "/")
		s.get("/operator?x=1").Leads(t, "/")
		s.get("/?next=%2Foperator%2Faudit%3Fa%3Db").Shows(t, "griot admin open", `value="/operator/audit?a=b"`, `autocomplete="one-time-code"`)
		s.get("/?next=https%3A%2F%2Fevil.example%2F").Shows(t, `value="/operator"`)
		token := s.link()
		s.post("/operator/sign-in", "token", s.url+"/#"+token, "next", "/operator").Leads(t, "/operator")
		c := s.cookie
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.MaxAge != 0 || !strings.HasSuffix(s.url, ":"+strings.TrimPrefix(c.Name, "griot_operator_")) {
			t.Errorf("the cookie is %+v, want HttpOnly, SameSite=Strict, until the browser is closed, and the port in its name", c)
		}
		s.get("/operator").Shows(t, "<h1>Health</h1>", "v1.2.3")
		s.get("/").Shows(t, "You are signed in in this browser.")
		if again := s.post("/operator/sign-in", "token", token); again.Status != http.StatusUnauthorized || !strings.Contains(again.Body, "This link opens nothing.") {
			t.Errorf("a link that was used: %d %s, want 401", again.Status, again.Body)
		}
		s.post("/operator/sign-out").Leads(t, "/")
		s.cookie = c
		s.get("/operator").Leads(t, "/")
		if opened, closed := s.audited("session.opened"), s.audited("session.closed"); len(opened) != 1 || len(closed) != 1 || opened[0].Actor != "operator" || opened[0].Target != closed[0].Target {
			t.Errorf("audited %+v and %+v, want one of each of the same session, by the operator", opened, closed)
		}
	})
}

func TestOpen_LinksAndSessionsEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t, dbtest.SQLite(t))
	late := s.link()
	s.Clock.Advance(time.Minute)
	if got := s.post("/operator/sign-in", "token", late); got.Status != http.StatusUnauthorized {
		t.Errorf("a link after a minute: %d, want 401", got.Status)
	}
	first := s.link()
	for range 16 {
		s.link()
	}
	if got := s.post("/operator/sign-in", "token", first); got.Status != http.StatusUnauthorized {
		t.Errorf("the oldest of 17 links: %d, want 401", got.Status)
	}
	s.signIn()
	for range 25 { // what is used goes on, for twelve hours
		s.Clock.Advance(29 * time.Minute)
		if got := s.get("/operator").Status; got != http.StatusOK {
			if open := s.Clock.Now().Sub(start(s)); open < 12*time.Hour {
				t.Fatalf("the session ended after %v", open)
			}
			break
		}
	}
	if s.get("/operator").Status == http.StatusOK {
		t.Error("a session is open after twelve hours")
	}
	s.signIn()
	s.Clock.Advance(30 * time.Minute)
	s.get("/operator").Leads(t, "/")
	s.signIn()
	oldest := s.cookie
	for range 32 {
		s.Clock.Advance(time.Second)
		s.signIn()
	}
	s.cookie = oldest
	s.get("/operator").Leads(t, "/")
}

// start is when the world began, but for the minute that the first link has lasted.
func start(s *site) time.Time { return s.Account.CreatedAt.Add(time.Minute) }

// Another site can point a name of its own to this machine, and its pages would then have the same origin.
func TestPages_AnswerThisMachineOnly(t *testing.T) {
	t.Parallel()
	s := newSite(t, dbtest.SQLite(t))
	s.signIn()
	_, port, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), ":")
	for _, path := range []string{"/", "/operator", "/static/css/griot.css"} {
		for host, want := range map[string]bool{
			"127.0.0.1:" + port: true, "localhost:" + port: true, "[::1]:" + port: true, "127.0.0.1:9999": true, "LOCALHOST": true,
			"evil.example:" + port: false, "localhost.evil.example": false, "127.0.0.1.evil.example": false, "192.168.1.20:" + port: false, "0.0.0.0:" + port: false,
		} {
			got := s.send("GET", path, nil, "Host", host)
			if (got.Status != http.StatusMisdirectedRequest) != want {
				t.Errorf("%s as %s: %d, want it answered: %v", path, host, got.Status, want)
			}
		}
		if got := s.send("GET", path, nil, "X-Forwarded-For", "127.0.0.1"); got.Status != http.StatusMisdirectedRequest {
			t.Errorf("%s through a proxy: %d, want 421", path, got.Status)
		}
	}
}

func TestRoutes_FormsAreOfTheirOwnOrigin_AndAllOfASession(t *testing.T) {
	t.Parallel()
	s := newSite(t, dbtest.SQLite(t))
	s.signIn()
	signedIn, forms := s.cookie, 0
	for _, r := range s.pages.Routes() {
		path := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(r.Path, "x")
		if r.Method == http.MethodPost {
			forms++
			for _, origin := range []string{"", "null", "https://evil.example", "http://127.0.0.1:1", "http://localhost" + s.url[strings.LastIndex(s.url, ":"):]} {
				if got := s.send(r.Method, path, nil, "Origin", origin); got.Status != http.StatusForbidden {
					t.Errorf("%s from %q: %d, want 403", path, origin, got.Status)
				}
			}
			if got := s.send(r.Method, path, nil, "Sec-Fetch-Site", "same-site"); got.Status != http.StatusForbidden {
				t.Errorf("%s from another port: %d, want 403", path, got.Status)
			}
		}
		if !httpx.Below(path, operator.Home) || path == "/operator/sign-in" {
			continue
		}
		s.cookie = nil
		if got := s.send(r.Method, path, nil); got.Status != http.StatusSeeOther || !strings.HasPrefix(got.Location+"?", "/?") {
			t.Errorf("%s %s without a session: %d to %q, want 303 to /", r.Method, path, got.Status, got.Location)
		}
		s.cookie = signedIn
	}
	if forms < 30 {
		t.Errorf("%d forms were tried, want all", forms)
	}
}

func TestHealth_ShowsWhatWaits(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.signIn()
		first := s.get("/operator")
		first.Shows(t, "Nothing waits", map[db.Engine]string{db.SQLite: "SQLite has one process", db.Postgres: "this one"}[d.Engine()])
		s.Store(t, s.waiting())
		s.Clock.Advance(10 * time.Minute)
		s.get("/operator").Shows(t, ">WhatsApp</th>", `<td class="num">1</td><td class="num">0</td>`, ">late<")
	})
}
