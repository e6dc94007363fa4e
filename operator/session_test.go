package operator_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/operator"
	"example.com/griot/operator/operatortest"
)

func TestOpen_ALinkOpensThePagesOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.Get("/operator").Leads(t, "/")
		s.Get("/operator?x=1").Leads(t, "/")
		s.Get("/?next=%2Foperator%2Faudit%3Fa%3Db").Shows(t, "griot admin open", `value="/operator/audit?a=b"`, `autocomplete="one-time-code"`)
		s.Get("/?next=https%3A%2F%2Fevil.example%2F").Shows(t, `value="/operator"`)
		s.Get("/").Shows(t, `<a href="http://api.example/dashboard">account dashboard</a>`, `<a href="http://login.example/dashboard">login dashboard</a>`)
		token := s.Link()
		s.Post("/operator/sign-in", "token", s.URL+"/#"+token, "next", "/operator").Leads(t, "/operator")
		c := s.Cookie
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.MaxAge != 0 || !strings.HasSuffix(s.URL, ":"+strings.TrimPrefix(c.Name, "griot_operator_")) {
			t.Errorf("the cookie is %+v, want HttpOnly, SameSite=Strict, until the browser is closed, and the port in its name", c)
		}
		s.Get("/operator").Shows(t, "<h1>Health</h1>", "v1.2.3")
		s.Get("/").Shows(t, "You are signed in in this browser.")
		s.Clock.Advance(forms.RepeatTime)
		if again := s.Post("/operator/sign-in", "token", token); again.Status != http.StatusUnauthorized || !strings.Contains(again.Body, "A link works once, within one minute.") {
			t.Errorf("a link that was used: %d %s, want 401", again.Status, again.Body)
		}
		s.Post("/operator/sign-out").Leads(t, "/")
		s.Cookie = c
		s.Get("/operator").Leads(t, "/")
		if opened, closed := s.Audited("session.opened"), s.Audited("session.closed"); len(opened) != 1 || len(closed) != 1 || opened[0].Actor != "operator" || opened[0].Target != closed[0].Target {
			t.Errorf("audited %+v and %+v, want one of each of the same session, by the operator", opened, closed)
		}
	})
}

// Another program on this machine can set a cookie with the same name. If one value is valid, it is used, and if two
// are, none is.
func TestPages_CookiesOfOneName(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	first := s.Cookie
	s.SignIn()
	second := s.Cookie
	unknown := first.Name + "=" + strings.Repeat("x", httpx.TokenLength)
	s.Send(http.MethodGet, "/operator", nil, "Cookie", unknown).Shows(t, "<h1>Health</h1>")
	s.Send(http.MethodGet, "/operator", nil, "Cookie", second.String()).Shows(t, "<h1>Health</h1>")
	s.Send(http.MethodGet, "/operator", nil, "Cookie", first.Name+"="+first.Value).Leads(t, "/")
}

// A browser that sends the form twice gets the session of the first request, for 30 seconds and while it is open.
func TestOpen_ADoubleClick(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	give := func(token string) string {
		t.Helper()
		s.Cookie = nil // the browser has no response yet
		if got := s.Post("/operator/sign-in", "token", token); got.Status != http.StatusSeeOther {
			if got.Status != http.StatusUnauthorized || s.Cookie != nil {
				t.Errorf("got %d with the cookie %+v", got.Status, s.Cookie)
			}
			return ""
		}
		return s.Cookie.Value
	}
	token := s.Link()
	if first, again := give(token), give(token); first == "" || again != "" {
		t.Errorf("without a cookie of the form's page: %q and %q, want one session", first, again)
	}
	s.Cookie = nil
	s.Get("/")
	if c := s.Browser; c == nil || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.MaxAge != 0 {
		t.Fatalf("the page sets %+v", c)
	}
	token = s.Link()
	first := give(token)
	s.Clock.Advance(forms.RepeatTime - time.Millisecond)
	if again := give(token); first == "" || again != first {
		t.Errorf("%q and %q, want one session", first, again)
	}
	s.Get("/operator").Shows(t, "<h1>Health</h1>")
	own := s.Browser
	for _, other := range []*http.Cookie{nil, {Name: own.Name, Value: strings.Repeat("b", httpx.TokenLength)}} {
		s.Browser = other
		if got := give(token); got != "" {
			t.Errorf("the browser %+v has the session", other)
		}
	}
	s.Browser = own
	give(token)
	s.Post("/operator/sign-out").Leads(t, "/")
	if got := give(token); got != "" {
		t.Error("the link opens the session again that was signed out")
	}
	if opened := s.Audited("session.opened"); len(opened) != 2 {
		t.Errorf("audited %+v, want one for each link", opened)
	}
	give(s.Link())
	waits := s.Link() // a used link doesn't displace an unused one
	for range 15 {
		s.Link()
	}
	if got := give(waits); got == "" {
		t.Error("a link that was used has ended one that waits")
	}
}

