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
)

// whatsAppWorld is a world whose dashboard is a client of a login service.
type whatsAppWorld struct {
	*world
	login *loginService
}

func newWhatsAppWorld(t *testing.T, d *db.DB) *whatsAppWorld {
	t.Helper()
	ww := &whatsAppWorld{}
	ww.world = newWorldWith(t, d, func(o *dashboard.Options) {
		ww.login = newLoginService(t, o.Now)
		client, err := dashboard.NewWhatsApp(ww.login.URL, o.URL, loginClientID, loginClientSecret, o.Now)
		if err != nil {
			t.Fatal(err)
		}
		o.WhatsApp = client
	})
	return ww
}

// prove follows a page to the login service, where its person proves a number, and returns the address that they come
// back by.
func (ww *whatsAppWorld) prove(p *person, path string) (back string) {
	ww.t.Helper()
	got := p.get(path)
	if got.status != http.StatusSeeOther || !strings.HasPrefix(got.to, ww.login.URL+"/authorize?") {
		ww.t.Fatalf("%s: %d to %q", path, got.status, got.to)
	}
	r, err := http.NewRequestWithContext(ww.t.Context(), http.MethodGet, got.to, http.NoBody)
	if err != nil {
		ww.t.Fatal(err)
	}
	res, err := p.client.Do(r)
	if err != nil {
		ww.t.Fatal(err)
	}
	_ = res.Body.Close()
	back, ours := strings.CutPrefix(res.Header.Get("Location"), ww.url)
	if !ours {
		ww.t.Fatalf("the service led to %q", res.Header.Get("Location"))
	}
	return back
}

// link links the login service's number to who is signed in.
func (ww *whatsAppWorld) link(p *person) {
	ww.t.Helper()
	p.wants(p.get(ww.prove(p, "/dashboard/settings/sign-in/whatsapp")), http.StatusSeeOther, "/dashboard/settings/sign-in/link")
	p.wants(p.get("/dashboard/settings/sign-in/link"), http.StatusOK, "223*****001")
	p.wants(p.post("/dashboard/settings/sign-in/link"), http.StatusSeeOther, "/dashboard/settings/sign-in?done=whatsapp_linked")
}

// enter signs somebody new in by the login service, and returns where that led.
func (ww *whatsAppWorld) enter(start string) (*person, *page) {
	ww.t.Helper()
	p := ww.person()
	return p, p.get(ww.prove(p, start))
}

const start = "/api/session/whatsapp/start"

