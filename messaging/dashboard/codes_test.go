package dashboard_test

import (
	"html"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
)

func TestCodes_TestedInTheBrowser(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Wants(p.Get("/dashboard/codes"), http.StatusOK, "It costs one message of today&#39;s quota: 0 of 5,000 are used.")
		p.Wants(p.Get("/dashboard/codes?mode=test"), http.StatusOK, "nothing is sent, no quota is used")

		simulated := p.SendCode("?mode=test", "+22376000001")
		if n := w.Calls("22376000001"); n != 0 {
			t.Errorf("%d messages were sent in TEST, want none", n)
		}
		p.Wants(p.Post("/dashboard/codes/verify?mode=test", "challenge", simulated, "code", "000001"), http.StatusBadRequest, "This code is incorrect.")
		p.Wants(p.Post("/dashboard/codes/verify", "challenge", simulated, "code", "000000"), http.StatusBadRequest, "This code was already used or never sent.") // LIVE is another world
		p.Wants(p.Post("/dashboard/codes/verify?mode=test", "challenge", simulated, "code", "000 000"), http.StatusSeeOther, "/dashboard/codes?done=code_verified&mode=test")

		live := p.SendCode("", "+22376000002")
		code := w.Code(t, "22376000002")
		p.Wants(p.Post("/dashboard/codes/verify", "challenge", live, "code", messagingtest.WrongCode(code)), http.StatusBadRequest, "This code is incorrect.")
		w.Clock.Advance(9 * time.Second)
		p.Wants(p.Post("/dashboard/codes/verify", "challenge", live, "code", code), http.StatusSeeOther, "/dashboard/codes?done=code_verified")
		p.Wants(p.Post("/dashboard/codes/verify", "challenge", live, "code", code), http.StatusBadRequest, "This code was already used")
		p.Wants(p.Get("/dashboard/codes?done=code_verified"), http.StatusOK, "1 of 5,000 are used")

		for wrong, form := range map[string][]string{
			"and the country code":                {"to", "12", "channel", "sms"},
			"such as .0, -2, or (2)":              {"to", "+22376000003.0", "channel", "sms"},
			"too many or too few digits":          {"to", "+223760000030", "channel", "sms"},
			"This channel doesn&#39;t exist":      {"to", "+22376000003", "channel", "email"},
			"The name has at most 100 characters": {"to", "+22376000003", "channel", "sms", "app", strings.Repeat("x", 101)},
		} {
			p.Wants(p.Post("/dashboard/codes/send", form...), http.StatusBadRequest, wrong)
		}
		p.SendCode("", "\u202a+٢٢٣ (0)76\u201100–00\u201102\u202c") // as people write and paste it
		p.SendCode("", "+22376000002")
		p.Wants(p.Post("/dashboard/codes/send", "to", "+22376000002", "channel", "sms"), http.StatusTooManyRequests, "This number received three codes")
		w.Gateway.FailWith(gateway.Permanent, "down")
		p.Wants(p.Post("/dashboard/codes/send", "to", "+22376000004", "channel", "sms"), http.StatusBadGateway, "The gateway refused the message (down).")
	})
}

// One form sends once. The same form with another number sends nothing.
func TestCodes_OnceByOneForm(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	one := key(t, p.Get("/dashboard/codes"))
	first := p.Post("/dashboard/codes/send", "key", one, "to", "+22376000001", "channel", "sms")
	second := p.Post("/dashboard/codes/send", "key", one, "to", "+22376000001", "channel", "sms")
	if n := w.Calls("22376000001"); first.Location != second.Location || n != 1 {
		t.Errorf("%q and %q, %d calls; want one challenge", first.Location, second.Location, n)
	}
	p.Wants(p.Post("/dashboard/codes/send", "key", one, "to", "+22376000002", "channel", "sms"), http.StatusConflict, "already sent another code")
}

func TestCodes_ConversionByCountryAndHeldPrefixes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Wants(p.Get("/dashboard/codes"), http.StatusOK, "No codes in 24 hours")
		for i, seconds := range []time.Duration{4, 12, 40, 0} {
			to := "2237600000" + string(rune('1'+i))
			challenge := p.SendCode("", "+"+to)
			if seconds > 0 {
				w.Clock.Advance(seconds * time.Second)
				p.Wants(p.Post("/dashboard/codes/verify", "challenge", challenge, "code", w.Code(t, to)), http.StatusSeeOther, "/dashboard/codes?done=code_verified")
			}
		}
		p.SendCode("", "+33600000001")
		w.Exec(`INSERT INTO otp_blocks (account_id, prefix, since, until) VALUES ($1, '2237600', $2, $3)`, w.Account.ID, db.Ms(w.Clock.Now()), db.Ms(w.Clock.Now().Add(time.Hour)))
		body := html.UnescapeString(p.Get("/dashboard/codes").Body)
		for _, want := range []string{
			`<dd>5</dd>`, // requested
			`<dd>60.0% <span class="note-line">3 of 5</span></dd>`, `<dd>12 s <span`,
			`<th scope="row">Mali (+223)</th><td class="num">4</td><td class="num">3 <span class="soft part">75.0%</span></td><td class="num">3 <span class="soft part">75.0%</span></td><td class="num">12 s</td>`,
			`<th scope="row">France (+33)</th><td class="num">1</td><td class="num">0 <span class="soft part">0%</span></td><td class="num">0 <span class="soft part">0%</span></td><td class="num">–</td>`,
			`<code>+2237600…</code></th><td>Low verification rate: 4 requested in 24 hours, 3 verified. <span`,
		} {
			if !strings.Contains(strings.ReplaceAll(body, "\u00a0", " "), want) {
				t.Errorf("no %s in\n%s", want, body)
			}
		}
		p.Wants(p.Get("/dashboard/codes?mode=test"), http.StatusOK, "No simulated codes in 24 hours")
	})
}

func TestCodes_ByRole(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	if _, err := w.Directory.CreateProject(t.Context(), w.Account.ID, "Boutique"); err != nil {
		t.Fatal(err)
	}
	developer := w.Member("dev@example.com", account.RoleDeveloper)
	developer.Wants(developer.Get("/dashboard/codes"), http.StatusOK, "Only the owner can send real codes.")
	developer.Wants(developer.Post("/dashboard/codes/send", "to", "+22376000001", "channel", "sms"), http.StatusForbidden, "forbidden")
	challenge := developer.SendCode("?mode=test", "+22376000001")
	developer.Wants(developer.Post("/dashboard/codes/verify?mode=test", "challenge", challenge, "code", "000000"), http.StatusSeeOther, "/dashboard/codes?done=code_verified")
	developer.Wants(developer.Get("/dashboard/logs?mode=test"), http.StatusOK, phone.Grouped("22376000001")[1:])
	if got := developer.Get("/dashboard/codes?mode=test"); strings.Contains(got.Body, "By country") {
		t.Error("a developer sees the account's statistics")
	}
	viewer := w.Member("view@example.com", account.RoleViewer)
	if got := viewer.Get("/dashboard/codes?mode=test"); got.Status != http.StatusOK || !strings.Contains(got.Body, "By country") || strings.Contains(got.Body, `id="tester"`) {
		t.Errorf("a viewer sees the statistics and no tester: %d\n%s", got.Status, got.Body)
	}
}
