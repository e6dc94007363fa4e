package api_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/messagingtest"
)

// browser is a browser with its own cookies.
type browser struct {
	p       *people
	cookies map[string]string
}

func (p *people) newBrowser() *browser { return &browser{p, map[string]string{}} }

func (b *browser) post(path, body string) *answer {
	b.p.t.Helper()
	jar := ""
	for name, value := range b.cookies {
		jar += name + "=" + value + "; "
	}
	a := b.p.do("POST", path, body, b.p.origin(), "Cookie: "+strings.TrimSuffix(jar, "; "))
	for _, set := range a.header.Values("Set-Cookie") {
		pair, _, _ := strings.Cut(set, ";")
		name, value, _ := strings.Cut(pair, "=")
		b.cookies[name] = value
	}
	return a
}

func (b *browser) ask(email string) *answer {
	b.p.t.Helper()
	return b.post("/api/session", `{"email":"`+email+`"}`)
}

func (b *browser) try(email, code string) *answer {
	b.p.t.Helper()
	return b.post("/api/session/verify", `{"email":"`+email+`","code":"`+code+`"}`)
}

// mail returns the code in the next mail, which must arrive.
func (p *people) mail(email string) string {
	p.t.Helper()
	m := waittest.Receive(p.t, p.mails)
	if m.To != email {
		p.t.Fatalf("a mail to %s", m.To)
	}
	return sixDigits.FindString(m.Text)
}

func (b *browser) signIn(email string) {
	b.p.t.Helper()
	if a := b.ask(email); a.status != 202 {
		b.p.t.Fatalf("asking: %d %s", a.status, a.raw)
	}
	if a := b.try(email, b.p.mail(email)); a.status != 200 {
		b.p.t.Fatalf("signing in: %d %s", a.status, a.raw)
	}
}

// requestFive requests codes until the budget is used up, and returns the time until it ends.
func (p *people) requestFive(email string, ask func() *answer) time.Duration {
	p.t.Helper()
	for range 5 {
		if a := ask(); a.status != 202 {
			p.t.Fatalf("asking: %d %s", a.status, a.raw)
		}
		if email != "" {
			p.mail(email)
		}
	}
	a := ask()
	p.wants(a, 429, "rate_limited")
	seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
	if err != nil {
		p.t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
	}
	return time.Duration(seconds) * time.Second
}

func TestSession_NobodyLocksOutAnOwner(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		home := p.newBrowser()
		home.signIn(ownerEmail)
		p.Clock.Advance(time.Hour)

		stranger := func() *answer { return p.newBrowser().ask(ownerEmail) }
		if wait := p.requestFive(ownerEmail, stranger); wait != time.Hour {
			t.Errorf("other browsers are to wait %v, want 1 h", wait)
		}
		p.Clock.Advance(time.Hour - time.Millisecond)
		p.wants(stranger(), 429, "rate_limited")
		if wait := p.requestFive("", func() *answer { return p.newBrowser().ask("nobody@example.com") }); wait != time.Hour {
			t.Errorf("an address that is nobody's: %v", wait)
		}

		if a := home.ask(ownerEmail); a.status != 202 { // who has signed in here before
			t.Fatalf("the owner: %d %s", a.status, a.raw)
		}
		code := p.mail(ownerEmail)
		eve := p.newBrowser()
		eve.ask("nobody@example.org") // so that it has a separate cookie
		for range 30 {
			p.wants(eve.try(ownerEmail, messagingtest.WrongCode(code)), 401, "sign_in_failed")
		}
		p.wants(eve.try(ownerEmail, code), 401, "sign_in_failed")
		p.wants(p.newBrowser().try(ownerEmail, code), 401, "sign_in_failed")
		if a := home.try(ownerEmail, code); a.status != 200 {
			t.Errorf("others' guesses counted: %d %s", a.status, a.raw)
		}

		p.Clock.Advance(time.Hour)
		p.requestFive(ownerEmail, func() *answer { return home.ask(ownerEmail) }) // its own budget is also limited
		if a := stranger(); a.status != 202 {
			t.Errorf("and is not that of others: %d %s", a.status, a.raw)
		}
		p.mail(ownerEmail)
	})
}

