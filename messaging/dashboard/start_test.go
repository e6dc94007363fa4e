package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/dashboard"
	"example.com/griot/messaging/messagingtest"
	messagingverbs "example.com/griot/messaging/verbs"
)

// newcomer signs up a person whose account has no sender of its own. do runs a verb of the operator.
func newcomer(t *testing.T, d *db.DB) (w *messagingtest.Site, p *messagingtest.Person, do func(verb, in string) error) {
	t.Helper()
	w = messagingtest.NewSite(t, d, messagingtest.Signup(account.SignupOpen))
	o := messagingverbs.Options{Directory: w.Directory, Mail: w.Mail, Delivery: w.Delivery}
	main, hooks := messagingverbs.Verbs(o), messagingverbs.Webhooks(o, w.Endpoints)
	p = w.SignIn("awa@example.com")
	p.Wants(p.Post("/dashboard/sign-up", "name", "Boutique Awa"), http.StatusCreated, "svc_test_")
	return w, p, func(verb, in string) error {
		verbs := main
		if strings.HasPrefix(verb, "webhooks.") {
			verbs = hooks
		}
		_, err := verbs.Call(t.Context(), verb, []byte(in))
		return err
	}
}

// badges returns the states of the first steps on the overview.
func badges(body string) (states []string) {
	for _, part := range strings.Split(body, "<summary>")[1:] {
		_, after, _ := strings.Cut(part, `<span class="badge`)
		_, text, _ := strings.Cut(after, ">")
		text, _, _ = strings.Cut(text, "<")
		states = append(states, text)
	}
	return states
}

func TestFirstSteps_FollowWhatTheAccountHas(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w, p, _ := newcomer(t, d)
		states := func(path, want string) {
			t.Helper()
			if got := strings.Join(badges(p.Get(path).Body), ", "); !strings.HasPrefix(got, want) || want == "" && strings.Contains(got, "Done") {
				t.Errorf("%s: the steps are %q, want %q", path, got, want)
			}
		}
		states("/dashboard", "Done, To do, To do, Optional, Optional, To do, To do")
		home := p.Get("/dashboard")
		p.Holds(home, `mode=test" aria-current="true">TEST</a>`, `href="/dashboard?mode=live">LIVE</a>`, `action="/dashboard/send?mode=test"`, "griot listen --forward-to", `action="/dashboard/requests"`, "no 0 of 10")
		got := p.Post("/dashboard/send?mode=test", "key", "k", "to", "+22376000001", "channel", "auto", "message", "Hello")
		p.Wants(got, http.StatusSeeOther, "/dashboard/messages/")
		message, _, _ := strings.Cut(got.Location, "?")
		states("/dashboard", "Done, Done, Done, Optional, Optional, To do, To do")
		p.Holds(p.Get("/dashboard"), `href="`+message+`"`)
		p.Wants(p.Post("/dashboard/requests", "kind", "sms", "wanted", "KALABASH"), http.StatusSeeOther, "/dashboard/senders?done=requested&mode=test")
		p.Wants(p.Post("/dashboard/requests", "kind", "webhook", "wanted", "https://shop.example/hooks\u00a0\u200b"), http.StatusSeeOther, "/dashboard/webhooks?done=requested&mode=test")
		states("/dashboard?mode=live", "Done, Done, Done, Optional, Requested, Requested, To do")
		a, err := w.Directory.ByEmail(t.Context(), "awa@example.com")
		if err != nil {
			t.Fatal(err)
		}
		hold := func(*db.Tx, string) (bool, error) { return true, nil }
		if _, err := w.Directory.AddSender(t.Context(), account.Sender{AccountID: a, Channel: gateway.SMS, Address: "36000", Gateway: "fake", Position: -1}, false, hold); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Endpoints.Set(t.Context(), a, "https://shop.example/hooks"); err != nil {
			t.Fatal(err)
		}
		states("/dashboard", "Done, Done, Done, Optional, Done, Done, To do")
		p.Holds(p.Get("/dashboard"), `>LIVE</a>`, `aria-current="true">LIVE`)
		p.Send("to", "+22376000001", "channel", "sms", "message", "Real")
		states("/dashboard", "")
		states("/dashboard?mode=test", "")
		viewer := w.Member("view@example.com", account.RoleViewer)
		viewer.Holds(viewer.Get("/dashboard"), "no First steps", "No messages yet")
	})
}

// If all messages are simulated, the first steps end after the first one.
func TestFirstSteps_OfAServiceThatSimulatesEverything(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "pro").Site(t, func(o *dashboard.Options) { o.Simulates = true })
	p := w.SignIn(messagingtest.OwnerEmail)
	p.Holds(p.Get("/dashboard"), "First steps", "no Ask for a sender")
	p.Send("to", "+22376000001", "channel", "sms", "message", "Simulated one", "sandbox", "on")
	p.Holds(p.Get("/dashboard"), "no First steps")
}

