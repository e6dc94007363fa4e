package dashboard_test

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web/webtest"
)

func TestSettings_ChangeTheAccount(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Wants(p.Get("/dashboard/settings"), http.StatusOK, w.Account.ID)
		save := func(name, lang, zone string) *webtest.Page {
			return p.Post("/dashboard/settings", "name", name, "language", lang, "timeZone", zone)
		}
		p.Wants(save(" Awa <b> & fils ", "en", "Africa/Bamako"), http.StatusSeeOther, "/dashboard/settings?done=settings_saved")
		got := p.Get("/dashboard/settings?done=settings_saved")
		for _, want := range []string{`value="Awa &lt;b&gt; &amp; fils"`, `<option value="Africa/Bamako" selected>`, ` GMT</time>`, "Settings saved."} {
			if !strings.Contains(got.Body, want) {
				t.Errorf("no %q in:\n%s", want, got.Body)
			}
		}
		for want, wrong := range map[string][3]string{
			"Use 1 to 100 visible characters.": {" ", "en", "UTC"}, "Choose French or English.": {"Awa", "de", "UTC"}, "This time zone is unknown.": {"Awa", "fr", "../etc"},
		} {
			p.Wants(save(wrong[0], wrong[1], wrong[2]), http.StatusBadRequest, want)
		}
		a, err := w.Directory.Account(t.Context(), w.Account.ID)
		if err != nil || a.Name != "Awa <b> & fils" || a.Lang != "en" || a.TimeZone != "Africa/Bamako" {
			t.Errorf("%+v, %v; want what was saved last", a, err)
		}
		if body := html.UnescapeString(save("Awa", "fr", "Mali").Body); !strings.Contains(body, `<option value="Mali" selected>`) {
			t.Errorf("what was typed is lost:\n%s", body)
		}
	})
}

func TestSettings_TransferTheAccount(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		owner := w.SignIn(messagingtest.OwnerEmail)
		owner.Wants(owner.Get("/dashboard/settings"), http.StatusOK, "Invite the person first.")
		awa := w.Member("awa@example.com", account.RoleDeveloper)
		awa.Wants(awa.Get("/dashboard/settings"), http.StatusForbidden, "forbidden")
		id := found(t, owner.Get("/dashboard/settings"), `<option value="([^"]+)">awa@example.com`)
		transfer := func(p *messagingtest.Person, member, role string) *webtest.Page {
			return p.Post("/dashboard/settings/transfer", "member", member, "role", role)
		}
		owner.Wants(transfer(owner, "none", "viewer"), http.StatusNotFound, "This person is no longer in the team.")
		owner.Wants(transfer(owner, id, "owner"), http.StatusBadRequest, "Choose developer or viewer.")
		owner.Wants(transfer(awa, id, "viewer"), http.StatusForbidden, "forbidden")
		owner.Wants(transfer(owner, id, "viewer"), http.StatusSeeOther, "/dashboard?done=account_transferred")
		owner.Wants(owner.Get("/dashboard?done=account_transferred"), http.StatusOK, "The account has a new owner.")
		owner.Wants(owner.Get("/dashboard/settings"), http.StatusForbidden, "forbidden")
		owner.Wants(transfer(owner, id, "viewer"), http.StatusForbidden, "forbidden")
		awa.Wants(awa.Get("/dashboard/activity"), http.StatusOK, "transferred the account to awa@example.com.")
	})
}

