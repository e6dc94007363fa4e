package operator_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	messagingadmin "example.com/griot/messaging/admin"
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
		first.Shows(t, "Shop 59", "Shop 10", `rel="next"`)
		first.Hides(t, "Shop 09", ">First page<")
		_, rest, _ := strings.Cut(first.Body, `rel="next" href="`)
		next, _, _ := strings.Cut(rest, `"`)
		second := s.get(next)
		second.Shows(t, "Shop 09", "Shop 00", s.Account.Email, ">First page<")
		second.Hides(t, "Shop 10", `rel="next"`)
		found := s.get("/operator/accounts?q=shop07%40")
		found.Shows(t, "Shop 07")
		found.Hides(t, "Shop 06")
		s.get("/operator/accounts?q=nobody").Shows(t, "No account is found")
		if got := s.get("/operator/accounts?before=none").Status; got != http.StatusNotFound {
			t.Errorf("a page that is none: %d, want 404", got)
		}
		if got := s.get("/operator/accounts?q=" + strings.Repeat("a", 200)).Status; got != http.StatusNotFound {
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
		one.Shows(t, s.Account.Email, "of 10", "22370000001", "awa@example.com", ">invited<", "svc_live_")
		one.Hides(t, s.LiveKey)
		if got := s.get("/operator/accounts/" + s.Account.Email); got.Status != http.StatusOK {
			t.Errorf("by its address: %d, want 200", got.Status)
		}
		for _, absent := range []string{"/operator/accounts/none", "/operator/accounts/platform"} {
			if got := s.get(absent).Status; got != http.StatusNotFound {
				t.Errorf("%s: %d, want 404", absent, got)
			}
		}

		s.post(at, "plan", "starter", "expires", "2026-12-31", "trial", "", "cap", "7").Leads(t, at)
		s.get(at).Shows(t, "Saved.", `value="2026-12-31"`, `value="7"`, `<option value="starter" selected>`)
		s.get(at).Hides(t, "Saved.")
		if changed := s.audited("account.changed"); len(changed) != 1 || changed[0].Actor != "operator" || changed[0].AccountID != s.Account.ID {
			t.Errorf("audited %+v, want one change by the operator", changed)
		}
		s.post(at, "plan", "starter", "expires", "", "trial", "", "cap", "").Leads(t, at)
		if a := ask[messagingadmin.Account](s, "accounts.show", messagingadmin.OfAccount{Account: s.Account.ID}); a.PlanExpiresAt != nil || a.RecipientCap != nil || a.Plan != "starter" {
			t.Errorf("got %+v, want starter without an end or a cap", a)
		}
		for want, in := range map[string][]string{
			"There is no such plan.": {"plan", "none", "cap", ""},
			"Write a date such as":   {"plan", "starter", "expires", "tomorrow"},
			"a limit as a whole":     {"plan", "starter", "cap", "many"},
			"A limit is from 1 to":   {"plan", "starter", "cap", "-1"},
		} {
			s.post(at, in...).Leads(t, at)
			s.get(at).Shows(t, want)
		}

		keys := ask[[]messagingadmin.Key](s, "api-keys.list", messagingadmin.OfAccount{Account: s.Account.ID})
		s.post(at+"/keys/"+keys[0].ID+"/revoke").Leads(t, at+"#keys")
		s.get(at).Shows(t, "The key is revoked.", ">revoked<")
		if c, err := s.Directory.Authenticate(t.Context(), s.LiveKey); err != nil || c != nil {
			t.Errorf("the key opens %v, %v, want nothing", c, err)
		}
		s.post(at+"/keys/none/revoke").Leads(t, at+"#keys")
		s.get(at).Shows(t, "The account has no such key.")
		s.post(at+"/members/"+invited.ID+"/remove").Leads(t, at+"#members")
		s.get(at).Shows(t, "Removed.", "There is nobody but the owner.")
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
	s.get(at).Shows(t, "svc_live_", `href="`+at+`?page=2"`)
	s.get(at).Hides(t, ">36050<")
	second := s.get(at + "?page=2")
	second.Shows(t, ">36050<", `rel="prev"`)
	second.Hides(t, "svc_live_", ">36000<")
}

func TestPlans_AreChangedOnceThatIsConfirmed(t *testing.T) {
	t.Parallel()
	s := newSite(t, dbtest.SQLite(t))
	s.signIn()
	s.get("/operator/plans").Shows(t, "unlimited", "no limit")
	s.get("/operator/plans/free").Shows(t, `id="daily"`, `value="10"`)
	if got := s.get("/operator/plans/none").Status; got != http.StatusNotFound {
		t.Errorf("no plan: %d, want 404", got)
	}
	s.post("/operator/plans/free", "daily", "50", "rate", "", "cap", "9").Leads(t, "/operator/plans/free")
	s.get("/operator/plans/free").Shows(t, "Tick the box to confirm.", `value="10"`)
	s.post("/operator/plans/free", "daily", "50", "rate", "", "cap", "9", "confirm", "yes").Leads(t, "/operator/plans/free")
	s.get("/operator/plans/free").Shows(t, "Saved.", `value="50"`)
	if events := s.audited("plan.changed"); len(events) != 1 || events[0].Target != "free" {
		t.Errorf("audited %+v, want the plan's change", events)
	}
}

// An account is closed and opened again, or its data erased soon, with a tick for each.
func TestAccounts_AreDeletedAndReopened(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.signIn()
		a := ask[messagingadmin.Account](s, "accounts.create", messagingadmin.AccountInput{Name: "Chez Awa", Email: "chez@awa.example"})
		at := "/operator/accounts/" + a.ID
		s.post(at+"/delete").Leads(t, at+"#delete")
		s.get(at).Shows(t, "Tick the box to confirm.", "Close Chez Awa")
		s.post(at+"/delete", "confirm", "yes").Leads(t, at)
		closed := s.get(at)
		closed.Shows(t, "The account is closed.", "Its data is erased 30 days after it was closed:", ">Reopen<")
		closed.Hides(t, "Close Chez Awa")
		s.post(at+"/reopen").Leads(t, at)
		s.get(at).Shows(t, "The account is open again.", "Close Chez Awa")
		s.post(at+"/delete", "confirm", "yes", "now", "yes").Leads(t, at)
		s.post(at+"/reopen").Leads(t, at)
		s.get(at).Hides(t, "The account is open again.")
		s.post("/operator/accounts/none/delete", "confirm", "yes").Leads(t, "/operator/accounts/none")
	})
}
