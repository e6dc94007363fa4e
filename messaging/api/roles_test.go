package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
)

// project creates a project with a session and returns its ID.
func (p *people) project(session, name string) string {
	p.t.Helper()
	a := p.do("POST", "/api/projects", `{"name":"`+name+`"}`, session, p.origin())
	if a.status != 201 {
		p.t.Fatalf("making a project: %d %s", a.status, a.raw)
	}
	return fmt.Sprint(object(a.body, "project", "id"))
}

// projectKey creates a key of a project with a session.
func (p *people) projectKey(session, project string) *answer {
	p.t.Helper()
	return p.do("POST", "/api/keys", `{"kind":"project","projectId":"`+project+`"}`, session, p.origin())
}

// names lists the names of the projects that a session can see.
func (p *people) names(session string) (names []string) {
	p.t.Helper()
	list, _ := p.do("GET", "/api/projects", "", session).body["projects"].([]any)
	for _, item := range list {
		names = append(names, fmt.Sprint(object(item, "name")))
	}
	slices.Sort(names)
	return names
}

func (p *people) wantNames(session string, want ...string) {
	p.t.Helper()
	if got := p.names(session); fmt.Sprint(got) != fmt.Sprint(want) {
		p.t.Errorf("projects %v, want %v", got, want)
	}
}

// Rules: M118, M169.
func TestRoles_ADeveloperHasTheirOwnProjects(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		shop := p.project(owner, "Boutique")
		awa, awaID := p.member(owner, "awa@example.com") // gets the existing projects
		eve, _ := p.member(owner, "eve@example.com", "developer")
		later := p.project(owner, "Plus tard")
		own := p.project(awa, "Site")
		p.wantNames(awa, "Boutique", "Site")
		p.wantNames(eve, "Boutique")
		p.wantNames(owner, "Boutique", "Plus tard", "Site")

		p.wants(p.projectKey(eve, own), 404, "project_not_found")
		p.wants(p.projectKey(awa, later), 404, "project_not_found")
		p.wants(p.do("GET", "/api/svc-logs?projectId="+own, "", eve), 404, "project_not_found")
		p.wants(p.do("GET", "/api/svc-logs?projectId="+own, "", awa), 200, "")
		site := p.do("POST", "/api/send", `{"to":"22376000001","channel":"sms","message":"x"}`, "X-API-Key: "+p.projectKey(awa, own).text("secret")).text("messageId")
		p.wants(p.do("GET", "/api/status/"+site, "", awa), 200, "")
		p.wants(p.do("GET", "/api/status/"+site, "", eve), 404, "message_not_found")
		p.wants(p.do("GET", "/api/status/"+site, "", owner), 200, "")
		p.wants(p.do("GET", "/api/status/"+p.send(`{"to":"22376000001","channel":"sms","message":"the account's"}`).text("messageId"), "", awa), 404, "message_not_found")
		p.wants(p.do("PATCH", "/api/projects/"+own, `{"name":"X"}`, eve, p.origin()), 404, "project_not_found")
		p.wants(p.do("DELETE", "/api/projects/"+own, "", eve, p.origin()), 404, "project_not_found")
		p.wants(p.do("PATCH", "/api/projects/"+own, `{"name":" "}`, awa, p.origin()), 400, "invalid_request")
		if a := p.do("PATCH", "/api/projects/"+own, `{"name":" Site 2 "}`, awa, p.origin()); a.status != 200 || object(a.body, "project", "name") != "Site 2" {
			t.Errorf("%d %s", a.status, a.raw)
		}

		keys := map[string]string{"shop": p.projectKey(awa, shop).text("secret"), "own": p.projectKey(awa, own).text("secret"), "eve": p.projectKey(eve, shop).text("secret")}
		works := func(want map[string]bool) {
			t.Helper()
			for name, key := range keys {
				a := p.do("GET", "/api/svc-logs", "", "X-API-Key: "+key)
				if (a.status == 200) != want[name] {
					t.Errorf("the key %s: %d, want works = %v", name, a.status, want[name])
				}
			}
		}
		works(map[string]bool{"shop": true, "own": true, "eve": true})

		a := p.do("PATCH", "/api/members/"+awaID, `{"projects":["`+own+`","`+later+`"]}`, owner, p.origin())
		if a.status != 200 || a.body["revokedKeys"] != float64(1) || object(a.body, "member", "role") != "developer" {
			t.Errorf("%d %s", a.status, a.raw)
		}
		p.wantNames(awa, "Plus tard", "Site 2")
		works(map[string]bool{"shop": false, "own": true, "eve": true})

		if a := p.do("DELETE", "/api/projects/"+own, "", awa, p.origin()); a.status != 200 || a.body["revokedKeys"] != float64(2) {
			t.Errorf("%d %s", a.status, a.raw)
		}
		works(map[string]bool{"eve": true})
		p.wantNames(owner, "Boutique", "Plus tard")
		p.wants(p.do("DELETE", "/api/projects/"+own, "", owner, p.origin()), 404, "project_not_found")
		p.wants(p.projectKey(owner, own), 404, "project_not_found")

		p.projectKey(awa, later)
		if a := p.do("PATCH", "/api/members/"+awaID, `{"role":"viewer"}`, owner, p.origin()); a.status != 200 || a.body["revokedKeys"] != float64(1) || fmt.Sprint(object(a.body, "member", "projects")) != "[]" {
			t.Errorf("%d %s", a.status, a.raw)
		}
		p.wants(p.projectKey(awa, later), 403, "forbidden") // immediately, in their existing session
		if a := p.do("GET", "/api/session", "", awa); object(a.body["accounts"].([]any)[0], "role") != "viewer" {
			t.Errorf("the session: %s", a.raw)
		}
	})
}

