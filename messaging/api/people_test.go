package api_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/api"
)

const ownerEmail = "test-pro@example.com" // messagingtest's, on the plan pro

// people is a service to which people sign in. Its mails are sent to the channel mails.
type people struct {
	*service
	mails chan gateway.Outbound

	notices chan gateway.Outbound // notices about sign-ins from new browsers
}

func newPeople(t *testing.T, d *db.DB, change ...func(*api.Options)) *people {
	t.Helper()
	return peopleOf(t, newService(t, d, "pro", change...))
}

func peopleOf(t *testing.T, s *service) *people {
	t.Helper()
	p := &people{service: s, mails: make(chan gateway.Outbound, 100), notices: make(chan gateway.Outbound, 1000)}
	p.ReceiveMails(t, func(mail gateway.Outbound) {
		if mail.Subject == i18n.FR.T("mail.signed_in.subject") || mail.Subject == i18n.EN.T("mail.signed_in.subject") {
			p.notices <- mail
		} else {
			p.mails <- mail
		}
	})
	waittest.Run(t, p.api.Run)
	return p
}

// origin returns the header that a page of the service sends.
func (p *people) origin() string { return "Origin: " + p.URL }

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// code requests an address's code in a new browser and reads it from the mail.
func (p *people) code(email string) (code string, in *browser) {
	p.t.Helper()
	in = p.newBrowser()
	if a := in.ask(email); a.status != 202 {
		p.t.Fatalf("asking for a code: %d %s", a.status, a.raw)
	}
	return p.mail(email), in
}

// signIn signs in an address and returns the header that its browser sends from then on.
func (p *people) signIn(email string) string {
	p.t.Helper()
	code, in := p.code(email)
	if a := in.try(email, code); a.status != 200 || a.text("email") != email {
		p.t.Fatalf("signing in: %d %s", a.status, a.raw)
	}
	return "Cookie: svc_account=" + in.cookies["svc_account"]
}

// invited requests an invitation, with or without a role, and returns the token in the mail.
func (p *people) invited(owner, email string, role ...string) string {
	p.t.Helper()
	token, _ := p.invitedWithCode(owner, email, role...)
	return token
}

// invitedWithCode also returns the code in the mail.
func (p *people) invitedWithCode(owner, email string, role ...string) (token, code string) {
	p.t.Helper()
	body := `{"email":"` + email + `"}`
	if len(role) > 0 {
		body = `{"email":"` + email + `","role":"` + role[0] + `"}`
	}
	a := p.do("POST", "/api/members", body, owner, p.origin())
	if a.status != http.StatusCreated || a.text("emailStatus") != "SENT" {
		p.t.Fatalf("inviting: %d %s", a.status, a.raw)
	}
	m := waittest.Receive(p.t, p.mails)
	_, token, _ = strings.Cut(m.Text, "#")
	token, _, _ = strings.Cut(token, "\n")
	if m.To != email || len(token) != 43 {
		p.t.Fatalf("the mail to %s: %s", m.To, m.Text)
	}
	return token, sixDigits.FindString(m.Text)
}

// member makes an address a member and returns its session and its ID.
func (p *people) member(owner, email string, role ...string) (session, id string) {
	p.t.Helper()
	token := p.invited(owner, email, role...)
	session = p.signIn(email)
	if a := p.do("POST", "/api/session/invitation", `{"token":"`+token+`"}`, session, p.origin()); a.status != 200 || a.text("accountId") != p.Account.ID {
		p.t.Fatalf("accepting: %d %s", a.status, a.raw)
	}
	list, _ := p.do("GET", "/api/members", "", owner).body["members"].([]any)
	for _, m := range list {
		if item, _ := m.(map[string]any); item["email"] == email {
			id, _ = item["id"].(string)
		}
	}
	return session, id
}

// object returns a field of a response.
func object(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}
