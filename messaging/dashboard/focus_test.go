package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web/webtest"
)

// A form opens with the focus in its first field, or, after an error, in the invalid one.
func TestForms_Focus(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	for what, got := range map[string]*webtest.Page{
		`id="to"`:         p.Get("/dashboard/send"),
		`id="name"`:       p.Get("/dashboard/keys/new"),
		`id="address"`:    p.Get("/dashboard/opt-outs/new"),
		`id="email"`:      w.Person().Get("/dashboard/sign-in"),
		`id="channel"`:    p.Post("/dashboard/opt-outs", "channel", "pigeon", "address", "+22376000001"),
		`id="message"`:    p.Post("/dashboard/send", "to", "+22376000001", "channel", "whatsapp", "message", "", "key", "k1"),
		`name="sure"`:     p.Post("/dashboard/privacy/erase", "address", "+22376000001"),
		`value="+2237 x"`: p.Post("/dashboard/opt-outs", "channel", "sms", "address", "+2237 x"),
	} {
		first := regexp.MustCompile(`<[^>]* autofocus[^>]*>`).FindString(got.Body)
		if !strings.Contains(strings.ReplaceAll(first, "&#43;", "+"), what) {
			t.Errorf("%d: the focus is in %q, want %s", got.Status, first, what)
		}
	}
}

// After too many requests, the page shows how long to wait.
func TestBusy_SaysHowLong(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.Person()
	for range 20 {
		got := p.Post("/dashboard/sign-in", "email", "awa@example.com")
		if got.Status != http.StatusTooManyRequests {
			continue
		}
		if !regexp.MustCompile("Too many requests.* Try again in [0-9]+\u00a0(s|min)\\.").MatchString(got.Body) {
			t.Errorf("the page does not say how long:\n%s", got.Body)
		}
		return
	}
	t.Error("nothing was refused")
}