func TestRoles_AViewerReadsLogsAndNoConversations(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	owner := p.signIn(ownerEmail)
	viewer, _ := p.member(owner, "awa@example.com", "viewer")
	p.send(`{"to":"22376000001","channel":"sms","message":"Commande prête"}`)
	p.Receive(t, "22376000002", "in1", "Bonjour")
	list, _ := p.do("GET", "/api/inbox/conversations", "", owner).body["conversations"].([]any)
	id := fmt.Sprint(object(list[0], "id"))
	if a := p.do("POST", "/api/inbox/conversations/"+id+"/reply", `{"text":"Secret de conversation"}`, owner, p.origin()); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.raw)
	}
	logs := p.do("GET", "/api/svc-logs", "", viewer)
	if logs.body["count"] != float64(2) || !strings.Contains(logs.raw, "Commande prête") || strings.Contains(logs.raw, "Secret de") {
		t.Errorf("a viewer's logs: %s", logs.raw)
	}
	if a := p.do("GET", "/api/svc-logs", "", owner); !strings.Contains(a.raw, "Secret de conversation") {
		t.Errorf("the owner's logs: %s", a.raw)
	}
	if a := p.do("GET", "/api/svc-analytics", "", viewer); a.body["sampleSize"] != float64(2) {
		t.Errorf("%d %s", a.status, a.raw)
	}
}

func TestRoles_BadMemberships(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	owner := p.signIn(ownerEmail)
	shop := p.project(owner, "Boutique")
	_, id := p.member(owner, "awa@example.com")
	for body, want := range map[string]string{
		`"role":"owner"`: "invalid_request", `"role":"x"`: "invalid_request", `"role":7`: "invalid_request", `"projects":"x"`: "invalid_request",
		`"role":"viewer","projects":["` + shop + `"]`: "invalid_request",
	} {
		p.wants(p.do("POST", "/api/members", `{"email":"eve@example.com",`+body+`}`, owner, p.origin()), 400, want)
		p.wants(p.do("PATCH", "/api/members/"+id, `{`+body+`}`, owner, p.origin()), 400, want)
	}
	p.wants(p.do("POST", "/api/members", `{"email":"eve@example.com","projects":["none"]}`, owner, p.origin()), 404, "project_not_found")
	p.wants(p.do("PATCH", "/api/members/"+id, `{"projects":["none"]}`, owner, p.origin()), 404, "project_not_found")
	p.wants(p.do("PATCH", "/api/members/none", `{"role":"viewer"}`, owner, p.origin()), 404, "member_not_found")
}

// Rules: M168.
func TestInvitations_SentAgainWithAnotherLink(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		owner := p.signIn(ownerEmail)
		first := p.invited(owner, "awa@example.com", "viewer")
		open, _ := p.do("GET", "/api/members", "", owner).body["invitations"].([]any)
		again := p.do("POST", fmt.Sprintf("/api/invitations/%v/resend", object(open[0], "id")), "", owner, p.origin())
		if again.status != 201 || object(again.body, "invitation", "role") != "viewer" || object(again.body, "invitation", "id") == object(open[0], "id") {
			t.Fatalf("%d %s", again.status, again.raw)
		}
		_, second, _ := strings.Cut(waittest.Receive(t, p.mails).Text, "#")
		second, _, _ = strings.Cut(second, "\n")
		awa := p.signIn("awa@example.com")
		p.wants(p.do("POST", "/api/session/invitation", `{"token":"`+first+`"}`, awa, p.origin()), 404, "invitation_not_found")
		a := p.do("POST", "/api/session/invitation", `{"token":"`+second+`"}`, awa, p.origin())
		if a.status != 200 || object(a.body["accounts"].([]any)[0], "role") != "viewer" {
			t.Errorf("%d %s", a.status, a.raw)
		}
		p.wants(p.do("POST", fmt.Sprintf("/api/invitations/%v/resend", object(again.body, "invitation", "id")), "", owner, p.origin()), 404, "invitation_not_found") // accepted
	})
}

