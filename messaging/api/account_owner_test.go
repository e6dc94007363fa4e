package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

// notice returns the text of the next mail to an address.
func (p *people) notice(email string) string {
	p.t.Helper()
	m := waittest.Receive(p.t, p.mails)
	if m.To != email {
		p.t.Fatalf("a mail to %s, want one to %s: %s", m.To, email, m.Subject)
	}
	return m.Subject + " " + m.Text
}

func (p *people) transfer(session, member, role string) *answer {
	p.t.Helper()
	return p.do("POST", "/api/account/transfer", fmt.Sprintf(`{"memberId":%q,"role":%q}`, member, role), session, p.origin())
}

// Rules: M171.
func TestTransfer_MakesAMemberTheOwner(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		if _, err := p.Directory.CreateProject(t.Context(), p.Account.ID, "Boutique"); err != nil {
			t.Fatal(err)
		}
		awa, id := p.member(owner, "awa@example.com", "developer")
		project := object(p.do("GET", "/api/projects", "", awa).body, "projects").([]any)[0]
		made := p.do("POST", "/api/keys", fmt.Sprintf(`{"kind":"project","projectId":%q}`, object(project, "id")), awa, p.origin())
		p.wants(p.transfer(owner, "none", "viewer"), 404, "member_not_found")
		p.wants(p.transfer(owner, id, "owner"), 400, "invalid_request")
		p.wants(p.transfer(owner, id, ""), 400, "invalid_request")
		p.wants(p.transfer(awa, id, "viewer"), 403, "forbidden")
		if a := p.transfer(owner, id, "developer"); a.status != 200 || a.text("owner") != "awa@example.com" {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		p.wants(p.transfer(owner, id, "viewer"), 403, "forbidden")
		a := p.do("GET", "/api/members", "", awa)
		list := object(a.body, "members").([]any)
		if len(list) != 1 || object(list[0], "email") != ownerEmail || object(list[0], "role") != "developer" || len(object(list[0], "projects").([]any)) != 1 {
			t.Errorf("members: %s, want who was the owner, with the project", a.raw)
		}
		p.wants(p.do("POST", "/api/send", `{"to":"22376000001","channel":"sms","message":"x"}`, "X-API-Key: "+made.text("secret")), 200, "")
		p.wants(p.do("POST", "/api/send", `{"to":"22376000001","channel":"sms","message":"x"}`, "X-API-Key: "+p.LiveKey), 200, "")
		if a := p.do("GET", "/api/audit?action=account.transferred", "", awa); a.body["count"] != float64(1) || !strings.Contains(a.raw, `"to":"awa@example.com"`) || !strings.Contains(a.raw, `"from":"`+ownerEmail) {
			t.Errorf("audited: %s", a.raw)
		}
		notice := p.notice("awa@example.com")
		if !strings.Contains(notice, "Test") || !strings.Contains(notice, ownerEmail) {
			t.Errorf("the new owner's mail: %s", notice)
		}
		if n := p.Int(t, `SELECT count(*) FROM api_keys WHERE member_id IS NOT NULL`); n != 0 {
			t.Errorf("%d keys are still a member's, want 0", n)
		}
	})
}

// An address owns one account.
func TestTransfer_NotToTheOwnerOfAnother(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		_, id := p.member(owner, "awa@example.com", "viewer")
		if _, err := p.Directory.Create(t.Context(), &account.Spec{Name: "Another", Email: "awa@example.com"}); err != nil {
			t.Fatal(err)
		}
		p.wants(p.transfer(owner, id, "viewer"), 409, "owns_another_account")
		if a := p.do("GET", "/api/members", "", owner); a.status != 200 || len(object(a.body, "members").([]any)) != 1 {
			t.Errorf("%d %s: want the member as before", a.status, a.raw)
		}
	})
}

