package dashboard_test

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web/webtest"
)

func key(t *testing.T, form *webtest.Page) string {
	t.Helper()
	found := regexp.MustCompile(`name="key" value="([^"]+)"`).FindStringSubmatch(form.Body)
	if found == nil {
		t.Fatalf("no key in the form:\n%s", form.Body)
	}
	return found[1]
}

func TestSend_OnceByOneForm(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		const text = `<script>alert(1)</script> & "quotes"`
		one := key(t, p.Get("/dashboard/send"))
		form := []string{"key", one, "to", "+223 76-00 (00) 01", "channel", "auto", "message", text}
		first, second := p.Send(form...), p.Send(form...)
		if n := w.Calls("22376000001"); first != second || n != 1 {
			t.Errorf("%s and %s, %d calls; want one message", first, second, n)
		}
		shown := p.Get(first)
		p.Wants(shown, http.StatusOK, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#34;quotes&#34;")
		if strings.Contains(shown.Body, "<script>alert") {
			t.Errorf("a text is not text:\n%s", shown.Body)
		}
		p.Wants(p.Get(first), http.StatusOK, "1 message of the quota of 4 Mar 2026")
		m := w.Message(t, strings.TrimPrefix(first, "/dashboard/messages/"))
		if m.Source != message.SourceDashboard || m.Content.Text != text {
			t.Errorf("%+v", m)
		}
		changed := p.Post("/dashboard/send", "key", one, "to", "+22376000001", "channel", "auto", "message", "Another")
		p.Wants(changed, http.StatusConflict, "already sent another message")
		p.Send("key", key(t, changed), "to", "+22376000001", "channel", "auto", "message", "Another")
		for field, form := range map[string][]string{
			"and the country code":           {"to", "12", "channel", "sms", "message", "x"},
			"The message is empty":           {"to", "+22376000001", "channel", "sms", "message", ""},
			"This channel doesn&#39;t exist": {"to", "+22376000001", "channel", "pigeon", "message", "x"},
		} {
			p.Wants(p.Post("/dashboard/send", append(form, "key", "k-"+field)...), http.StatusBadRequest, field)
		}
	})
}

func TestSend_PreviewChangesNothing(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	p.Wants(p.Post("/dashboard/send/preview", "to", "+22376000001", "channel", "sms", "message", "Émoji 😀"), http.StatusOK, "UCS-2")
	p.Wants(p.Post("/dashboard/send/preview", "to", "12", "channel", "sms", "message", "x"), http.StatusOK, "and the country code")
	if n := w.Calls("22376000001"); n != 0 {
		t.Errorf("%d messages were sent, want none", n)
	}
}

func TestLogs_FiltersAndPages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Wants(p.Get("/dashboard/logs"), http.StatusOK, "No messages yet")
		p.Wants(p.Get("/dashboard"), http.StatusOK, "curl ")
		for range 51 {
			p.Send("to", "+22376000001", "channel", "sms", "message", "Numéro un", "sandbox", "on")
		}
		p.Send("to", "+22376000002", "channel", "whatsapp", "message", "Numéro deux")
		first := p.Get("/dashboard/logs?mode=test")
		older := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(first.Body)
		if older == nil || strings.Count(first.Body, "/dashboard/messages/") != 50 {
			t.Fatalf("%d messages, older %q; want 50 and more", strings.Count(first.Body, "/dashboard/messages/"), older)
		}
		second := p.Get(strings.ReplaceAll(older[1], "&amp;", "&"))
		if n := strings.Count(second.Body, "/dashboard/messages/"); n != 1 || strings.Contains(second.Body, `rel="next"`) || !strings.Contains(second.Body, "First page") {
			t.Errorf("the second page has %d messages, want 1, and a way to the newest", n)
		}
		for filter, want := range map[string]int{
			"status=SANDBOX": 50, "": 1, "channel=whatsapp": 1, "to=%2B22376000002": 1, "to=22376000002": 1, "to=+22376000002": 1, "since=2026-03-05&mode=test": 0, "until=2026-03-03&mode=test": 0, "since=2026-03-04&until=2026-03-04&channel=whatsapp": 1,
			"to=%20&mode=test": 50, "mode=test&channel=whatsapp": 0, "mode=test&status=SENT": 50,
		} {
			got := p.Get("/dashboard/logs?" + filter)
			if n := strings.Count(got.Body, "/dashboard/messages/"); got.Status != http.StatusOK || n != want {
				t.Errorf("%s: %d, %d messages, want %d", filter, got.Status, n, want)
			}
		}
		for _, wrong := range []string{"cursor=x", "status=NONE", "channel=pigeon", "since=yesterday", "until=2026-02-30", "since=9999-01-01"} {
			if got := p.Get("/dashboard/logs?" + wrong); got.Status != http.StatusBadRequest {
				t.Errorf("%s: %d, want 400", wrong, got.Status)
			}
		}
	})
}

