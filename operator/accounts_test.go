package operator_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/operator/operatortest"
)

func TestAccounts_AreListedAndFound(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		for i := range 60 {
			s.Clock.Advance(1e6)
			operatortest.Ask[messagingverbs.Account](s, "accounts.create", messagingverbs.AccountInput{Name: fmt.Sprintf("Shop %02d", i), Email: fmt.Sprintf("shop%02d@example.com", i), Plan: "free"})
		}
		first := s.Get("/operator/accounts")
		first.Shows(t, "Shop 59", "Shop 10", `rel="next"`)
		first.Hides(t, "Shop 09", ">First page<")
		_, rest, _ := strings.Cut(first.Body, `rel="next" href="`)
		next, _, _ := strings.Cut(rest, `"`)
		second := s.Get(next)
		second.Shows(t, "Shop 09", "Shop 00", s.Account.Email, ">First page<")
		second.Hides(t, "Shop 10", `rel="next"`)
		found := s.Get("/operator/accounts?text=shop07%40")
		found.Shows(t, "Shop 07")
		found.Hides(t, "Shop 06")
		s.Get("/operator/accounts?text=nobody").Shows(t, "No account is found.")
		if got := s.Get("/operator/accounts?before=none"); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "The account doesn&#39;t exist.") {
			t.Errorf("a page that is none: %d, want 400", got.Status)
		}
		if got := s.Get("/operator/accounts?text=" + strings.Repeat("a", 200)); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "A search can have at most") {
			t.Errorf("a search that is too long: %d, want 400", got.Status)
		}
	})
}

func TestAccount_PlanKeysAndMembers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		at, form := "/operator/accounts/"+s.Account.ID, "/operator/do/accounts.set?account="+s.Account.ID
		invited := operatortest.Ask[messagingverbs.Invited](s, "members.invite", messagingverbs.InviteInput{OfAccount: messagingverbs.OfAccount{Account: s.Account.ID}, Email: "awa@example.com", Lang: "fr"})
		one := s.Get(at)
		one.Shows(t, s.Account.Email, "Sent today", "223\u00a070\u00a000\u00a000\u00a001", "awa@example.com", "Invited until", "svc_live_")
		one.Hides(t, s.LiveKey)
		if got := s.Get("/operator/accounts/" + s.Account.Email); got.Status != http.StatusOK {
			t.Errorf("by its address: %d, want 200", got.Status)
		}
		for _, absent := range []string{"/operator/accounts/none", "/operator/accounts/platform"} {
			if got := s.Get(absent).Status; got != http.StatusNotFound {
				t.Errorf("%s: %d, want 404", absent, got)
			}
		}

		s.Post(form, "plan", "starter", "planExpiresAt", "2026-12-31", "trialEndsAt", "", "recipientCap", "7").Leads(t, at)
		s.Get(at).Shows(t, "Saved.", "2026-12-31", "<bdi>7</bdi>", `href="/operator/plans/starter"`)
		s.Get(at).Hides(t, "Saved.")
		s.Get(form).Shows(t, `value="2026-12-31"`, `value="7"`, `<option value="starter" selected>`)
		if changed := s.Audited("account.changed"); len(changed) != 1 || changed[0].Actor != "operator" || changed[0].AccountID != s.Account.ID {
			t.Errorf("audited %+v, want one change by the operator", changed)
		}
		s.Post(form, "plan", "starter", "planExpiresAt", "", "trialEndsAt", "", "recipientCap", "").Leads(t, at)
		if a := operatortest.Ask[messagingverbs.Account](s, "accounts.show", messagingverbs.OfAccount{Account: s.Account.ID}); a.PlanExpiresAt != nil || a.RecipientCap != nil || a.Plan != "starter" {
			t.Errorf("got %+v, want starter without an end or a cap", a)
		}
		if got := s.Post(form, "plan", "none"); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "The plan doesn&#39;t exist.") {
			t.Errorf("no plan: %d, want 400", got.Status)
		}
		s.Refuses(form, "Invalid value.", "plan", "starter", "planExpiresAt", "tomorrow")
		s.Refuses(form, "Invalid value.", "plan", "starter", "recipientCap", "many")
		s.Refuses(form, "A limit must be 1 to", "plan", "starter", "recipientCap", "-1")

		keys := operatortest.Ask[[]messagingverbs.Key](s, "api-keys.list", messagingverbs.OfAccount{Account: s.Account.ID})
		revoke := "/operator/do/api-keys.revoke?account=" + s.Account.ID + "&id="
		s.Get(revoke+keys[0].ID).Shows(t, keys[0].Prefix)
		s.Refuses(revoke+keys[0].ID, "Tick the box to confirm.")
		s.Get(at).Shows(t, ">Valid<")
		s.Post(revoke+keys[0].ID, "confirm", "yes").Leads(t, at)
		s.Get(at).Shows(t, "The key is revoked.", ">Revoked</span>")
		if c, err := s.Directory.Authenticate(t.Context(), s.LiveKey); err != nil || c != nil {
			t.Errorf("the key opens %v, %v, want nothing", c, err)
		}
		s.Refuses(revoke+"none", "The account doesn&#39;t have this key.", "confirm", "yes")
		s.Post("/operator/do/members.remove?account="+s.Account.ID+"&id="+invited.ID, "confirm", "yes").Leads(t, at)
		left := s.Get(at)
		left.Shows(t, "Removed.")
		left.Hides(t, "awa@example.com")
		made := s.Post("/operator/do/accounts.create", "name", "Chez Fanta", "email", "fanta@example.com", "lang", "fr", "plan", "free")
		if made.Status != http.StatusSeeOther || !strings.HasPrefix(made.Location, "/operator/accounts/0") {
			t.Fatalf("an account is made: %d to %s", made.Status, made.Location)
		}
		s.Get(made.Location).Shows(t, "The account is ready.", "Chez Fanta", "fanta@example.com")
	})
}

