package operator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/operator/operatortest"
	"example.com/griot/web/webtest"
)

func TestGateways_AreAddedTestedChangedAndRemoved(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		s.Get("/operator/gateways").Shows(t, `href="/operator/gateways/fake"`, "configuration")
		fake := s.Get("/operator/gateways/fake")
		fake.Shows(t, grouped, "configuration", "/operator/do/gateways.test?name=fake")
		fake.Hides(t, "gateways.remove", "gateways.set")
		for want, in := range map[string][]string{
			"A gateway&#39;s name must have":  {"name", "a b", "kind", "wire", "settings", "a: b"},
			"must be a mapping in YAML":       {"name", "post", "kind", "wire", "settings", "password"},
			"The configuration has a gateway": {"name", "fake", "kind", "wire", "settings", "{}"},
			"The settings can&#39;t be used":  {"name", "post", "kind", "none", "settings", "{}"},
		} {
			s.Refuses("/operator/do/gateways.add", want, in...)
		}
		at := "/operator/gateways/post"
		do := func(verb string) string { return "/operator/do/gateways." + verb + "?name=post" }
		s.Post("/operator/do/gateways.add", "name", "post", "kind", "wire", "settings", "password: a secret").Leads(t, at)
		page := s.Get(at)
		page.Shows(t, "The gateway is open.", ">Open</span>", do("remove"))
		page.Hides(t, "a secret")
		s.Post(do("test")).Leads(t, at)
		s.Get(at).Shows(t, "It responds and accepts the credentials.", ">Open</span>")
		s.Refuses(do("set"), "Tick the box to confirm.", "settings", "password: another")
		s.Post(do("set"), "settings", "password: another", "confirm", "yes").Leads(t, at)
		s.Get(at).Shows(t, "Saved.", ">Open</span>")
		operatortest.Ask[messagingverbs.Sender](s, "senders.add", messagingverbs.SenderInput{Channel: "sms", Address: "36000", Gateway: "post"})
		s.Refuses(do("remove"), "Senders use this gateway", "confirm", "yes")
		found := operatortest.Ask[messagingverbs.SenderPage](s, "senders.find", messagingverbs.SenderSearch{Text: "36000", Limit: 10})
		remove := "/operator/do/senders.remove?id=" + found.Senders[0].ID
		s.Get(remove).Shows(t, `name="reroute"`)
		m := s.Waiting()
		m.SenderID = found.Senders[0].ID
		s.Store(t, m)
		s.Refuses(remove, "1 message waits for this sender.")
		s.Post(remove, "cancel", "on").Leads(t, "/operator/senders")
		s.Post(do("remove"), "confirm", "yes").Leads(t, "/operator/gateways")
		gone := s.Get("/operator/gateways")
		gone.Shows(t, "Removed.")
		gone.Hides(t, `"/operator/gateways/post"`)
		for _, absent := range []string{at, "/operator/gateways/none", "/operator/senders/none", "/operator/senders/" + found.Senders[0].ID} {
			if got := s.Get(absent).Status; got != http.StatusNotFound {
				t.Errorf("%s: %d, want 404", absent, got)
			}
		}
	})
}