// notice waits for a mail.
func (ww *whatsAppWorld) notice(subject string) string {
	ww.t.Helper()
	text := ""
	ww.Eventually(ww.t, "a mail with the subject "+subject, func() (any, bool) {
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
		stranger.wants(got, http.StatusSeeOther, "/dashboard/sign-in?whatsapp=unknown")
		stranger.wants(stranger.get(got.to), http.StatusOK, "No one has linked this number.")
		stranger.wants(stranger.get("/dashboard"), http.StatusSeeOther, "/dashboard/sign-in")

		owner := ww.signIn(ownerEmail)
		owner.wants(owner.get("/dashboard/settings/sign-in"), http.StatusOK, "Link my number")
		ww.link(owner)
		shown := owner.get("/dashboard/settings/sign-in?done=whatsapp_linked")
		owner.wants(shown, http.StatusOK, "&#43;223*****001")
		if strings.Contains(shown.body, "76000001") {
			t.Error("the page shows the number")
		}
		if text := ww.notice("A WhatsApp number was linked to your address"); !strings.Contains(text, ownerEmail) || !strings.Contains(text, "+223*****001") {
			t.Errorf("the notice: %s", text)
		}

		phone, got := ww.enter(start + "?next=%2Fdashboard%2Flogs")
		phone.wants(got, http.StatusSeeOther, "/dashboard/logs")
		phone.wants(phone.get("/dashboard/logs"), http.StatusOK, ownerEmail)
		ww.Eventually(t, "a mail about each new browser", func() (any, bool) {
			n := 0
			for _, c := range ww.Gateway.Calls() {
				if c.Subject == "Sign-in from a new browser" && c.To == ownerEmail {
					n++
				}
			}
			return n, n == 2
		})
		phone.wants(phone.post("/dashboard/privacy/erase", "address", "+22376000009", "sure", "yes"), http.StatusSeeOther, "/dashboard/confirm")
		phone.wants(phone.get("/dashboard/settings/sign-in/whatsapp"), http.StatusSeeOther, "/dashboard/confirm")

		owner.wants(owner.post("/dashboard/settings/sign-in/remove"), http.StatusSeeOther, "/dashboard/settings/sign-in?done=whatsapp_unlinked")
		ww.notice("A WhatsApp number was removed from your address")
		again, got := ww.enter(start)
		again.wants(got, http.StatusSeeOther, "/dashboard/sign-in?whatsapp=unknown")
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
	ww.link(ww.signIn(ownerEmail))
	p := ww.person()
	back := ww.prove(p, start)
	other := ww.person()
	other.wants(other.get(back), http.StatusSeeOther, "/dashboard/sign-in?whatsapp=stray")
	p.wants(p.get(strings.Replace(back, "state=", "state=x", 1)), http.StatusSeeOther, "/dashboard/sign-in?whatsapp=stray")
	p.wants(p.get(back), http.StatusSeeOther, "/dashboard/sign-in?whatsapp=stray") // used by the one before
	back = ww.prove(p, start)
	ww.Clock.Advance(10 * time.Minute)
	p.wants(p.get(back), http.StatusSeeOther, "/dashboard/sign-in?whatsapp=stray")
	back = ww.prove(p, start)
	p.wants(p.get(back), http.StatusSeeOther, "/dashboard")
	p.wants(p.get(back), http.StatusSeeOther, "/dashboard/sign-in?whatsapp=stray")
	p = ww.person()
	p.wants(p.get(strings.Replace(ww.prove(p, start), "code="+loginCode, "error=access_denied", 1)), http.StatusSeeOther, "/dashboard/sign-in?whatsapp=failed")
	for _, next := range []string{"https://evil.example", "//evil.example", "/api/keys"} {
		p := ww.person()
		p.wants(p.get(ww.prove(p, start+"?"+query("next", next))), http.StatusSeeOther, "/dashboard")
	}
}

func TestWhatsApp_TokensThatAreNotForIt(t *testing.T) {
	ww := newWhatsAppWorld(t, dbtest.SQLite(t))
	ww.link(ww.signIn(ownerEmail))
	for name, claims := range map[string]map[string]any{
		"a TEST login": {"mode": "TEST"}, "another provider": {"provider": "sandbox"}, "an unproved number": {"phone_number_verified": false}, "no number": {"phone_number": nil}, "another client": {"aud": "other"}, "another issuer": {"iss": "https://evil.example"},
	} {
		ww.login.setClaims(claims)
		p, got := ww.enter(start)
		p.wants(got, http.StatusSeeOther, "/dashboard/sign-in?whatsapp=failed")
		if p.get("/dashboard").status != http.StatusSeeOther {
			t.Errorf("%s signs in", name)
		}
	}
	ww.login.setClaims(map[string]any{"sub": "profile_eve"})
	p, got := ww.enter(start)
	p.wants(got, http.StatusSeeOther, "/dashboard/sign-in?whatsapp=unknown")
	ww.login.setClaims(nil)
	p = ww.person()
	back := ww.prove(p, start)
	ww.login.Close()
	p.wants(p.get(back), http.StatusSeeOther, "/dashboard/sign-in?whatsapp=down")
}

func TestWhatsApp_LinkingTakesItsPersonsConsent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ww := newWhatsAppWorld(t, d)
		owner, awa := ww.signIn(ownerEmail), ww.member("awa@example.com", account.RoleViewer)
		back := ww.prove(owner, "/dashboard/settings/sign-in/whatsapp")
		awa.wants(awa.get(back), http.StatusSeeOther, "/dashboard/sign-in?whatsapp=stray")
		owner.wants(owner.get(back), http.StatusSeeOther, "/dashboard/settings/sign-in/link")
		foreign := *owner
		foreign.origin = "https://evil.example"
		foreign.wants(foreign.post("/dashboard/settings/sign-in/link"), http.StatusForbidden, "origin_mismatch")
		if n := ww.Int(t, `SELECT count(*) FROM whatsapp_links`); n != 0 {
			t.Fatalf("%d links before anybody agreed", n)
		}
		owner.wants(owner.post("/dashboard/settings/sign-in/link"), http.StatusSeeOther, "/dashboard/settings/sign-in?done=whatsapp_linked")
		owner.wants(owner.post("/dashboard/settings/sign-in/link"), http.StatusSeeOther, "/dashboard/settings/sign-in?whatsapp=stray")

		awa.wants(awa.get("/dashboard"), http.StatusOK, `href="/dashboard/settings/sign-in"`)
		awa.wants(awa.get(ww.prove(awa, "/dashboard/settings/sign-in/whatsapp")), http.StatusSeeOther, "/dashboard/settings/sign-in/link")
		awa.wants(awa.post("/dashboard/settings/sign-in/link"), http.StatusSeeOther, "/dashboard/settings/sign-in?whatsapp=taken")
		owner.wants(owner.post("/dashboard/settings/sign-in/remove"), http.StatusSeeOther, "/dashboard/settings/sign-in")
		ww.link(awa)
		entered, got := ww.enter(start)
		entered.wants(got, http.StatusSeeOther, "/dashboard")
		entered.wants(entered.get("/dashboard/logs"), http.StatusOK, "awa@example.com")
		entered.wants(entered.get("/dashboard/privacy"), http.StatusForbidden, "forbidden")

		members, err := ww.Directory.Members(t.Context(), ww.Account.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := ww.Directory.RemoveMember(t.Context(), ww.Account.ID, members[0].ID); err != nil {
			t.Fatal(err)
		}
		_, got = ww.enter(start)
		owner.wants(got, http.StatusSeeOther, "/dashboard/sign-in?whatsapp=unknown")
		ww.link(owner) // nobody else's any more
	})
}

