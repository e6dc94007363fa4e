package dashboard_test

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
)

// newProject makes a project, and returns the address of its page.
func (p *person) newProject(name string) string {
	p.w.t.Helper()
	got := p.post("/dashboard/projects", "name", name)
	path, done, _ := strings.Cut(got.to, "?")
	if got.status != http.StatusSeeOther || done != "done=project_created" {
		p.w.t.Fatalf("making a project: %d to %q\n%s", got.status, got.to, got.body)
	}
	return path
}

func TestProjects_CreateRenameDelete(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		p := w.signIn(ownerEmail)
		p.wants(p.get("/dashboard/projects"), http.StatusOK, "No project yet")
		path := p.newProject(" Boutique ")
		id := strings.TrimPrefix(path, "/dashboard/projects/")
		key := secret(t, p.post("/dashboard/keys", "kind", "project", "projectId", id))
		for _, other := range []string{"", "none"} {
			got := p.post("/dashboard/keys", "kind", "project", "projectId", other)
			p.wants(got, got.status, "Choose one of these projects.")
		}
		p.send("to", "+22376000001", "channel", "sms", "message", "The account's own")
		if _, err := w.Directory.CreateKey(t.Context(), w.Account.ID, id, account.ProjectKey); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"", "  ", strings.Repeat("x", 101), "a\nb"} {
			p.wants(p.post(path, "name", name), http.StatusBadRequest, "A name has 1 to 100 visible characters")
			p.wants(p.post("/dashboard/projects", "name", name), http.StatusBadRequest, "A name has 1 to 100 visible characters")
		}
		const name = `<b>Site</b> & "co"`
		p.wants(p.post(path, "name", name), http.StatusSeeOther, path+"?done=project_renamed")
		shown := p.get(path)
		p.wants(shown, http.StatusOK, html.EscapeString(name))
		p.wants(shown, http.StatusOK, `href="/dashboard/logs?project=`+id+`"`)
		p.wants(shown, http.StatusOK, "Active keys that are revoked at once: 2.")
		if strings.Contains(shown.body, "<b>Site") {
			t.Errorf("a name is not text:\n%s", shown.body)
		}
		logs := p.get("/dashboard/logs?project=" + id)
		p.wants(logs, http.StatusOK, `<option value="`+id+`" selected>`)
		p.wants(p.get("/dashboard/logs"), http.StatusOK, "The account&#39;s own")
		if strings.Contains(logs.body, "The account") {
			t.Error("a project's log has a message that is not the project's")
		}
		p.wants(p.post(path+"/delete"), http.StatusSeeOther, "/dashboard/projects?done=project_deleted")
		if w.opens(key) {
			t.Error("the key of a deleted project works")
		}
		p.wants(p.get(path), http.StatusNotFound, "project_not_found")
		p.wants(p.post(path+"/delete"), http.StatusNotFound, "project_not_found")
		p.wants(p.post(path, "name", "x"), http.StatusNotFound, "project_not_found")
		p.wants(p.get("/dashboard/logs?project="+id), http.StatusOK, `<option value="`+id+`" selected>`) // its messages stay
		p.wants(p.get("/dashboard/keys?show=ended"), http.StatusOK, "Deleted project")
	})
}

func TestProjects_ADeveloperHasTheirOwn(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	owner, developer := w.signIn(ownerEmail), w.member("dev@example.com", account.RoleDeveloper)
	developer.wants(developer.get("/dashboard/keys/new"), http.StatusOK, "Create a project first")
	theirs, own := owner.newProject("The owner's"), developer.newProject("Site")
	list := developer.get("/dashboard/projects")
	if !strings.Contains(list.body, own) || strings.Contains(list.body, theirs) {
		t.Errorf("a developer sees others' projects, or not theirs:\n%s", list.body)
	}
	for _, got := range []*page{developer.get(theirs), developer.post(theirs, "name", "Mine"), developer.post(theirs + "/delete"), developer.get("/dashboard/projects/none")} {
		developer.wants(got, http.StatusNotFound, "project_not_found")
	}
	developer.wants(developer.post(own, "name", "Site 2"), http.StatusSeeOther, own+"?done=project_renamed")
	owner.wants(owner.get(theirs), http.StatusOK, "The owner")
}