// A gateway is added by one form, and tested before it is stored. No page contains a typed secret.
func TestGateways_AreAddedByAForm(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	port := operatortest.NewMailServer(t).Port
	const form, secret = "/operator/do/gateways.add?kind=smtp", "baobab"
	s.Get("/operator/do/gateways.add").Shows(t, form, "Email by a mail server (SMTP)", "kind=httpsms.orange", "SMS by Orange", `<h2 id="of-sms">SMS</h2>`, `<h2 id="of-any">Any channel</h2>`,
		`Main settings: Sender number of the country, Sender name, Client ID, Client secret, Public address of this gateway.</p><p class="soft">The provider charges each SMS segment by country.`, "The plan of the phone’s SIM card sets the price.")
	s.Get(form).Shows(t, "<h1><bdi>Email by a mail server (SMTP)</bdi></h1>", `name="settings.host"`, `type="password"`, ">Test it<", "<details", "No encryption")
	typed := func(more ...string) []string {
		return append([]string{"name", "mail", "settings.host", "127.0.0.1", "settings.port", port, "settings.tls", "none", "settings.username", "griot", "settings.password", secret}, more...)
	}
	passed := s.Post(form, typed("try", "yes")...)
	passed.Shows(t, "It responds and accepts the credentials. Nothing is stored yet", `value="127.0.0.1"`, `<option value="none" selected>`)
	failed := s.Post(form, "name", "mail", "settings.host", "127.0.0.1", "settings.port", "1", "settings.tls", "none", "try", "yes")
	failed.Shows(t, "The test failed: it can’t be reached, or doesn’t respond in time. Start it, or correct its address and port;", "(smtp_unavailable (temporary)")
	wrong := s.Post(form, typed("settings.pool", "1000")...)
	if wrong.Status != http.StatusBadRequest {
		t.Errorf("%d, want 400", wrong.Status)
	}
	wrong.Status = http.StatusOK // Shows requires this status
	wrong.Shows(t, "pool must be from 1 to 100", `<details class="stack" open>`, `id="settings-pool" name="settings.pool" type="text" value="1000" autocomplete="off" inputmode="numeric" autofocus aria-invalid="true"`)
	for what, page := range map[string]webtest.Page{"passed": passed, "failed": failed, "wrong": wrong} {
		if strings.Contains(page.Body, secret) {
			t.Errorf("the page after the form was %s has the secret: %s", what, page.Body)
		}
	}
	if s.Get("/operator/gateways/mail").Status != http.StatusNotFound {
		t.Error("a test has stored the gateway")
	}
	s.Post(form, typed("settings", "helo: griot.test\npool: 2", "settings.pool", "3")...).Leads(t, "/operator/gateways/mail")
	s.Get("/operator/gateways/mail").Shows(t, "The gateway is open.", ">Open</span>", "/operator/do/gateways.set?name=mail")
	s.Post("/operator/do/gateways.test?name=mail").Leads(t, "/operator/gateways/mail")
	s.Get("/operator/gateways/mail").Shows(t, "It responds and accepts the credentials.", ">Open</span>")
	set := "/operator/do/gateways.set?name=mail"
	s.Get(set).Shows(t, `name="settings.host"`, ">Test it<")
	s.Post(set, "settings.host", "127.0.0.1", "settings.port", "1", "settings.tls", "none", "settings.username", "griot", "confirm", "yes").Leads(t, "/operator/gateways/mail")
	changed := s.Get("/operator/gateways/mail")
	changed.Shows(t, "The settings are stored, but the gateway doesn’t work: it can’t be reached, or doesn’t respond in time. Start it,", ">Test failed</span>")
	changed.Hides(t, ">Open</span>", "The gateway is open.")
	s.Post("/operator/do/gateways.add?kind=smtp", "name", "dead", "settings.host", "127.0.0.1", "settings.port", "1", "settings.tls", "none").Leads(t, "/operator/gateways/dead")
	dead := s.Get("/operator/gateways/dead")
	dead.Shows(t, "The settings are stored, but the gateway doesn’t work:", ">Test failed</span>")
	dead.Hides(t, "The gateway is open.")
	for _, g := range operatortest.Ask[[]messagingverbs.Gateway](s, "gateways.list", messagingverbs.Nothing{}) {
		if want := map[string]string{"dead": "failing", "mail": "failing", "fake": "open"}[g.Name]; g.State != want {
			t.Errorf("%s is %s, want %s", g.Name, g.State, want)
		}
	}
	s.Post("/operator/do/gateways.test?name=mail").Leads(t, "/operator/gateways/mail")
	s.Get("/operator/gateways/mail").Shows(t, "The test failed: it can’t be reached", ">Test failed</span>")
	s.Send(http.MethodPost, "/operator/do/gateways.test?name=mail", webtest.Form(), "Accept-Language", "fr").Leads(t, "/operator/gateways/mail")
	s.Send(http.MethodGet, "/operator/gateways/mail", nil, "Accept-Language", "fr").Shows(t, "Le test a échoué : elle est injoignable, ou ne répond pas à temps. Démarrez-la,")
}

func TestGateways_ArePaged(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	for i := range 51 {
		operatortest.Ask[messagingverbs.Gateway](s, "gateways.add", messagingverbs.GatewayInput{Name: fmt.Sprintf("a%02d", i), Kind: "wire", Settings: json.RawMessage(`{}`)})
	}
	first := s.Get("/operator/gateways")
	first.Shows(t, ">a49<", `href="/operator/gateways?page=2"`)
	first.Hides(t, ">a50<", ">fake<")
	s.Get("/operator/gateways?page=2").Shows(t, ">a50<", ">fake<", `rel="prev"`)
	for _, none := range []string{"3", "0", "-1", "x", "9223372036854775807", "9223372036854775808"} {
		s.Get("/operator/gateways?page="+none).Shows(t, ">a49<", `href="/operator/gateways?page=2"`)
	}
}

