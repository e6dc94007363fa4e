package dashboard_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web/webtest"
)

// found returns the group of a pattern's match in a page.
func found(t *testing.T, got *webtest.Page, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(got.Body)
	if m == nil {
		t.Fatalf("%d, no %s in:\n%s", got.Status, pattern, got.Body)
	}
	return m[1]
}

func TestTeam_InvitesChangesAndRemoves(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		owner := w.SignIn(messagingtest.OwnerEmail)
		shop, err := w.Directory.CreateProject(t.Context(), w.Account.ID, "Boutique <b>")
		if err != nil {
			t.Fatal(err)
		}
		factory, err := w.Directory.CreateProject(t.Context(), w.Account.ID, "Usine")
		if err != nil {
			t.Fatal(err)
		}
		both := []string{shop.ID, factory.ID}
		owner.Wants(owner.Get("/dashboard/team"), http.StatusOK, "There are no open invitations.")
		invite := func(pairs ...string) *webtest.Page { return owner.Post("/dashboard/team/invitations", pairs...) }
		owner.Wants(invite("email", "awa@example.com", "role", "developer", "project", shop.ID), http.StatusSeeOther, "/dashboard/team?done=invited")
		first, _ := w.Invitation("awa@example.com")
		for want, wrong := range map[string][]string{
			"This is not an email address.":                {"email", "awa", "role", "viewer"},
			"This address already belongs to the account.": {"email", messagingtest.OwnerEmail, "role", "viewer"},
			"Choose developer or viewer.":                  {"email", "eve@example.com", "role", "owner"},
			"One of these projects no longer exists.":      {"email", "eve@example.com", "role", "developer", "project", "none"},
		} {
			if got := invite(wrong...); got.Status < 400 || got.Status > 409 || !strings.Contains(got.Body, want) || !strings.Contains(got.Body, `value="`+wrong[1]+`"`) {
				t.Errorf("%v: %d, want %q and what was typed in:\n%s", wrong, got.Status, want, got.Body)
			}
		}
		invited := owner.Get("/dashboard/team?done=invited")
		owner.Wants(invited, http.StatusOK, "Invitation sent.")
		if !strings.Contains(invited.Body, "awa@example.com") || !strings.Contains(invited.Body, "Boutique &lt;b&gt;</span>") {
			t.Errorf("the invitation is not on the page:\n%s", invited.Body)
		}

		resend := found(t, invited, `action="(/dashboard/team/invitations/[^"]+/resend)"`)
		owner.Wants(owner.Post(resend), http.StatusSeeOther, "/dashboard/team?done=invitation_resent")
		if second, _ := w.Invitation("awa@example.com"); second == first {
			t.Error("the link of an invitation that was sent again is the one before")
		}
		owner.Wants(owner.Post(resend), http.StatusNotFound, "invitation_not_found") // the new one has another id
		awa := w.SignIn("awa@example.com")
		awa.Wants(awa.Post("/dashboard/invitation", "invitation", found(t, awa.Get("/dashboard/invitation"), `name="invitation" value="([^"]+)"`)), http.StatusSeeOther, "/dashboard?done=joined")

		joined := owner.Get("/dashboard/team")
		address := found(t, joined, `href="(/dashboard/team/members/[^"]+)"`)
		member := owner.Get(address)
		if n := strings.Count(member.Body, " checked"); member.Status != http.StatusOK || n != 1 {
			t.Errorf("%d, %d projects are chosen, want 1:\n%s", member.Status, n, member.Body)
		}
		owner.Wants(owner.Post(address, "role", "owner"), http.StatusBadRequest, "Choose developer or viewer.")
		owner.Wants(owner.Post(address, "role", "developer", "project", "none"), http.StatusNotFound, "One of these projects")
		owner.Wants(owner.Do(http.MethodPost, address, url.Values{"role": {"developer"}}), http.StatusSeeOther, "/dashboard/team?done=member_changed")
		owner.Wants(owner.Get("/dashboard/team"), http.StatusOK, "No project")
		owner.Wants(owner.Do(http.MethodPost, address, url.Values{"role": {"developer"}, "project": both}), http.StatusSeeOther, "/dashboard/team?done=member_changed")
		if n := strings.Count(owner.Get(address).Body, " checked"); n != 2 {
			t.Errorf("%d projects are chosen, want 2", n)
		}
		owner.Wants(owner.Do(http.MethodPost, address, url.Values{"role": {"developer", "viewer"}}), http.StatusBadRequest, "more than once")
		owner.Wants(owner.Post(address, "role", "viewer", "project", shop.ID), http.StatusSeeOther, "/dashboard/team?done=member_changed")
		awa.Wants(awa.Get("/dashboard/send"), http.StatusForbidden, "forbidden")
		owner.Wants(owner.Post(address+"/remove"), http.StatusSeeOther, "/dashboard/team?done=member_removed")
		owner.Wants(owner.Post(address+"/remove"), http.StatusNotFound, "member_not_found")
		awa.Wants(awa.Get("/dashboard/logs"), http.StatusSeeOther, "/dashboard/sign-in")

		owner.Wants(invite("email", "eve@example.com", "role", "viewer"), http.StatusSeeOther, "/dashboard/team?done=invited")
		withdraw := found(t, owner.Get("/dashboard/team"), `action="(/dashboard/team/invitations/[^"]+/withdraw)"`)
		owner.Wants(owner.Post(withdraw), http.StatusSeeOther, "/dashboard/team?done=invitation_withdrawn")
		owner.Wants(owner.Post(withdraw), http.StatusNotFound, "invitation_not_found")
		open, err := w.Directory.Invitations(t.Context(), w.Account.ID)
		if err != nil || len(open) != 0 {
			t.Errorf("%v, %v; want no invitation", open, err)
		}
		owner.Wants(owner.Do(http.MethodPost, "/dashboard/team/invitations", url.Values{"email": {"ada@example.com"}, "role": {"developer"}, "project": both}), http.StatusSeeOther, "/dashboard/team?done=invited")
	})
}

