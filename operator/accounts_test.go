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
		found := s.get("/operator/accounts?text=shop07%40")
		found.Shows(t, "Shop 07")
		found.Hides(t, "Shop 06")
		s.get("/operator/accounts?text=nobody").Shows(t, "No account is found.")
		if got := s.get("/operator/accounts?before=none"); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "There is no such account.") {
			t.Errorf("a page that is none: %d, want 400", got.Status)
		}
		if got := s.get("/operator/accounts?text=" + strings.Repeat("a", 200)); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "A search has at most") {
			t.Errorf("a search that is too long: %d, want 400", got.Status)
		}
	})
}

func TestAccount_PlanKeysAndMembers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.signIn()
		at, form := "/operator/accounts/"+s.Account.ID, "/operator/do/accounts.set?account="+s.Account.ID
		invited := ask[messagingadmin.Invited](s, "members.invite", messagingadmin.InviteInput{Account: s.Account.ID, Email: "awa@example.com", Lang: "fr"})
		one := s.get(at)
		one.Shows(t, s.Account.Email, "Sent today", "22370000001", "awa@example.com", "Invited until", "svc_live_")
		one.Hides(t, s.LiveKey)
		if got := s.get("/operator/accounts/" + s.Account.Email); got.Status != http.StatusOK {
			t.Errorf("by its address: %d, want 200", got.Status)
		}
		for _, absent := range []string{"/operator/accounts/none", "/operator/accounts/platform"} {
			if got := s.get(absent).Status; got != http.StatusNotFound {
				t.Errorf("%s: %d, want 404", absent, got)
			}
		}

		s.post(form, "plan", "starter", "planExpiresAt", "2026-12-31", "trialEndsAt", "", "recipientCap", "7").Leads(t, at)
		s.get(at).Shows(t, "Saved.", "2026-12-31", "<bdi>7</bdi>", `href="/operator/plans/starter"`)
		s.get(at).Hides(t, "Saved.")
		s.get(form).Shows(t, `value="2026-12-31"`, `value="7"`, `<option value="starter" selected>`)
		if changed := s.audited("account.changed"); len(changed) != 1 || changed[0].Actor != "operator" || changed[0].AccountID != s.Account.ID {
			t.Errorf("audited %+v, want one change by the operator", changed)
		}
		s.post(form, "plan", "starter", "planExpiresAt", "", "trialEndsAt", "", "recipientCap", "").Leads(t, at)
		if a := ask[messagingadmin.Account](s, "accounts.show", messagingadmin.OfAccount{Account: s.Account.ID}); a.PlanExpiresAt != nil || a.RecipientCap != nil || a.Plan != "starter" {
			t.Errorf("got %+v, want starter without an end or a cap", a)
		}
		if got := s.post(form, "plan", "none"); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "There is no such plan.") {
			t.Errorf("no plan: %d, want 400", got.Status)
		}
		s.refuses(form, "This can’t be read", "plan", "starter", "planExpiresAt", "tomorrow")
		s.refuses(form, "This can’t be read", "plan", "starter", "recipientCap", "many")
		s.refuses(form, "A limit is from 1 to", "plan", "starter", "recipientCap", "-1")

		keys := ask[[]messagingadmin.Key](s, "api-keys.list", messagingadmin.OfAccount{Account: s.Account.ID})
		revoke := "/operator/do/api-keys.revoke?account=" + s.Account.ID + "&id="
		s.get(revoke+keys[0].ID).Shows(t, keys[0].Prefix)
		s.refuses(revoke+keys[0].ID, "Tick the box to confirm.")
		s.get(at).Shows(t, ">Valid<")
		s.post(revoke+keys[0].ID, "confirm", "yes").Leads(t, at)
		s.get(at).Shows(t, "The key is revoked.", ">Revoked</span>")
		if c, err := s.Directory.Authenticate(t.Context(), s.LiveKey); err != nil || c != nil {
			t.Errorf("the key opens %v, %v, want nothing", c, err)
		}
		s.refuses(revoke+"none", "The account has no such key.", "confirm", "yes")
		s.post("/operator/do/members.remove?account="+s.Account.ID+"&id="+invited.ID, "confirm", "yes").Leads(t, at)
		left := s.get(at)
		left.Shows(t, "Removed.")
		left.Hides(t, "awa@example.com")
		made := s.post("/operator/do/accounts.create", "name", "Chez Fanta", "email", "fanta@example.com", "lang", "fr", "plan", "free")
		if made.Status != http.StatusSeeOther || !strings.HasPrefix(made.Location, "/operator/accounts/0") {
			t.Fatalf("an account is made: %d to %s", made.Status, made.Location)
		}
		s.get(made.Location).Shows(t, "The account is ready.", "Chez Fanta", "fanta@example.com")
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
	s.get("/operator/plans").Shows(t, "no limit", `href="/operator/plans/free"`)
	const form = "/operator/do/plans.set?name=free"
	s.get("/operator/plans/free").Shows(t, form)
	s.get(form).Shows(t, `id="dailyLimit"`, `value="10"`)
	for _, absent := range []string{"/operator/plans/none", "/operator/do/plans.set?name=none", "/operator/do/plans.none"} {
		if got := s.get(absent).Status; got != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", absent, got)
		}
	}
	s.refuses(form, "Tick the box to confirm.", "dailyLimit", "50", "rate", "", "recipientCap", "9")
	s.get(form).Shows(t, `value="10"`)
	s.refuses(form, "This can’t be read", "dailyLimit", "many", "confirm", "yes")
	s.post(form, "dailyLimit", "50", "rate", "", "recipientCap", "9", "confirm", "yes").Leads(t, "/operator/plans/free")
	s.get("/operator/plans/free").Shows(t, "Saved.", "<bdi>50</bdi>")
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
		do := func(verb string) string { return "/operator/do/accounts." + verb + "?account=" + a.ID }
		s.refuses(do("delete"), "Tick the box to confirm.")
		s.get(do("delete")).Shows(t, "Delete Chez Awa")
		s.post(do("delete"), "confirm", "yes").Leads(t, at)
		closed := s.get(at)
		closed.Shows(t, "The account is closed.", ">Closed</span>", `<th scope="row">Closed</th>`, do("reopen"))
		closed.Hides(t, do("delete"))
		s.post(do("reopen")).Leads(t, at)
		s.get(at).Shows(t, "The account is open again.", do("delete"))
		s.post(do("delete"), "confirm", "yes", "now", "on").Leads(t, at)
		s.refusesButton(do("reopen"), at, "The account is not closed, or its time is over")
		s.refuses("/operator/do/accounts.delete?account=none", "There is no such account.", "confirm", "yes")
	})
}
