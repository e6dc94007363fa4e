package dashboard_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/dashboard/dashboardtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// A failed message shows its cause, advice, and a link to an explanation in the documentation.
func TestMessage_SaysWhyItFailed(t *testing.T) {
	w := dashboardtest.NewWorld(t, dbtest.SQLite(t))
	p := w.SignIn(dashboardtest.OwnerEmail)
	docs := p.Get("/docs/errors").Body
	for _, test := range []struct {
		class         gateway.Class
		code, anchor  string
		cause, advice string
	}{
		{gateway.Unreachable, "not_on_whatsapp", "reason-not_on_whatsapp", "The number isn’t on WhatsApp.", "Send by SMS, or with the channel auto."},
		{gateway.Permanent, "own_code_17", "reason-permanent", "The gateway refused the message.", "Correct the message, then send it again."},
	} {
		path := w.Fail(p, test.class, test.code)
		got := p.Get(path)
		p.Holds(got, test.cause, test.advice, `href="/docs/errors#`+test.anchor+`"`, "About "+test.code)
		if !strings.Contains(docs, `id="`+test.anchor+`"`) {
			t.Errorf("the page of errors has no #%s", test.anchor)
		}
	}
}

// The explanations are in the language of the page.
func TestReasons_AreExplainedInBothLanguages(t *testing.T) {
	w := dashboardtest.NewWorld(t, dbtest.SQLite(t))
	p := w.SignIn(dashboardtest.OwnerEmail)
	path := w.Fail(p, gateway.Unreachable, "not_on_whatsapp")
	for _, lang := range i18n.Langs() {
		_, cause, advice := lang.Reason("not_on_whatsapp", "")
		for _, page := range []string{path, "/docs/errors"} {
			if p.Get(page + "?lang=" + string(lang)); !strings.Contains(html.UnescapeString(p.Get(page).Body), cause) || !strings.Contains(html.UnescapeString(p.Get(page).Body), advice) {
				t.Errorf("%s in %s has no %q %q", page, lang, cause, advice)
			}
		}
	}
}

// Each page that shows an error code links it to the messages with it, and to its explanation.
func TestReasons_AreLinksEverywhere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := dashboardtest.NewWorld(t, d)
		w.SetWebhook(t, "https://shop.example/hooks")
		p := w.SignIn(dashboardtest.OwnerEmail)
		one := w.Fail(p, gateway.Unreachable, "not_on_whatsapp")
		w.Clock.Advance(time.Second)
		two := w.Fail(p, gateway.Permanent, "message_refused")
		sent := p.Send("to", "+22376000001", "channel", "sms", "message", "Bonjour")
		log, about := `href="/dashboard/logs?code=not_on_whatsapp"`, `href="/docs/errors#reason-not_on_whatsapp"`
		events := p.Get("/dashboard/webhooks")
		event, _, _ := strings.Cut(events.Body[strings.LastIndex(events.Body, `"/dashboard/webhooks/evt_`)+1:], `"`) // the oldest
		p.Holds(p.Get(event), one)
		for _, page := range []string{"/dashboard", "/dashboard/logs", "/dashboard/webhooks", event} {
			p.Holds(p.Get(page), log, about)
		}
		p.Holds(p.Get("/dashboard/senders/"+w.Sender(messagingtest.SMS)), `href="/dashboard/logs?code=message_refused"`)
		p.Holds(p.Get("/dashboard/logs?code=not_on_whatsapp"), one, "no "+two, "no "+sent)
		p.Holds(p.Get("/dashboard/logs?code=not_on_whats"), "No message matches")
		p.Wants(p.Get("/dashboard/logs?code=%22"), http.StatusBadRequest, "This filter doesn&#39;t exist.")
		p.Wants(p.Get("/dashboard/logs?code=%22&mode=test"), http.StatusOK, "No simulated messages yet")
	})
}

// The timeline shows the time of each step to the second in the account's zone, and the time since the previous step.
func TestMessage_TimelineIsExact(t *testing.T) {
	w := dashboardtest.NewWorld(t, dbtest.SQLite(t))
	p := w.SignIn(dashboardtest.OwnerEmail)
	zone := "Africa/Lagos"
	if _, err := w.Directory.Change(t.Context(), w.Account.ID, &account.Change{TimeZone: &zone}); err != nil {
		t.Fatal(err)
	}
	w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
		if out.Channel == gateway.SMS { // the notice of the sign-in is sent whenever its turn comes
			w.Clock.Advance(62 * time.Second)
		}
		return gateway.Ack{ProviderID: out.Ref}, nil
	})
	got := p.Get(p.Send("to", "+22376000001", "channel", "sms", "message", "Bonjour"))
	p.Holds(got, `class="exact"`, "4 Mar 2026 13:00:00 WAT", "4 Mar 2026 13:01:02 WAT", "· +62\u00a0s")
}