func TestSenders_AreFoundPausedAndWarmedUp(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		s.Clock.Advance(1e6)
		platform := operatortest.Ask[messagingverbs.Sender](s, "senders.add", messagingverbs.SenderInput{Channel: "sms", Address: "36000", Gateway: "fake"})
		s.Get("/operator/senders").Shows(t, "36000", "223\u00a070\u00a000\u00a000\u00a001", `<a href="/operator/accounts/`+s.Account.ID+`"><bdi>`+s.Account.Name+"<", "<bdi>The platform<")
		s.Get("/operator/senders").Hides(t, "<bdi>snd_", "<bdi>"+s.Account.ID)
		s.Get("/operator/accounts").Hides(t, "<bdi>"+s.Account.ID)
		own := s.Get("/operator/senders?text=%2B2237000")
		own.Shows(t, "223\u00a070\u00a000\u00a000\u00a001", "223\u00a070\u00a000\u00a000\u00a003")
		own.Hides(t, "36000", "hello@example.com")
		s.Get("/operator/senders?text="+strings.ToLower(s.Account.ID)).Hides(t, "36000")
		s.Get("/operator/senders?text=nobody").Shows(t, "No sender is found.")
		found := operatortest.Ask[messagingverbs.SenderPage](s, "senders.find", messagingverbs.SenderSearch{Text: "22370000001", Limit: 10}).Senders
		if len(found) != 1 || found[0].AccountID != s.Account.ID {
			t.Fatalf("got %+v, want the account's", found)
		}
		s.Gateway.SetDetail("22370000001", gateway.ConnDetail{State: gateway.Restricted, Reason: "temporary_ban", Until: s.Clock.Now().Add(time.Hour)})
		until := s.Clock.Now().Add(time.Hour).UTC().Format("15:04:05")
		s.Get("/operator/senders/"+found[0].ID).Shows(t, "Restricted", until, "temporary_ban")
		s.Gateway.SetDetail("22370000001", gateway.ConnDetail{State: gateway.LoggedOut, Reason: "logged_out"})
		s.Get("/operator/senders/"+found[0].ID).Shows(t, "Logged out")
		s.Gateway.SetState("22370000001", gateway.Connected)
		for i, senderID := range []string{found[0].ID, platform.ID} {
			at := "/operator/senders/" + senderID
			do := func(verb string) string { return "/operator/do/senders." + verb + "?id=" + senderID }
			s.Get(at).Shows(t, do("pause"))
			s.Get(at).Hides(t, do("resume"))
			s.Post(do("pause")).Leads(t, at)
			s.Get(at).Shows(t, "The sender is paused.", "Paused since", ">Paused</span>", do("resume"))
			if paused, err := s.Directory.PausedSenders(t.Context()); err != nil || len(paused) != 1 {
				t.Errorf("paused: %v, %v, want %s", paused, err, senderID)
			}
			s.Post(do("resume")).Leads(t, at)
			s.Get(at).Shows(t, "The sender is resumed.", do("pause"))
			s.Post(do("warm"), "first", "20", "days", "5").Leads(t, at)
			s.Get(at).Shows(t, "Limit today</th><td><bdi>20<", "20, doubled for 5 days", "The warm-up starts today.")
			s.Refuses(do("warm"), "A warm-up must have 1 to", "first", "0", "days", "5")
			s.Refuses(do("warm"), "A warm-up must have 1 to", "first", "20", "days", "1000")
			s.Refuses(do("warm"), "Invalid value.", "first", "many", "days", "5")
			s.Get(do("warm")).Shows(t, `value="20"`, `value="5"`)
			s.Post(do("warm")+"&days=0&first=0").Leads(t, at)
			ended := s.Get(at)
			ended.Shows(t, "The warm-up has ended.")
			ended.Hides(t, "Limit today")
			s.Get(do("warm")).Shows(t, `value="50"`, `value="7"`)
			if n := len(s.Audited("sender.paused")); n != i+1 {
				t.Errorf("%d pauses are audited, want %d", n, i+1)
			}
		}
		s.Post("/operator/do/senders.add", "account", s.Account.Email, "channel", "sms", "address", "36001", "gateway", "fake", "warmUp.first", "20", "warmUp.days", "5")
		added := operatortest.Ask[messagingverbs.SenderPage](s, "senders.find", messagingverbs.SenderSearch{Text: "36001", Limit: 10}).Senders
		if len(added) != 1 || added[0].AccountID != s.Account.ID || added[0].WarmUp == nil {
			t.Fatalf("added %+v, want one of the account with a warm-up", added)
		}
		s.Get("/operator/senders/"+added[0].ID).Shows(t, "The sender is ready.", "36001")
		s.Refuses("/operator/do/senders.add", "The account doesn&#39;t exist.", "account", "none", "channel", "sms", "address", "36002", "gateway", "fake")
	})
}