func TestOpen_LinksAndSessionsEnd(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	late := s.Link()
	s.Clock.Advance(time.Minute)
	if got := s.Post("/operator/sign-in", "token", late); got.Status != http.StatusUnauthorized {
		t.Errorf("a link after a minute: %d, want 401", got.Status)
	}
	first := s.Link()
	for range 16 {
		s.Link()
	}
	if got := s.Post("/operator/sign-in", "token", first); got.Status != http.StatusUnauthorized {
		t.Errorf("the oldest of 17 links: %d, want 401", got.Status)
	}
	s.SignIn()
	for range 25 { // use extends the session, up to twelve hours
		s.Clock.Advance(29 * time.Minute)
		if got := s.Get("/operator").Status; got != http.StatusOK {
			if open := s.Clock.Now().Sub(start(s)); open < 12*time.Hour {
				t.Fatalf("the session ended after %v", open)
			}
			break
		}
	}
	if s.Get("/operator").Status == http.StatusOK {
		t.Error("a session is open after twelve hours")
	}
	s.SignIn()
	s.Clock.Advance(30 * time.Minute)
	s.Get("/operator").Leads(t, "/")
	s.SignIn()
	oldest := s.Cookie
	for range 32 {
		s.Clock.Advance(time.Second)
		s.SignIn()
	}
	s.Cookie = oldest
	s.Get("/operator").Leads(t, "/")
}

// start returns the start time of the world, after the minute in which the first link was valid.
func start(s *operatortest.Site) time.Time { return s.Account.CreatedAt.Add(time.Minute) }

// Another site can point its own name to this machine, and its pages would then have the same origin.
func TestPages_AnswerThisMachineOnly(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	for _, path := range []string{"/", "/operator", "/static/css/griot.css"} {
		for host, want := range map[string]bool{
			"127.0.0.1:" + port: true, "localhost:" + port: true, "[::1]:" + port: true, "127.0.0.1:9999": true, "LOCALHOST": true,
			"evil.example:" + port: false, "localhost.evil.example": false, "127.0.0.1.evil.example": false, "192.168.1.20:" + port: false, "0.0.0.0:" + port: false,
		} {
			got := s.Send("GET", path, nil, "Host", host)
			if (got.Status != http.StatusMisdirectedRequest) != want {
				t.Errorf("%s as %s: %d, want it answered: %v", path, host, got.Status, want)
			}
		}
		if got := s.Send("GET", path, nil, "X-Forwarded-For", "127.0.0.1"); got.Status != http.StatusMisdirectedRequest {
			t.Errorf("%s through a proxy: %d, want 421", path, got.Status)
		}
	}
}

func TestRoutes_FormsAreOfTheirOwnOrigin_AndAllOfASession(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	signedIn, forms := s.Cookie, 0
	for _, r := range s.Pages.Routes() {
		path := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(r.Path, "x")
		if r.Method == http.MethodPost {
			forms++
			for _, origin := range []string{"", "null", "https://evil.example", "http://127.0.0.1:1", "http://localhost" + s.URL[strings.LastIndex(s.URL, ":"):]} {
				if got := s.Send(r.Method, path, nil, "Origin", origin); got.Status != http.StatusForbidden {
					t.Errorf("%s from %q: %d, want 403", path, origin, got.Status)
				}
			}
			if got := s.Send(r.Method, path, nil, "Sec-Fetch-Site", "same-site"); got.Status != http.StatusForbidden {
				t.Errorf("%s from another port: %d, want 403", path, got.Status)
			}
		}
		if !httpx.Below(path, operator.Home) || path == "/operator/sign-in" {
			continue
		}
		s.Cookie = nil
		if got := s.Send(r.Method, path, nil); got.Status != http.StatusSeeOther || !strings.HasPrefix(got.Location+"?", "/?") {
			t.Errorf("%s %s without a session: %d to %q, want 303 to /", r.Method, path, got.Status, got.Location)
		}
		s.Cookie = signedIn
	}
	if forms < 30 {
		t.Errorf("%d forms were tried, want all", forms)
	}
}

func TestHealth_ShowsWhatWaits(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		first := s.Get("/operator")
		first.Shows(t, "No messages are waiting", map[db.Engine]string{db.SQLite: "SQLite has one process", db.Postgres: "this one"}[d.Engine()])
		s.Store(t, s.Waiting())
		s.Clock.Advance(10 * time.Minute)
		s.Get("/operator").Shows(t, "<h3>WhatsApp</h3>", ">late, ")
	})
}