// A refusal shows the next steps: simulate the same message, request a sender, link a number, or see the plans.
func TestSend_ARefusalNamesTheWayOn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w, p, _ := newcomer(t, d)
		form := []string{"key", "k", "to", "+22376000001", "channel", "sms", "message", "Hello"}
		p.Holds(p.Get("/dashboard/send?mode=live"), `action="/dashboard/send?mode=live"`)
		const simulate, ask = `name="sandbox" value="on"`, `href="/dashboard/senders#ask"`
		refused := p.Post("/dashboard/send?mode=live", form...)
		p.Wants(refused, http.StatusConflict, simulate)
		p.Holds(refused, ask, "Ask for a sender")
		p.Holds(p.Post("/dashboard/send/preview?mode=live", form...), simulate, ask)
		p.Holds(p.Post("/dashboard/codes/send?mode=live", "key", "k", "to", "+22376000001", "channel", "sms"), ask, "Ask for a sender")
		p.Wants(p.Post("/dashboard/send?mode=live", append(form, "sandbox", "on")...), http.StatusSeeOther, "/dashboard/messages/")

		owner := w.SignIn(messagingtest.OwnerEmail)
		w.Exec(`UPDATE plans SET daily_limit = 1 WHERE name = 'pro'`)
		w.Directory.ForgetAll()
		owner.Send(form...)
		form[1] = "k2"
		owner.Holds(owner.Post("/dashboard/send", form...), simulate, `href="/dashboard/billing"`)
		w.Exec(`UPDATE senders SET paused_at = 1`)
		w.Directory.ForgetAll()
		owner.Holds(owner.Post("/dashboard/send", form...), simulate, `<a class="button small" href="/dashboard/senders">`)
		form[7] = ""
		owner.Holds(owner.Post("/dashboard/send", form...), "no "+simulate)
	})
}

// Rules: M190.
func TestRequests_AreCheckedAndShown(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		_, p, _ := newcomer(t, d)
		for _, wrong := range [][2]string{{"whatsapp", "KALABASH"}, {"sms", "a name that is too long"}, {"sms", ""}, {"email", "awa"}, {"webhook", "ftp://shop.example"}, {"fax", "22376000001"}} {
			p.Wants(p.Post("/dashboard/requests", "kind", wrong[0], "wanted", wrong[1], "note", "Our note"), http.StatusBadRequest, `value="Our note"`)
		}
		p.Wants(p.Post("/dashboard/requests", "kind", "sms", "wanted", "36000", "note", strings.Repeat("n", 501)), http.StatusBadRequest, "below 500 characters")
		p.Wants(p.Post("/dashboard/requests", "kind", "whatsapp", "wanted", "+223 76 00 00 01"), http.StatusSeeOther, "/dashboard/senders")
		p.Wants(p.Post("/dashboard/requests", "kind", "whatsapp", "wanted", "+223 76-00-00-01"), http.StatusBadRequest, "You already asked for this")
		p.WantsAll(p.Get("/dashboard/senders"), "You asked for +223 76 00 00 01 on 4 Mar 2026")
		p.Holds(p.Get("/dashboard/webhooks"), "no You asked for")
		p.Wants(p.Post("/dashboard/requests", "kind", "webhook", "wanted", "https://shop.example/hooks"), http.StatusSeeOther, "/dashboard/webhooks")
		p.WantsAll(p.Get("/dashboard/webhooks"), "You asked for https://shop.example/hooks on 4 Mar 2026")
		p.Holds(p.Get("/dashboard/activity"), "asked the operator for https://shop.example/hooks.")
		p.Origin = "https://evil.example"
		p.Wants(p.Post("/dashboard/requests", "kind", "sms", "wanted", "36000"), http.StatusForbidden, "origin_mismatch")
	})
}

// The operator completes or declines requests, each once, and the owner gets a mail.
// Rules: M190.
func TestRequests_EndWithAMail(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w, p, do := newcomer(t, d)
		p.Post("/dashboard/requests", "kind", "sms", "wanted", "36000")
		p.Post("/dashboard/requests", "kind", "webhook", "wanted", "https://shop.example/hooks")
		open, err := w.Directory.Requests(t.Context(), "")
		if err != nil || len(open) != 2 {
			t.Fatal(open, err)
		}
		hook, sender := open[0], open[1]
		if hook.Kind != account.WebhookRequest { // of the same millisecond
			hook, sender = sender, hook
		}
		if err := do("webhooks.set", `{"account":"awa@example.com","url":"https://shop.example","request":"`+sender.ID+`"}`); err == nil {
			t.Error("an address carries out a request for a sender")
		}
		other := `{"account":"` + w.Account.ID + `","url":"https://other.example","request":"` + hook.ID + `"}`
		if err := do("webhooks.set", other); err == nil || w.Int(t, `SELECT count(*) FROM accounts WHERE webhook_url = 'https://other.example'`) != 0 {
			t.Errorf("another account's request: %v", err)
		}
		set := `{"account":"awa@example.com","url":"https://shop.example/hooks","request":"` + hook.ID + `"}`
		if err := do("webhooks.set", set); err != nil {
			t.Fatal(err)
		}
		if err := do("webhooks.set", set); err == nil {
			t.Error("a request is carried out twice")
		}
		if err := do("requests.decline", `{"request":"`+sender.ID+`","reason":"This number is a customer’s."}`); err != nil {
			t.Fatal(err)
		}
		if err := do("requests.done", `{"request":"`+sender.ID+`"}`); err == nil {
			t.Error("a declined request is done")
		}
		w.Eventually(t, "two mails to the owner", func() (any, bool) {
			var texts []string
			for _, c := range w.Gateway.Calls() {
				if c.To == "awa@example.com" && strings.Contains(c.Subject, "request") {
					texts = append(texts, c.Subject+" "+c.Text)
				}
			}
			all := strings.Join(texts, "\n")
			return all, len(texts) == 2 && strings.Contains(all, "https://shop.example/hooks") && strings.Contains(all, "This number is a customer’s.")
		})
		p.Holds(p.Get("/dashboard/webhooks"), "https://shop.example/hooks", "no You asked for")
		p.Holds(p.Get("/dashboard/activity"), "declined the request for 36000.")
	})
}