// A message has one day on all pages: that of the account's time zone.
func TestPages_OneDayOfTheAccount(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Send("to", "+22376000001", "channel", "sms", "message", "Bonjour") // on 4 March at 12:00 UTC
		for zone, day := range map[string]string{"UTC": "4", "Pacific/Kiritimati": "5", "Pacific/Pago_Pago": "4", "Asia/Kathmandu": "4"} {
			p.Wants(p.Post("/dashboard/settings", "name", "Awa", "language", "en", "timeZone", zone), http.StatusSeeOther, "/dashboard/settings?done=settings_saved")
			chart := regexp.MustCompile(`(?s)<tr>\s*<th[^>]*>([^<]+)</th>(?:\s*<td[^>]*>(\d+)</td>)+`).FindAllString(p.Get("/dashboard").Body, -1)
			if last := chart[len(chart)-1]; len(chart) != 30 || !strings.Contains(last, day+" Mar") || !strings.Contains(last, ">1<") {
				t.Errorf("%s: %d days, the last one is %s, want %s March with the message", zone, len(chart), last, day)
			}
			if got := p.Get("/dashboard/logs?since=2026-03-0" + day + "&until=2026-03-0" + day); strings.Count(got.Body, "/dashboard/messages/") != 1 {
				t.Errorf("%s: the log of %s March doesn't have the message", zone, day)
			}
		}
	})
}

func TestOverview_TellsWhatToLookAt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Send("to", "+22376000001", "channel", "sms", "message", "Bonjour")
		calm := p.Get("/dashboard")
		if strings.Contains(calm.Body, `class="alert`) || !strings.Contains(calm.Body, `<svg role="img"`) {
			t.Errorf("an account that does well has an alert, or no chart:\n%s", calm.Body)
		}
		w.Gateway.SetState(messagingtest.SMS, gateway.LoggedOut)
		w.SetWebhook(t, "https://shop.example/hooks")
		w.Write(t, func(tx *db.Tx) error {
			if _, err := tx.Exec(`UPDATE quotas SET used = 4000`); err != nil {
				return err
			}
			_, err := tx.Exec(`INSERT INTO webhook_endpoints (account_id, owner_until, changed_at, pause, disabled_at) VALUES ($1, 0, 0, 0, $2)`, w.Account.ID, db.Ms(messagingtest.Start))
			return err
		})
		bad := p.Get("/dashboard")
		for _, want := range []string{"80.0% of today", phone.Grouped("22370000003") + " (SMS) cannot send.", "It has received no events since 4 Mar 2026, 12:00 UTC", "of 5,000; 1,000 left"} {
			if !strings.Contains(html.UnescapeString(bad.Body), want) {
				t.Errorf("no %q in:\n%s", want, bad.Body)
			}
		}
	})
}

func TestMessage_SaysWhyItWentBySMS(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
		if out.Channel == gateway.WhatsApp {
			return gateway.Ack{}, &gateway.Error{Class: gateway.Unreachable, Code: "not_on_whatsapp"}
		}
		return gateway.Ack{ProviderID: out.Ref}, nil
	})
	address := p.Send("to", "+22376000001", "channel", "auto", "message", "Bonjour")
	p.Wants(p.Get(address), http.StatusOK, "Why SMS?")
	p.Wants(p.Get(address), http.StatusOK, "The number isn’t on WhatsApp (not_on_whatsapp).")
	p.Wants(p.Get("/dashboard/messages/msg_01KJWBG7G0NGJ7V25V1R3KGN47"), http.StatusNotFound, "message_not_found")
	p.Wants(p.Post(address+"/cancel"), http.StatusConflict, "The message was already sent")
}