// Rules: M171.
func TestClose_EndsEverythingAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		awa, _ := p.member(owner, "awa@example.com", "viewer")
		p.invited(owner, "eve@example.com")
		key := "X-API-Key: " + p.LiveKey
		scheduled := p.do("POST", "/api/send", `{"to":"22376000001","channel":"sms","message":"x","scheduledAt":"2026-03-05T12:00:00Z"}`, key)
		p.wants(scheduled, 202, "")
		closing := func(name string) *answer {
			return p.do("POST", "/api/account/close", fmt.Sprintf(`{"name":%q}`, name), owner, p.origin())
		}
		p.wants(closing("test"), 400, "invalid_request")
		a := closing(" " + p.Account.Name + " ")
		if a.status != 200 || a.text("erasedAt") != "2026-04-03T12:00:00.000Z" || !strings.Contains(a.header.Get("Set-Cookie"), "svc_account=;") {
			t.Fatalf("%d %s %v", a.status, a.raw, a.header)
		}
		p.wants(closing(p.Account.Name), 401, "unauthorized")
		p.wants(p.do("GET", "/api/session", "", awa), 401, "unauthorized")
		p.wants(p.do("GET", "/api/svc-logs", "", key), 401, "unauthorized")
		p.Becomes(t, scheduled.text("messageId"), message.Canceled)
		if n := p.Int(t, `SELECT count(*) FROM member_invitations WHERE accepted_at IS NULL AND revoked_at IS NULL`); n != 0 {
			t.Errorf("%d invitations are open, want 0", n)
		}
		if of, err := p.Directory.Affiliations(t.Context(), "awa@example.com"); err != nil || len(of) != 0 {
			t.Errorf("%v, %v: want no account", of, err)
		}
		if notice := p.notice(ownerEmail); !strings.Contains(notice, "2026-04-03 12:00 UTC") {
			t.Errorf("the owner's mail: %s", notice)
		}
		for what, refused := range map[string]error{
			"a key": second(p.Directory.CreateKey(t.Context(), p.Account.ID, "", account.Live)), "an invitation": p.Directory.StoreInvitation(t.Context(), first(p.Directory.NewInvitation(p.Account.ID, "x@example.com", account.Membership{}))),
		} {
			if !errors.Is(refused, account.ErrClosed) {
				t.Errorf("%s for a closed account: %v, want ErrClosed", what, refused)
			}
		}

		p.Clock.Advance(account.ClosedTime - time.Millisecond)
		if err := p.Directory.Reopen(t.Context(), p.Account.ID); err != nil {
			t.Fatal(err)
		}
		if err := p.Directory.Reopen(t.Context(), p.Account.ID); !errors.Is(err, account.ErrNotClosed) {
			t.Errorf("reopened twice: %v", err)
		}
		again := p.signIn(ownerEmail)
		if a := p.do("GET", "/api/audit?action=account.", "", again); a.body["count"] != float64(3) {
			t.Errorf("audited: %s", a.raw)
		}
		p.wants(p.do("GET", "/api/svc-logs", "", key), 401, "unauthorized") // keys stay revoked
	})
}

func TestClose_NotWhileASubscriptionRenews(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		p.Exec(t, `INSERT INTO billing_customers (account_id, provider, mode, customer_id, revision, subscription_id, status, entitled, created_at) VALUES ($1, 'manual', '', 'c', 1, 's', 'active', 1, 0)`, p.Account.ID)
		body := fmt.Sprintf(`{"name":%q}`, p.Account.Name)
		p.wants(p.do("POST", "/api/account/close", body, owner, p.origin()), http.StatusConflict, "subscription_active")
		p.wants(p.do("GET", "/api/svc-logs", "", "X-API-Key: "+p.LiveKey), 200, "")
		p.Exec(t, `UPDATE billing_customers SET ends_at = 1`)
		p.wants(p.do("POST", "/api/account/close", body, owner, p.origin()), http.StatusOK, "")
	})
}

func first[A, B any](a A, _ B) A { return a }

func second[A, B any](_ A, b B) B { return b }
