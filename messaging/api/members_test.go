package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
)

// Rules: M167, M168.
func TestMembers_FromInvitationToRemoval(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		project := p.do("POST", "/api/projects", `{"name":" Boutique "}`, owner, p.origin())
		id, _ := object(project.body, "project", "id").(string)
		if project.status != 201 || object(project.body, "project", "name") != "Boutique" {
			t.Fatalf("%d %s", project.status, project.raw)
		}
		session, memberID := p.member(owner, "awa@example.com")
		made := p.do("POST", "/api/keys", `{"kind":"project","projectId":"`+id+`"}`, session, p.origin())
		key := made.text("secret")
		if made.status != 201 || object(made.body, "key", "createdBy") != memberID {
			t.Fatalf("%d %s", made.status, made.raw)
		}
		p.wants(p.do("POST", "/api/keys", `{"kind":"live"}`, session, p.origin()), 403, "forbidden")
		p.wants(p.do("POST", "/api/keys", `{"kind":"test"}`, session, p.origin()), 403, "forbidden")
		sent := p.do("POST", "/api/send", `{"to":"22376000001","channel":"sms","message":"x"}`, "X-API-Key: "+key)
		if sent.status != 200 || sent.body["messagesUsed"] != float64(1) {
			t.Errorf("a member's key: %d %s", sent.status, sent.raw)
		}
		p.send(`{"to":"22376000001","channel":"sms","message":"the owner's"}`)
		p.wants(p.do("GET", "/api/svc-logs", "", session), 400, "invalid_request")
		logs := p.do("GET", "/api/svc-logs?projectId="+id, "", session)
		if logs.body["count"] != float64(1) || !strings.Contains(logs.raw, sent.text("messageId")) {
			t.Errorf("a member's logs: %s", logs.raw)
		}
		if all := p.do("GET", "/api/svc-logs", "", owner); all.body["count"] != float64(2) {
			t.Errorf("the owner's logs: %s", all.raw)
		}
		if own := p.do("GET", "/api/keys", "", session); strings.Count(own.raw, `"id"`) != 1 || strings.Contains(own.raw, key) {
			t.Errorf("a member's keys: %s", own.raw)
		}
		me := p.do("GET", "/api/me", "", session)
		if object(me.body, "developer", "role") != "developer" || object(me.body, "developer", "email") != "awa@example.com" || me.body["apiKey"] != nil || me.body["webhook"] != nil || object(me.body, "features", "inbox") != false || strings.Contains(me.raw, "messageId") {
			t.Errorf("a member's profile: %s", me.raw)
		}

		again := p.do("POST", "/api/members", `{"email":"awa@example.com"}`, owner, p.origin())
		p.wants(again, 409, "already_member")
		p.wants(p.do("POST", "/api/members", `{"email":"`+ownerEmail+`"}`, owner, p.origin()), 409, "already_member")
		p.wants(p.do("POST", "/api/members", `{"email":"x"}`, owner, p.origin()), 400, "invalid_email")

		gone := p.do("DELETE", "/api/members/"+memberID, "", owner, p.origin())
		if gone.status != 200 || gone.body["revokedKeys"] != float64(1) {
			t.Errorf("%d %s", gone.status, gone.raw)
		}
		p.wants(p.do("POST", "/api/send", `{"to":"22376000001","channel":"sms","message":"x"}`, "X-API-Key: "+key), 401, "unauthorized")
		p.wants(p.do("GET", "/api/me", "", session), 401, "unauthorized")
		p.wants(p.do("DELETE", "/api/members/"+memberID, "", owner, p.origin()), 404, "member_not_found")
	})
}

