package dashboard_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web/webtest"
)

func TestProjects_CreateRenameDelete(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Wants(p.Get("/dashboard/projects"), http.StatusOK, "No project yet")
		path := p.NewProject(" Boutique ")
		id := strings.TrimPrefix(path, "/dashboard/projects/")
		key := secret(t, p.Post("/dashboard/keys", "kind", "project", "projectId", id))
		for _, other := range []string{"", "none"} {
			got := p.Post("/dashboard/keys", "kind", "project", "projectId", other)
			p.Wants(got, got.Status, "Choose one of these projects.")
		}
		p.Send("to", "+22376000001", "channel", "sms", "message", "The account's own")
		if _, err := w.Directory.CreateKey(t.Context(), w.Account.ID, id, account.ProjectKey); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"", "  ", strings.Repeat("x", 101), "a\nb"} {
			p.Wants(p.Post(path, "name", name), http.StatusBadRequest, "Use 1 to 100 visible characters")
			p.Wants(p.Post("/dashboard/projects", "name", name), http.StatusBadRequest, "Use 1 to 100 visible characters")
		}
		const name = `<b>Site</b> & "co"`
		p.Wants(p.Post(path, "name", name), http.StatusSeeOther, path+"?done=project_renamed")
		shown := p.Get(path)
		p.Wants(shown, http.StatusOK, html.EscapeString(name))
		p.Wants(shown, http.StatusOK, `href="/dashboard/logs?project=`+id+`"`)
		p.Wants(shown, http.StatusOK, "Active keys that are revoked immediately: 2.")
		if strings.Contains(shown.Body, "<b>Site") {
			t.Errorf("a name is not text:\n%s", shown.Body)
		}
		logs := p.Get("/dashboard/logs?project=" + id)
		p.Wants(logs, http.StatusOK, `<option value="`+id+`" selected>`)
		p.Wants(p.Get("/dashboard/logs"), http.StatusOK, "The account&#39;s own")
		if strings.Contains(logs.Body, "The account") {
			t.Error("a project's log has a message that is not the project's")
		}
		p.Wants(p.Post(path+"/delete"), http.StatusSeeOther, "/dashboard/projects?done=project_deleted")
		if w.Opens(key) {
			t.Error("the key of a deleted project works")
		}
		p.Wants(p.Get(path), http.StatusNotFound, "project_not_found")
		p.Wants(p.Post(path+"/delete"), http.StatusNotFound, "project_not_found")
		p.Wants(p.Post(path, "name", "x"), http.StatusNotFound, "project_not_found")
		p.Wants(p.Get("/dashboard/logs?project="+id), http.StatusOK, `<option value="`+id+`" selected>`) // its messages stay
		p.Wants(p.Get("/dashboard/keys?show=ended"), http.StatusOK, "Deleted project")
	})
}

func TestProjects_ADeveloperHasTheirOwn(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	owner, developer := w.SignIn(messagingtest.OwnerEmail), w.Member("dev@example.com", account.RoleDeveloper)
	developer.Wants(developer.Get("/dashboard/keys/new"), http.StatusOK, "Create a project first")
	theirs, own := owner.NewProject("The owner's"), developer.NewProject("Site")
	list := developer.Get("/dashboard/projects")
	if !strings.Contains(list.Body, own) || strings.Contains(list.Body, theirs) {
		t.Errorf("a developer sees others' projects, or not theirs:\n%s", list.Body)
	}
	for _, got := range []*webtest.Page{developer.Get(theirs), developer.Post(theirs, "name", "Mine"), developer.Post(theirs + "/delete"), developer.Get("/dashboard/projects/none")} {
		developer.Wants(got, http.StatusNotFound, "project_not_found")
	}
	developer.Wants(developer.Post(own, "name", "Site 2"), http.StatusSeeOther, own+"?done=project_renamed")
	owner.Wants(owner.Get(theirs), http.StatusOK, "The owner")
}

// A form creates one project, even if it is sent repeatedly.
// Rules: M169.
func TestProjects_ADoubleClickMakesOne(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		id := regexp.MustCompile(`name="id" value="([0-9A-Z]{26})"`).FindStringSubmatch(p.Get("/dashboard/projects").Body)
		if id == nil {
			t.Fatal("no id in the form")
		}
		path := "/dashboard/projects/" + id[1]
		p.Twice(func() *webtest.Page { return p.Post("/dashboard/projects", "id", id[1], "name", "Boutique") }, http.StatusSeeOther, path+"?done=project_created")
		p.Wants(p.Post("/dashboard/projects", "id", id[1], "name", "Another"), http.StatusSeeOther, path)
		p.Wants(p.Get(path), http.StatusOK, "Boutique")
		if n, events := w.Int(t, `SELECT count(*) FROM projects`), w.Int(t, `SELECT count(*) FROM account_audit_events WHERE action = 'project.created'`); n != 1 || events != 1 {
			t.Errorf("%d projects and %d events, want one", n, events)
		}
		if _, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Other", Email: "other@example.com", Plan: "pro"}); err != nil {
			t.Fatal(err)
		}
		other := w.SignIn("other@example.com")
		other.Wants(other.Post("/dashboard/projects", "id", id[1], "name", "Mine"), http.StatusSeeOther, path)
		other.Wants(other.Get(path), http.StatusNotFound, "project_not_found")
		p.Wants(p.Post(path+"/delete"), http.StatusSeeOther, "/dashboard/projects")
		p.Wants(p.Post("/dashboard/projects", "id", id[1], "name", "Boutique"), http.StatusSeeOther, path)
		p.Wants(p.Get(path), http.StatusNotFound, "project_not_found")
	})
}
