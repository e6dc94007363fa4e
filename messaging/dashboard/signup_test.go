package dashboard_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/limit"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web/webtest"
)

var testKey = regexp.MustCompile(`svc_test_[A-Za-z0-9]{38}`)

// Rules: M169.
func TestSignUp_FromAnUnknownAddressToATestMessage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d, messagingtest.Signup(account.SignupOpen))
		const email = "awa@example.com"
		p := w.Person()
		p.Wants(p.Get("/dashboard/sign-up"), http.StatusSeeOther, "/dashboard/sign-in?next=%2Fdashboard%2Fsign-up")
		p.Wants(p.Get("/dashboard/sign-in"), http.StatusOK, `<a href="/terms">`)
		p = w.SignIn(email)
		p.Wants(p.Get("/dashboard/codes"), http.StatusSeeOther, "/dashboard/invitation")
		p.Wants(p.Get("/dashboard/invitation"), http.StatusSeeOther, "/dashboard/sign-up")
		form := p.Get("/dashboard/sign-up")
		for _, want := range []string{`href="/terms"`, `href="/privacy"`, `autocomplete="organization"`, email} {
			p.Wants(form, http.StatusOK, want)
		}
		for _, wrong := range []string{"", "  ", strings.Repeat("é", 101), "a\nb"} {
			p.Wants(p.Post("/dashboard/sign-up", "name", wrong), http.StatusBadRequest, "Use 1 to 100 visible characters, and no web address.")
		}
		id := regexp.MustCompile(`name="id" value="([0-9A-Z]{26})"`).FindStringSubmatch(form.Body)
		if id == nil {
			t.Fatal("no id in the form")
		}
		made, clicked := p.Twice(func() *webtest.Page {
			return p.Post("/dashboard/sign-up", "id", id[1], "name", ` <script>alert(1)</script> `)
		}, http.StatusCreated, "Welcome, &lt;script&gt;")
		key := testKey.FindString(made.Body)
		if got := testKey.FindString(clicked.Body); got != key {
			t.Errorf("a double click shows the key %q, want %q", got, key)
		}
		p.Wants(w.SignIn(email).Post("/dashboard/sign-up", "id", id[1], "name", "Again"), http.StatusSeeOther, "/dashboard") // another session
		w.Clock.Advance(forms.RepeatTime)
		p.Wants(p.Post("/dashboard/sign-up", "id", id[1], "name", "Again"), http.StatusSeeOther, "/dashboard")
		if made.Header.Get("Cache-Control") != "no-store" || key == "" || strings.Contains(made.Body, "<script>alert") || !strings.Contains(html.UnescapeString(made.Body), "Bearer "+key) {
			t.Errorf("Cache-Control %q, the key %q; want no-store, and a command with the key:\n%s", made.Header.Get("Cache-Control"), key, made.Body)
		}
		p.Wants(p.Post("/dashboard/sign-up", "name", "Again"), http.StatusSeeOther, "/dashboard")
		p.Wants(p.Get("/dashboard/sign-up"), http.StatusSeeOther, "/dashboard")
		home := p.Get("/dashboard?mode=test")
		p.Wants(home, http.StatusOK, "First steps")
		if strings.Contains(home.Body, key) || strings.Contains(w.Log.String(), key) {
			t.Error("the key is shown twice, or logged")
		}
		p.Wants(p.Get("/dashboard/billing"), http.StatusOK, "of 10; 10 left")
		p.Wants(p.Get("/dashboard/keys?mode=live"), http.StatusOK, "No active live key") // the test key is in TEST
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL+"/api/send", strings.NewReader(`{"to":"+22376000001","channel":"auto","message":"Hello"}`))
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
		p.Wants(p.Get("/dashboard/logs?mode=test"), http.StatusOK, "Hello")
	})
}

// A person who has closed their account sees why they cannot create another one yet.
func TestSignUp_AfterAnAccountWasClosed(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t), messagingtest.Signup(account.SignupOpen))
	w.Exec(`UPDATE accounts SET closed_at = $1 WHERE id = $2`, db.Ms(w.Clock.Now()), w.Account.ID)
	w.Directory.ForgetAll()
	p := w.SignIn(messagingtest.OwnerEmail)
	p.Wants(p.Get("/dashboard"), http.StatusSeeOther, "/dashboard/invitation")
	p.Wants(p.Get("/dashboard/invitation"), http.StatusOK, "The account of this address is closed")
	p.Wants(p.Post("/dashboard/sign-up", "name", "Another"), http.StatusSeeOther, "/dashboard/invitation")
}

func TestSignUp_ByInvitation(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t), messagingtest.Signup(account.SignupInvite))
	if strings.Contains(w.Person().Get("/dashboard/sign-in").Body, "New here?") {
		t.Error("the sign-in page promises an account to everybody")
	}
	i := w.Invite("awa@example.com", account.RoleViewer)
	p := w.SignIn("awa@example.com")
	p.Wants(p.Get("/dashboard/invitation"), http.StatusOK, `href="/dashboard/sign-up"`)
	p.Wants(p.Post("/dashboard/invitation", "invitation", i.ID), http.StatusSeeOther, "/dashboard?done=joined")
	p.Wants(p.Post("/dashboard/sign-up", "name", "Her own"), http.StatusCreated, "Welcome, Her own")
	p.Wants(p.Get("/dashboard"), http.StatusOK, `action="/dashboard/accounts/`+w.Account.ID+`"`) // the switch has both
}

// With open sign-up, requesting a code also reveals nothing about an address, even when the limit of new ones is reached.
func TestSignUp_KnownAndUnknownAddressesAnswerAlike(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t), messagingtest.Signup(account.SignupOpen), func(o *api.Options) {
		o.Mail.LimitSignUps(limit.Rate{}, 1)
		o.Limits = new(limit.Defaults())
		o.Limits.CodeAddress.Times = 1000
	})
	ask := func(email string) (answers []string) {
		for range 7 {
			a := w.Person().Post("/dashboard/sign-in", "email", email)
			answers = append(answers, http.StatusText(a.Status)+strings.Split(a.Location, "?")[0]+a.Header.Get("Retry-After"))
		}
		return answers
	}
	known, unknown := ask(messagingtest.OwnerEmail), ask("nobody@example.com")
	if strings.Join(known, "\n") != strings.Join(unknown, "\n") || known[0] == known[6] {
		t.Errorf("known: %q, unknown: %q; want the same, and a limit", known, unknown)
	}
	w.Eventually(t, "a warning that the sign-ups are used up", func() (any, bool) {
		return w.Log.String(), strings.Contains(w.Log.String(), "limits.signup_daily")
	})
	if n := w.Int(t, `SELECT sum(codes) FROM sign_up_days`); n != 1 {
		t.Errorf("%d codes to new addresses, want 1", n)
	}
}
