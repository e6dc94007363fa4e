package dashboard_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/web/webtest"
)

// looks opens a page in each view.
func (w *world) looks(tab *webtest.Tab, name, path string) {
	w.t.Helper()
	tab.Look(name, w.url+path)
}

// signInTab signs a tab in by the forms.
func (w *world) signInTab(tab *webtest.Tab, email string) {
	w.t.Helper()
	tab.Do(chromedp.Navigate(w.url + "/dashboard/sign-in?lang=en"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#email"), email))
	tab.Click("main button[type=submit]")
	tab.WaitFor(webtest.Seen("#code"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#code"), w.code(email)))
	tab.Click("main button[type=submit]")
	tab.WaitFor(webtest.Seen(".shell"))
}

// An owner looks after the account.
func TestAccountPages_InABrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	w.signInTab(tab, ownerEmail)
	for _, name := range []string{"Boutique Kalabash", "Usine de Kayes", "<b>Applications mobiles</b> pour l'Afrique de l'Ouest"} {
		if _, err := w.Directory.CreateProject(t.Context(), w.Account.ID, name); err != nil {
			t.Fatal(err)
		}
	}
	w.member("aminata.ouedraogo.traore@boutique-kalabash.example.com", account.RoleDeveloper)
	w.member("view@example.com", account.RoleViewer)
	w.looks(tab, "team", "/dashboard/team")
	tab.Do(chromedp.Navigate(w.url + "/dashboard/team?lang=en&theme=light"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#email"), "fatou@example.com"))
	tab.Click("#invite button[type=submit]")
	tab.WaitFor(webtest.Says(".toast", "Invitation sent"))
	w.looks(tab, "team-invited", "/dashboard/team?done=invited")
	address, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](`document.querySelector("a[href^='/dashboard/team/members/']").getAttribute("href")`))
	if err != nil {
		t.Fatal(err)
	}
	w.looks(tab, "team-member", address)
	tab.Do(chromedp.EmulateViewport(360, 800))
	tab.Click("a[href='#remove']")
	tab.WaitFor(webtest.Seen("#remove"))
	tab.Screenshot("team-remove-360")
	tab.Click("#remove button[type=submit]")
	tab.WaitFor(webtest.Says(".toast", "Member removed"))
	w.looks(tab, "activity", "/dashboard/activity")
	w.looks(tab, "activity-empty", "/dashboard/activity?actor=key")
	w.looks(tab, "settings", "/dashboard/settings")
	tab.Do(chromedp.SetValue(chromedp.CSS("#time-zone"), "Africa/Lagos"))
	tab.Click(".section:first-child button[type=submit]")
	tab.WaitFor(webtest.Seen(".toast") + ` && document.querySelector("time").title.includes("Africa/Lagos")`)
	tab.Do(chromedp.Navigate(w.url + "/dashboard/settings?lang=en&theme=light"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#close-name"), "Test"))
	tab.Click("form[action='/dashboard/settings/close'] button[type=submit]")
	tab.WaitFor(webtest.Says(".note", "The account is closed."))
	tab.Screenshot("closed")
}
