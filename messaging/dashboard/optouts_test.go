package dashboard_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/optout"
)

func TestOptOuts_AddedFoundAndRemoved(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Wants(p.Get("/dashboard/opt-outs"), http.StatusOK, "No opt-outs")
		p.Wants(p.Get("/dashboard/opt-outs/new?channel=email&address=awa@example.com"), http.StatusOK, `value="awa@example.com"`)
		p.Wants(p.Post("/dashboard/opt-outs", "channel", "sms", "address", "+223 76 00 00 01"), http.StatusSeeOther, "/dashboard/opt-outs?done=opt_out_added")
		p.Wants(p.Get("/dashboard/opt-outs?done=opt_out_added"), http.StatusOK, "Opt-out added.")
		p.Wants(p.Post("/dashboard/send", "key", "k1", "to", "+22376000001", "channel", "sms", "message", "x"), http.StatusConflict, "opted out of messages")
		again := p.Post("/dashboard/opt-outs", "channel", "sms", "address", "+223 76 00 00 01")
		p.Wants(again, http.StatusSeeOther, "/dashboard/opt-outs/")
		p.Wants(p.Get(again.Location), http.StatusOK, "had already opted out")
		p.Post("/dashboard/opt-outs", "channel", "email", "address", "awa@example.com")
		w.Receive(t, "22376000002", "in1", "STOP")

		said := p.OptOutURL("+22376000002")
		p.Wants(p.Get(said), http.StatusOK, "This person opted out.")
		p.Wants(p.Get(said), http.StatusOK, "replying START")
		p.Wants(p.Get(p.OptOutURL("+22376000001")), http.StatusOK, "Your team added it.")
		for query, want := range map[string][]string{
			"?q=%2B223+76+00": {"+22376000001", "+22376000002"}, "?q=AWA": {"awa@example.com"}, "?channel=whatsapp": {"+22376000002"}, "?q=0002&channel=sms": nil, "?q=%25": nil,
		} {
			got := p.Get("/dashboard/opt-outs" + query)
			if n := strings.Count(got.Body, `class="break"`); got.Status != http.StatusOK || n != len(want) {
				t.Errorf("%s: %d, %d opt-outs, want %v", query, got.Status, n, want)
			}
			for _, contact := range want {
				if !strings.Contains(html.UnescapeString(got.Body), ">"+phone.Grouped(contact)+"<") {
					t.Errorf("%s does not find %s", query, contact)
				}
			}
		}
		p.Wants(p.Post(said+"/remove"), http.StatusSeeOther, "/dashboard/opt-outs?done=opt_out_removed")
		p.Wants(p.Get(said), http.StatusNotFound, "opt_out_not_found")
		p.Wants(p.Post(said+"/remove"), http.StatusNotFound, "opt_out_not_found")
		p.Send("to", "+22376000002", "channel", "whatsapp", "message", "x")
		if n := w.Int(t, `SELECT count(*) FROM account_audit_events WHERE action IN ('`+audit.OptOutAdded+`', '`+audit.OptOutRemoved+`') AND account_id = $1`, w.Account.ID); n != 3 {
			t.Errorf("%d audit events, want those of two that were added and of one that was removed", n)
		}
	})
}

// A refusal of marketing is named in the list and explained on its page.
func TestOptOuts_OfMarketing(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	w.Write(t, func(tx *db.Tx) error {
		_, err := optout.Add(tx, w.Account.ID, optout.Marketing, "22376000009", optout.Requested, w.Clock.Now())
		return err
	})
	p.Wants(p.Get("/dashboard/opt-outs?channel=whatsapp"), http.StatusOK, "WhatsApp, marketing")
	of := p.OptOutURL("+22376000009")
	p.Wants(p.Get(of), http.StatusOK, "This person wants no marketing messages.")
	p.Wants(p.Post(of+"/remove"), http.StatusSeeOther, "/dashboard/opt-outs?done=opt_out_removed")
	p.Wants(p.Get("/dashboard/activity"), http.StatusOK, "Only marketing messages")
}

// An erased person is found by their number or WhatsApp ID, which the page does not contain.
func TestOptOuts_OfWhoWasErased(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	w.Write(t, func(tx *db.Tx) error {
		_, err := optout.Add(tx, w.Account.ID, "sms", w.Erasure.Pseudonym(w.Account.ID, "22376000009"), optout.Requested, w.Clock.Now())
		if err == nil {
			_, err = optout.Add(tx, w.Account.ID, "whatsapp", w.Erasure.Pseudonym(w.Account.ID, "ML.AbCd1234"), optout.Requested, w.Clock.Now())
		}
		return err
	})
	for query, want := range map[string]int{"": 2, "?q=%2B223+76+00+00+09": 1, "?q=22376000008": 0, "?q=ML.AbCd1234": 1, "?q=ML.AbCd1235": 0} {
		got := p.Get("/dashboard/opt-outs" + query)
		if n := strings.Count(got.Body, "Erased person …"); n != want {
			t.Errorf("%q shows %d, want %d", query, n, want)
		}
	}
}

func TestOptOuts_BadInput(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		for form, want := range map[[2]string]string{
			{"sms", "12"}: "and the country code", {"email", "awa"}: "This is not an email address", {"fax", "+22376000001"}: "This channel doesn&#39;t exist", {"", ""}: "This channel doesn&#39;t exist",
		} {
			p.Wants(p.Post("/dashboard/opt-outs", "channel", form[0], "address", form[1]), http.StatusBadRequest, want)
		}
		for _, query := range []string{"cursor=x", "channel=fax", "q=%ff", "q=" + strings.Repeat("x", 201)} {
			p.Wants(p.Get("/dashboard/opt-outs?"+query), http.StatusBadRequest, "This filter doesn&#39;t exist.")
		}
		for _, id := range []string{"none", "c21zOv8", "c21zOgA"} {
			p.Wants(p.Get("/dashboard/opt-outs/"+id), http.StatusNotFound, "opt_out_not_found")
		}
	})
}

func TestOptOuts_Pages(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	w.Write(t, func(tx *db.Tx) error {
		for i := range 51 {
			if _, err := tx.Exec(`INSERT INTO opt_outs (account_id, channel, person, address, reason, at) VALUES ($1, 'sms', $2, $2, 'said', 0)`, w.Account.ID, fmt.Sprintf("223760000%02d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	first := p.Get("/dashboard/opt-outs?channel=sms")
	next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(first.Body)
	if next == nil || strings.Count(first.Body, `class="break"`) != 50 {
		t.Fatalf("%d opt-outs, then %q; want 50 and more", strings.Count(first.Body, `class="break"`), next)
	}
	second := p.Get(html.UnescapeString(next[1]))
	if n := strings.Count(second.Body, `class="break"`); n != 1 || strings.Contains(second.Body, `rel="next"`) || !strings.Contains(second.Body, `href="/dashboard/opt-outs?channel=sms"`) {
		t.Errorf("the second page has %d opt-outs, want one, and a way to the first", n)
	}
}
