package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/dashboard"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web/webtest"
)

// whatsAppWorld is a world whose dashboard is a client of a login service.
type whatsAppWorld struct {
	*messagingtest.Site
	login *loginService
}

func newWhatsAppWorld(t *testing.T, d *db.DB) *whatsAppWorld {
	t.Helper()
	ww := &whatsAppWorld{}
	ww.Site = messagingtest.New(t, d, "pro").Site(t, func(o *dashboard.Options) {
		ww.login = newLoginService(t, o.Now)
		client, err := dashboard.NewWhatsApp(ww.login.URL, o.URL, loginClientID, loginClientSecret, o.Now)
		if err != nil {
			t.Fatal(err)
		}
		o.WhatsApp = client
	})
	return ww
}

// prove follows a page to the login service, where its person proves a number, and returns the address to which the
// browser is redirected.
func (ww *whatsAppWorld) prove(p *messagingtest.Person, path string) (back string) {
	ww.T.Helper()
	got := p.Get(path)
	if got.Status != http.StatusSeeOther || !strings.HasPrefix(got.Location, ww.login.URL+"/authorize?") {
		ww.T.Fatalf("%s: %d to %q", path, got.Status, got.Location)
	}
	r, err := http.NewRequestWithContext(ww.T.Context(), http.MethodGet, got.Location, http.NoBody)
	if err != nil {
		ww.T.Fatal(err)
	}
	res, err := p.Client.Do(r)
	if err != nil {
		ww.T.Fatal(err)
	}
	_ = res.Body.Close()
	back, ours := strings.CutPrefix(res.Header.Get("Location"), ww.URL)
	if !ours {
		ww.T.Fatalf("the service led to %q", res.Header.Get("Location"))
	}
	return back
}

// link links the login service's number to the signed-in person.
func (ww *whatsAppWorld) link(p *messagingtest.Person) {
	ww.T.Helper()
	p.Wants(p.Get(ww.prove(p, "/dashboard/settings/sign-in/whatsapp")), http.StatusSeeOther, "/dashboard/settings/sign-in/link")
	p.Wants(p.Get("/dashboard/settings/sign-in/link"), http.StatusOK, "223*****001")
	p.Wants(p.Post("/dashboard/settings/sign-in/link"), http.StatusSeeOther, "/dashboard/settings/sign-in?done=whatsapp_linked")
}

// enter signs in a new person with the login service, and returns the final page.
func (ww *whatsAppWorld) enter(start string) (*messagingtest.Person, *webtest.Page) {
	ww.T.Helper()
	p := ww.Person()
	return p, p.Get(ww.prove(p, start))
}

const start = "/api/session/whatsapp/start"

// notice waits for a mail.
func (ww *whatsAppWorld) notice(subject string) string {
	ww.T.Helper()
	text := ""
	ww.Eventually(ww.T, "a mail with the subject "+subject, func() (any, bool) {
		for _, c := range ww.Gateway.Calls() {
			if c.Subject == subject {
				text = c.To + " " + c.Text
			}
		}
		return text, text != ""
	})
	return text
}