// Rules: M166.
func TestInvitations_EachRefusalHasItsName(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	owner := p.signIn(ownerEmail)
	accept := func(session, token string) *answer {
		return p.do("POST", "/api/session/invitation", `{"token":"`+token+`"}`, session, p.origin())
	}
	first := p.invited(owner, "awa@example.com")
	token := p.invited(owner, "awa@example.com")
	p.invited(owner, "eve@example.com")
	awa, eve := p.signIn("awa@example.com"), p.signIn("eve@example.com")
	p.wants(accept(awa, ""), 404, "invitation_not_found")
	p.wants(accept(awa, first), 404, "invitation_not_found") // the second invitation replaced it
	p.wants(accept(eve, token), 403, "invitation_foreign")
	for range 2 { // a double click
		if a := accept(awa, token); a.status != 200 || object(a.body, "accounts") == nil {
			t.Errorf("%d %s", a.status, a.raw)
		}
	}
	p.Clock.Advance(forms.RepeatTime)
	p.wants(accept(awa, token), 409, "invitation_used")
	late := p.invited(owner, "eve@example.com")
	list := p.do("GET", "/api/members", "", owner)
	if strings.Count(list.raw, `"expiresAt"`) != 1 || strings.Contains(list.raw, late) {
		t.Errorf("%s", list.raw)
	}
	p.Clock.Advance(account.InvitationTime - time.Minute)
	eve = p.signIn("eve@example.com")
	p.Clock.Advance(time.Minute)
	p.wants(accept(eve, late), 410, "invitation_expired")
	owner = p.signIn(ownerEmail)
	back := p.invited(owner, "eve@example.com")
	open, _ := p.do("GET", "/api/members", "", owner).body["invitations"].([]any)
	id, _ := object(open[0], "id").(string)
	if a := p.do("DELETE", "/api/invitations/"+id, "", owner, p.origin()); a.status != 200 {
		t.Errorf("%d %s", a.status, a.raw)
	}
	p.wants(p.do("DELETE", "/api/invitations/"+id, "", owner, p.origin()), 404, "invitation_not_found")
	p.wants(accept(eve, back), 404, "invitation_not_found")
	if j := p.Log.String(); strings.Contains(j, token) || strings.Contains(j, back) {
		t.Error("a token was logged")
	}
}

// A person with the invitation's email can join even if strangers have used up the address's sign-in codes.
// Rules: M166.
func TestInvitations_ACodeOfTheirOwn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		token, code := p.invitedWithCode(owner, "awa@example.com")
		p.requestFive("awa@example.com", func() *answer { return p.newBrowser().ask("awa@example.com") })
		join := func(b *browser, token, code string) *answer {
			t.Helper()
			return b.post("/api/session/invitation", `{"token":"`+token+`","code":"`+code+`"}`)
		}
		home := p.newBrowser()
		p.wants(home.post("/api/session/invitation", `{"token":"`+token+`"}`), 401, "unauthorized") // a link alone
		p.wants(home.try("awa@example.com", code), 401, "sign_in_failed")                           // a code alone
		p.wants(join(home, token, messagingtest.WrongCode(code)), 401, "sign_in_failed")
		p.wants(join(home, token[1:]+token[:1], code), 401, "sign_in_failed")
		p.wants(p.do("POST", "/api/session/invitation", `{"token":"`+token+`","code":"`+code+`"}`, "Origin: https://evil.example"), 403, "origin_mismatch")
		spaced := join(home, token, " "+code[:3]+" "+code[3:])
		if spaced.status != 200 || spaced.text("email") != "awa@example.com" || spaced.text("accountId") != p.Account.ID || spaced.text("codeAt") == "" {
			t.Fatalf("joining: %d %s", spaced.status, spaced.raw)
		}
		session := "Cookie: svc_account=" + home.cookies["svc_account"]
		if me := p.do("GET", "/api/me", "", session); object(me.body, "developer", "role") != "developer" {
			t.Errorf("the session that the code opened: %d %s", me.status, me.raw)
		}
		p.wants(join(p.newBrowser(), token, code), 401, "sign_in_failed") // once
		if n := p.Int(t, `SELECT count(*) FROM members`); n != 1 {
			t.Errorf("%d members, want 1", n)
		}
		if n := p.Int(t, `SELECT count(*) FROM account_audit_events WHERE action IN ('member.joined', 'session.opened') AND actor_email = 'awa@example.com' AND actor_id = $1`, object(p.do("GET", "/api/members", "", owner).body["members"].([]any)[0], "id")); n != 2 {
			t.Errorf("%d events of joining, want 2", n)
		}
		if j := p.Log.String(); strings.Contains(j, token) || strings.Contains(j, code) {
			t.Error("the link or the code was logged")
		}
	})
}