// Managing keys and members requires a code from the last 15 minutes. Another code renews the session in its current account.
// Rules: M170.
func TestSession_ARecentCodeAndItsRenewal(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPeople(t, d)
		other, err := p.Directory.Create(t.Context(), &account.Spec{Name: "Autre", Email: "autre@example.com", Plan: "pro"})
		if err != nil {
			t.Fatal(err)
		}
		i, token := p.Directory.NewInvitation(other.ID, ownerEmail, account.Membership{})
		if err := p.Directory.StoreInvitation(t.Context(), i); err != nil {
			t.Fatal(err)
		}
		b := p.newBrowser()
		b.signIn(ownerEmail)
		session := func() string { return "Cookie: svc_account=" + b.cookies["svc_account"] }
		old := session()
		if a := p.do("POST", "/api/session/invitation", `{"token":"`+token+`"}`, old, p.origin()); a.text("accountId") != other.ID || a.text("codeAt") == "" {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		project, err := p.Directory.CreateProject(t.Context(), other.ID, "Site")
		if err != nil {
			t.Fatal(err)
		}
		id := object(p.do("GET", "/api/session", "", old).body, "accountId")
		members, err := p.Directory.Members(t.Context(), other.ID)
		if err != nil || id != other.ID {
			t.Fatal(err, id)
		}
		if _, _, _, err := p.Directory.ChangeMember(t.Context(), other.ID, members[0].ID, account.Membership{Projects: []string{project.ID}}); err != nil {
			t.Fatal(err)
		}
		p.Clock.Advance(account.RecentCode - time.Millisecond)
		if a := p.projectKey(old, project.ID); a.status != 201 {
			t.Errorf("within 15 minutes: %d %s", a.status, a.raw)
		}
		p.Clock.Advance(time.Millisecond)
		p.wants(p.projectKey(old, project.ID), 403, "recent_code_required")
		p.wants(p.do("GET", "/api/projects", "", old), 200, "")

		b.signIn(ownerEmail)
		if a := p.do("GET", "/api/session", "", session()); a.text("accountId") != other.ID {
			t.Errorf("another code led to another account: %s", a.raw)
		}
		if a := p.projectKey(session(), project.ID); a.status != 201 {
			t.Errorf("after another code: %d %s", a.status, a.raw)
		}
		p.wants(p.do("GET", "/api/session", "", old), 401, "unauthorized")
		if n := p.Int(t, `SELECT count(*) FROM account_sessions`); n != 1 {
			t.Errorf("%d sessions, want 1", n)
		}
	})
}

// Signing in does not affect another address's session.
func TestSession_ACodeEndsNoForeignSession(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	owner := p.signIn(ownerEmail)
	p.invited(owner, "awa@example.com")
	code, in := p.code("awa@example.com")
	in.cookies["svc_account"] = strings.TrimPrefix(owner, "Cookie: svc_account=")
	if a := in.try("awa@example.com", code); a.status != 200 || a.body["accountId"] != nil {
		t.Fatalf("%d %s", a.status, a.raw)
	}
	p.wants(p.do("GET", "/api/session", "", owner), 200, "")
}

func TestSession_AMailSaysOfASignInFromANewBrowser(t *testing.T) {
	p := newPeople(t, dbtest.SQLite(t))
	notice := func() gateway.Outbound {
		t.Helper()
		return waittest.Receive(t, p.notices)
	}
	home := p.newBrowser()
	home.signIn(ownerEmail)
	if m := notice(); m.To != ownerEmail || !strings.Contains(m.Text, "2026-03-04 12:00 UTC") || !strings.Contains(m.Text, "127.0.0.0/24") || sixDigits.MatchString(m.Text) {
		t.Errorf("to %s: %s", m.To, m.Text)
	}
	home.signIn(ownerEmail) // it is known there, so no notice is sent, and the next one is for the second browser
	p.Clock.Advance(time.Minute)
	p.newBrowser().signIn(ownerEmail)
	if m := notice(); !strings.Contains(m.Text, "12:01 UTC") {
		t.Errorf("the notice of the second browser: %s", m.Text)
	}
	if n := len(p.notices); n != 0 {
		t.Errorf("%d more notices", n)
	}
}