// Each route refuses pages of other sites, people who are not signed in, and other roles.
func TestRoutes_RefuseWhoTheyAreNotFor(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	owner := w.SignIn(messagingtest.OwnerEmail)
	address := owner.Send("to", "+22376000001", "channel", "sms", "message", "Secret")
	if _, err := w.Directory.CreateProject(t.Context(), w.Account.ID, "Boutique"); err != nil {
		t.Fatal(err)
	}
	people := []*messagingtest.Person{owner, w.Member("dev@example.com", account.RoleDeveloper), w.Member("view@example.com", account.RoleViewer), w.Person()}
	const in, out, no, none = 0, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound
	free := []string{"GET /dashboard/sign-in", "POST /dashboard/sign-in", "GET /dashboard/sign-in/code", "POST /dashboard/sign-in/code", "GET /dashboard/{$}", "GET /api/session/whatsapp/start", "GET /api/session/whatsapp/callback"}
	access := map[string][4]int{ // owner, developer, viewer, nobody
		"POST /dashboard/sign-out": {in, in, in, out}, "GET /dashboard/invitation": {in, in, in, in}, "POST /dashboard/invitation": {none, none, none, out}, "POST /dashboard/accounts/{id}": {none, none, none, out}, "POST /dashboard/unsent": {in, in, in, out},
		"GET /dashboard/confirm": {in, in, in, out}, "POST /dashboard/confirm": {in, in, in, out}, "GET /dashboard/confirm/code": {in, in, in, out}, "POST /dashboard/confirm/code": {in, in, in, out},
		"GET /dashboard/keys": {in, in, no, out}, "GET /dashboard/keys/new": {in, in, no, out}, "POST /dashboard/keys": {http.StatusBadRequest, http.StatusBadRequest, no, out},
		"GET /dashboard/keys/{id}": {none, none, no, out}, "POST /dashboard/keys/{id}/rotate": {none, none, no, out}, "POST /dashboard/keys/{id}/revoke": {none, none, no, out}, "POST /dashboard/keys/{id}/tools": {none, no, no, out},
		"GET /dashboard/projects": {in, in, no, out}, "POST /dashboard/projects": {http.StatusBadRequest, http.StatusBadRequest, no, out},
		"GET /dashboard/projects/{id}": {none, none, no, out}, "POST /dashboard/projects/{id}": {none, none, no, out}, "POST /dashboard/projects/{id}/delete": {none, none, no, out},
		"GET /dashboard": {in, in, in, out}, "GET /dashboard/send": {in, in, no, out}, "POST /dashboard/send": {in, in, no, out}, "POST /dashboard/send/preview": {in, in, no, out},
		"GET /dashboard/billing": {in, no, no, out}, "POST /dashboard/billing/checkout": {http.StatusConflict, no, no, out}, "POST /dashboard/billing/portal": {http.StatusConflict, no, no, out},
		"GET /dashboard/sign-up": {in, in, in, out}, "POST /dashboard/sign-up": {in, in, in, out},
		"GET /dashboard/codes": {in, in, in, out}, "POST /dashboard/codes/send": {in, no, no, out}, "POST /dashboard/codes/verify": {http.StatusBadRequest, no, no, out},
		"GET /dashboard/logs": {in, in, in, out}, "GET /dashboard/messages/{messageId}": {in, none, in, out}, "GET /dashboard/messages/{messageId}/html": {none, none, none, out}, "POST /dashboard/messages/{messageId}/cancel": {http.StatusConflict, no, no, out},
		"GET /dashboard/team": {in, no, no, out}, "GET /dashboard/activity": {in, no, no, out}, "GET /dashboard/team/members/{id}": {none, no, no, out},
		"POST /dashboard/team/invitations": {http.StatusBadRequest, no, no, out}, "POST /dashboard/team/invitations/{id}/resend": {none, no, no, out}, "POST /dashboard/team/invitations/{id}/withdraw": {none, no, no, out},
		"POST /dashboard/team/members/{id}": {none, no, no, out}, "POST /dashboard/team/members/{id}/remove": {none, no, no, out},
		"GET /dashboard/senders": {in, no, no, out}, "GET /dashboard/senders/{id}": {none, no, no, out}, "POST /dashboard/senders/{id}/pause": {none, no, no, out}, "POST /dashboard/senders/{id}/resume": {none, no, no, out},
		"GET /dashboard/senders/{id}/pair": {none, no, no, out}, "POST /dashboard/senders/{id}/pair": {none, no, no, out}, "POST /dashboard/senders/{id}/pair/cancel": {none, no, no, out},
		"GET /dashboard/webhooks": {in, no, no, out}, "GET /dashboard/webhooks/{eventId}": {none, no, no, out}, "POST /dashboard/webhooks/{eventId}/resend": {none, no, no, out}, "POST /dashboard/webhooks/enable": {http.StatusConflict, no, no, out},
		"POST /dashboard/webhooks/ping": {http.StatusConflict, no, no, out}, "POST /dashboard/webhooks/resend-failed": {http.StatusConflict, no, no, out}, "POST /dashboard/webhooks/stream-secret": {in, no, no, out},
		"POST /dashboard/requests": {http.StatusBadRequest, no, no, out},
		"GET /dashboard/settings":  {in, no, no, out}, "POST /dashboard/settings": {http.StatusBadRequest, no, no, out},
		"POST /dashboard/settings/transfer": {http.StatusBadRequest, no, no, out}, "POST /dashboard/settings/close": {http.StatusBadRequest, no, no, out},
		"GET /dashboard/settings/sign-in": {in, in, in, out}, "POST /dashboard/settings/sign-in/remove": {in, in, in, out}, "POST /dashboard/settings/sign-in/account": {in, no, no, out},
		"GET /dashboard/settings/sign-in/whatsapp": {none, none, none, out}, "GET /dashboard/settings/sign-in/link": {in, in, in, out}, "POST /dashboard/settings/sign-in/link": {in, in, in, out},
		"GET /dashboard/inbox": {in, no, no, out}, "GET /dashboard/inbox/{conversationId}": {none, no, no, out}, "POST /dashboard/inbox/{conversationId}/reply": {none, no, no, out},
		"POST /dashboard/inbox/{conversationId}/read": {none, no, no, out}, "POST /dashboard/inbox/{conversationId}/unread": {none, no, no, out},
		"GET /dashboard/privacy": {in, no, no, out}, "POST /dashboard/privacy/export": {http.StatusBadRequest, no, no, out}, "POST /dashboard/privacy/erase": {http.StatusBadRequest, no, no, out},
		"GET /dashboard/opt-outs": {in, no, no, out}, "POST /dashboard/opt-outs": {http.StatusBadRequest, no, no, out}, "GET /dashboard/opt-outs/new": {in, no, no, out},
		"GET /dashboard/opt-outs/{id}": {none, no, no, out}, "POST /dashboard/opt-outs/{id}/remove": {none, no, no, out},
	}
	for _, r := range w.Pages.Routes() {
		route := r.Method + " " + r.Path
		if slices.Contains(free, route) {
			continue
		}
		if route == "POST /dashboard/sign-out" {
			continue // below, because it ends the session
		}
		if strings.HasSuffix(r.Path, "/events") {
			continue // a stream: TestLogs_Stream
		}
		want, ok := access[route]
		if !ok {
			t.Errorf("%s is not in the table", route)
			continue
		}
		path := strings.NewReplacer("/dashboard/messages/{messageId}", address, "{id}", "acc_none", "{eventId}", "none").Replace(r.Path)
		for i, p := range people {
			form := url.Values{"to": {"+22376000001"}, "channel": {"sms"}, "message": {"x"}, "key": {route + p.Origin + string(rune('a'+i))}}
			if r.Method == http.MethodGet {
				form = nil
			}
			if got := p.Do(r.Method, path, form); !allowed(got, want[i]) {
				t.Errorf("%s by %d: %d to %q, want %d", route, i, got.Status, got.Location, want[i])
			}
			if form == nil {
				continue
			}
			for _, origin := range []string{"", "https://evil.example", "null"} {
				p.Origin = origin
				if got := p.Do(r.Method, path, form); got.Status != http.StatusForbidden {
					t.Errorf("%s from %q: %d, want 403", route, origin, got.Status)
				}
			}
			p.Origin = w.URL
		}
	}
	for _, path := range []string{"/dashboard/sign-out", "/dashboard/sign-in", "/dashboard/sign-in/code"} {
		owner.Origin = "https://evil.example"
		owner.Wants(owner.Post(path, "email", messagingtest.OwnerEmail), http.StatusForbidden, "origin_mismatch")
	}
	owner.Origin = w.URL
	owner.Wants(owner.Get("/dashboard"), http.StatusOK, messagingtest.OwnerEmail) // it was not signed out
	if got := people[3].Post("/dashboard/sign-out"); got.Status != http.StatusUnauthorized || !strings.Contains(got.Body, "Your session has ended") {
		t.Errorf("signing out without a session: %d\n%s", got.Status, got.Body)
	}
}