// Rules: M166.
func TestInvitations_TheirCodeHasBounds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		join := func(token, code string) *answer {
			t.Helper()
			return p.newBrowser().post("/api/session/invitation", `{"token":"`+token+`","code":"`+code+`"}`)
		}
		token, code := p.invitedWithCode(owner, "guessed@example.com")
		for range 5 {
			p.wants(join(token, messagingtest.WrongCode(code)), 401, "sign_in_failed")
		}
		p.wants(join(token, code), 401, "sign_in_failed") // the tries are used up, but the invitation is still valid
		session := p.signIn("guessed@example.com")
		if a := p.do("POST", "/api/session/invitation", `{"token":"`+token+`"}`, session, p.origin()); a.status != 200 {
			t.Errorf("with a code of the address: %d %s", a.status, a.raw)
		}
		first, firstCode := p.invitedWithCode(owner, "twice@example.com")
		second, secondCode := p.invitedWithCode(owner, "twice@example.com")
		p.wants(join(first, firstCode), 401, "sign_in_failed")
		if firstCode != secondCode {
			p.wants(join(second, firstCode), 401, "sign_in_failed")
		}
		if a := join(second, secondCode); a.status != 200 {
			t.Errorf("the latest invitation: %d %s", a.status, a.raw)
		}
		token, code = p.invitedWithCode(owner, "prompt@example.com")
		late, lateCode := p.invitedWithCode(owner, "late@example.com")
		p.Clock.Advance(account.InvitationCodeTime - time.Millisecond)
		if a := join(token, code); a.status != 200 {
			t.Errorf("just in time: %d %s", a.status, a.raw)
		}
		p.Clock.Advance(time.Millisecond)
		p.wants(join(late, lateCode), 401, "sign_in_failed")
	})
}

func TestInvitations_NeedAWayToSendThem(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	owner := p.signIn(ownerEmail)
	p.Gateway.LoggedOut.Store(true)
	p.wants(p.do("POST", "/api/members", `{"email":"awa@example.com"}`, owner, p.origin()), 409, "gateway_not_connected")
	p.Gateway.LoggedOut.Store(false)
	p.Gateway.FailWith(gateway.Permanent, "recipient_refused")
	a := p.do("POST", "/api/members", `{"email":"awa@example.com"}`, owner, p.origin())
	if a.status != 201 || a.text("emailStatus") != "FAILED" {
		t.Errorf("%d %s", a.status, a.raw)
	}
	if n := p.Int(t, `SELECT count(*) FROM member_invitations`); n != 1 {
		t.Errorf("%d invitations", n)
	}
}

func TestInvitations_AreLimited(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t), limited)
	owner := p.signIn(ownerEmail)
	for range 3 {
		p.invited(owner, "awa@example.com")
	}
	p.wants(p.do("POST", "/api/members", `{"email":"awa@example.com"}`, owner, p.origin()), 429, "rate_limited")
}

