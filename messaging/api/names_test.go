package api_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
)

func (p *people) wantsStatus(a *answer, status int) {
	p.t.Helper()
	if a.status != status {
		p.t.Errorf("got %d %s, want %d", a.status, a.raw, status)
	}
}

// An account's name appears in mails to strangers, so it must not contain an address or invisible characters.
// Rules: M169.
func TestNames_OfAccountsAndProjects(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	owner := p.signIn(ownerEmail)
	for name, want := range map[string][2]int{ // of an account, of a project
		"Kalabash & Fils (24/7) 👩\u200d💻":                            {200, 201},
		"booking.example":                                            {200, 201},
		"Your account is suspended, confirm at https://evil.example": {400, 201},
		"www.evil.example":                                           {400, 201},
		"evil.example/login":                                         {400, 201},
		"Kala\u202ebash":                                             {400, 400},
		"\u3164":                                                     {400, 400},
		"a\u2800b":                                                   {400, 400},
		"a\U000e0041":                                                {400, 400},
		"a\u200d":                                                    {400, 400},
	} {
		body := `{"name":` + strconv.QuoteToGraphic(name) + `}`
		if strings.Contains(body, `\U`) {
			body = `{"name":"a\udb40\udc41"}`
		}
		if a := p.do("PATCH", "/api/account", body, owner, p.origin()); a.status != want[0] || a.status == 400 && a.body["field"] != "name" {
			t.Errorf("an account named %q: %d %s, want %d", name, a.status, a.raw, want[0])
		}
		if a := p.do("POST", "/api/projects", body, owner, p.origin()); a.status != want[1] {
			t.Errorf("a project named %q: %d %s, want %d", name, a.status, a.raw, want[1])
		}
	}
}

// The mail names the person who invites, and quotes the account's name, which might contain anything if it was stored
// before names were checked.
// Rules: M168.
func TestInvitations_NameTheInviter(t *testing.T) {
	d := dbtest.SQLite(t)
	p := newPeople(t, d)
	owner := p.signIn(ownerEmail)
	invite := func(email string) (subject, text string) {
		t.Helper()
		p.wantsStatus(p.do("POST", "/api/members", `{"email":"`+email+`"}`, owner, p.origin(), "Accept-Language: en"), 201)
		m := waittest.Receive(t, p.mails)
		return m.Subject, m.Text
	}
	p.wantsStatus(p.do("PATCH", "/api/account", `{"name":"Kalabash"}`, owner, p.origin()), 200)
	subject, text := invite("awa@example.com")
	if !strings.Contains(subject, ownerEmail) || strings.Contains(subject, "Kalabash") || !strings.Contains(text, ownerEmail) || !strings.Contains(text, "“Kalabash”") {
		t.Errorf("%s\n%s", subject, text)
	}
	const evil = "confirm at https://evil.example"
	if err := d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE accounts SET name = $1 WHERE id = $2`, evil, p.Account.ID)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	p.Directory.Forget(p.Account.ID)
	if subject, text = invite("eve@example.com"); strings.Contains(subject+text, "evil") {
		t.Errorf("%s\n%s", subject, text)
	}
}

// A new account on the free plan can invite only a few people per day. For older accounts and paying ones, only the rates apply.
// Rules: M168.
func TestInvitations_OfANewFreeAccountAreFew(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := peopleOf(t, newService(t, d, "free"))
		owner := p.signIn(p.Account.Email)
		n := 0
		invite := func() *answer {
			n++
			a := p.do("POST", "/api/members", `{"email":"p`+strconv.Itoa(n)+`@example.com"}`, owner, p.origin())
			if a.status == 201 {
				waittest.Receive(t, p.mails)
			}
			return a
		}
		for range 5 {
			p.wantsStatus(invite(), 201)
		}
		a := invite()
		p.wants(a, 429, "rate_limited")
		if seconds, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 24*3600 {
			t.Errorf("Retry-After: %q", a.header.Get("Retry-After"))
		}
		if got := p.Int(t, `SELECT count(*) FROM member_invitations`); got != 5 {
			t.Errorf("%d invitations are stored", got)
		}
		p.Clock.Advance(24 * time.Hour)
		owner = p.signIn(p.Account.Email)
		p.wantsStatus(invite(), 201)
		p.Clock.Advance(30 * 24 * time.Hour)
		owner = p.signIn(p.Account.Email)
		for range 7 {
			p.wantsStatus(invite(), 201)
		}
	})
}
