package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/messagingtest"
)

// Rules: M17, M165.
func TestSession_SignInByACodeThatCostsNobodyAnything(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		a := p.do("POST", "/api/session", `{"email":"Test-Pro@Example.com"}`, p.origin(), "Accept-Language: en")
		mail := waittest.Receive(t, p.mails)
		code := sixDigits.FindString(mail.Text)
		if a.status != 202 || mail.To != ownerEmail || !strings.HasPrefix(mail.Subject, code+" is your ") || !mail.Sensitive || len(code) != 6 {
			t.Fatalf("%d %s, %+v", a.status, a.raw, mail)
		}
		browser, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
		v := p.do("POST", "/api/session/verify", `{"email":"`+ownerEmail+`","code":" `+arabic(code[:3])+`‑`+code[3:]+`\n"}`, p.origin(), "Cookie: "+browser) // as it is pasted
		cookie := v.header.Get("Set-Cookie")
		if v.status != 200 || object(v.body, "accountId") != p.Account.ID || v.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %s", v.status, v.raw)
		}
		for _, want := range []string{"svc_account=", "; Path=/", "; Max-Age=43200", "; HttpOnly", "; SameSite=Lax"} {
			if !strings.Contains(cookie, want) || strings.Contains(cookie, "Secure") {
				t.Errorf("cookie %q", cookie)
			}
		}
		again := func() *answer {
			return p.do("POST", "/api/session/verify", `{"email":"`+ownerEmail+`","code":"`+code+`"}`, p.origin(), "Cookie: "+browser)
		}
		if a := again(); a.status != 200 || a.header.Get("Set-Cookie") != cookie {
			t.Errorf("sent twice: %d with the cookie %q, want 200 with %q", a.status, a.header.Get("Set-Cookie"), cookie)
		}
		p.Clock.Advance(forms.RepeatTime)
		p.wants(again(), 401, "sign_in_failed")

		session := "Cookie: " + strings.Split(cookie, ";")[0]
		me := p.do("GET", "/api/me", "", session)
		if object(me.body, "usage", "messagesUsed") != float64(0) || object(me.body, "recentMessages") == nil || strings.Contains(me.raw, mail.Ref) {
			t.Errorf("the email is on the account: %s", me.raw)
		}
		if n := p.Int(t, `SELECT count(*) FROM quotas WHERE account_id = $1`, p.Account.ID); n != 0 {
			t.Error("the email was counted")
		}
		m := p.Becomes(t, mail.Ref, "SENT")
		if m.AccountID != account.PlatformID || m.Content.Text != "" || m.Sealed != "" {
			t.Errorf("stored %+v", m)
		}
		if j := p.Log.String(); strings.Contains(j, code) || strings.Contains(j, ownerEmail) || strings.Contains(j, strings.Split(cookie, ";")[0]) {
			t.Errorf("logged:\n%s", j)
		}
		out := p.do("DELETE", "/api/session", "", session, p.origin())
		if out.status != 200 || !strings.Contains(out.header.Get("Set-Cookie"), "Max-Age=0") {
			t.Errorf("signing out: %d %q", out.status, out.header.Get("Set-Cookie"))
		}
		p.wants(p.do("GET", "/api/me", "", session), 401, "unauthorized")
	})
}

// arabic converts digits to those that phones in Arabic type.
func arabic(digits string) string {
	return strings.Map(func(r rune) rune { return '٠' + r - '0' }, digits)
}

// Rules: M17.
func TestSession_CookieIsSecureOnHTTPS(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t), func(o *api.Options) { o.URL = "https://api.example.com" })
	a := p.do("POST", "/api/session", `{"email":"`+ownerEmail+`"}`, "Origin: https://api.example.com")
	if a.status != 202 {
		t.Fatalf("status %d, want 202: %s", a.status, a.raw)
	}
	code := sixDigits.FindString(waittest.Receive(t, p.mails).Text)
	browser, attributes, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	a = p.do("POST", "/api/session/verify", `{"email":"`+ownerEmail+`","code":"`+code+`"}`, "Origin: https://api.example.com", "Cookie: "+browser)
	for _, set := range append(a.header.Values("Set-Cookie"), attributes) {
		if !strings.Contains(set, "; Secure") || !strings.Contains(set, "Path=/;") {
			t.Errorf("%d, %q", a.status, set)
		}
	}
	if sets := strings.Join(a.header.Values("Set-Cookie"), "\n"); !strings.HasPrefix(browser, "__Host-svc_browser=") || !strings.Contains(sets, "__Host-svc_browser=") || !strings.Contains(sets, "svc_account=") || strings.Contains(sets, "__Host-svc_account=") {
		t.Errorf("got the cookies %q and then %q, want the prefix __Host- for svc_browser only", browser, sets)
	}
	if n := len(a.header.Values("Set-Cookie")); n != 2 {
		t.Errorf("%d cookies", n)
	}
}

// Another host of the domain can set a cookie with the same name. The valid one is used, and of two valid ones none.
// Rules: M17.
func TestSession_CookiesOfOneName(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		own, foreign := p.signIn(ownerEmail), p.signIn(ownerEmail)
		value := func(header string) string { return strings.TrimPrefix(header, "Cookie: ") }
		unknown := "Cookie: svc_account=short; svc_account=" + strings.Repeat("x", httpx.TokenLength)
		for _, cookies := range []string{own, unknown + "; " + value(own), own + "; " + value(unknown), own + "; " + value(own)} {
			p.wantsStatus(p.do("GET", "/api/me", "", cookies), 200)
		}
		p.wants(p.do("GET", "/api/me", "", own+"; "+value(foreign)), 401, "unauthorized")
		p.wants(p.do("GET", "/api/me", "", foreign+"; "+value(own)), 401, "unauthorized")
		p.wants(p.do("GET", "/api/me", "", unknown), 401, "unauthorized")

		code, in := p.code(ownerEmail)
		known := "svc_browser=" + in.cookies["svc_browser"]
		verify := func(cookies string) *answer {
			return p.do("POST", "/api/session/verify", `{"email":"`+ownerEmail+`","code":"`+code+`"}`, p.origin(), "Cookie: "+cookies)
		}
		p.wants(verify("svc_browser="+strings.Repeat("x", httpx.TokenLength)+"; "+known), 401, "sign_in_failed")
		p.wantsStatus(verify("svc_browser=foreign; "+known+"; "+value(unknown)), 200)
	})
}