// The price is in the timeline, with the delivery, and in the numbers of the month.
func TestMessage_SaysWhatWhatsAppCharges(t *testing.T) {
	w := dashboardtest.NewWorld(t, dbtest.SQLite(t))
	p := w.SignIn(dashboardtest.OwnerEmail)
	if body := p.Get("/dashboard").Body; strings.Contains(body, "Charged by WhatsApp") {
		t.Errorf("an account without prices has their number:\n%s", body)
	}
	french := map[string]string{}
	for i, tc := range []struct {
		status gateway.ReceiptStatus
		price  gateway.Pricing
		want   string
	}{
		{gateway.ReceiptDelivered, gateway.Pricing{Billable: true, Category: "utility"}, "WhatsApp charges for this message (utility)."},
		{gateway.ReceiptSent, gateway.Pricing{Category: "service"}, ". WhatsApp doesn’t charge for this message (service)."},
		{gateway.ReceiptRead, gateway.Pricing{Billable: true, Category: "of_tomorrow"}, "WhatsApp charges for this message (of_tomorrow)."},
		{gateway.ReceiptDelivered, gateway.Pricing{Billable: true}, "WhatsApp charges for this message (another category)."},
	} {
		path := p.Send("to", fmt.Sprint("+2237600000", i), "channel", "whatsapp", "message", "Bonjour")
		id := regexp.MustCompile(`msg_\w+`).FindString(path)
		if err := w.Engine.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: id, Status: tc.status, Pricing: &tc.price, At: w.Clock.Now()}); err != nil {
			t.Fatal(err)
		}
		p.WantsAll(p.Get(path), tc.want)
		french[path] = strings.NewReplacer("charges for this", "facture ce", "doesn’t charge for this", "ne facture pas ce", "utility", "utilitaire", "another category", "autre catégorie").Replace(tc.want)
	}
	p.WantsAll(p.Get("/dashboard"), "Charged by WhatsApp", "this month, another category: 2, utility: 1")
	p.Get("/dashboard?lang=fr")
	for path, want := range french {
		p.WantsAll(p.Get(path), want)
	}
	p.WantsAll(p.Get("/dashboard"), "Facturés par WhatsApp", "ce mois-ci, autre catégorie : 2, utilitaire : 1")
	w.Clock.Advance(27 * 24 * time.Hour) // to the 31st, whose month begins before the chart
	p = w.SignIn(dashboardtest.OwnerEmail)
	p.WantsAll(p.Get("/dashboard"), "this month, another category: 2, utility: 1")
	w.Clock.Advance(24 * time.Hour)
	p = w.SignIn(dashboardtest.OwnerEmail)
	if body := p.Get("/dashboard").Body; strings.Contains(body, "Charged by WhatsApp") {
		t.Errorf("the overview has the prices of the month before:\n%s", body)
	}
}

// The preview of an email is a document that executes and loads nothing, and that only its own page can show in a frame.
func TestMessage_PreviewsHTML(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := dashboardtest.NewWorld(t, d)
		p := w.SignIn(dashboardtest.OwnerEmail)
		const text = `<p style="color:red">Bonjour</p><script>alert(1)</script><LINK rel="preconnect" href="https://evil.example"><a href="https://evil.example/">x</a><A
href=//evil.example>y</A><a/href=//evil.example>z</a><map><area href="//evil.example"></map><article>t</article>`
		mail := &message.Request{To: "awa@example.com", Channel: gateway.Email, Content: message.Content{Subject: "Salut", Text: "Bonjour", HTML: text}}
		path := "/dashboard/messages/" + w.Submit(t, mail).Message.ID
		page := p.Get(path)
		p.Holds(page, `<iframe class="mail" sandbox src="`+path+`/html"`, "no "+text)
		if policy := page.Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "; frame-src 'self'") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("the page's policy is %s", policy)
		}
		for query, contentType := range map[string]string{"": "text/html; charset=utf-8", "?source=1": "text/plain; charset=utf-8"} {
			want := text
			if query == "" {
				want = strings.NewReplacer("<LINK", "<x-LINK", "<a ", "<x-a ", "<A\n", "<x-A\n", "<a/", "<x-a/", "<area", "<x-area").Replace(text)
			}
			got := p.Get(path + "/html" + query)
			if got.Status != http.StatusOK || got.Body != want || got.Header.Get("Content-Type") != contentType {
				t.Errorf("%d %s %s", got.Status, got.Header.Get("Content-Type"), got.Body)
			}
			policy := got.Header.Get("Content-Security-Policy")
			for _, part := range []string{"sandbox;", "default-src 'none';", "img-src data:;", "frame-ancestors 'self'"} {
				if !strings.Contains(policy, part) {
					t.Errorf("the preview's policy %s has no %s", policy, part)
				}
			}
			if got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("the preview has %v", got.Header)
			}
		}
		other := p.Send("to", "+22376000001", "channel", "sms", "message", "Bonjour")
		if policy := p.Get(other).Header.Get("Content-Security-Policy"); strings.Contains(policy, "frame-src") {
			t.Errorf("a page without a preview has the policy %s", policy)
		}
		p.Wants(p.Get(other+"/html"), http.StatusNotFound, "message_not_found")
		p.Wants(w.Member("dev@example.com", account.RoleDeveloper).Get(path+"/html"), http.StatusNotFound, "message_not_found")
		mail.Source = message.SourceInbox
		written := "/dashboard/messages/" + w.Submit(t, mail).Message.ID
		viewer := w.Member("view@example.com", account.RoleViewer)
		p.Wants(p.Get(written+"/html"), http.StatusOK, "Bonjour")
		p.Wants(viewer.Get(written+"/html"), http.StatusNotFound, "message_not_found")
		p.Holds(viewer.Get(written), "no <iframe")
	})
}