func TestWhatsApp_OnlyALinkedNumberEnters(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ww := newWhatsAppWorld(t, d)
		stranger, got := ww.enter(start)
		stranger.Wants(got, http.StatusSeeOther, "/dashboard/sign-in?whatsapp=unknown")
		stranger.Wants(stranger.Get(got.Location), http.StatusOK, "Sign in by email first, then link it in your settings.")
		stranger.Wants(stranger.Get("/dashboard"), http.StatusSeeOther, "/dashboard/sign-in")
		stranger.Wants(stranger.Post("/dashboard/sign-in", "email", "awa"), http.StatusBadRequest, start) // is still offered

		owner := ww.SignIn(messagingtest.OwnerEmail)
		owner.Wants(owner.Get("/dashboard/settings/sign-in"), http.StatusOK, "Link my number")
		ww.link(owner)
		shown := owner.Get("/dashboard/settings/sign-in?done=whatsapp_linked")
		owner.Wants(shown, http.StatusOK, "&#43;223*****001")
		if strings.Contains(shown.Body, "76000001") {
			t.Error("the page shows the number")
		}
		if text := ww.notice("A WhatsApp number was linked to your address"); !strings.Contains(text, messagingtest.OwnerEmail) || !strings.Contains(text, "+223*****001") {
			t.Errorf("the notice: %s", text)
		}

		phone, got := ww.enter(start + "?next=%2Fdashboard%2Flogs")
		phone.Wants(got, http.StatusSeeOther, "/dashboard/logs")
		phone.Wants(phone.Get("/dashboard/logs"), http.StatusOK, messagingtest.OwnerEmail)
		ww.Eventually(t, "a mail about each new browser", func() (any, bool) {
			n := 0
			for _, c := range ww.Gateway.Calls() {
				if c.Subject == "Sign-in from a new browser" && c.To == messagingtest.OwnerEmail {
					n++
				}
			}
			return n, n == 2
		})
		phone.Wants(phone.Post("/dashboard/privacy/erase", "address", "+22376000009", "sure", "yes"), http.StatusSeeOther, "/dashboard/confirm")
		phone.Wants(phone.Get("/dashboard/settings/sign-in/whatsapp"), http.StatusSeeOther, "/dashboard/confirm")

		owner.Wants(owner.Post("/dashboard/settings/sign-in/remove"), http.StatusSeeOther, "/dashboard/settings/sign-in?done=whatsapp_unlinked")
		ww.notice("A WhatsApp number was removed from your address")
		again, got := ww.enter(start)
		again.Wants(got, http.StatusSeeOther, "/dashboard/sign-in?whatsapp=unknown")
		for action, want := range map[string]int{"whatsapp.linked": 1, "whatsapp.unlinked": 1} {
			if n := ww.Int(t, `SELECT count(*) FROM account_audit_events WHERE action = $1 AND target = '+223*****001' AND account_id = $2`, action, ww.Account.ID); n != want {
				t.Errorf("%d events %s, want %d", n, action, want)
			}
		}
		if n := ww.Int(t, `SELECT count(*) FROM account_audit_events WHERE action = 'session.opened' AND details LIKE '%"by":"whatsapp"%'`); n != 1 {
			t.Errorf("%d sessions by WhatsApp in the audit log, want 1", n)
		}
	})
}

func TestWhatsApp_AnAttemptIsOneBrowsersAndServesOnce(t *testing.T) {
	ww := newWhatsAppWorld(t, dbtest.SQLite(t))
	ww.link(ww.SignIn(messagingtest.OwnerEmail))
	p := ww.Person()
	back := ww.prove(p, start)
	other := ww.Person()
	other.Wants(other.Get(back), http.StatusSeeOther, "/dashboard/sign-in?whatsapp=stray")
	p.Wants(p.Get(strings.Replace(back, "state=", "state=x", 1)), http.StatusSeeOther, "/dashboard/sign-in?whatsapp=stray")
	p.Wants(p.Get(back), http.StatusSeeOther, "/dashboard/sign-in?whatsapp=stray") // used by the one before
	back = ww.prove(p, start)
	ww.Clock.Advance(10 * time.Minute)
	p.Wants(p.Get(back), http.StatusSeeOther, "/dashboard/sign-in?whatsapp=stray")
	back = ww.prove(p, start)
	p.Wants(p.Get(back), http.StatusSeeOther, "/dashboard")
	p.Wants(p.Get(back), http.StatusSeeOther, "/dashboard/sign-in?whatsapp=stray")
	p = ww.Person()
	p.Wants(p.Get(strings.Replace(ww.prove(p, start), "code="+loginCode, "error=access_denied", 1)), http.StatusSeeOther, "/dashboard/sign-in?whatsapp=failed")
	for _, next := range []string{"https://evil.example", "//evil.example", "/api/keys"} {
		p := ww.Person()
		p.Wants(p.Get(ww.prove(p, start+"?"+messagingtest.Query("next", next))), http.StatusSeeOther, "/dashboard")
	}
}

