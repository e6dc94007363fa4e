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
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// A failed message shows its cause, advice, and a link to an explanation in the documentation.
func TestMessage_SaysWhyItFailed(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
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
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
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
		w := messagingtest.NewSite(t, d)
		w.SetWebhook(t, "https://shop.example/hooks")
		p := w.SignIn(messagingtest.OwnerEmail)
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
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
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

// The timeline has a sentence for each kind of note, in the language of the page.
func TestMessage_TimelineExplainsEachNote(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	refused := &message.Failure{Code: "not_on_whatsapp", Class: gateway.Unreachable}
	later := message.Step{Status: message.Queued, Channel: gateway.SMS}
	for _, tc := range []struct {
		status  message.Status
		failure *message.Failure
		note    message.Note
		en, fr  string // title and text of the step
	}{
		{message.Failed, refused, message.Note{Kind: message.NoteLeft, To: gateway.SMS}, "WhatsApp couldn’t send it|The number isn’t on WhatsApp (not_on_whatsapp). It is sent by SMS instead.", "WhatsApp n’a pas pu le remettre|Le numéro n’est pas sur WhatsApp (not_on_whatsapp). Il repart par SMS."},
		{message.Sent, nil, message.Note{Kind: message.NoteLate, To: gateway.SMS}, "Not delivered in time by WhatsApp|It is sent by SMS instead.", "Pas distribué à temps par WhatsApp|Il repart par SMS."},
		{message.Sent, nil, message.Note{Kind: message.NoteStays, To: gateway.WhatsApp}, "Not delivered in time by WhatsApp|No other channel is available, so the message stays with WhatsApp.", "Pas distribué à temps par WhatsApp|Aucun autre canal n’est disponible : le message reste sur WhatsApp."},
		{message.Queued, refused, message.Note{Kind: message.NoteRetry}, "WhatsApp didn’t accept it. Another attempt follows|The number isn’t on WhatsApp (not_on_whatsapp).", "WhatsApp ne l’a pas pris ; une autre tentative suit|Le numéro n’est pas sur WhatsApp (not_on_whatsapp)."},
		{message.Queued, nil, message.Note{Kind: message.NoteUnseen}, "The gateway hadn’t received it, so it is sent again|", "La passerelle ne l’avait pas vu : il est renvoyé|"},
		{message.Queued, nil, message.Note{Kind: message.NoteWarmUp, Until: 1}, "The sender is warming up and has reached today’s limit|", "L’expéditeur est en montée en charge et a envoyé ce qu’il pouvait aujourd’hui|"},
		{message.Delivered, nil, message.Note{Kind: message.NoteReceipt}, "Delivered by WhatsApp|", "Distribué par WhatsApp|"},
		{message.Sent, nil, message.Note{Kind: message.NoteForm, Text: "template a"}, "Sent by WhatsApp|", "Envoyé par WhatsApp|"},
		{message.Sending, nil, message.Note{Kind: message.NoteUnknown}, "Submitted to WhatsApp|", "Confié à WhatsApp|"},
		{message.Queued, nil, message.Note{Kind: message.NoteMoved}, "It will be sent by WhatsApp.|", "Il doit partir par WhatsApp.|"},
		// An earlier version has stored sentences, and a newer one might store kinds that this one doesn't know.
		{message.Sent, nil, message.Note{Text: "not delivered in time; left for sms"}, "Sent by WhatsApp|not delivered in time; left for sms", "Envoyé par WhatsApp|not delivered in time; left for sms"},
		{message.Queued, nil, message.Note{Kind: "of_tomorrow", To: gateway.SMS, Text: "<b>"}, "It will be sent by WhatsApp.|<b>", "Il doit partir par WhatsApp.|<b>"},
		{message.Read, nil, message.Note{Kind: "of_tomorrow"}, "Read|of_tomorrow", "Lu|of_tomorrow"},
	} {
		at := w.Clock.Now()
		m := message.New(&message.Request{To: "+22376000001", Channel: gateway.WhatsApp, Source: message.SourceAPI}, w.Account.ID, "", at)
		m.Status = message.Delivered
		m.Timeline = message.FirstStep(later)
		for _, s := range []message.Step{{At: db.Ms(at), Status: tc.status, Channel: gateway.WhatsApp, Failure: tc.failure, Note: tc.note}, later} {
			m.Timeline += message.Timeline(message.AppendedStep(s))
		}
		w.Store(t, m)
		for lang, want := range map[i18n.Lang]string{i18n.EN: tc.en, i18n.FR: tc.fr} {
			p.Get("/dashboard?lang=" + string(lang))
			page := html.UnescapeString(p.Get("/dashboard/messages/" + m.ID).Body)
			steps := timelineStep.FindAllStringSubmatch(page, -1)
			if len(steps) != 3 {
				t.Fatalf("%+v in %s: %d steps in %s", tc.note, lang, len(steps), page)
			}
			if got := strings.ReplaceAll(steps[1][1]+"|"+steps[1][2], "\u00a0", " "); got != want {
				t.Errorf("%+v in %s: %q, want %q", tc.note, lang, got, want)
			}
		}
		w.Clock.Advance(time.Second)
	}
}

var timelineStep = regexp.MustCompile(`(?s)<li[^>]*><strong>([^<]*)</strong>(?:<p>([^/]*?)</p>)?(?:<p><a [^>]*>[^<]*</a></p>)?<p><time`)

// A message on another channel than the first explains the reason, in the language of the page.
func TestMessage_ExplainsItsChannel(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	refused := &message.Failure{Code: "not_on_whatsapp", Class: gateway.Unreachable}
	for _, tc := range []struct {
		failure *message.Failure
		note    message.Note
		en, fr  string
	}{
		{refused, message.Note{Kind: message.NoteLeft, To: gateway.SMS}, "WhatsApp couldn’t send it. The number isn’t on WhatsApp (not_on_whatsapp). So it was sent by SMS.", "WhatsApp n’a pas pu le remettre. Le numéro n’est pas sur WhatsApp (not_on_whatsapp). Il est donc reparti par SMS."},
		{nil, message.Note{Kind: message.NoteLate, To: gateway.SMS}, "It wasn’t delivered in time by WhatsApp, so it was sent by SMS.", "Il n’a pas été distribué à temps par WhatsApp ; il est donc reparti par SMS."},
		{refused, message.Note{Kind: message.NoteLeft, To: gateway.WhatsApp}, "The first sender couldn’t send it, so another sender on the same channel did.", "Le premier expéditeur n’a pas pu l’envoyer ; un autre du même canal a pris le relais."},
		{refused, message.Note{Text: "left for sms"}, "this is your first sender that could reach the recipient", "c’est le premier de vos expéditeurs qui pouvait joindre ce destinataire"},
	} {
		m := message.New(&message.Request{To: "+22376000001", Channel: message.Auto, Source: message.SourceAPI}, w.Account.ID, "", w.Clock.Now())
		m.Status, m.Channel = message.Sent, gateway.SMS
		m.Timeline = message.FirstStep(message.Step{Status: message.Failed, Channel: gateway.WhatsApp, Failure: tc.failure, Note: tc.note})
		w.Store(t, m)
		for lang, want := range map[i18n.Lang]string{i18n.EN: tc.en, i18n.FR: tc.fr} {
			p.Get("/dashboard?lang=" + string(lang))
			p.WantsAll(p.Get("/dashboard/messages/"+m.ID), want)
		}
		w.Clock.Advance(time.Second)
	}
}

// The price is in the timeline, with the delivery, and in the numbers of the month.
func TestMessage_SaysWhatWhatsAppCharges(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
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
		if err := w.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: id, Status: tc.status, Pricing: &tc.price, At: w.Clock.Now()}); err != nil {
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
	p = w.SignIn(messagingtest.OwnerEmail)
	p.WantsAll(p.Get("/dashboard"), "this month, another category: 2, utility: 1")
	w.Clock.Advance(24 * time.Hour)
	p = w.SignIn(messagingtest.OwnerEmail)
	if body := p.Get("/dashboard").Body; strings.Contains(body, "Charged by WhatsApp") {
		t.Errorf("the overview has the prices of the month before:\n%s", body)
	}
}

// The preview of an email is a document that executes and loads nothing, and that only its own page can show in a frame.
func TestMessage_PreviewsHTML(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
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
