package dashboard_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
)

// found returns what a pattern's group finds in a page.
func found(t *testing.T, got *page, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(got.body)
	if m == nil {
		t.Fatalf("%d, no %s in:\n%s", got.status, pattern, got.body)
	}
	return m[1]
}

func TestTeam_InvitesChangesAndRemoves(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		owner := w.signIn(ownerEmail)
		shop, err := w.Directory.CreateProject(t.Context(), w.Account.ID, "Boutique <b>")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Directory.CreateProject(t.Context(), w.Account.ID, "Usine"); err != nil {
			t.Fatal(err)
		}
		owner.wants(owner.get("/dashboard/team"), http.StatusOK, "Nobody is invited at present.")
		invite := func(pairs ...string) *page { return owner.post("/dashboard/team/invitations", pairs...) }
		owner.wants(invite("email", "awa@example.com", "role", "developer", "project", shop.ID), http.StatusSeeOther, "/dashboard/team?done=invited")
		first, _ := w.invitation("awa@example.com")
		for want, wrong := range map[string][]string{
			"This is not an e-mail address.":                 {"email", "awa", "role", "viewer"},
			"This address belongs to the account already.":   {"email", ownerEmail, "role", "viewer"},
			"Choose developer or viewer.":                    {"email", "eve@example.com", "role", "owner"},
			"One of these projects does not exist any more.": {"email", "eve@example.com", "role", "developer", "project", "none"},
		} {
			if got := invite(wrong...); got.status < 400 || got.status > 409 || !strings.Contains(got.body, want) || !strings.Contains(got.body, `value="`+wrong[1]+`"`) {
				t.Errorf("%v: %d, want %q and what was typed in:\n%s", wrong, got.status, want, got.body)
			}
		}
		invited := owner.get("/dashboard/team?done=invited")
		owner.wants(invited, http.StatusOK, "Invitation sent.")
		if !strings.Contains(invited.body, "awa@example.com") || !strings.Contains(invited.body, "Boutique &lt;b&gt;</span>") {
			t.Errorf("the invitation is not on the page:\n%s", invited.body)
		}

		resend := found(t, invited, `action="(/dashboard/team/invitations/[^"]+/resend)"`)
		owner.wants(owner.post(resend), http.StatusSeeOther, "/dashboard/team?done=invitation_resent")
		if second, _ := w.invitation("awa@example.com"); second == first {
			t.Error("the link of an invitation that was sent again is the one before")
		}
		owner.wants(owner.post(resend), http.StatusNotFound, "invitation_not_found") // the new one has another id
		awa := w.signIn("awa@example.com")
		awa.wants(awa.post("/dashboard/invitation", "invitation", found(t, awa.get("/dashboard/invitation"), `name="invitation" value="([^"]+)"`)), http.StatusSeeOther, "/dashboard?done=joined")

		joined := owner.get("/dashboard/team")
		address := found(t, joined, `href="(/dashboard/team/members/[^"]+)"`)
		member := owner.get(address)
		if n := strings.Count(member.body, " checked"); member.status != http.StatusOK || n != 1 {
			t.Errorf("%d, %d projects are chosen, want 1:\n%s", member.status, n, member.body)
		}
		owner.wants(owner.post(address, "role", "owner"), http.StatusBadRequest, "Choose developer or viewer.")
		owner.wants(owner.post(address, "role", "developer", "project", "none"), http.StatusNotFound, "One of these projects")
		owner.wants(owner.do(http.MethodPost, address, url.Values{"role": {"developer"}}), http.StatusSeeOther, "/dashboard/team?done=member_changed")
		owner.wants(owner.get("/dashboard/team"), http.StatusOK, "No project")
		owner.wants(owner.post(address, "role", "viewer", "project", shop.ID), http.StatusSeeOther, "/dashboard/team?done=member_changed")
		awa.wants(awa.get("/dashboard/send"), http.StatusForbidden, "forbidden")
		owner.wants(owner.post(address+"/remove"), http.StatusSeeOther, "/dashboard/team?done=member_removed")
		owner.wants(owner.post(address+"/remove"), http.StatusNotFound, "member_not_found")
		awa.wants(awa.get("/dashboard/logs"), http.StatusSeeOther, "/dashboard/sign-in")

		owner.wants(invite("email", "eve@example.com", "role", "viewer"), http.StatusSeeOther, "/dashboard/team?done=invited")
		withdraw := found(t, owner.get("/dashboard/team"), `action="(/dashboard/team/invitations/[^"]+/withdraw)"`)
		owner.wants(owner.post(withdraw), http.StatusSeeOther, "/dashboard/team?done=invitation_withdrawn")
		owner.wants(owner.post(withdraw), http.StatusNotFound, "invitation_not_found")
		open, err := w.Directory.Invitations(t.Context(), w.Account.ID)
		if err != nil || len(open) != 0 {
			t.Errorf("%v, %v; want no invitation", open, err)
		}
	})
}