func TestWhatsApp_TokensThatAreNotForIt(t *testing.T) {
	ww := newWhatsAppWorld(t, dbtest.SQLite(t))
	ww.link(ww.SignIn(messagingtest.OwnerEmail))
	for name, claims := range map[string]map[string]any{
		"a TEST login": {"mode": "TEST"}, "another provider": {"provider": "sandbox"}, "an unproved number": {"phone_number_verified": false}, "no number": {"phone_number": nil}, "another client": {"aud": "other"}, "another issuer": {"iss": "https://evil.example"},
	} {
		ww.login.setClaims(claims)
		p, got := ww.enter(start)
		p.Wants(got, http.StatusSeeOther, "/dashboard/sign-in?whatsapp=failed")
		if p.Get("/dashboard").Status != http.StatusSeeOther {
			t.Errorf("%s signs in", name)
		}
	}
	ww.login.setClaims(map[string]any{"sub": "profile_eve"})
	p, got := ww.enter(start)
	p.Wants(got, http.StatusSeeOther, "/dashboard/sign-in?whatsapp=unknown")
	ww.login.setClaims(nil)
	p = ww.Person()
	back := ww.prove(p, start)
	ww.login.Close()
	p.Wants(p.Get(back), http.StatusSeeOther, "/dashboard/sign-in?whatsapp=down")
}

func TestWhatsApp_LinkingTakesItsPersonsConsent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ww := newWhatsAppWorld(t, d)
		owner, awa := ww.SignIn(messagingtest.OwnerEmail), ww.Member("awa@example.com", account.RoleViewer)
		back := ww.prove(owner, "/dashboard/settings/sign-in/whatsapp")
		awa.Wants(awa.Get(back), http.StatusSeeOther, "/dashboard/sign-in?whatsapp=stray")
		owner.Wants(owner.Get(back), http.StatusSeeOther, "/dashboard/settings/sign-in/link")
		foreign := *owner
		foreign.Origin = "https://evil.example"
		foreign.Wants(foreign.Post("/dashboard/settings/sign-in/link"), http.StatusForbidden, "origin_mismatch")
		if n := ww.Int(t, `SELECT count(*) FROM whatsapp_links`); n != 0 {
			t.Fatalf("%d links before anybody agreed", n)
		}
		owner.Wants(owner.Post("/dashboard/settings/sign-in/link"), http.StatusSeeOther, "/dashboard/settings/sign-in?done=whatsapp_linked")
		owner.Wants(owner.Post("/dashboard/settings/sign-in/link"), http.StatusSeeOther, "/dashboard/settings/sign-in?whatsapp=stray")

		awa.Wants(awa.Get("/dashboard"), http.StatusOK, `href="/dashboard/settings/sign-in"`)
		awa.Wants(awa.Get(ww.prove(awa, "/dashboard/settings/sign-in/whatsapp")), http.StatusSeeOther, "/dashboard/settings/sign-in/link")
		awa.Wants(awa.Post("/dashboard/settings/sign-in/link"), http.StatusSeeOther, "/dashboard/settings/sign-in?whatsapp=taken")
		owner.Wants(owner.Post("/dashboard/settings/sign-in/remove"), http.StatusSeeOther, "/dashboard/settings/sign-in")
		ww.link(awa)
		entered, got := ww.enter(start)
		entered.Wants(got, http.StatusSeeOther, "/dashboard")
		entered.Wants(entered.Get("/dashboard/logs"), http.StatusOK, "awa@example.com")
		entered.Wants(entered.Get("/dashboard/privacy"), http.StatusForbidden, "forbidden")

		members, err := ww.Directory.Members(t.Context(), ww.Account.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := ww.Directory.RemoveMember(t.Context(), ww.Account.ID, members[0].ID); err != nil {
			t.Fatal(err)
		}
		_, got = ww.enter(start)
		owner.Wants(got, http.StatusSeeOther, "/dashboard/sign-in?whatsapp=unknown")
		ww.link(owner) // nobody else's any more
	})
}

