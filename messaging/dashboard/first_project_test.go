package dashboard_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
)

var pageLink = regexp.MustCompile(`href="(/dashboard[^"]*)"`)

// The form for an invitation says what a developer of an account without projects finds, and so do the pages that the
// developer then opens. Each link on them opens a page.
func TestInvitation_OfADeveloperWithoutProjects(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	owner := w.SignIn(messagingtest.OwnerEmail)
	const first = `href="/dashboard/projects#new-project"`
	owner.Holds(owner.Get("/dashboard/team"), "The account has no projects yet.", first)
	w.Invite("next@example.com", account.RoleDeveloper)
	owner.Holds(owner.Get("/dashboard/team"), `<span class="clip soft">No project yet</span>`, "no All projects")

	dev := w.Member("dev@example.com", account.RoleDeveloper)
	for _, page := range []string{"/dashboard", "/dashboard?mode=test", "/dashboard/logs", "/dashboard/logs?mode=test"} {
		got := dev.Get(page)
		dev.Holds(got, "You see the messages of your projects", "#new-project", `no href="/dashboard/send`)
		for _, link := range pageLink.FindAllStringSubmatch(got.Body, -1) {
			if path, _, _ := strings.Cut(html.UnescapeString(link[1]), "#"); dev.Get(path).Status != http.StatusOK {
				t.Errorf("%s leads to %s, which doesn't open", page, path)
			}
		}
	}
	dev.Wants(dev.Get("/dashboard/send"), http.StatusSeeOther, "/dashboard/projects")
	dev.Holds(dev.Get("/dashboard/projects"), "No project yet", `id="new-project"`)

	dev.NewProject("Shop")
	dev.Holds(dev.Get("/dashboard"), "no You see the messages of your projects", `href="/dashboard/send"`)
	dev.Wants(dev.Get("/dashboard/send"), http.StatusOK, "Send a message")
	owner.Holds(owner.Get("/dashboard/team"), "no The account has no projects yet.", "All projects")
}
