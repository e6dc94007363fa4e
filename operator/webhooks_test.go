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
	messagingadmin "example.com/griot/messaging/admin"
)

var webhookSecret = regexp.MustCompile(`whsec_[A-Za-z0-9+/=_-]+`)

func TestWebhooks_AreSetSwitchedAndResent(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.signIn()
		s.get("/operator/webhooks").Shows(t, "No account has an endpoint.")
		at := "/operator/webhooks/" + s.Account.ID
		do := func(verb string) string { return "/operator/do/webhooks." + verb + "?account=" + s.Account.ID }
		s.get(at).Hides(t, do("ping"), do("disable"))
		s.refuses(do("set"), "Tick the box to confirm.", "url", "http://127.0.0.1:9/a")
		s.refuses(do("set"), "The address can&#39;t be used", "url", "ftp://example.com", "confirm", "yes")
		s.post(do("set"), "url", " http://127.0.0.1:9/a ", "confirm", "yes").Leads(t, at)
		made := s.get(at)
		made.Shows(t, "Saved.", "This is shown only once.", "http://127.0.0.1:9/a", "no answer yet")
		first := webhookSecret.FindString(made.Body)
		if first == "" {
			t.Fatalf("no secret is shown: %s", made.Body)
		}
		s.get(at).Hides(t, first)
		s.get("/operator/webhooks").Shows(t, s.Account.Name, "http://127.0.0.1:9/a")

		s.post(do("disable")).Leads(t, at)
		s.get(at).Shows(t, "The endpoint is off.", ">Off</span>", `<th scope="row">Off since</th>`, do("enable"))
		s.post(do("enable")).Leads(t, at)
		s.get(at).Shows(t, "The endpoint is on.", ">On</span>", do("disable"))
		s.refuses(do("rotate-secret"), "Tick the box to confirm.")
		s.post(do("rotate-secret"), "confirm", "yes").Leads(t, at)
		rotated := s.get(at)
		rotated.Shows(t, "The secret is replaced.", "The previous secret also signs until")
		if again := webhookSecret.FindString(rotated.Body); again == "" || again == first {
			t.Errorf("the new secret is %q, and was %q", again, first)
		}
		s.post(do("ping")).Leads(t, at)
		s.get(at).Shows(t, "A test event is on its way.", ">Pending</span>", `action="`+strings.ReplaceAll(do("resend"), "&", "&amp;"))
		events := ask[[]messagingadmin.Event](s, "webhooks.list", messagingadmin.WebhookEventsInput{Account: s.Account.ID, Limit: 10})
		s.get(at+"?delivery=failed").Shows(t, "No event matches.")
		s.post(do("resend")+"&id="+events[0].ID).Leads(t, at)
		s.get(at).Shows(t, "It goes out again.")
		s.refusesButton(do("resend")+"&id=none", at, "The account has no such event.")
		s.get(do("resend-failed")).Shows(t, `value="`+s.Clock.Now().Add(-3*24*time.Hour).UTC().Format(time.DateOnly)+`"`)
		s.post(do("resend-failed"), "since", "2026-01-01").Leads(t, at)
		for _, absent := range []string{"/operator/webhooks/none", at + "?delivery=none", at + "?before=none"} {
			if got := s.get(absent).Status; got != http.StatusNotFound {
				t.Errorf("%s: %d, want 404", absent, got)
			}
		}
		for _, action := range []string{"webhook.set", "webhook.disabled", "webhook.enabled", "webhook.secret_rotated", "webhook.pinged"} {
			if lines := s.audited(action); len(lines) != 1 || lines[0].Actor != "operator" {
				t.Errorf("%s is audited as %+v, want it once, by the operator", action, lines)
			}
		}
	})
}

func TestWebhooks_ArePaged(t *testing.T) {
	t.Parallel()
	s := newSite(t, dbtest.SQLite(t))
	s.signIn()
	for i := range 51 {
		s.Clock.Advance(time.Millisecond)
		a := ask[messagingadmin.Account](s, "accounts.create", messagingadmin.AccountInput{Name: fmt.Sprintf("Shop %02d", i), Email: fmt.Sprintf("shop%02d@example.com", i), Plan: "free"})
		ask[messagingadmin.Endpoint](s, "webhooks.set", messagingadmin.SetInput{Account: a.ID, URL: "http://127.0.0.1:9/a"})
	}
	first := s.get("/operator/webhooks")
	first.Shows(t, "Shop 00", "Shop 49")
	first.Hides(t, "Shop 50")
	_, rest, _ := strings.Cut(first.Body, `rel="next" href="`)
	next, _, _ := strings.Cut(rest, `"`)
	s.get(next).Shows(t, "Shop 50", ">First page<")
}

// holdPrefix holds an account's codes to a prefix back, as the breaker does.
func (s *site) holdPrefix(prefix string) {
	s.t.Helper()
	s.Write(s.t, func(tx *db.Tx) error {
		now := s.Clock.Now()
		if _, err := tx.Exec(`INSERT INTO otp_blocks (account_id, prefix, since, until) VALUES ($1, $2, $3, $4)`, s.Account.ID, prefix, db.Ms(now), db.Ms(now.Add(time.Hour))); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO otp_caps (area, hour, sent) VALUES ('country:223', $1, 7)`, now.Unix()/3600)
		return err
	})
}

func TestPrefixes_AreReleased(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.signIn()
		s.get("/operator/prefixes").Shows(t, "No codes in 24 hours")
		s.holdPrefix("2237600")
		page := s.get("/operator/prefixes")
		page.Shows(t, ">&#43;2237600<", "Country &#43;223", ">held<", "/operator/prefixes/release?account="+s.Account.ID+"&amp;area=2237600", "all accounts")
		s.get("/operator/prefixes/release?account="+s.Account.ID+"&area=2237600").Shows(t, "its codes to &#43;2237600 may be sent again", `value="2237600"`)
		s.post("/operator/prefixes/release", "account", s.Account.ID, "area", "2237600").Leads(t, "/operator/prefixes")
		released := s.get("/operator/prefixes")
		released.Shows(t, "Codes may be sent again.")
		released.Hides(t, ">held<")
		s.post("/operator/prefixes/release", "account", s.Account.ID, "area", "2237600").Leads(t, "/operator/prefixes")
		s.get("/operator/prefixes").Shows(t, "Nothing holds codes back there")
		if lines := s.audited("codes.unblocked"); len(lines) != 1 || lines[0].Actor != "operator" || lines[0].Target != "2237600" {
			t.Errorf("audited %+v, want the release", lines)
		}
		for _, none := range []string{"9999", "0", "x", "9223372036854775807"} {
			s.get("/operator/prefixes?page="+none).Shows(t, "One-time codes")
		}
	})
}