// allowed reports whether a response matches the table: a page or a redirect to one, or a refusal.
func allowed(got *webtest.Page, want int) bool {
	switch want {
	case 0:
		return got.Status == http.StatusOK || got.Status == http.StatusSeeOther && !strings.HasPrefix(got.Location, "/dashboard/sign-in")
	case http.StatusUnauthorized:
		return got.Status == want || got.Status == http.StatusSeeOther && strings.HasPrefix(got.Location, "/dashboard/sign-in")
	}
	return got.Status == want
}

func TestMember_SeesWhatTheirRoleMay(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	owner := w.SignIn(messagingtest.OwnerEmail)
	owner.Send("to", "+22376000001", "channel", "sms", "message", "For the owner")
	if _, err := w.Directory.CreateProject(t.Context(), w.Account.ID, "Boutique"); err != nil {
		t.Fatal(err)
	}
	developer := w.Member("dev@example.com", account.RoleDeveloper)
	if got := developer.Get("/dashboard/logs"); strings.Contains(got.Body, "For the owner") {
		t.Error("a developer sees the account's own messages")
	}
	address := developer.Send("to", "+22376000001", "channel", "sms", "message", "A test")
	m := w.Message(t, strings.TrimPrefix(address, "/dashboard/messages/"))
	if m.Status != message.Sandbox || m.ProjectID == "" {
		t.Errorf("a developer has sent %+v, want a simulated message of their project", m)
	}
	developer.Wants(developer.Get("/dashboard/logs?mode=test"), http.StatusOK, "A test")
	viewer := w.Member("view@example.com", account.RoleViewer)
	viewer.Wants(viewer.Get("/dashboard/logs"), http.StatusOK, "For the owner")
	if got := viewer.Get("/dashboard"); strings.Contains(got.Body, `href="/dashboard/send"`) {
		t.Error("a viewer is led to a page that is not for them")
	}
}

