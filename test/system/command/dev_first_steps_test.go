package command_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/phone"
	"example.com/griot/internal/waittest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

// Someone signs up at griot dev, follows the first steps, and sends a real message to a virtual phone.
func TestDev_FirstStepsToAVirtualPhone(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	person := systemtest.NewPerson(t)
	const email, firstSteps = "awa@example.com", `<section class="card start"`
	post := func(path string, pairs ...string) (body, to string) {
		t.Helper()
		form := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			form.Set(pairs[i], pairs[i+1])
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.BaseURL+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", p.BaseURL)
		r.Header.Set("Accept-Language", "en")
		status, body, header := person.Do(r)
		if status >= http.StatusBadRequest {
			t.Fatalf("%s: %d %s", path, status, body)
		}
		return body, header.Get("Location")
	}
	_, code := post("/dashboard/sign-in", "email", email)
	_, page, _ := person.Get(p.BaseURL + code)
	sealed := regexp.MustCompile(`name="for" value="([^"]+)"`).FindStringSubmatch(page)
	if sealed == nil {
		t.Fatalf("no form for the code at %s:\n%s", code, page)
	}
	digits := ""
	waittest.Until(t, func() error {
		for _, m := range p.Phone(email) {
			digits = regexp.MustCompile(`\b\d{6}\b`).FindString(m.Text)
		}
		if digits == "" {
			return systemtest.ErrNotYet
		}
		return nil
	})
	post(code, "for", html.UnescapeString(sealed[1]), "code", digits)
	post("/dashboard/sign-up", "name", "Boutique Awa")
	if _, home, _ := person.Get(p.BaseURL + "/dashboard"); !strings.Contains(home, firstSteps) || !strings.Contains(home, `action="/dashboard/send?mode=test"`) {
		t.Fatalf("the overview of a new account has no first steps:\n%s", home)
	}
	if _, to := post("/dashboard/send?mode=test", "key", "first", "to", "+22376000001", "channel", "auto", "message", "Hello"); !strings.HasPrefix(to, "/dashboard/messages/") {
		t.Errorf("a message in TEST leads to %q", to)
	}
	post("/dashboard/requests", "kind", "whatsapp", "wanted", "+223 70 00 00 77")
	o := p.Operator()
	open := systemtest.RunJSON[[]messagingverbs.Request](o, "requests", "list")
	if len(open) != 1 || open[0].Channel != "whatsapp" || open[0].Address != "+22370000077" {
		t.Fatalf("the requests are %+v", open)
	}
	systemtest.RunJSON[messagingverbs.Sender](o, "senders", "add", "--account", open[0].Account, "--channel", "whatsapp", "--address", open[0].Address, "--gateway", "virtual", "--request", open[0].ID)
	if left := systemtest.RunJSON[[]messagingverbs.Request](o, "requests", "list"); len(left) != 0 {
		t.Errorf("the request is open still: %+v", left)
	}
	if _, to := post("/dashboard/send", "key", "second", "to", "+22376000001", "channel", "whatsapp", "message", "A real message"); !strings.HasPrefix(to, "/dashboard/messages/") {
		t.Errorf("a real message leads to %q", to)
	}
	waittest.Until(t, func() error {
		mails, messages := p.Phone(email), p.Phone("22376000001")
		for _, mail := range mails {
			for _, m := range messages {
				if m.Text == "A real message" && strings.HasSuffix(m.From, "22370000077") && strings.Contains(mail.Subject, phone.Grouped("22370000077")) {
					return nil
				}
			}
		}
		return fmt.Errorf("%w: %+v, %+v", systemtest.ErrNotYet, mails, messages)
	})
	if _, home, _ := person.Get(p.BaseURL + "/dashboard"); strings.Contains(home, firstSteps) {
		t.Error("the first steps are there after a real message")
	}
}
