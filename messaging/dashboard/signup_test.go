package dashboard_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/limit"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/web/webtest"
)

func signup(to account.Signup) func(*api.Options) {
	return func(o *api.Options) { o.Directory.Signup = to }
}

var testKey = regexp.MustCompile(`svc_test_[A-Za-z0-9]{38}`)

func TestSignUp_FromAnUnknownAddressToATestMessage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, signup(account.SignupOpen))
		const email = "awa@example.com"
		p := w.person()
		p.wants(p.get("/dashboard/sign-up"), http.StatusSeeOther, "/dashboard/sign-in?next=%2Fdashboard%2Fsign-up")
		p.wants(p.get("/dashboard/sign-in"), http.StatusOK, `<a href="/terms">`)
		p = w.signIn(email)
		p.wants(p.get("/dashboard/codes"), http.StatusSeeOther, "/dashboard/invitation")
		p.wants(p.get("/dashboard/invitation"), http.StatusSeeOther, "/dashboard/sign-up")
		form := p.get("/dashboard/sign-up")
		for _, want := range []string{`href="/terms"`, `href="/privacy"`, `autocomplete="organization"`, email} {
			p.wants(form, http.StatusOK, want)
		}
		for _, wrong := range []string{"", "  ", strings.Repeat("é", 101), "a\nb"} {
			p.wants(p.post("/dashboard/sign-up", "name", wrong), http.StatusBadRequest, "A name has 1 to 100 visible characters, and no web address.")
		}
		made := p.post("/dashboard/sign-up", "name", ` <script>alert(1)</script> `)
		p.wants(made, http.StatusCreated, "Welcome, &lt;script&gt;")
		key := testKey.FindString(made.body)
		if made.header.Get("Cache-Control") != "no-store" || key == "" || strings.Contains(made.body, "<script>alert") || !strings.Contains(html.UnescapeString(made.body), "Bearer "+key) {
			t.Errorf("Cache-Control %q, the key %q; want no-store, and a command with the key:\n%s", made.header.Get("Cache-Control"), key, made.body)
		}
		p.wants(p.post("/dashboard/sign-up", "name", "Again"), http.StatusSeeOther, "/dashboard")
		p.wants(p.get("/dashboard/sign-up"), http.StatusSeeOther, "/dashboard")
		home := p.get("/dashboard?mode=test")
		p.wants(home, http.StatusOK, "No simulated messages yet")
		if strings.Contains(home.body, key) || strings.Contains(w.log.String(), key) {
			t.Error("the key is shown twice, or logged")
		}
		p.wants(p.get("/dashboard/billing"), http.StatusOK, "of 10; 10 left")
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+"/api/send", strings.NewReader(`{"to":"+22376000001","channel":"auto","message":"Hello"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("the first message by the key: %d, %v; want 200", answer.StatusCode, err)
		}
		p.wants(p.get("/dashboard/logs?mode=test"), http.StatusOK, "Hello")
	})
}

// Who has closed their account is told why there is no other yet.
func TestSignUp_AfterAnAccountWasClosed(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t), signup(account.SignupOpen))
	w.Write(t, func(tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE accounts SET closed_at = $1 WHERE id = $2`, db.Ms(w.Clock.Now()), w.Account.ID)
		return err
	})
	w.Directory.ForgetAll()
	p := w.signIn(ownerEmail)
	p.wants(p.get("/dashboard"), http.StatusSeeOther, "/dashboard/invitation")
	p.wants(p.get("/dashboard/invitation"), http.StatusOK, "An account of this address was closed")
	p.wants(p.post("/dashboard/sign-up", "name", "Another"), http.StatusSeeOther, "/dashboard/invitation")
}

func TestSignUp_ByInvitation(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t), signup(account.SignupInvite))
	if strings.Contains(w.person().get("/dashboard/sign-in").body, "New here?") {
		t.Error("the sign-in page promises an account to everybody")
	}
	i := w.invite("awa@example.com", account.RoleViewer)
	p := w.signIn("awa@example.com")
	p.wants(p.get("/dashboard/invitation"), http.StatusOK, `href="/dashboard/sign-up"`)
	p.wants(p.post("/dashboard/invitation", "invitation", i.ID), http.StatusSeeOther, "/dashboard?done=joined")
	p.wants(p.post("/dashboard/sign-up", "name", "Her own"), http.StatusCreated, "Welcome, Her own")
	p.wants(p.get("/dashboard"), http.StatusOK, `action="/dashboard/accounts/`+w.Account.ID+`"`) // the switch has both
}

// Who asks for a code learns nothing about an address where everybody may sign up, either, nor when no more new ones may.
func TestSignUp_KnownAndUnknownAddressesAnswerAlike(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t), signup(account.SignupOpen), func(o *api.Options) {
		o.Mail.LimitSignUps(limit.Rate{}, 1)
		o.Limits = new(limit.Defaults())
		o.Limits.CodeAddress.Times = 1000
	})
	ask := func(email string) (answers []string) {
		for range 7 {
			a := w.person().post("/dashboard/sign-in", "email", email)
			answers = append(answers, http.StatusText(a.status)+a.to+a.header.Get("Retry-After"))
		}
		return answers
	}
	known, unknown := ask(ownerEmail), ask("nobody@example.com")
	if strings.Join(known, "\n") != strings.Join(unknown, "\n") || known[0] == known[6] {
		t.Errorf("known: %q, unknown: %q; want the same, and a limit", known, unknown)
	}
	w.Eventually(t, "a warning that the sign-ups are used up", func() (any, bool) {
		return w.log.String(), strings.Contains(w.log.String(), "limits.signup_daily")
	})
	if n := w.Int(t, `SELECT sum(codes) FROM sign_up_days`); n != 1 {
		t.Errorf("%d codes to new addresses, want 1", n)
	}
}

// Somebody new comes from the sign-in page to a dashboard of their own.
func TestSignUp_InABrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), signup(account.SignupOpen))
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	w.looks(tab, "sign-in-open", "/dashboard/sign-in")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.url+"/dashboard/sign-in?lang=en"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#email"), "awa@example.com"))
	tab.Click("main button[type=submit]")
	tab.WaitFor(webtest.Seen("#code"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#code"), w.code("awa@example.com")))
	tab.Click("main button[type=submit]")
	tab.WaitFor(webtest.Seen("#name"))
	w.looks(tab, "sign-up", "/dashboard/sign-up")
	tab.Do(chromedp.EmulateViewport(360, 740), chromedp.SendKeys(chromedp.CSS("#name"), "Boutique Awa"))
	tab.Click("main button.primary")
	tab.WaitFor(webtest.Seen("#key"))
	for _, width := range []int64{360, 1280} {
		tab.Do(chromedp.EmulateViewport(width, 800))
		tab.Axe("welcome")
		tab.Fits("welcome")
		tab.Screenshot("welcome-" + map[int64]string{360: "360", 1280: "1280"}[width])
	}
	tab.Click("a.primary")
	tab.WaitFor(webtest.Seen(".shell") + ` && location.search === "?mode=test"`)
}
