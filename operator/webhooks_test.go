package operator_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/operator/operatortest"
)

var webhookSecret = regexp.MustCompile(`whsec_[A-Za-z0-9+/=_-]+`)

func TestWebhooks_AreSetSwitchedAndResent(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		s.Get("/operator/webhooks").Shows(t, "No account has an endpoint.")
		at := "/operator/webhooks/" + s.Account.ID
		do := func(verb string) string { return "/operator/do/webhooks." + verb + "?account=" + s.Account.ID }
		s.Get(at).Hides(t, do("ping"), do("disable"))
		s.Refuses(do("set"), "Tick the box to confirm.", "url", "http://127.0.0.1:9/a")
		s.Refuses(do("set"), "The URL can&#39;t be used", "url", "ftp://example.com", "confirm", "yes")
		s.Post(do("set"), "url", " http://127.0.0.1:9/a ", "confirm", "yes").Leads(t, at)
		made := s.Get(at)
		made.Shows(t, "Saved.", "This is shown only once.", "http://127.0.0.1:9/a", "no response yet")
		first := webhookSecret.FindString(made.Body)
		if first == "" {
			t.Fatalf("no secret is shown: %s", made.Body)
		}
		s.Get(at).Hides(t, first)
		s.Get("/operator/webhooks").Shows(t, s.Account.Name, "http://127.0.0.1:9/a")

		s.Post(do("disable")).Leads(t, at)
		s.Get(at).Shows(t, "The endpoint is disabled.", ">Disabled</span>", `<th scope="row">Disabled since</th>`, do("enable"))
		s.Post(do("enable")).Leads(t, at)
		s.Get(at).Shows(t, "The endpoint is enabled.", ">Enabled</span>", do("disable"))
		s.Refuses(do("rotate-secret"), "Tick the box to confirm.")
		s.Post(do("rotate-secret"), "confirm", "yes").Leads(t, at)
		rotated := s.Get(at)
		rotated.Shows(t, "The secret is replaced.", "The previous secret also signs until")
		if again := webhookSecret.FindString(rotated.Body); again == "" || again == first {
			t.Errorf("the new secret is %q, and was %q", again, first)
		}
		s.Post(do("ping")).Leads(t, at)
		s.Get(at).Shows(t, "A test event is on its way.", ">Pending</span>", `action="`+strings.ReplaceAll(do("resend"), "&", "&amp;"))
		events := operatortest.Ask[[]messagingverbs.Event](s, "webhooks.list", messagingverbs.WebhookEventsInput{OfAccount: messagingverbs.OfAccount{Account: s.Account.ID}, Limit: 10})
		s.Get(at+"?delivery=failed").Shows(t, "No event matches.")
		s.Post(do("resend")+"&id="+events[0].ID).Leads(t, at)
		s.Get(at).Shows(t, "The event is being sent again.")
		s.RefusesButton(do("resend")+"&id=none", at, "The account doesn&#39;t have this event.")
		s.Get(do("resend-failed")).Shows(t, `value="`+s.Clock.Now().Add(-3*24*time.Hour).UTC().Format(time.DateOnly)+`"`)
		s.Post(do("resend-failed"), "since", "2026-01-01").Leads(t, at)
		for _, absent := range []string{"/operator/webhooks/none", at + "?delivery=none", at + "?before=none"} {
			if got := s.Get(absent).Status; got != http.StatusNotFound {
				t.Errorf("%s: %d, want 404", absent, got)
			}
		}
		for _, action := range []string{"webhook.set", "webhook.disabled", "webhook.enabled", "webhook.secret_rotated", "webhook.pinged"} {
			if lines := s.Audited(action); len(lines) != 1 || lines[0].Actor != "operator" {
				t.Errorf("%s is audited as %+v, want it once, by the operator", action, lines)
			}
		}
	})
}

func TestWebhooks_ArePaged(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	for i := range 51 {
		s.Clock.Advance(time.Millisecond)
		a := operatortest.Ask[messagingverbs.Account](s, "accounts.create", messagingverbs.AccountInput{Name: fmt.Sprintf("Shop %02d", i), Email: fmt.Sprintf("shop%02d@example.com", i), Plan: "free"})
		operatortest.Ask[messagingverbs.Endpoint](s, "webhooks.set", messagingverbs.SetInput{OfAccount: messagingverbs.OfAccount{Account: a.ID}, URL: "http://127.0.0.1:9/a"})
	}
	first := s.Get("/operator/webhooks")
	first.Shows(t, "Shop 00", "Shop 49")
	first.Hides(t, "Shop 50")
	_, rest, _ := strings.Cut(first.Body, `rel="next" href="`)
	next, _, _ := strings.Cut(rest, `"`)
	s.Get(next).Shows(t, "Shop 50", ">First page<")
}

func TestPrefixes_AreReleased(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		s.Get("/operator/prefixes").Shows(t, "No codes in 24 hours")
		s.HoldPrefix("2237600")
		page := s.Get("/operator/prefixes")
		page.Shows(t, ">&#43;2237600<", "Mali (&#43;223)", ">7,000<", ">blocked<", "/operator/prefixes/release?account="+s.Account.ID+"&amp;area=2237600", "all accounts", `<a href="/operator/accounts/`+s.Account.ID+`"><bdi>`+s.Account.Name+"</bdi></a>")
		s.Get("/operator/prefixes/release?account="+s.Account.ID+"&area=2237600").Shows(t, "Account "+s.Account.Name+" can send codes to &#43;2237600 again", `value="2237600"`)
		s.Post("/operator/prefixes/release", "account", s.Account.ID, "area", "2237600").Leads(t, "/operator/prefixes")
		released := s.Get("/operator/prefixes")
		released.Shows(t, "Codes can be sent again.")
		released.Hides(t, ">blocked<")
		s.Post("/operator/prefixes/release", "account", s.Account.ID, "area", "2237600").Leads(t, "/operator/prefixes")
		s.Get("/operator/prefixes").Shows(t, "No codes are blocked for this prefix or country")
		if lines := s.Audited("codes.unblocked"); len(lines) != 1 || lines[0].Actor != "operator" || lines[0].Target != "2237600" {
			t.Errorf("audited %+v, want the release", lines)
		}
		for _, none := range []string{"9999", "0", "x", "9223372036854775807"} {
			s.Get("/operator/prefixes?page="+none).Shows(t, "One-time codes")
		}
	})
}