func TestWhatsApp_OwnersSwitchItOff(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ww := newWhatsAppWorld(t, d)
		owner, awa := ww.SignIn(messagingtest.OwnerEmail), ww.Member("awa@example.com", account.RoleViewer)
		ww.link(awa)
		entered, _ := ww.enter(start)
		entered.Wants(entered.Get("/dashboard"), http.StatusOK, "awa@example.com")
		awa.Wants(awa.Post("/dashboard/settings/sign-in/account"), http.StatusForbidden, "forbidden")
		owner.Wants(owner.Post("/dashboard/settings/sign-in/account"), http.StatusSeeOther, "/dashboard/settings/sign-in?done=settings_saved")
		entered.Wants(entered.Get("/dashboard"), http.StatusSeeOther, "/dashboard/sign-in") // its session has ended
		awa.Wants(awa.Get("/dashboard"), http.StatusOK, "awa@example.com")                  // by email
		p, got := ww.enter(start)
		p.Wants(got, http.StatusSeeOther, "/dashboard/sign-in?whatsapp=off")
		owner.Wants(owner.Post("/dashboard/settings/sign-in/account", "allow", "yes"), http.StatusSeeOther, "/dashboard/settings/sign-in")
		p, got = ww.enter(start)
		p.Wants(got, http.StatusSeeOther, "/dashboard")
		if n := ww.Int(t, `SELECT count(*) FROM account_audit_events WHERE action = 'account.changed' AND details LIKE '%whatsappSignIn%'`); n != 2 {
			t.Errorf("%d changes in the audit log, want 2", n)
		}
	})
}

// A person who signed in by WhatsApp must enter a code before they can enter an account that does not allow this.
func TestWhatsApp_ChangingToAnAccountThatDoesNotAllowIt(t *testing.T) {
	ww := newWhatsAppWorld(t, dbtest.SQLite(t))
	ww.link(ww.SignIn(messagingtest.OwnerEmail))
	other, err := ww.Directory.Create(t.Context(), &account.Spec{Name: "Autre", Email: "autre@example.com", Plan: "pro"})
	if err != nil {
		t.Fatal(err)
	}
	i, _ := ww.Directory.NewInvitation(other.ID, messagingtest.OwnerEmail, account.Membership{})
	if err := ww.Directory.StoreInvitation(t.Context(), i); err != nil {
		t.Fatal(err)
	}
	p, _ := ww.enter(start)
	p.Wants(p.Post("/dashboard/invitation", "invitation", i.ID), http.StatusSeeOther, "/dashboard/confirm?next=%2Fdashboard%2Finvitation")
	if members, err := ww.Directory.Members(t.Context(), other.ID); err != nil || len(members) != 0 {
		t.Errorf("members %+v, %v; a session by WhatsApp has accepted an invitation", members, err)
	}
	byCode := ww.SignIn(messagingtest.OwnerEmail)
	byCode.Wants(byCode.Post("/dashboard/invitation", "invitation", i.ID), http.StatusSeeOther, "/dashboard?done=joined")
	if err := ww.Directory.AllowWhatsAppSignIn(t.Context(), &account.Caller{Account: other, Kind: account.Dashboard, Role: account.RoleOwner, CodeAt: ww.Clock.Now()}, false); err != nil {
		t.Fatal(err)
	}
	p.Wants(p.Post("/dashboard/accounts/"+other.ID), http.StatusSeeOther, "/dashboard/confirm")
	p.Wants(p.Post("/dashboard/confirm"), http.StatusSeeOther, "/dashboard/confirm/code")
	p.Wants(p.Post("/dashboard/confirm/code", "code", ww.MailedCode(messagingtest.OwnerEmail)), http.StatusSeeOther, "/dashboard")
	p.Wants(p.Post("/dashboard/accounts/"+other.ID), http.StatusSeeOther, "/dashboard")
	p.Wants(p.Get("/dashboard"), http.StatusOK, "Autre")
}

func TestWhatsApp_IsNotThereUnlessConfigured(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.Person()
	for _, path := range []string{start, dashboard.WhatsAppCallback + "?code=x&state=y"} {
		p.Wants(p.Get(path), http.StatusNotFound, "not_found")
	}
	if got := p.Get("/dashboard/sign-in"); strings.Contains(got.Body, "WhatsApp") {
		t.Errorf("the page offers WhatsApp:\n%s", got.Body)
	}
	owner := w.SignIn(messagingtest.OwnerEmail)
	got := owner.Get("/dashboard/settings/sign-in")
	owner.Wants(got, http.StatusOK, messagingtest.OwnerEmail)
	if strings.Contains(got.Body, "Link my number") {
		t.Error("the settings offer WhatsApp")
	}
	owner.Wants(owner.Get("/dashboard/settings/sign-in/whatsapp"), http.StatusNotFound, "not_found")
}