func TestWhatsApp_OwnersSwitchItOff(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ww := newWhatsAppWorld(t, d)
		owner, awa := ww.signIn(ownerEmail), ww.member("awa@example.com", account.RoleViewer)
		ww.link(awa)
		entered, _ := ww.enter(start)
		entered.wants(entered.get("/dashboard"), http.StatusOK, "awa@example.com")
		awa.wants(awa.post("/dashboard/settings/sign-in/account"), http.StatusForbidden, "forbidden")
		owner.wants(owner.post("/dashboard/settings/sign-in/account"), http.StatusSeeOther, "/dashboard/settings/sign-in?done=settings_saved")
		entered.wants(entered.get("/dashboard"), http.StatusSeeOther, "/dashboard/sign-in") // its session has ended
		awa.wants(awa.get("/dashboard"), http.StatusOK, "awa@example.com")                  // by e-mail
		p, got := ww.enter(start)
		p.wants(got, http.StatusSeeOther, "/dashboard/sign-in?whatsapp=off")
		owner.wants(owner.post("/dashboard/settings/sign-in/account", "allow", "yes"), http.StatusSeeOther, "/dashboard/settings/sign-in")
		p, got = ww.enter(start)
		p.wants(got, http.StatusSeeOther, "/dashboard")
		if n := ww.Int(t, `SELECT count(*) FROM account_audit_events WHERE action = 'account.changed' AND details LIKE '%whatsappSignIn%'`); n != 2 {
			t.Errorf("%d changes in the audit log, want 2", n)
		}
	})
}

// Who came by WhatsApp gives a code before they enter an account that does not let people in so.
func TestWhatsApp_ChangingToAnAccountThatDoesNotAllowIt(t *testing.T) {
	ww := newWhatsAppWorld(t, dbtest.SQLite(t))
	ww.link(ww.signIn(ownerEmail))
	other, err := ww.Directory.Create(t.Context(), &account.Spec{Name: "Autre", Email: "autre@example.com", Plan: "pro"})
	if err != nil {
		t.Fatal(err)
	}
	i, _ := ww.Directory.NewInvitation(other.ID, ownerEmail, account.Membership{})
	if err := ww.Directory.StoreInvitation(t.Context(), i); err != nil {
		t.Fatal(err)
	}
	p, _ := ww.enter(start)
	p.wants(p.post("/dashboard/invitation", "invitation", i.ID), http.StatusSeeOther, "/dashboard/confirm?next=%2Fdashboard%2Finvitation")
	if members, err := ww.Directory.Members(t.Context(), other.ID); err != nil || len(members) != 0 {
		t.Errorf("members %+v, %v; a session by WhatsApp has accepted an invitation", members, err)
	}
	byCode := ww.signIn(ownerEmail)
	byCode.wants(byCode.post("/dashboard/invitation", "invitation", i.ID), http.StatusSeeOther, "/dashboard?done=joined")
	if err := ww.Directory.AllowWhatsAppSignIn(t.Context(), other.ID, false); err != nil {
		t.Fatal(err)
	}
	p.wants(p.post("/dashboard/accounts/"+other.ID), http.StatusSeeOther, "/dashboard/confirm")
	p.wants(p.post("/dashboard/confirm"), http.StatusSeeOther, "/dashboard/confirm/code")
	p.wants(p.post("/dashboard/confirm/code", "code", ww.code(ownerEmail)), http.StatusSeeOther, "/dashboard")
	p.wants(p.post("/dashboard/accounts/"+other.ID), http.StatusSeeOther, "/dashboard")
	p.wants(p.get("/dashboard"), http.StatusOK, "Autre")
}

func TestWhatsApp_IsNotThereUnlessConfigured(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	p := w.person()
	for _, path := range []string{start, dashboard.WhatsAppCallback + "?code=x&state=y"} {
		p.wants(p.get(path), http.StatusNotFound, "not_found")
	}
	if got := p.get("/dashboard/sign-in"); strings.Contains(got.body, "WhatsApp") {
		t.Errorf("the page offers WhatsApp:\n%s", got.body)
	}
	owner := w.signIn(ownerEmail)
	got := owner.get("/dashboard/settings/sign-in")
	owner.wants(got, http.StatusOK, ownerEmail)
	if strings.Contains(got.body, "Link my number") {
		t.Error("the settings offer WhatsApp")
	}
	owner.wants(owner.get("/dashboard/settings/sign-in/whatsapp"), http.StatusNotFound, "not_found")
}
