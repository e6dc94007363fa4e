package account_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// service is a directory with one account and a clock.
type service struct {
	*account.Directory
	t     *testing.T
	db    *db.DB
	clock *clock.Fake
	a     *account.Account
}

func newService(t *testing.T, d *db.DB, plan string) *service {
	t.Helper()
	h := &service{t: t, db: d, clock: clock.NewFake(messagingtest.Start)}
	h.Directory = account.NewDirectory(d, h.clock.Now)
	h.a = h.account("owner@example.com", plan)
	return h
}

func (h *service) account(email, plan string, projects ...string) *account.Account {
	h.t.Helper()
	a, err := h.Create(h.t.Context(), &account.Spec{Name: "Boutique", Email: email, Plan: plan, Projects: projects})
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

func (h *service) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// opens reports whether a key is valid.
func (h *service) opens(key string) bool {
	h.t.Helper()
	c, err := h.Authenticate(h.t.Context(), key)
	h.must(err)
	return c != nil
}

func (h *service) int(query string, args ...any) (n int) {
	h.t.Helper()
	_, err := h.db.Read(h.t.Context()).Row(query, args...).Scan(&n)
	h.must(err)
	return n
}

// key creates a key.
func (h *service) key(s account.KeySpec) (*account.Key, string) {
	h.t.Helper()
	k, secret, err := h.MakeKey(h.t.Context(), s)
	h.must(err)
	return k, secret
}

// session signs in an address with the code that would be mailed to it.
func (h *service) session(email string) *account.Session {
	h.t.Helper()
	s, err := h.Session(h.t.Context(), h.signIn(email))
	h.must(err)
	return s
}

var master, _ = seal.NewKey(make([]byte, seal.MasterKeySize))

func (h *service) signIn(email string) (token string) {
	h.t.Helper()
	in := account.NewSignIn(h.Directory, master, limit.Rate{})
	b := in.Browser("")
	token, _, opened, err := in.Redeem(h.t.Context(), email, b, h.code(in, email, b), "")
	if err != nil || !opened {
		h.t.Fatalf("signing in: %v", err)
	}
	return token
}

// code returns the code that is mailed to an address that asks in a browser, or "" if the address is unknown.
func (h *service) code(in *account.SignIn, email string, b *account.Browser) (digits string) {
	h.t.Helper()
	c, wait, err := in.RequestCode(h.t.Context(), email, b)
	if err != nil || wait > 0 {
		h.t.Fatalf("no code for %s: wait %v, %v", email, wait, err)
	}
	digits, err = in.NewDigits(h.t.Context(), c)
	h.must(err)
	if digits != "" {
		h.must(h.db.Write(h.t.Context(), c.Store))
	}
	return digits
}

// addMember makes an address a member.
func (h *service) addMember(a *account.Account, email string) (*account.Session, account.Member) {
	h.t.Helper()
	i, token := h.NewInvitation(a.ID, email, account.Membership{})
	h.must(h.StoreInvitation(h.t.Context(), i))
	s := h.session(email)
	_, err := h.Accept(h.t.Context(), s, token)
	h.must(err)
	members, err := h.Members(h.t.Context(), a.ID)
	h.must(err)
	for _, m := range members {
		if m.Email == email {
			return s, m
		}
	}
	h.t.Fatalf("%s is no member", email)
	return nil, account.Member{}
}

// Rules: M82, M123.
func TestPlans_WhatIsInEffect(t *testing.T) {
	day := func(n int) *time.Time { at := messagingtest.Start.AddDate(0, 0, n); return &at }
	cases := map[string]struct {
		plan           string
		expires, trial *time.Time
		days           []string
	}{
		"a plan":                          {"starter", nil, nil, []string{"starter", "starter", "starter"}},
		"one that expires":                {"business", day(1), nil, []string{"business", "free", "free"}},
		"a trial of pro":                  {"free", nil, day(1), []string{"pro", "free", "free"}},
		"a trial lifts an expired plan":   {"starter", day(-1), day(2), []string{"pro", "pro", "free"}},
		"a trial never lowers":            {"business", nil, day(1), []string{"business", "business", "business"}},
		"a trial after the plan's end":    {"business", day(1), day(2), []string{"business", "pro", "free"}},
		"a trial that is over":            {"starter", nil, day(-1), []string{"starter", "starter", "starter"}},
		"unlimited stays so in a trial":   {"unlimited", nil, day(1), []string{"unlimited", "unlimited", "unlimited"}},
		"unlimited expires as others do":  {"unlimited", day(2), nil, []string{"unlimited", "unlimited", "free"}},
		"an end that comes within a read": {"pro", day(2), day(1), []string{"pro", "pro", "free"}},
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		keys := map[string]string{}
		for name, tc := range cases {
			a := h.account(fmt.Sprintf("n%d@example.com", len(keys)), tc.plan)
			if _, err := h.Change(t.Context(), a.ID, &account.Change{PlanExpiresAt: tc.expires, TrialEndsAt: tc.trial}); err != nil {
				t.Fatal(err)
			}
			_, keys[name] = h.key(account.KeySpec{AccountID: a.ID, Kind: account.Live})
		}
		for _, step := range []struct {
			after time.Duration
			day   int
		}{{0, 0}, {24*time.Hour - time.Second, 0}, {time.Second, 1}, {24 * time.Hour, 2}} { // the second one is within the cache time of accounts
			h.clock.Advance(step.after)
			for name, tc := range cases {
				c, err := h.Authenticate(t.Context(), keys[name])
				if err != nil || c == nil {
					t.Fatal(c, err)
				}
				if got := c.Account.Plan.Name; got != tc.days[step.day] {
					t.Errorf("%s: %s on day %d, want %s", name, got, step.day, tc.days[step.day])
				}
			}
		}
	})
}

