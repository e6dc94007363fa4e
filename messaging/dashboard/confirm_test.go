package dashboard_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/limit"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/messagingtest"
)

// session is the token of the person's cookie.
func (p *person) session() string {
	p.w.t.Helper()
	u, err := url.Parse(p.w.url)
	if err != nil {
		p.w.t.Fatal(err)
	}
	for _, c := range p.client.Jar.Cookies(u) {
		if c.Name == "svc_account" {
			return c.Value
		}
	}
	return ""
}

// codeAt is when the person last gave a code, as the JSON surface has it.
func (p *person) codeAt() string {
	p.w.t.Helper()
	found := regexp.MustCompile(`"codeAt":"([^"]+)"`).FindStringSubmatch(p.get("/api/session").body)
	if found == nil {
		p.w.t.Fatal("no codeAt in the session")
	}
	return found[1]
}

// confirm gives another code, and holds where that leads.
func (p *person) confirm(email, next, want string) {
	p.w.t.Helper()
	at := query("next", next)
	p.wants(p.post("/dashboard/confirm?"+at), http.StatusSeeOther, "/dashboard/confirm/code")
	if got := p.post("/dashboard/confirm/code?"+at, "code", p.w.code(email)); got.status != http.StatusSeeOther || got.to != want {
		p.w.t.Errorf("next=%q leads to %q (%d), want %q", next, got.to, got.status, want)
	}
}

func TestConfirm_ACodeRenewsTheSession(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		p := w.signIn(ownerEmail)
		p.wants(p.get("/dashboard/confirm?next=%2Fdashboard%2Flogs"), http.StatusSeeOther, "/dashboard/logs") // the code is recent
		p.wants(p.post("/dashboard/confirm/code?next=%2Fdashboard%2Flogs", "code", "1"), http.StatusSeeOther, "/dashboard/logs")
		w.Clock.Advance(account.RecentCode + time.Minute)
		before, codeAt := p.session(), p.codeAt()

		asks := p.get("/dashboard/confirm?next=%2Fdashboard%2Flogs%3Fto%3D%252B223")
		p.wants(asks, http.StatusOK, `action="/dashboard/confirm?next=%2Fdashboard%2Flogs%3Fto%3D%252B223"`)
		if cache := asks.header.Get("Cache-Control"); cache != "no-store" {
			t.Errorf("Cache-Control %q, want no-store", cache)
		}
		p.get("/dashboard/confirm/code")
		if n := w.Int(t, `SELECT count(*) FROM sign_in_mails WHERE mac <> ''`); n != 0 || len(w.mails) != 0 {
			t.Errorf("opening the page asked for %d codes and mailed %d, want none", n, len(w.mails))
		}
		p.wants(p.post("/dashboard/confirm?next=%2Fdashboard%2Flogs"), http.StatusSeeOther, "/dashboard/confirm/code?next=%2Fdashboard%2Flogs")
		p.wants(p.get("/dashboard/confirm/code?next=%2Fdashboard%2Flogs"), http.StatusOK, `autocomplete="one-time-code"`)
		code := w.code(ownerEmail)
		p.wants(p.post("/dashboard/confirm/code", "code", ""), http.StatusBadRequest, "Enter the code.")
		p.wants(p.post("/dashboard/confirm/code", "code", messagingtest.WrongCode(code)), http.StatusUnauthorized, "This code is wrong")
		if p.session() != before || p.codeAt() != codeAt {
			t.Error("a wrong code changed the session")
		}
		p.wants(p.post("/dashboard/confirm/code?next=%2Fdashboard%2Flogs", "code", code), http.StatusSeeOther, "/dashboard/logs")
		if p.session() == before || p.codeAt() == codeAt {
			t.Errorf("the code of %s, want a new session with a later one", p.codeAt())
		}
		p.wants(p.get("/dashboard/confirm"), http.StatusSeeOther, "/dashboard")
		if n := w.Int(t, `SELECT count(*) FROM account_sessions`); n != 1 {
			t.Errorf("%d sessions, want one: the old one has ended", n)
		}
		if strings.Contains(w.log.String(), code) || strings.Contains(w.log.String(), ownerEmail) {
			t.Errorf("logged:\n%s", w.log)
		}
	})
}

func TestConfirm_LeadsToOwnPathsOnly(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	p := w.signIn(ownerEmail)
	for next, want := range map[string]string{
		"/dashboard/logs?to=%2B223": "/dashboard/logs?to=%2B223", "": "/dashboard", "https://evil.example/dashboard": "/dashboard", "//evil.example/dashboard": "/dashboard",
		`/dashboard\evil`: "/dashboard", "/dashboard/../admin": "/dashboard", "javascript:alert(1)": "/dashboard",
	} {
		w.Clock.Advance(time.Hour) // the budget of mails begins again
		p.confirm(ownerEmail, next, want)
		p.wants(p.get("/dashboard/confirm?"+query("next", next)), http.StatusSeeOther, want)
	}
}

// A code is tried five times, and in the browser that asked for it, by the address of the session.
func TestConfirm_TriesAndMailsAreBounded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, func(o *api.Options) {
			o.Limits = new(limit.Defaults())
			o.Limits.CodeAddress.Times, o.Limits.TryAddress.Times = 1000, 10
		})
		p, other := w.signIn(ownerEmail), w.signIn(ownerEmail)
		w.Clock.Advance(account.RecentCode + time.Minute)
		p.post("/dashboard/confirm", "email", "eve@example.com")
		code := w.code(ownerEmail)
		p.wants(other.post("/dashboard/confirm/code", "code", code), http.StatusUnauthorized, "This code is wrong")
		for range 5 {
			p.wants(p.post("/dashboard/confirm/code", "code", messagingtest.WrongCode(code)), http.StatusUnauthorized, "This code is wrong")
		}
		p.wants(p.post("/dashboard/confirm/code", "code", code), http.StatusUnauthorized, "This code is wrong")
		limited := 0
		for range 10 {
			if a := p.post("/dashboard/confirm/code", "code", code); a.status == http.StatusTooManyRequests && a.header.Get("Retry-After") != "" {
				limited++
			}
		}
		mailed := 0
		for range 6 {
			if a := p.post("/dashboard/confirm"); a.status == http.StatusSeeOther {
				mailed++
				w.code(ownerEmail)
			} else {
				p.wants(a, http.StatusTooManyRequests, "Too many requests.")
			}
		}
		if limited == 0 || mailed >= 6 {
			t.Errorf("%d of 10 tries refused, %d of 6 more codes mailed; want both bounded", limited, mailed)
		}
	})
}