func TestAccount_ListsArePaged(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	at := "/operator/accounts/" + s.Account.ID
	for i := range 51 {
		operatortest.Ask[messagingverbs.Sender](s, "senders.add", messagingverbs.SenderInput{Account: s.Account.ID, Channel: "sms", Address: fmt.Sprint(36000 + i), Gateway: "fake"})
	}
	s.Get(at).Shows(t, "svc_live_", `href="`+at+`?page=2"`)
	s.Get(at).Hides(t, ">36050<")
	second := s.Get(at + "?page=2")
	second.Shows(t, ">36050<", `rel="prev"`)
	second.Hides(t, "svc_live_", ">36000<")
}

func TestPlans_AreChangedOnceThatIsConfirmed(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	s.Get("/operator/plans").Shows(t, "no limit", `href="/operator/plans/free"`)
	const form = "/operator/do/plans.set?name=free"
	s.Get("/operator/plans/free").Shows(t, form)
	s.Get(form).Shows(t, `id="dailyLimit"`, `value="10"`)
	for _, absent := range []string{"/operator/plans/none", "/operator/do/plans.set?name=none", "/operator/do/plans.none"} {
		if got := s.Get(absent).Status; got != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", absent, got)
		}
	}
	s.Refuses(form, "Tick the box to confirm.", "dailyLimit", "50", "rate", "", "recipientCap", "9")
	s.Get(form).Shows(t, `value="10"`)
	s.Refuses(form, "Invalid value.", "dailyLimit", "many", "confirm", "yes")
	s.Post(form, "dailyLimit", "50", "rate", "", "recipientCap", "9", "confirm", "yes").Leads(t, "/operator/plans/free")
	s.Get("/operator/plans/free").Shows(t, "Saved.", "<bdi>50</bdi>")
	if events := s.Audited("plan.changed"); len(events) != 1 || events[0].Target != "free" {
		t.Errorf("audited %+v, want the plan's change", events)
	}
}

// An account is closed and reopened, or its data is erased early, with a checkbox for each.
func TestAccounts_AreDeletedAndReopened(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		a := operatortest.Ask[messagingverbs.Account](s, "accounts.create", messagingverbs.AccountInput{Name: "Chez Awa", Email: "chez@awa.example"})
		at := "/operator/accounts/" + a.ID
		do := func(verb string) string { return "/operator/do/accounts." + verb + "?account=" + a.ID }
		s.Refuses(do("delete"), "Tick the box to confirm.")
		s.Get(do("delete")).Shows(t, "Delete Chez Awa")
		s.Post(do("delete"), "confirm", "yes").Leads(t, at)
		closed := s.Get(at)
		closed.Shows(t, "The account is closed.", ">Closed</span>", `<th scope="row">Closed</th>`, do("reopen"))
		closed.Hides(t, do("delete"))
		s.Post(do("reopen")).Leads(t, at)
		s.Get(at).Shows(t, "The account is open again.", do("delete"))
		s.Post(do("delete"), "confirm", "yes", "now", "on").Leads(t, at)
		s.RefusesButton(do("reopen"), at, "The account isn&#39;t closed, or it is already being erased")
		s.Refuses("/operator/do/accounts.delete?account=none", "The account doesn&#39;t exist.", "confirm", "yes")
	})
}

// An account is suspended with a reason, which is visible, and resumed by a button.
func TestAccounts_AreSuspendedAndResumed(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		a := operatortest.Ask[messagingverbs.Account](s, "accounts.create", messagingverbs.AccountInput{Name: "Chez Awa", Email: "chez@awa.example"})
		at := "/operator/accounts/" + a.ID
		do := func(verb string) string { return "/operator/do/accounts." + verb + "?account=" + a.ID }
		s.Get(at).Shows(t, do("suspend"))
		s.Get(at).Hides(t, do("resume"))
		s.Refuses(do("suspend"), "The reason must have 1 to 300 visible characters", "reason", strings.Repeat("x", 301))
		s.Post(do("suspend"), "reason", "Spam <reports>.").Leads(t, at)
		suspended := s.Get(at)
		suspended.Shows(t, "The account is suspended.", ">Suspended</span>", "Spam &lt;reports&gt;.", do("resume"))
		suspended.Hides(t, do("suspend"))
		s.Post(do("resume")).Leads(t, at)
		resumed := s.Get(at)
		resumed.Shows(t, "The account is resumed.", do("suspend"))
		resumed.Hides(t, "Spam &lt;reports&gt;.")
		if events := s.Audited("account.suspended"); len(events) != 1 || events[0].Details["reason"] != "Spam <reports>." || events[0].Actor != string(actor.Operator) {
			t.Errorf("audited %+v, want the reason by the operator", events)
		}
		s.Refuses("/operator/do/accounts.suspend?account=none", "The account doesn&#39;t exist.", "reason", "x")
	})
}
