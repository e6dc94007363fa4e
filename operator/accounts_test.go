package operator_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"griot/internal/db"
	"griot/internal/db/dbtest"
	messagingadmin "griot/messaging/admin"
)

func TestAccounts_AreListedAndFound(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.signIn()
		for i := range 60 {
			s.Clock.Advance(1e6)
			ask[messagingadmin.Account](s, "accounts.create", messagingadmin.AccountInput{Name: fmt.Sprintf("Shop %02d", i), Email: fmt.Sprintf("shop%02d@example.com", i), Plan: "free"})
		}
		first := s.get("/operator/accounts")
		first.shows(t, "Shop 59", "Shop 10", `rel="next"`)
		first.hides(t, "Shop 09", `rel="prev"`)
		_, rest, _ := strings.Cut(first.body, `rel="next" href="`)
		next, _, _ := strings.Cut(rest, `"`)
		second := s.get(next)
		second.shows(t, "Shop 09", "Shop 00", s.Account.Email, `rel="prev"`)
		second.hides(t, "Shop 10", `rel="next"`)
		found := s.get("/operator/accounts?q=shop07%40")
		found.shows(t, "Shop 07")
		found.hides(t, "Shop 06")
		s.get("/operator/accounts?q=nobody").shows(t, "No account is found")
		if got := s.get("/operator/accounts?before=none").status; got != http.StatusNotFound {
			t.Errorf("a page that is none: %d, want 404", got)
		}
		if got := s.get("/operator/accounts?q=" + strings.Repeat("a", 200)).status; got != http.StatusNotFound {
			t.Errorf("a search that is too long: %d, want 404", got)
		}
	})
}

func TestAccount_PlanKeysAndMembers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.signIn()
		at := "/operator/accounts/" + s.Account.ID
		invited := ask[messagingadmin.Invited](s, "members.invite", messagingadmin.InviteInput{Account: s.Account.ID, Email: "awa@example.com", Lang: "fr"})
		one := s.get(at)
		one.shows(t, s.Account.Email, "of 10", "22370000001", "awa@example.com", ">invited<", "svc_live_")
		one.hides(t, s.LiveKey)
		if got := s.get("/operator/accounts/" + s.Account.Email); got.status != http.StatusOK {
			t.Errorf("by its address: %d, want 200", got.status)
		}
		for _, absent := range []string{"/operator/accounts/none", "/operator/accounts/platform"} {
			if got := s.get(absent).status; got != http.StatusNotFound {
				t.Errorf("%s: %d, want 404", absent, got)
			}
		}

		s.post(at, "plan", "starter", "expires", "2026-12-31", "trial", "", "cap", "7").leads(t, at)
		s.get(at).shows(t, "Saved.", `value="2026-12-31"`, `value="7"`, `<option value="starter" selected>`)
		s.get(at).hides(t, "Saved.")
		if changed := s.audited("account.changed"); len(changed) != 1 || changed[0].Actor != "operator" || changed[0].AccountID != s.Account.ID {
			t.Errorf("audited %+v, want one change by the operator", changed)
		}
		s.post(at, "plan", "starter", "expires", "", "trial", "", "cap", "").leads(t, at)
		if a := ask[messagingadmin.Account](s, "accounts.show", messagingadmin.OfAccount{Account: s.Account.ID}); a.PlanExpiresAt != nil || a.RecipientCap != nil || a.Plan != "starter" {
			t.Errorf("got %+v, want starter without an end or a cap", a)
		}
		for want, in := range map[string][]string{
			"There is no such plan.": {"plan", "none", "cap", ""},
			"Write a date such as":   {"plan", "starter", "expires", "tomorrow"},
			"a limit as a whole":     {"plan", "starter", "cap", "many"},
			"A limit is from 1 to":   {"plan", "starter", "cap", "-1"},
		} {
			s.post(at, in...).leads(t, at)
			s.get(at).shows(t, want)
		}

		keys := ask[[]messagingadmin.Key](s, "api-keys.list", messagingadmin.OfAccount{Account: s.Account.ID})
		s.post(at+"/keys/"+keys[0].ID+"/revoke").leads(t, at+"#keys")
		s.get(at).shows(t, "The key is revoked.", ">revoked<")
		if c, err := s.Directory.Authenticate(t.Context(), s.LiveKey); err != nil || c != nil {
			t.Errorf("the key opens %v, %v, want nothing", c, err)
		}
		s.post(at+"/keys/none/revoke").leads(t, at+"#keys")
		s.get(at).shows(t, "The account has no such key.")
		s.post(at+"/members/"+invited.ID+"/remove").leads(t, at+"#members")
		s.get(at).shows(t, "Removed.", "There is nobody but the owner.")
	})
}

func TestAccount_ListsArePaged(t *testing.T) {
	t.Parallel()
	s := newSite(t, dbtest.SQLite(t))
	s.signIn()
	at := "/operator/accounts/" + s.Account.ID
	for i := range 51 {
		ask[messagingadmin.Sender](s, "senders.add", messagingadmin.SenderInput{Account: s.Account.ID, Channel: "sms", Address: fmt.Sprint(36000 + i), Gateway: "fake"})
	}
	s.get(at).shows(t, "svc_live_", `href="`+at+`?page=2"`)
	s.get(at).hides(t, ">36050<")
	second := s.get(at + "?page=2")
	second.shows(t, ">36050<", `rel="prev"`)
	second.hides(t, "svc_live_", ">36000<")
}

func TestPlans_AreChangedOnceThatIsConfirmed(t *testing.T) {
	t.Parallel()
	s := newSite(t, dbtest.SQLite(t))
	s.signIn()
	s.get("/operator/plans").shows(t, "unlimited", "no limit")
	s.get("/operator/plans/free").shows(t, `id="daily"`, `value="10"`)
	if got := s.get("/operator/plans/none").status; got != http.StatusNotFound {
		t.Errorf("no plan: %d, want 404", got)
	}
	s.post("/operator/plans/free", "daily", "50", "rate", "", "cap", "9").leads(t, "/operator/plans/free")
	s.get("/operator/plans/free").shows(t, "Tick the box to confirm.", `value="10"`)
	s.post("/operator/plans/free", "daily", "50", "rate", "", "cap", "9", "confirm", "yes").leads(t, "/operator/plans/free")
	s.get("/operator/plans/free").shows(t, "Saved.", `value="50"`)
	if events := s.audited("plan.changed"); len(events) != 1 || events[0].Target != "free" {
		t.Errorf("audited %+v, want the plan's change", events)
	}
}