// Every text that is used exists, and every existing text is used.
func TestTexts_AreThere(t *testing.T) {
	used := map[string]bool{}
	for _, pattern := range []string{"*.go", "../audit/*.go", "../connections/*.go", "../../web/templates/*.html", "../../web/templates/app/*.html"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range regexp.MustCompile(`"(dashboard\.[a-z_]+\.?[a-z_]*)"`).FindAllStringSubmatch(string(text), -1) {
				used[found[1]] = true
			}
			for _, found := range regexp.MustCompile(`\?done=([a-z_]+)"`).FindAllStringSubmatch(string(text), -1) {
				used["dashboard.done."+found[1]] = true
			}
		}
	}
	for _, key := range i18n.EN.Keys() { // the text after a prefix is selected by a value
		for beginning := range used {
			if strings.HasSuffix(beginning, "_") && strings.HasPrefix(key, beginning) {
				used[key] = true
			}
		}
	}
	for key := range used {
		if !strings.HasSuffix(key, ".") && !strings.HasSuffix(key, "_") && !i18n.EN.Has(key) {
			t.Errorf("no text %q", key)
		}
	}
	for _, key := range i18n.EN.Keys() {
		if strings.HasPrefix(key, "dashboard.") && !strings.HasPrefix(key, "dashboard.fault.") && !used[key] {
			t.Errorf("%s is asked for nowhere", key)
		}
	}
}