// The cookie records that an address has signed in. A modified cookie is invalid.
func TestSession_TheCookieOfABrowser(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		a := p.do("POST", "/api/session", `{"email":"`+ownerEmail+`"}`, p.origin())
		asked := a.header.Get("Set-Cookie")
		for _, want := range []string{"svc_browser=", "; Path=/api/session", "; HttpOnly", "; SameSite=Lax", "; Max-Age=3600"} {
			if !strings.Contains(asked, want) {
				t.Errorf("when a code is asked for: cookie %q lacks %q", asked, want)
			}
		}
		first, _, _ := strings.Cut(asked, ";")
		v := p.do("POST", "/api/session/verify", `{"email":"`+ownerEmail+`","code":"`+p.mail(ownerEmail)+`"}`, p.origin(), "Cookie: "+first)
		known := ""
		for _, set := range v.header.Values("Set-Cookie") {
			if strings.HasPrefix(set, "svc_browser=") && strings.Contains(set, "; Max-Age=15552000") {
				known, _, _ = strings.Cut(set, ";")
			}
		}
		if v.status != 200 || !strings.HasPrefix(known, first+".") {
			t.Fatalf("%d %s, cookies %q", v.status, v.raw, v.header.Values("Set-Cookie"))
		}
		if j := p.Log.String(); strings.Contains(j, strings.TrimPrefix(first, "svc_browser=")) {
			t.Errorf("logged:\n%s", j)
		}
		if n := p.Int(t, `SELECT count(*) FROM sign_in_mails WHERE browser = $1`, strings.TrimPrefix(first, "svc_browser=")); n != 0 {
			t.Error("the cookie is stored as it is")
		}
		for range 3 { // two have been sent
			p.code(ownerEmail)
		}
		ask := func(cookie string) *answer {
			return p.do("POST", "/api/session", `{"email":"`+ownerEmail+`"}`, p.origin(), "Cookie: "+cookie)
		}
		flipped := known[:len(known)-2] + string('A'+(known[len(known)-2]-'A'+1)%26) + known[len(known)-1:]
		for name, cookie := range map[string]string{
			"none": owner, "unsigned": first, "changed": flipped, "another browser's": "svc_browser=" + strings.Repeat("A", 43) + known[len(first):],
			"long": known + strings.Repeat("."+known[len(first)+1:], 20), "nonsense": "svc_browser=....", "empty": "svc_browser=",
		} {
			if a := ask(cookie); a.status != 429 {
				t.Errorf("%s: %d %s", name, a.status, a.raw)
			}
		}
		if a := ask(known); a.status != 202 {
			t.Errorf("as it is: %d %s", a.status, a.raw)
		}
		p.mail(ownerEmail)
		if a := p.do("POST", "/api/session", `{"email":"second@example.com"}`, p.origin(), "Cookie: "+known); a.status != 202 {
			t.Errorf("for another address: %d %s", a.status, a.raw)
		}
		if n := p.Int(t, `SELECT count(*) FROM sign_in_mails WHERE email = 'second@example.com' AND budget = ''`); n != 1 {
			t.Errorf("%d mails of the budget that all others share: the browser is not known for that address", n)
		}
	})
}

// Several people can use one browser.
func TestSession_ABrowserKnowsFourAddresses(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	owner := p.signIn(ownerEmail)
	shared := p.newBrowser()
	var emails []string
	for i := range 5 {
		email := fmt.Sprintf("member-%d@example.com", i)
		emails = append(emails, email)
		p.invited(owner, email)
		shared.signIn(email)
	}
	for _, email := range emails {
		if a := shared.ask(email); a.status != 202 {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		p.mail(email)
	}
	if n := p.Int(t, `SELECT count(*) FROM sign_in_mails WHERE budget <> ''`); n != 4 {
		t.Errorf("%d of five addresses are known; want the latest four", n)
	}
	if cookie := shared.cookies["svc_browser"]; len(cookie) > 300 {
		t.Errorf("the cookie has %d characters", len(cookie))
	}
}

// M100: another code does not change the earlier ones of the browser or of other browsers.
func TestSession_EachCodeOfABrowserIsGood(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		here, there := p.newBrowser(), p.newBrowser()
		there.ask(ownerEmail)
		elsewhere := p.mail(ownerEmail)
		here.ask(ownerEmail)
		old := p.mail(ownerEmail)
		here.ask(ownerEmail)
		code := p.mail(ownerEmail)
		for _, code := range []string{old, code} {
			if a := here.try(ownerEmail, code); a.status != 200 {
				t.Errorf("%d %s", a.status, a.raw)
			}
		}
		p.wants(here.try(ownerEmail, old), 401, "sign_in_failed")
		if a := there.try(ownerEmail, elsewhere); a.status != 200 {
			t.Errorf("another browser's code: %d %s", a.status, a.raw)
		}
	})
}