// The actions of the page require a recent code, like the API's routes. The page itself does not.
func TestTeam_ChangesTakeARecentCode(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	w.Clock.Advance(account.RecentCode)
	p.Wants(p.Get("/dashboard/team"), http.StatusOK, "Team")
	for _, path := range []string{"/dashboard/team/invitations", "/dashboard/team/invitations/none/resend", "/dashboard/team/members/none/remove"} {
		p.Wants(p.Post(path, "email", "eve@example.com", "role", "viewer"), http.StatusSeeOther, "/dashboard/confirm?next=%2Fdashboard%2Fteam")
	}
}

func TestActivity_TellsWhoDidWhat(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		w.Member("awa@example.com", account.RoleViewer)
		p.Post("/dashboard/settings", "name", "Awa & fils", "language", "fr", "timeZone", "UTC")
		project, err := w.Directory.CreateProject(t.Context(), w.Account.ID, "Boutique")
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.Directory.MakeKey(t.Context(), account.KeySpec{AccountID: w.Account.ID, Kind: account.ProjectKey, ProjectID: project.ID, Name: "Caisse"}); err != nil {
			t.Fatal(err)
		}
		got := p.Get("/dashboard/activity")
		text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(got.Body, ""))
		for _, want := range []string{"test-pro@example.com changed the account.", "Name: Awa & fils", "Language: French", "Role: viewer", "Project: Boutique", "Project key", "awa@example.com joined the team.", "The service invited awa@example.com.", "test-pro@example.com signed in.", "from 127.0.0.0/24"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in:\n%s", want, text)
			}
		}
		if raw := regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b|\b[a-zA-Z]+: (project|fr)\b`).FindString(text); raw != "" {
			t.Errorf("%q is for programs, in:\n%s", raw, text)
		}
		all := strings.Count(got.Body, `class="soft when"`)
		for filter, want := range map[string]int{
			"action=account.": 2, "action=account.changed": 1, "actor=awa@example.com": 1, "actor=key": 0, "actor=system&action=member.": 1, "since=2026-03-05": 0, "until=2026-03-03": 0, "since=2026-03-04&until=2026-03-04": all,
		} {
			got := p.Get("/dashboard/activity?" + filter)
			if n := strings.Count(got.Body, `class="soft when"`); got.Status != http.StatusOK || n != want || want == 0 && !strings.Contains(got.Body, "No event matches") {
				t.Errorf("%s: %d, %d events, want %d", filter, got.Status, n, want)
			}
		}
		for _, wrong := range []string{"actor=nobody", "action=Key", "since=x", "until=2026-02-30", "cursor=x"} {
			p.Wants(p.Get("/dashboard/activity?"+wrong), http.StatusBadRequest, "Activity")
		}
		for range 51 {
			if _, _, err := w.Directory.MakeKey(t.Context(), account.KeySpec{AccountID: w.Account.ID, Kind: account.Test}); err != nil {
				t.Fatal(err)
			}
		}
		first := p.Get("/dashboard/activity?action=key.")
		older := html.UnescapeString(found(t, first, `rel="next" href="([^"]+)"`))
		second := p.Get(older)
		if a, b := strings.Count(first.Body, "created the API key"), strings.Count(second.Body, "created the API key"); a != 50 || b != 3 || !strings.Contains(second.Body, "First page") {
			t.Errorf("%d and %d events on the pages, want 50 and 3 and the way back", a, b)
		}
		w.Exec(`INSERT INTO account_audit_events (id, account_id, at, actor, action, target) VALUES ('01KJWBG7G0ZZZZZZZZZZZZZZZZ', $1, 0, 'system', 'comet.seen', 'x')`, w.Account.ID)
		p.Wants(p.Get("/dashboard/activity?action=comet."), http.StatusOK, "did “comet.seen”.")
	})
}

