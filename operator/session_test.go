package operator_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"griot/internal/db"
	"griot/internal/db/dbtest"
	"griot/internal/httpx"
	"griot/operator"
)

func TestOpen_ALinkOpensThePagesOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.get("/operator").leads(t, "/")
		s.get("/operator?x=1").leads(t, "/")
		s.get("/?next=%2Foperator%2Faudit%3Fa%3Db").shows(t, "griot admin open", `value="/operator/audit?a=b"`, `autocomplete="one-time-code"`)
		s.get("/?next=https%3A%2F%2Fevil.example%2F").shows(t, `value="/operator"`)
		token := s.link()
		s.post("/operator/sign-in", "token", s.url+"/#"+token, "next", "/operator").leads(t, "/operator")
		c := s.cookie
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.MaxAge != 0 || !strings.HasSuffix(s.url, ":"+strings.TrimPrefix(c.Name, "griot_operator_")) {
			t.Errorf("the cookie is %+v, want HttpOnly, SameSite=Strict, until the browser is closed, and the port in its name", c)
		}
		s.get("/operator").shows(t, "<h1>Health</h1>", "v1.2.3")
		s.get("/").shows(t, "You are signed in in this browser.")
		if again := s.post("/operator/sign-in", "token", token); again.status != http.StatusUnauthorized || !strings.Contains(again.body, "This link opens nothing.") {
			t.Errorf("a link that was used: %d %s, want 401", again.status, again.body)
		}
		s.post("/operator/sign-out").leads(t, "/")
		s.cookie = c
		s.get("/operator").leads(t, "/")
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
	if got := s.post("/operator/sign-in", "token", late); got.status != http.StatusUnauthorized {
		t.Errorf("a link after a minute: %d, want 401", got.status)
	}
	first := s.link()
	for range 16 {
		s.link()
	}
	if got := s.post("/operator/sign-in", "token", first); got.status != http.StatusUnauthorized {
		t.Errorf("the oldest of 17 links: %d, want 401", got.status)
	}
	s.signIn()
	for range 25 { // what is used goes on, for twelve hours
		s.Clock.Advance(29 * time.Minute)
		if got := s.get("/operator").status; got != http.StatusOK {
			if open := s.Clock.Now().Sub(start(s)); open < 12*time.Hour {
				t.Fatalf("the session ended after %v", open)
			}
			break
		}
	}
	if s.get("/operator").status == http.StatusOK {
		t.Error("a session is open after twelve hours")
	}
	s.signIn()
	s.Clock.Advance(30 * time.Minute)
	s.get("/operator").leads(t, "/")
	s.signIn()
	oldest := s.cookie
	for range 32 {
		s.Clock.Advance(time.Second)
		s.signIn()
	}
	s.cookie = oldest
	s.get("/operator").leads(t, "/")
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
			if (got.status != http.StatusMisdirectedRequest) != want {
				t.Errorf("%s as %s: %d, want it answered: %v", path, host, got.status, want)
			}
		}
		if got := s.send("GET", path, nil, "X-Forwarded-For", "127.0.0.1"); got.status != http.StatusMisdirectedRequest {
			t.Errorf("%s through a proxy: %d, want 421", path, got.status)
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
				if got := s.send(r.Method, path, nil, "Origin", origin); got.status != http.StatusForbidden {
					t.Errorf("%s from %q: %d, want 403", path, origin, got.status)
				}
			}
			if got := s.send(r.Method, path, nil, "Sec-Fetch-Site", "same-site"); got.status != http.StatusForbidden {
				t.Errorf("%s from another port: %d, want 403", path, got.status)
			}
		}
		if !httpx.Below(path, operator.Home) || path == "/operator/sign-in" {
			continue
		}
		s.cookie = nil
		if got := s.send(r.Method, path, nil); got.status != http.StatusSeeOther || !strings.HasPrefix(got.location+"?", "/?") {
			t.Errorf("%s %s without a session: %d to %q, want 303 to /", r.Method, path, got.status, got.location)
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
		first.shows(t, "Nothing waits", map[db.Engine]string{db.SQLite: "SQLite has one process", db.Postgres: "this one"}[d.Engine()])
		s.Store(t, s.waiting())
		s.Clock.Advance(10 * time.Minute)
		s.get("/operator").shows(t, ">WhatsApp</th>", `<td class="num">1</td><td class="num">0</td>`, ">late<")
	})
}
