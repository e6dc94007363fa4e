package dashboard_test

import (
	"html"
	"net/http"
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
	"example.com/griot/web/webtest"
)

func TestConfirm_ACodeRenewsTheSession(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Wants(p.Get("/dashboard/confirm?next=%2Fdashboard%2Flogs"), http.StatusSeeOther, "/dashboard/logs") // the code is recent
		p.Wants(p.Post("/dashboard/confirm/code?next=%2Fdashboard%2Flogs", "code", "1"), http.StatusSeeOther, "/dashboard/logs")
		w.Clock.Advance(account.RecentCode + time.Minute)
		before, codeAt := p.Session(), p.CodeAt()

		asks := p.Get("/dashboard/confirm?next=%2Fdashboard%2Flogs%3Fto%3D%252B223")
		p.Wants(asks, http.StatusOK, `action="/dashboard/confirm?next=%2Fdashboard%2Flogs%3Fto%3D%252B223"`)
		if cache := asks.Header.Get("Cache-Control"); cache != "no-store" {
			t.Errorf("Cache-Control %q, want no-store", cache)
		}
		p.Get("/dashboard/confirm/code")
		if n := w.Int(t, `SELECT count(*) FROM sign_in_mails WHERE mac <> '' AND used_at IS NULL`); n != 0 || len(w.Mails) != 0 {
			t.Errorf("opening the page asked for %d codes and mailed %d, want none", n, len(w.Mails))
		}
		p.Wants(p.Post("/dashboard/confirm?next=%2Fdashboard%2Flogs"), http.StatusSeeOther, "/dashboard/confirm/code?next=%2Fdashboard%2Flogs")
		p.Wants(p.Get("/dashboard/confirm/code?next=%2Fdashboard%2Flogs"), http.StatusOK, `autocomplete="one-time-code"`)
		code := w.MailedCode(messagingtest.OwnerEmail)
		p.Wants(p.Post("/dashboard/confirm/code", "code", ""), http.StatusBadRequest, "Enter the code.")
		p.Wants(p.Post("/dashboard/confirm/code", "code", messagingtest.WrongCode(code)), http.StatusUnauthorized, "This code is incorrect")
		if p.Session() != before || p.CodeAt() != codeAt {
			t.Error("a wrong code changed the session")
		}
		p.Wants(p.Post("/dashboard/confirm/code?next=%2Fdashboard%2Flogs", "code", code), http.StatusSeeOther, "/dashboard/logs")
		if p.Session() == before || p.CodeAt() == codeAt {
			t.Errorf("the code of %s, want a new session with a later one", p.CodeAt())
		}
		p.Wants(p.Get("/dashboard/confirm"), http.StatusSeeOther, "/dashboard")
		if n := w.Int(t, `SELECT count(*) FROM account_sessions`); n != 1 {
			t.Errorf("%d sessions, want one: the old one has ended", n)
		}
		if strings.Contains(w.Log.String(), code) || strings.Contains(w.Log.String(), messagingtest.OwnerEmail) {
			t.Errorf("logged:\n%s", w.Log)
		}
	})
}

// The first request ends the session that the second one still uses.
// Rules: M165.
func TestConfirm_ADoubleClick(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		w.Clock.Advance(account.RecentCode + time.Minute)
		p.Wants(p.Post("/dashboard/confirm"), http.StatusSeeOther, "/dashboard/confirm/code")
		code := w.MailedCode(messagingtest.OwnerEmail)
		sealed := regexp.MustCompile(`name="for" value="([^"]+)"`).FindStringSubmatch(p.Get("/dashboard/confirm/code").Body)
		if sealed == nil {
			t.Fatal("the form does not say for whom the code is")
		}
		give := func(by *messagingtest.Person) *webtest.Page {
			return by.Post("/dashboard/confirm/code?next=%2Fdashboard%2Flogs", "for", html.UnescapeString(sealed[1]), "code", code)
		}
		stranger := w.Person()
		stranger.Get("/dashboard/sign-in")
		stranger.Wants(give(stranger), http.StatusUnauthorized, "/dashboard/sign-in")
		p.Twice(func() *webtest.Page { return give(p) }, http.StatusSeeOther, "/dashboard/logs")
		p.Wants(p.Get("/dashboard/confirm"), http.StatusSeeOther, "/dashboard") // the code is recent
		if n := w.Int(t, `SELECT count(*) FROM account_sessions`); n != 1 {
			t.Errorf("%d sessions, want one", n)
		}
		p.Wants(p.Post("/dashboard/sign-out"), http.StatusSeeOther, "/dashboard/sign-in")
		p.Wants(give(p), http.StatusUnauthorized, "This code is incorrect")
		p.Wants(p.Post("/dashboard/confirm/code", "for", "x", "code", code), http.StatusUnauthorized, "/dashboard/sign-in")
	})
}

func TestConfirm_LeadsToOwnPathsOnly(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	for next, want := range map[string]string{
		"/dashboard/logs?to=%2B223": "/dashboard/logs?to=%2B223", "": "/dashboard", "https://evil.example/dashboard": "/dashboard", "//evil.example/dashboard": "/dashboard",
		`/dashboard\evil`: "/dashboard", "/dashboard/../admin": "/dashboard", "javascript:alert(1)": "/dashboard",
	} {
		w.Clock.Advance(time.Hour) // the budget of mails starts again
		p.Confirm(messagingtest.OwnerEmail, next, want)
		p.Wants(p.Get("/dashboard/confirm?"+messagingtest.Query("next", next)), http.StatusSeeOther, want)
	}
}

// A code can be tried five times, and only in the browser that requested it, with the address of the session.
func TestConfirm_TriesAndMailsAreBounded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d, func(o *api.Options) {
			o.Limits = new(limit.Defaults())
			o.Limits.CodeAddress.Times, o.Limits.TryAddress.Times = 1000, 10
		})
		p, other := w.SignIn(messagingtest.OwnerEmail), w.SignIn(messagingtest.OwnerEmail)
		w.Clock.Advance(account.RecentCode + time.Minute)
		p.Post("/dashboard/confirm", "email", "eve@example.com")
		code := w.MailedCode(messagingtest.OwnerEmail)
		p.Wants(other.Post("/dashboard/confirm/code", "code", code), http.StatusUnauthorized, "This code is incorrect")
		for range 5 {
			p.Wants(p.Post("/dashboard/confirm/code", "code", messagingtest.WrongCode(code)), http.StatusUnauthorized, "This code is incorrect")
		}
		p.Wants(p.Post("/dashboard/confirm/code", "code", code), http.StatusUnauthorized, "This code is incorrect")
		limited := 0
		for range 10 {
			if a := p.Post("/dashboard/confirm/code", "code", code); a.Status == http.StatusTooManyRequests && a.Header.Get("Retry-After") != "" {
				limited++
			}
		}
		mailed := 0
		for range 6 {
			if a := p.Post("/dashboard/confirm"); a.Status == http.StatusSeeOther {
				mailed++
				w.MailedCode(messagingtest.OwnerEmail)
			} else {
				p.Wants(a, http.StatusTooManyRequests, "Too many requests.")
			}
		}
		if limited == 0 || mailed >= 6 {
			t.Errorf("%d of 10 tries refused, %d of 6 more codes mailed; want both bounded", limited, mailed)
		}
	})
}