// The operator has viewed a message, one that is now deleted, and one to a person who was erased.
func TestActivity_NamesMessagesInWords(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		looked := map[string]*message.Message{}
		for _, address := range []string{"22376000001", "22376000002", "22376000003"} {
			r := &message.Request{To: address, Address: address, Channel: gateway.SMS, Content: message.Content{Text: "a private text"}, Source: "api"}
			m := message.New(r, w.Account.ID, "", w.Clock.Now())
			w.Store(t, m)
			w.Write(t, func(tx *db.Tx) error {
				return audit.Record(tx, audit.New(t.Context(), w.Clock.Now(), w.Account.ID, audit.MessageViewed, m.ID))
			})
			looked[address] = m
		}
		w.Write(t, func(tx *db.Tx) error {
			if _, err := tx.Exec(`DELETE FROM messages WHERE id = $1`, looked["22376000002"].ID); err != nil {
				return err
			}
			_, err := tx.Exec(`UPDATE messages SET recipient = 'erased-0000abcd' WHERE id = $1`, looked["22376000003"].ID)
			return err
		})
		got := p.Get("/dashboard/activity?action=message.")
		page := html.UnescapeString(got.Body)
		for _, want := range []string{
			`<a href="/dashboard/messages/` + looked["22376000001"].ID + `">viewed the status of a message to ` + phone.Grouped("22376000001") + `, without its text.</a>`,
			`</strong> viewed the status of a message that is now deleted, without its text.</p>`,
			`a message to Erased person …abcd, without its text.`,
		} {
			if !strings.Contains(page, want) {
				t.Errorf("no %q in:\n%s", want, page)
			}
		}
		if text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, ""); strings.Contains(text, "msg_") || strings.Contains(text, "private") {
			t.Errorf("the page shows an identifier or a text:\n%s", text)
		}
	})
}

func TestTeam_AStaleFormOfAMemberIsShownAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		owner := w.SignIn(messagingtest.OwnerEmail)
		w.Member("awa@example.com", account.RoleDeveloper)
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
		shown := found(t, owner.Get(at), version)
		if _, _, _, err := w.Directory.ChangeMember(t.Context(), w.Account.ID, members[0].ID, account.Membership{Projects: projects[:1]}); err != nil {
			t.Fatal(err)
		}
		stale := owner.Post(at, "version", shown, "role", "developer", "project", projects[1])
		for _, want := range []string{"These values changed after you opened the page.", "Saved in the meantime: Boutique", `value="` + projects[1] + `" checked`} {
			owner.Wants(stale, http.StatusConflict, want)
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
		owner.Wants(owner.Post(at, "version", found(t, stale, version), "role", "developer", "project", projects[1]), http.StatusSeeOther, "/dashboard/team?done=member_changed")
		owner.Wants(owner.Post(at, "version", shown, "role", "developer", "project", projects[1]), http.StatusSeeOther, "/dashboard/team?done=member_changed") // a double click
		if got := has(); !slices.Equal(got, projects[1:]) {
			t.Errorf("saved again: %v, want %v", got, projects[1:])
		}
	})
}