// What the page does takes a recent code, as the API's routes do; the page itself does not.
func TestTeam_ChangesTakeARecentCode(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	p := w.signIn(ownerEmail)
	w.Clock.Advance(account.RecentCode)
	p.wants(p.get("/dashboard/team"), http.StatusOK, "Team")
	for _, path := range []string{"/dashboard/team/invitations", "/dashboard/team/invitations/none/resend", "/dashboard/team/members/none/remove"} {
		p.wants(p.post(path, "email", "eve@example.com", "role", "viewer"), http.StatusSeeOther, "/dashboard/confirm?next=%2Fdashboard%2Fteam")
	}
}

func TestActivity_TellsWhoDidWhat(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		p := w.signIn(ownerEmail)
		w.member("awa@example.com", account.RoleViewer)
		p.post("/dashboard/settings", "name", "Awa & fils", "language", "fr", "timeZone", "UTC")
		got := p.get("/dashboard/activity")
		text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(got.body, ""))
		for _, want := range []string{"test-pro@example.com changed the account.", "name: Awa & fils", "awa@example.com joined the team.", "The service invited awa@example.com.", "test-pro@example.com signed in.", "from 127.0.0.0/24"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in:\n%s", want, text)
			}
		}
		all := strings.Count(got.body, `class="soft when"`)
		for filter, want := range map[string]int{
			"action=account.": 2, "action=account.changed": 1, "actor=awa@example.com": 1, "actor=key": 0, "actor=system&action=member.": 1, "since=2026-03-05": 0, "until=2026-03-03": 0, "since=2026-03-04&until=2026-03-04": all,
		} {
			got := p.get("/dashboard/activity?" + filter)
			if n := strings.Count(got.body, `class="soft when"`); got.status != http.StatusOK || n != want || want == 0 && !strings.Contains(got.body, "No event matches") {
				t.Errorf("%s: %d, %d events, want %d", filter, got.status, n, want)
			}
		}
		for _, wrong := range []string{"actor=nobody", "action=Key", "since=x", "until=2026-02-30", "cursor=x"} {
			p.wants(p.get("/dashboard/activity?"+wrong), http.StatusBadRequest, "Activity")
		}
		for range 51 {
			if _, _, err := w.Directory.MakeKey(t.Context(), account.KeySpec{AccountID: w.Account.ID, Kind: account.Test}); err != nil {
				t.Fatal(err)
			}
		}
		first := p.get("/dashboard/activity?action=key.")
		older := html.UnescapeString(found(t, first, `rel="next" href="([^"]+)"`))
		second := p.get(older)
		if a, b := strings.Count(first.body, "created the API key"), strings.Count(second.body, "created the API key"); a != 50 || b != 2 || !strings.Contains(second.body, "First page") {
			t.Errorf("%d and %d events on the pages, want 50 and 2 and the way back", a, b)
		}
		w.Write(t, func(tx *db.Tx) error {
			_, err := tx.Exec(`INSERT INTO account_audit_events (id, account_id, at, actor, action, target) VALUES ('01KJWBG7G0ZZZZZZZZZZZZZZZZ', $1, 0, 'system', 'comet.seen', 'x')`, w.Account.ID)
			return err
		})
		p.wants(p.get("/dashboard/activity?action=comet."), http.StatusOK, "did “comet.seen”.")
	})
}

func TestTeam_AStaleFormOfAMemberIsShownAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		owner := w.signIn(ownerEmail)
		w.member("awa@example.com", account.RoleDeveloper)
		var projects []string
		for _, name := range []string{"Boutique", "Usine"} {
			p, err := w.Directory.CreateProject(t.Context(), w.Account.ID, name)
			if err != nil {
				t.Fatal(err)
			}
			projects = append(projects, p.ID)
		}
		const version = `name="version" value="([^"]+)"`
		members, err := w.Directory.Members(t.Context(), w.Account.ID)
		if err != nil || len(members) != 1 {
			t.Fatalf("%+v, %v", members, err)
		}
		at := "/dashboard/team/members/" + members[0].ID
		shown := found(t, owner.get(at), version)
		if _, _, _, err := w.Directory.ChangeMember(t.Context(), w.Account.ID, members[0].ID, account.Membership{Projects: projects[:1]}); err != nil {
			t.Fatal(err)
		}
		stale := owner.post(at, "version", shown, "role", "developer", "project", projects[1])
		for _, want := range []string{"These values changed after you opened the page.", "Saved in the meantime: Boutique", `value="` + projects[1] + `" checked`} {
			owner.wants(stale, http.StatusConflict, want)
		}
		has := func() []string {
			members, err := w.Directory.Members(t.Context(), w.Account.ID)
			if err != nil {
				t.Fatal(err)
			}
			return members[0].Projects
		}
		if got := has(); !slices.Equal(got, projects[:1]) {
			t.Errorf("the stale form was saved: %v", got)
		}
		owner.wants(owner.post(at, "version", found(t, stale, version), "role", "developer", "project", projects[1]), http.StatusSeeOther, "/dashboard/team?done=member_changed")
		owner.wants(owner.post(at, "version", shown, "role", "developer", "project", projects[1]), http.StatusSeeOther, "/dashboard/team?done=member_changed") // a double click
		if got := has(); !slices.Equal(got, projects[1:]) {
			t.Errorf("saved again: %v, want %v", got, projects[1:])
		}
	})
}