// sameAnswer fails unless two responses are the same except for their request IDs.
func (p *people) sameAnswer(a, b *answer) {
	p.t.Helper()
	for _, x := range []*answer{a, b} {
		delete(x.body, "requestId")
	}
	one, _ := json.Marshal(a.body)
	other, _ := json.Marshal(b.body)
	if a.status != b.status || string(one) != string(other) {
		p.t.Errorf("%d %s, but %d %s", a.status, one, b.status, other)
	}
}

// Rules: M165.
func TestSession_UnknownAddressesLookLikeKnownOnes(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	unknown := p.do("POST", "/api/session", `{"email":"nobody@example.com"}`, p.origin())
	known := p.do("POST", "/api/session", `{"email":"`+ownerEmail+`"}`, p.origin())
	p.sameAnswer(unknown, known)
	code := sixDigits.FindString(waittest.Receive(t, p.mails).Text)
	guess := "000000"
	if code == guess {
		guess = "000001"
	}
	p.sameAnswer(p.do("POST", "/api/session/verify", `{"email":"nobody@example.com","code":"`+guess+`"}`, p.origin()),
		p.do("POST", "/api/session/verify", `{"email":"`+ownerEmail+`","code":"`+guess+`"}`, p.origin()))
	p.signIn(ownerEmail)
	if n := p.Int(t, `SELECT count(*) FROM messages WHERE recipient <> $1`, ownerEmail); n != 0 {
		t.Errorf("%d emails to nobody", n)
	}
}

func TestSession_BadRequests(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	for body, want := range map[string]string{
		`{}`: "invalid_email", `{"email":"x"}`: "invalid_email", `{"email":"a@b.c, d@e.f"}`: "invalid_email", `{"email":7}`: "invalid_request", `[]`: "invalid_json",
	} {
		p.wants(p.do("POST", "/api/session", body, p.origin()), 400, want)
		p.wants(p.do("POST", "/api/session/verify", body, p.origin()), 400, want)
	}
	p.wants(p.do("POST", "/api/session/verify", `{"email":"`+ownerEmail+`"}`, p.origin()), 400, "invalid_request")
}

// Rules: M165.
func TestSession_GuessesAreLimited(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t), limited)
	verify := func(email string) *answer {
		return p.do("POST", "/api/session/verify", `{"email":"`+email+`","code":"12345"}`, p.origin())
	}
	for range 30 {
		p.wants(verify(ownerEmail), 401, "sign_in_failed")
	}
	a := verify("other@example.com") // the limit applies to the client's address
	p.wants(a, 429, "rate_limited")
	if a.header.Get("Retry-After") != "20" {
		t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
	}
	for i := range 10 {
		if a := p.do("POST", "/api/session", fmt.Sprintf(`{"email":"n%d@example.com"}`, i), p.origin()); a.status != 202 {
			t.Fatalf("%d %s", a.status, a.raw)
		}
	}
	p.wants(p.do("POST", "/api/session", `{"email":"nobody@example.com"}`, p.origin()), 429, "rate_limited")
	p.Clock.Advance(10 * time.Minute)
	if a := p.do("POST", "/api/session", `{"email":"nobody@example.com"}`, p.origin()); a.status != 202 {
		t.Errorf("ten minutes later: %d %s", a.status, a.raw)
	}
}

// Without Run, nothing removes addresses from the queue. If it is full, requests are refused.
func TestSession_AsksDoNotPileUp(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), "pro")
	for i := range 256 {
		if a := s.do("POST", "/api/session", fmt.Sprintf(`{"email":"n%d@example.com"}`, i), "Origin: "+s.URL); a.status != 202 {
			t.Fatalf("request %d: status %d, want 202: %s", i, a.status, a.raw)
		}
	}
	s.wants(s.do("POST", "/api/session", `{"email":"`+ownerEmail+`"}`, "Origin: "+s.URL), 429, "rate_limited")
	if n := s.Int(t, `SELECT count(*) FROM sign_in_mails WHERE email = $1`, ownerEmail); n != 0 {
		t.Error("what could not be sent was counted")
	}
}

// A person can still sign in by mail to a service that was left in the global sandbox, because no code works without a mail.
func TestSession_TheCodeIsMailedUnderTheGlobalSandbox(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "pro")
		w.ReplaceDelivery(func(o *delivery.Options) { o.Sandbox = true })
		p := peopleOf(t, serve(t, w))
		if a := p.send(`{"to":"22376000001","channel":"sms","message":"x"}`); a.text("status") != "SANDBOX" {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		if a := p.do("POST", "/api/session", `{"email":"`+ownerEmail+`"}`, p.origin()); a.status != 202 {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		mail := waittest.Receive(t, p.mails)
		if m := p.Message(t, mail.Ref); strings.HasPrefix(m.ID, "sb_") || sixDigits.FindString(mail.Text) == "" {
			t.Errorf("got %+v", mail)
		}
		p.wants(p.do("POST", "/api/session/verify", `{"email":"`+ownerEmail+`","code":"000000"}`, p.origin()), 401, "sign_in_failed")
	})
}
