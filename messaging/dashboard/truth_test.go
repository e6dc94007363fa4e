package dashboard_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// The page of a failed message has no green confirmation and no cost that was refunded. The same is true of a canceled
// message, also if the page after sending is loaded again.
func TestMessage_AFailureIsNoSuccess(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		sent := p.Send("to", "+22376000001", "channel", "sms", "message", "Bonjour")
		p.Holds(p.Get(sent+"?done=sent"), "Message accepted.", "1 message of the quota of")
		failed := w.Fail(p, gateway.Permanent, "number_unknown")
		p.Holds(p.Get(failed+"?done=sent"), "no Message accepted.", "no 1 message of the quota", "None. Nothing was sent.")

		// Each failed attempt has used nothing, but an unknown outcome might have reached the phone.
		unknown := w.Fail(p, gateway.Unknown, "timeout")
		p.Holds(p.Get(unknown), "1 message of the quota of")

		res, err := w.Delivery.Submit(t.Context(), &account.Caller{Account: w.Account, Kind: account.Live}, &message.Request{
			To: "+22376000001", Channel: gateway.SMS, Content: message.Content{Text: "Later"}, ScheduledAt: w.Clock.Now().Add(time.Hour), Source: message.SourceAPI,
		})
		if err != nil {
			t.Fatal(err)
		}
		later := "/dashboard/messages/" + res.Message.ID
		p.Holds(p.Get(later+"?done=canceled"), "no Message canceled.", "1 message of the quota of")
		p.Wants(p.Post(later+"/cancel"), http.StatusSeeOther, later+"?done=canceled")
		p.Holds(p.Get(later+"?done=canceled"), "Message canceled.", "no 1 message of the quota", "None. Nothing was sent.")
		p.Holds(p.Get(later+"?done=sent"), "no Message accepted.")
	})
}

// An open log is no program: it leaves the first step "Forward events" as it is. A program completes it, and the page of
// webhooks shows the events that the program got.
func TestWebhooks_ShowWhatAProgramGot(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w, p, _ := newcomer(t, d)
		form := []string{"to", "+22376000001", "channel", "auto", "message", "Hello"}
		step := func(want string) {
			t.Helper()
			w.Directory.ForgetAll()
			if got := badges(p.Get("/dashboard").Body); len(got) < 4 || got[3] != want {
				t.Errorf("the steps are %q, want %q as the fourth", got, want)
			}
		}
		lines := changes(t, w, p)
		lines.Scan()
		p.Wants(p.Post("/dashboard/send?mode=test", append(form, "key", "k1")...), http.StatusSeeOther, "/dashboard/messages/")
		step("Optional")
		list := p.Get("/dashboard/webhooks")
		p.Holds(list, "No endpoint</span>", "no Streamed</span>")

		key := testKey.FindString(p.Post("/dashboard/keys", "kind", "test", "name", "Listener").Body)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+"/api/webhooks/stream", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Api-Key", key)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		if res.StatusCode != http.StatusOK {
			t.Fatal(res.Status)
		}
		p.Wants(p.Post("/dashboard/send?mode=test", append(form, "key", "k2")...), http.StatusSeeOther, "/dashboard/messages/")
		waittest.Until(t, func() error {
			if !strings.Contains(p.Get("/dashboard/webhooks").Body, "Streamed</span>") {
				return errors.New("no event is streamed")
			}
			return nil
		})
		step("Done")
		before, _, _ := strings.Cut(p.Get("/dashboard/webhooks").Body, "Streamed</span>")
		id, _, _ := strings.Cut(before[strings.LastIndex(before, `href="/dashboard/webhooks/evt_`)+len(`href="/dashboard/webhooks/evt_`):], `"`)
		p.Holds(p.Get("/dashboard/webhooks/evt_"+id), "A program that was listening got the event.", "<dt>Streamed</dt>")
	})
}

// A form leads to a page in the mode of the page that it is on.
func TestMode_FormsKeepIt(t *testing.T) {
	w, p, _ := newcomer(t, dbtest.SQLite(t))
	for _, mode := range []string{"live", "test"} {
		p.Referer = w.URL + "/dashboard/senders?mode=" + mode
		p.Wants(p.Post("/dashboard/requests", "kind", "sms", "wanted", "SHOP-"+mode), http.StatusSeeOther, "/dashboard/senders?done=requested&mode="+mode)
		p.Referer = w.URL + "/dashboard/projects?mode=" + mode
		if got := p.Post("/dashboard/projects", "name", "Shop "+mode); !strings.HasSuffix(got.Location, "?done=project_created&mode="+mode) {
			t.Errorf("from %s, a form leads to %s", mode, got.Location)
		}
	}
}

// The page of keys shows a use at once, although uses are stored once per minute.
func TestKeys_AUseShowsAtOnce(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	used := func() string {
		return `<time datetime="` + w.Clock.Now().Truncate(time.Minute).UTC().Format(time.RFC3339)
	}
	w.Clock.Advance(5 * time.Minute)
	p.Holds(p.Get("/dashboard/keys"), "no "+used())
	if !w.Opens(w.LiveKey) {
		t.Fatal("the key doesn't work")
	}
	list := p.Get("/dashboard/keys")
	p.Holds(list, used(), "can be a minute old")
	p.Holds(p.Get(messagingtest.KeyPath(t, list, "Live key")), used())
}
