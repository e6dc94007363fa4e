package operator_test

import (
	"net/http"
	"regexp"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	messagingadmin "example.com/griot/messaging/admin"
	"example.com/griot/web/webtest"
)

var versionField = regexp.MustCompile(`name="version" value="([^"]+)"`)

// version is the version that a page's form carries.
func version(t *testing.T, page webtest.Page) string {
	t.Helper()
	m := versionField.FindStringSubmatch(page.Body)
	if m == nil {
		t.Fatalf("%d, the form has no version", page.Status)
	}
	return m[1]
}

// showsAgain checks a page that refuses a stale form.
func showsAgain(t *testing.T, page webtest.Page, texts ...string) {
	t.Helper()
	if page.Status != http.StatusConflict {
		t.Fatalf("a stale form: %d, want 409", page.Status)
	}
	page.Status = http.StatusOK // as Shows wants a page
	page.Shows(t, append(texts, "These values changed after you opened the page.")...)
}

func TestAccount_AStaleFormIsShownAgainWithBothValues(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.signIn()
		at := "/operator/accounts/" + s.Account.ID
		plan, limit := "pro", int64(7)
		shown := version(t, s.get(at))
		ask[messagingadmin.Account](s, "accounts.set", messagingadmin.AccountChange{Account: s.Account.ID, Plan: &plan, RecipientCap: &limit}) // as the plan is paid for meanwhile
		stale := s.post(at, "version", shown, "plan", "free", "expires", "2026-12-31", "trial", "", "cap", "")
		showsAgain(t, stale, `<option value="free" selected>`, "Saved in the meantime: pro", `value="2026-12-31"`, "Saved in the meantime: empty", "Saved in the meantime: 7")
		if a := ask[messagingadmin.Account](s, "accounts.show", messagingadmin.OfAccount{Account: s.Account.ID}); a.Plan != "pro" || a.RecipientCap == nil || *a.RecipientCap != 7 {
			t.Errorf("%+v: the stale form was saved", a)
		}
		name := "Another name"
		ask[messagingadmin.Account](s, "accounts.set", messagingadmin.AccountChange{Account: s.Account.ID, Name: &name}) // not a value of the form
		s.post(at, "version", version(t, stale), "plan", "starter", "expires", "", "trial", "", "cap", "9").Leads(t, at)
		if a := ask[messagingadmin.Account](s, "accounts.show", messagingadmin.OfAccount{Account: s.Account.ID}); a.Plan != "starter" || *a.RecipientCap != 9 || a.Name != name {
			t.Errorf("%+v: want what was saved again, and the name", a)
		}
	})
}

func TestPlan_AStaleFormIsShownAgainWithBothValues(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.signIn()
		const at = "/operator/plans/free"
		shown := version(t, s.get(at))
		rate, inbox := int64(33), true
		ask[messagingadmin.Plan](s, "plans.set", messagingadmin.PlanInput{Name: "free", Rate: &rate, Inbox: &inbox})
		stale := s.post(at, "version", shown, "daily", "50", "rate", "1", "cap", "9", "confirm", "yes")
		showsAgain(t, stale, `value="50"`, `value="1"`, "Saved in the meantime: 33", "Saved in the meantime: on")
		s.post(at, "version", version(t, stale), "daily", "50", "rate", "1", "cap", "9", "confirm", "yes").Leads(t, at)
		s.get(at).Shows(t, "Saved.", `value="50"`, `value="1"`)
	})
}

func TestGateway_AStaleFormIsShownAgain(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.signIn()
		ask[messagingadmin.Gateway](s, "gateways.add", messagingadmin.GatewayInput{Name: "sms", Kind: "wire", Settings: []byte(`{"a":1}`)})
		const at = "/operator/gateways/of/sms"
		shown := version(t, s.get(at))
		ask[messagingadmin.Gateway](s, "gateways.set", messagingadmin.GatewayInput{Name: "sms", Settings: []byte(`{"a":2}`)})
		stale := s.post(at, "version", shown, "settings", "a: 3", "confirm", "yes")
		showsAgain(t, stale, ">a: 3</textarea>")
		s.post(at, "version", version(t, stale), "settings", "a: 3", "confirm", "yes").Leads(t, at)
		saved := version(t, s.get(at))
		s.post(at, "version", version(t, stale), "settings", "a: 3", "confirm", "yes").Leads(t, at) // a double click
		if again := version(t, s.get(at)); again != saved || saved == shown {
			t.Errorf("the settings have the version %s, then %s; want one that is not %s", saved, again, shown)
		}
	})
}