// Rules: M7.
func TestAbsentAndForeignLookAlike(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		other, err := p.Directory.Create(t.Context(), &account.Spec{Name: "Other", Email: "other@example.com", Projects: []string{"Theirs"}})
		if err != nil {
			t.Fatal(err)
		}
		projects, err := p.Directory.Projects(t.Context(), other.ID)
		if err != nil {
			t.Fatal(err)
		}
		k, _, err := p.Directory.MakeKey(t.Context(), account.KeySpec{AccountID: other.ID, Kind: account.Live})
		if err != nil {
			t.Fatal(err)
		}
		i, _ := p.Directory.NewInvitation(other.ID, "eve@example.com", account.Membership{})
		if err := p.Directory.StoreInvitation(t.Context(), i); err != nil {
			t.Fatal(err)
		}
		const none = "01KJWBG7G0NGJ7V25V1R3KGN47"
		for what, tc := range map[string]struct{ method, path, body, foreign string }{
			"a key":            {"DELETE", "/api/keys/%s", "", k.ID},
			"an invitation":    {"DELETE", "/api/invitations/%s", "", i.ID},
			"a member":         {"DELETE", "/api/members/%s", "", other.ID},
			"a project's key":  {"POST", "/api/keys", `{"kind":"project","projectId":"%s"}`, projects[0].ID},
			"a project's logs": {"GET", "/api/svc-logs?projectId=%s", "", projects[0].ID},
			"an account":       {"PATCH", "/api/session", `{"accountId":"%s"}`, other.ID},
		} {
			ask := func(id string) *answer {
				path, body := tc.path, tc.body
				if strings.Contains(path, "%s") {
					path = fmt.Sprintf(path, id)
				} else {
					body = fmt.Sprintf(body, id)
				}
				return p.do(tc.method, path, body, owner, p.origin())
			}
			absent, foreign := ask(none), ask(tc.foreign)
			if absent.status != 404 {
				t.Errorf("%s: %d %s", what, absent.status, absent.raw)
			}
			p.sameAnswer(absent, foreign)
		}
	})
}

// Rules: M9, M169.
func TestKeys_OwnerMakesAndRevokes(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	owner := p.signIn(ownerEmail)
	p.Clock.Advance(time.Second)
	made := p.do("POST", "/api/keys", `{"kind":"live","projectId":null}`, owner, p.origin())
	key, id := made.text("secret"), fmt.Sprint(object(made.body, "key", "id"))
	if a := p.do("POST", "/api/send", `{"to":"22376000001","channel":"sms","message":"x"}`, "Authorization: Bearer "+key); a.status != 200 {
		t.Errorf("%d %s", a.status, a.raw)
	}
	if err := p.Directory.FlushUses(t.Context()); err != nil {
		t.Fatal(err)
	}
	me := p.do("GET", "/api/me", "", owner)
	if object(me.body, "apiKey", "masked") != key[:14]+"••••••••" || object(me.body, "apiKey", "lastUsedAt") != "2026-03-04T12:00:00.000Z" || strings.Contains(me.raw, key) {
		t.Errorf("%s", me.raw)
	}
	for range 2 {
		if a := p.do("DELETE", "/api/keys/"+id, "", owner, p.origin()); a.status != 200 {
			t.Errorf("%d %s", a.status, a.raw)
		}
	}
	p.wants(p.do("GET", "/api/svc-logs", "", "X-API-Key: "+key), 401, "unauthorized")
	if a := p.send(`{"to":"22376000001","channel":"sms","message":"x"}`); a.status != 200 {
		t.Errorf("the other live key: %d", a.status)
	}
	for body, want := range map[string]string{
		`{}`: "invalid_request", `{"kind":"dashboard"}`: "invalid_request", `{"kind":"project"}`: "invalid_request", `{"kind":"live","projectId":"x"}`: "invalid_request", `{"kind":1}`: "invalid_request",
	} {
		p.wants(p.do("POST", "/api/keys", body, owner, p.origin()), 400, want)
	}
	p.wants(p.do("POST", "/api/projects", `{"name":" "}`, owner, p.origin()), 400, "invalid_request")
	p.wants(p.do("POST", "/api/projects", `{"name":"`+strings.Repeat("é", 101)+`"}`, owner, p.origin()), 400, "invalid_request")
}
