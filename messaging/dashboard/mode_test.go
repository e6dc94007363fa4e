package dashboard_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/dashboard"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// Each view shows either real or simulated messages, shows which, and its links keep the mode.
func TestMode_SeparatesRealAndSimulatedMessages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Wants(p.Get("/dashboard?mode=test"), http.StatusOK, "First steps")
		p.Wants(p.Get("/dashboard/logs?mode=test"), http.StatusOK, "No simulated messages yet")
		p.Wants(p.Get("/dashboard/keys?mode=test"), http.StatusOK, "No active API key")
		test := p.Send("to", "+22376000001", "channel", "sms", "message", "Simulated one", "sandbox", "on")
		p.Wants(p.Get("/dashboard"), http.StatusOK, "First steps") // none of those that go out
		live := p.Send("to", "+22376000002", "channel", "sms", "message", "Real one")
		for path, want := range map[string]struct{ has, hasNot string }{
			"/dashboard/logs":           {"Real one", "Simulated one"},
			"/dashboard/logs?mode=test": {"Simulated one", "Real one"},
			"/dashboard/logs?mode=x":    {"Real one", "Simulated one"},
			"/dashboard":                {"of messages sent", "Simulated messages"},
			"/dashboard?mode=test":      {"Simulated messages", "of messages sent"},
			live:                        {`href="/dashboard/logs"`, "mode=test\" aria-current=\"true\""},
			test:                        {`href="/dashboard/logs?mode=test"`, `href="/dashboard/logs"><svg`},
			"/dashboard/send?mode=test": {`action="/dashboard/send?mode=test"`, `name="sandbox"`},
		} {
			got := p.Get(path)
			body := html.UnescapeString(got.Body)
			if got.Status != http.StatusOK || !strings.Contains(body, want.has) || strings.Contains(body, want.hasNot) {
				t.Errorf("%s: %d, want %q and no %q in\n%s", path, got.Status, want.has, want.hasNot, body)
			}
		}
		in := html.UnescapeString(p.Get("/dashboard/logs?mode=test&to=22376000001&cursor=").Body)
		for _, link := range []string{
			`<a href="/dashboard/logs?to=22376000001">LIVE</a>`, `<a class="test" href="/dashboard/logs?to=22376000001&mode=test" aria-current="true">TEST</a>`,
			`<a href="/dashboard?mode=test">`, `<input type="hidden" name="mode" value="test">`, `href="/dashboard/logs?mode=test">Show all`,
		} {
			if !strings.Contains(in, link) {
				t.Errorf("no %q in the logs of TEST:\n%s", link, in)
			}
		}
		before := w.Calls("22376000003")
		got := p.Post("/dashboard/send?mode=test", "to", "+22376000003", "channel", "sms", "message", "Only simulated")
		path, _, _ := strings.Cut(got.Location, "?")
		p.Wants(p.Get(path), http.StatusOK, "No real message was sent")
		if n := w.Calls("22376000003"); n != before {
			t.Errorf("%d calls of the gateway by a form in TEST, want none", n-before)
		}
	})
}

// The page of a simulated message has the outcome that its events report. Its status stays the same.
func TestMessage_HasItsSimulatedOutcome(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	send := func(channel, to string) string {
		return p.Send("to", to, "channel", channel, "message", "x", "sandbox", "on")
	}
	delivered, failed := send("sms", "+22376000001"), send("whatsapp", "+447700900010")
	p.Holds(p.Get(delivered), `<dt>Simulated outcome</dt><dd>Delivered</dd>`)
	p.Holds(p.Get(failed), `<dt>Simulated outcome</dt><dd>Failed. The number isn’t on WhatsApp (not_on_whatsapp).</dd>`, `<span class="badge warn">Simulated</span>`, `no <span class="badge bad">`)
	p.Get(failed + "?lang=fr")
	p.Holds(p.Get(failed), `<dt>Résultat simulé</dt><dd>Échoué. Le numéro n’est pas sur WhatsApp (not_on_whatsapp).</dd>`)
	p.Get(failed + "?lang=en")
	p.Holds(p.Get(p.Send("to", "+447700900010", "channel", "sms", "message", "x")), `no Simulated outcome`)
	quiet := &message.Request{Channel: gateway.WhatsApp, To: "+447700900010", Content: message.Content{Text: "x"}, Sandbox: true, Quiet: true}
	res, err := w.Delivery.Submit(t.Context(), w.LiveCaller, quiet)
	if err != nil {
		t.Fatal(err)
	}
	p.Holds(p.Get("/dashboard/messages/"+res.Message.ID), `no Simulated outcome`, "Simulated")
	if err := w.Endpoints.SetReadReceipts(t.Context(), w.Account.ID, false); err != nil {
		t.Fatal(err)
	}
	p.Holds(p.Get(p.Send("to", "read@simulated.example", "channel", "email", "subject", "x", "message", "x", "sandbox", "on")), `<dt>Simulated outcome</dt><dd>Delivered</dd>`)
}

// If all messages are simulated, there is only one mode.
func TestMode_OfAServiceThatSimulatesEverything(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "pro").Site(t, func(o *dashboard.Options) { o.Simulates = true })
	p := w.SignIn(messagingtest.OwnerEmail)
	p.Send("to", "+22376000001", "channel", "sms", "message", "Simulated one", "sandbox", "on")
	got := p.Get("/dashboard/logs")
	if body := html.UnescapeString(got.Body); !strings.Contains(body, ">TEST</span>") || strings.Contains(body, ">LIVE</a>") || strings.Contains(body, "No simulated") {
		t.Errorf("want the simulated messages, TEST, and no way to LIVE:\n%s", body)
	}
}

// Each page of an account shows the mode below the account's name, before the navigation, which a low window cuts off.
func TestMode_IsOnEveryPage(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	owner, shown := w.SignIn(messagingtest.OwnerEmail), 0
	developer := w.Member("dev@example.com", account.RoleDeveloper)
	for _, r := range w.Pages.Routes() {
		for _, p := range []*messagingtest.Person{owner, developer} {
			if r.Method != http.MethodGet || strings.Contains(r.Path, "{") || strings.HasSuffix(r.Path, "/events") {
				continue
			}
			got := p.Get(r.Path + "?mode=test")
			_, shell, ok := strings.Cut(got.Body, `<aside class="side"`)
			if got.Status != http.StatusOK || !ok {
				continue
			}
			shown++
			if side, _, _ := strings.Cut(shell, "<nav class=\"nav\""); !strings.Contains(side, `mode=test" aria-current="true">TEST</a>`) || !strings.Contains(got.Body, `</strong><span class="badge warn">TEST</span>`) {
				t.Errorf("%s does not say the mode before the navigation:\n%s", r.Path, side)
			}
			live := regexp.MustCompile(`<a href="([^"]+)">LIVE</a>`).FindStringSubmatch(shell)
			if live == nil || p.Get(html.UnescapeString(live[1])).Status != http.StatusOK {
				t.Errorf("%s leads to LIVE by %q", r.Path, live)
			}
		}
	}
	if shown < 20 {
		t.Errorf("%d pages, want all", shown)
	}
}