// Rules: M76.
func TestPlans_AreRows(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "starter")
		plans, err := h.Plans(t.Context())
		h.must(err)
		want := []account.Plan{
			{Name: "free", DailyLimit: 10, Rate: 2},
			{Name: "starter", DailyLimit: 500, Rate: 10},
			{Name: "pro", DailyLimit: 5000, Rate: 50, Inbox: true},
			{Name: "business", DailyLimit: 50_000, Rate: 200, Inbox: true},
			{Name: "unlimited", Inbox: true},
		}
		for i, p := range plans {
			if w := want[i]; p.Name != w.Name || p.DailyLimit != w.DailyLimit || p.Rate != w.Rate || p.Inbox != w.Inbox || p.RecipientCap != 0 {
				t.Errorf("plan %+v, want %+v", p, w)
			}
		}
		_, err = h.SetPlan(t.Context(), "starter", func(p *account.Plan) { p.DailyLimit, p.RecipientCap, p.Inbox = 0, 7, true })
		h.must(err)
		a, err := h.Account(t.Context(), h.a.ID)
		h.must(err)
		if a.Plan.DailyLimit != 0 || a.Plan.Rate != 10 || !a.Plan.Inbox || a.RecipientCap != 7 || a.OwnCap != 0 {
			t.Errorf("%+v", a)
		}
		three := int64(3)
		if _, err := h.Change(t.Context(), h.a.ID, &account.Change{RecipientCap: &three}); err != nil {
			t.Fatal(err)
		}
		if a, err = h.Account(t.Context(), h.a.ID); err != nil || a.RecipientCap != 3 {
			t.Errorf("%v, cap %d", err, a.RecipientCap)
		}
		if _, err := h.SetPlan(t.Context(), "gold", func(*account.Plan) {}); !errors.Is(err, account.ErrNoPlan) {
			t.Errorf("a plan that is none: %v", err)
		}
		gold := "gold"
		if _, err := h.Change(t.Context(), h.a.ID, &account.Change{Plan: &gold}); !errors.Is(err, account.ErrNoPlan) {
			t.Errorf("an account on a plan that is none: %v", err)
		}
	})
}

// Rules: M83.
func TestPlans_Off(t *testing.T) {
	h := newService(t, dbtest.SQLite(t), "free")
	off := account.NewDirectory(h.db, h.clock.Now)
	off.PlansOff = true
	a, err := off.Account(t.Context(), h.a.ID)
	if err != nil || a.Plan.DailyLimit != 0 || a.Plan.Rate != 0 || !a.Plan.Inbox || a.Subscription.Plan != "free" {
		t.Errorf("%v, %+v", err, a)
	}
}

