package operator_test

import (
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/operator/operatortest"
)

func TestAccount_AStaleFormIsShownAgainWithBothValues(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		at, form := "/operator/accounts/"+s.Account.ID, "/operator/do/accounts.set?account="+s.Account.ID
		plan, limit := "pro", int64(7)
		shown := s.Get(form).Version(t)
		operatortest.Ask[messagingverbs.Account](s, "accounts.set", messagingverbs.AccountChange{OneAccount: messagingverbs.OneAccount{Account: s.Account.ID}, Plan: &plan, RecipientCap: &limit}) // the plan was paid for in the meantime
		stale := s.Post(form, "version", shown, "plan", "free", "planExpiresAt", "2026-12-31", "trialEndsAt", "", "recipientCap", "")
		stale.ShowsStale(t, `<option value="free" selected>`, "Saved in the meantime: pro", `value="2026-12-31"`, "Saved in the meantime: empty", "Saved in the meantime: 7")
		if a := operatortest.Ask[messagingverbs.Account](s, "accounts.show", messagingverbs.OfAccount{Account: s.Account.ID}); a.Plan != "pro" || a.RecipientCap == nil || *a.RecipientCap != 7 {
			t.Errorf("%+v: the stale form was saved", a)
		}
		name := "Another name"
		operatortest.Ask[messagingverbs.Account](s, "accounts.set", messagingverbs.AccountChange{OneAccount: messagingverbs.OneAccount{Account: s.Account.ID}, Name: &name}) // not a value of the form
		s.Post(form, "version", stale.Version(t), "plan", "starter", "planExpiresAt", "", "trialEndsAt", "", "recipientCap", "9").Leads(t, at)
		if a := operatortest.Ask[messagingverbs.Account](s, "accounts.show", messagingverbs.OfAccount{Account: s.Account.ID}); a.Plan != "starter" || *a.RecipientCap != 9 || a.Name != name {
			t.Errorf("%+v: want what was saved again, and the name", a)
		}
	})
}

func TestPlan_AStaleFormIsShownAgainWithBothValues(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		const form = "/operator/do/plans.set?name=free"
		shown := s.Get(form).Version(t)
		rate, inbox := int64(33), true
		operatortest.Ask[messagingverbs.Plan](s, "plans.set", messagingverbs.PlanInput{Name: "free", Rate: &rate, Inbox: &inbox})
		stale := s.Post(form, "version", shown, "dailyLimit", "50", "rate", "1", "recipientCap", "9", "confirm", "yes")
		stale.ShowsStale(t, `value="50"`, `value="1"`, "Saved in the meantime: 33", "Saved in the meantime: Yes")
		s.Post(form, "version", stale.Version(t), "dailyLimit", "50", "rate", "1", "recipientCap", "9", "confirm", "yes").Leads(t, "/operator/plans/free")
		s.Get(form).Shows(t, `value="50"`, `value="1"`)
	})
}

func TestGateway_AStaleFormIsShownAgain(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		operatortest.Ask[messagingverbs.Gateway](s, "gateways.add", messagingverbs.GatewayInput{Name: "sms", Kind: "wire", Settings: []byte(`{"a":1}`)})
		const at, form = "/operator/gateways/sms", "/operator/do/gateways.set?name=sms"
		shown := s.Get(form).Version(t)
		operatortest.Ask[messagingverbs.Gateway](s, "gateways.set", messagingverbs.GatewayChange{Name: "sms", Settings: []byte(`{"a":2}`)})
		stale := s.Post(form, "version", shown, "settings", "a: 3", "confirm", "yes")
		stale.ShowsStale(t, ">a: 3</textarea>")
		s.Post(form, "version", stale.Version(t), "settings", "a: 3", "confirm", "yes").Leads(t, at)
		saved := s.Get(form).Version(t)
		s.Post(form, "version", stale.Version(t), "settings", "a: 3", "confirm", "yes").Leads(t, at) // a double click
		if again := s.Get(form).Version(t); again != saved || saved == shown {
			t.Errorf("the settings have the version %s, then %s; want one that is not %s", saved, again, shown)
		}
	})
}