func TestSettings_CloseTheAccount(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		owner, awa := w.SignIn(messagingtest.OwnerEmail), w.Member("awa@example.com", account.RoleViewer)
		owner.Wants(owner.Post("/dashboard/settings/close", "name", "another"), http.StatusBadRequest, "This is not the account’s name.")
		w.Exec(`INSERT INTO billing_customers (account_id, provider, mode, customer_id, revision, subscription_id, status, entitled, created_at) VALUES ($1, 'manual', '', 'c', 1, 's', 'active', 1, 0)`, w.Account.ID)
		owner.Wants(owner.Post("/dashboard/settings/close", "name", w.Account.Name), http.StatusConflict, "Cancel it first.")
		w.Exec(`UPDATE billing_customers SET status = 'canceled'`)
		w.Clock.Advance(account.RecentCode)
		owner.Wants(owner.Post("/dashboard/settings/close", "name", w.Account.Name), http.StatusSeeOther, "/dashboard/confirm?next=%2Fdashboard%2Fsettings")
		owner.Confirm(messagingtest.OwnerEmail, "/dashboard/settings", "/dashboard/settings")
		owner.Wants(owner.Post("/dashboard/settings/close", "name", w.Account.Name), http.StatusSeeOther, "/dashboard/sign-in?closed=true")
		owner.Wants(owner.Get("/dashboard/sign-in?closed=true"), http.StatusOK, "The account is closed.")
		w.Directory.Signup = account.SignupOpen
		again := w.SignIn(messagingtest.OwnerEmail) // the address is taken until the data is erased
		again.Wants(again.Get("/dashboard"), http.StatusSeeOther, "/dashboard/invitation")
		if got := again.Get("/dashboard/invitation"); strings.Contains(got.Body, "/dashboard/sign-up") {
			t.Errorf("who has closed an account is asked to make another:\n%s", got.Body)
		}
		for _, p := range []*messagingtest.Person{owner, awa} {
			p.Wants(p.Get("/dashboard"), http.StatusSeeOther, "/dashboard/sign-in")
		}
	})
}

func TestSettings_AStaleFormIsShownAgainWithBothValues(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		const version = `name="version" value="([^"]+)"`
		save := func(version, name, lang, zone string) *webtest.Page {
			return p.Post("/dashboard/settings", "version", version, "name", name, "language", lang, "timeZone", zone)
		}
		shown := found(t, p.Get("/dashboard/settings"), version)
		name, zone := "Theirs", "Africa/Dakar"
		if _, err := w.Directory.Change(t.Context(), w.Account.ID, &account.Change{Name: &name, TimeZone: &zone}); err != nil {
			t.Fatal(err)
		}
		stale := save(shown, "Mine", "en", "Africa/Bamako")
		for _, want := range []string{"These values changed after you opened the page.", `value="Mine"`, "Saved in the meantime: Theirs", `value="Africa/Bamako" selected`, "Saved in the meantime: Africa/Dakar"} {
			p.Wants(stale, http.StatusConflict, want)
		}
		if a, err := w.Directory.Account(t.Context(), w.Account.ID); err != nil || a.Name != "Theirs" || a.TimeZone != "Africa/Dakar" {
			t.Errorf("%+v, %v: the stale form was saved", a, err)
		}
		plan := "pro"
		if _, err := w.Directory.Change(t.Context(), w.Account.ID, &account.Change{Plan: &plan}); err != nil { // not a value of the form
			t.Fatal(err)
		}
		p.Wants(save(found(t, stale, version), "Mine", "en", "Africa/Bamako"), http.StatusSeeOther, "/dashboard/settings?done=settings_saved")
		p.Wants(save(shown, "Mine", "en", "Africa/Bamako"), http.StatusSeeOther, "/dashboard/settings?done=settings_saved") // a double click
	})
}

// Times on pages, and days in filters, use the account's time zone.
func TestSettings_TimeZone(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	p.Wants(p.Post("/dashboard/settings", "name", "Awa", "language", "en", "timeZone", "Pacific/Kiritimati"), http.StatusSeeOther, "/dashboard/settings?done=settings_saved")
	p.Send("to", "+22376000001", "channel", "sms", "message", "Bonjour") // at 12:00 UTC, which is the next day at 02:00 there
	for query, found := range map[string]bool{"?since=2026-03-05&until=2026-03-05": true, "?until=2026-03-04": false, "?since=2026-03-06": false} {
		if got := p.Get("/dashboard/logs" + query); strings.Contains(got.Body, "5 Mar 2026, 02:00 +14</time>") != found {
			t.Errorf("%s finds the message: want %t", query, found)
		}
	}
	p.Holds(p.Get("/dashboard/logs"), `title="2026-03-05 02:00:00 +14 · 2026-03-04 12:00:00 UTC"`, "no UTC</time>")
	for _, r := range w.Pages.Routes() {
		if r.Method == http.MethodGet && !strings.Contains(r.Path, "{") && !strings.HasSuffix(r.Path, "/events") {
			p.Holds(p.Get(r.Path), "no UTC</time>", `no "></time>`)
		}
	}
}