func TestCreateAndChange_Accounts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		if _, err := h.Create(t.Context(), &account.Spec{Name: "x", Email: " OWNER@Example.com"}); !errors.Is(err, account.ErrEmailTaken) {
			t.Errorf("an address twice: %v", err)
		}
		if _, err := h.Create(t.Context(), &account.Spec{Name: "x", Email: "x@example.com", Plan: "gold"}); !errors.Is(err, account.ErrNoPlan) {
			t.Errorf("no such plan: %v", err)
		}
		sms := account.Sender{Channel: gateway.SMS, Address: "22370000001", Gateway: "g"}
		if _, err := h.Create(t.Context(), &account.Spec{Name: "x", Email: "y@example.com", Senders: []account.Sender{sms}}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Create(t.Context(), &account.Spec{Name: "x", Email: "x@example.com", Senders: []account.Sender{sms}}); !errors.Is(err, account.ErrSenderTaken) {
			t.Errorf("a sender twice: %v", err)
		}
		if n := h.int(`SELECT count(*) FROM accounts`); n != 2 {
			t.Errorf("%d accounts", n)
		}
		h.clock.Advance(time.Second)
		other := h.account("other@example.com", "")
		taken, name := "Other@example.com", "Banque"
		if _, err := h.Change(t.Context(), h.a.ID, &account.Change{Name: &name, Email: &taken}); !errors.Is(err, account.ErrEmailTaken) {
			t.Errorf("another's address: %v", err)
		}
		end := messagingtest.Start.Add(time.Hour)
		pro := "pro"
		for range 2 {
			found, err := h.Change(t.Context(), other.ID, &account.Change{Name: &name, Email: &taken, PlanExpiresAt: &end, Plan: &pro})
			if err != nil || !found {
				t.Fatal(found, err)
			}
		}
		a, err := h.Account(t.Context(), other.ID)
		if err != nil || a.Name != name || a.Email != "other@example.com" || !a.Subscription.ExpiresAt.Equal(end) || a.Plan.Name != "pro" {
			t.Errorf("%v, %+v", err, a)
		}
		none := time.Time{}
		if _, err := h.Change(t.Context(), other.ID, &account.Change{PlanExpiresAt: &none}); err != nil {
			t.Fatal(err)
		}
		if a, err = h.Account(t.Context(), other.ID); err != nil || !a.Subscription.ExpiresAt.IsZero() || a.Name != name {
			t.Errorf("%v, %+v", err, a)
		}
		if found, err := h.Change(t.Context(), "none", &account.Change{Name: &name}); err != nil || found {
			t.Errorf("nobody's: %v, %v", found, err)
		}
		list, err := h.Accounts(t.Context())
		if err != nil || len(list) != 3 || list[0].Plan.Name != "free" || list[2].Plan.Name != "pro" {
			t.Errorf("%v, %+v", err, list)
		}
	})
}

// gatewayExists simulates a gateway that always exists.
func gatewayExists(*db.Tx, string) (bool, error) { return true, nil }

func TestSenders(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		h := newService(t, d, "free")
		add := func(accountID, address string, position int) *account.Sender {
			t.Helper()
			s, err := h.AddSender(t.Context(), account.Sender{AccountID: accountID, Channel: gateway.SMS, Address: address, Gateway: "g", Position: position}, false, gatewayExists)
			h.must(err)
			return s
		}
		first, second := add(h.a.ID, "22370000001", -1), add(h.a.ID, "22370000002", -1)
		front := add(h.a.ID, "22370000003", 0)
		platform := add("", "22370000004", -1)
		if first.Position != 0 || second.Position != 1 || front.Position != 0 || platform.Position != 0 {
			t.Errorf("positions %d, %d, %d, %d", first.Position, second.Position, front.Position, platform.Position)
		}
		if _, err := h.AddSender(t.Context(), account.Sender{Channel: gateway.SMS, Address: "22370000001", Gateway: "g"}, false, gatewayExists); !errors.Is(err, account.ErrSenderTaken) {
			t.Errorf("twice: %v", err)
		}
		a, err := h.Account(t.Context(), h.a.ID)
		h.must(err)
		if len(a.Senders) != 4 || a.Senders[3].ID != platform.ID || a.Senders[2].ID != second.ID {
			t.Errorf("senders %+v", a.Senders)
		}
		for _, want := range []bool{true, false} {
			if found, _, err := h.RemoveSender(t.Context(), first.ID, func(*db.Query) (bool, error) { return false, nil }); err != nil || found != want {
				t.Errorf("removed %v, %v", found, err)
			}
		}
		own, err := h.Senders(t.Context(), h.a.ID)
		h.must(err)
		shared, err := h.Senders(t.Context(), "")
		h.must(err)
		if len(own) != 2 || len(shared) != 1 || shared[0].ID != platform.ID {
			t.Errorf("%+v, %+v", own, shared)
		}
		p, err := h.Platform(t.Context())
		if err != nil || len(p.Account.Senders) != 1 || p.Account.Plan.DailyLimit != 0 || p.Account.WebhookURL != "" {
			t.Errorf("the platform: %v, %+v", err, p.Account)
		}
	})
}

// callTogether calls fn n times concurrently and returns the errors.
func callTogether(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	waittest.Together(n, func(i int) { errs[i] = fn(i) })
	return errs
}