// The form that changes a gateway has the stored values, except secrets. An empty secret keeps the stored one, and so do
// settings without a field. A secret that was typed survives a test and a refusal, and no page contains it.
func TestGateways_KeepTheirSettings(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		port := operatortest.NewMailServer(t).Port
		const add, set, at, first, second = "/operator/do/gateways.add?kind=smtp", "/operator/do/gateways.set?name=mail", "/operator/gateways/mail", "baobab-one", "baobab-two"
		host := []string{"name", "mail", "settings.host", "127.0.0.1", "settings.port", port, "settings.tls", "none", "settings.username", "griot"}
		with := func(more ...string) []string { return append(slices.Clone(host), more...) }
		held := func(page webtest.Page) string {
			t.Helper()
			if strings.Contains(page.Body, first) || strings.Contains(page.Body, second) {
				t.Errorf("a page has a secret: %s", page.Body)
			}
			_, after, found := strings.Cut(page.Body, `name="held" value="`)
			name, _, _ := strings.Cut(after, `"`)
			if !found || !strings.Contains(page.Body, "You have entered it.") {
				t.Fatalf("the form doesn't hold the secret: %s", page.Body)
			}
			return name
		}
		stored := func() map[string]any {
			t.Helper()
			settings := map[string]any{}
			if err := json.Unmarshal(s.Settings(t, "mail"), &settings); err != nil {
				t.Fatal(err)
			}
			return settings
		}
		tried := held(s.Post(add, with("settings.password", first, "try", "yes")...))
		refused := s.Post(add, with("settings.pool", "1000", "held", tried)...)
		if refused.Status != http.StatusBadRequest {
			t.Errorf("%d, want 400", refused.Status)
		}
		s.Post(add, with("settings.helo", "griot.test", "settings.pool", "3", "held", held(refused))...).Leads(t, at)
		if got := stored(); got["password"] != first || got["helo"] != "griot.test" {
			t.Errorf("stored %v, want the typed secret", got)
		}
		form := s.Get(set)
		form.Shows(t, `value="127.0.0.1"`, `value="`+port+`"`, `<option value="none" selected>`, `value="griot"`, `value="griot.test"`, "It is stored and not shown.", `<details class="stack" open>`)
		form.Hides(t, first)
		_, version, _ := strings.Cut(form.Body, `name="version" value="`)
		version, _, _ = strings.Cut(version, `"`)
		s.Post(set, with("try", "yes", "version", version)...).Shows(t, "It responds and accepts the credentials.")
		s.Post(set, with("settings.pool", "4", "confirm", "yes", "version", version)...).Leads(t, at)
		if got := stored(); got["password"] != first || got["helo"] != nil || fmt.Sprint(got["pool"]) != "4" {
			t.Errorf("stored %v, want the old secret, a new pool, and no name", got)
		}
		if late := s.Post(set, with("settings.pool", "5", "confirm", "yes", "version", version)...); late.Status != http.StatusConflict {
			t.Errorf("a form of an older version: %d, want 409", late.Status)
		}
		s.Post(set, with("settings.password", second, "confirm", "yes")...).Leads(t, at)
		if got := stored(); got["password"] != second {
			t.Errorf("stored %v, want the new secret", got)
		}
		s.Post(set, "name", "mail", "settings.host", "127.0.0.1", "settings.port", port, "settings.tls", "none", "settings", "password: null", "confirm", "yes").Leads(t, at)
		if got := stored(); got["password"] != nil || got["username"] != nil {
			t.Errorf("stored %v, want no credentials", got)
		}
	})
}
