package account_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/test/system/browsertest"
)

// looks opens a page in each view.
func looks(w *messagingtest.Site, tab *browsertest.Tab, name, path string) {
	w.T.Helper()
	tab.Look(name, w.URL+path)
}

// signInTab signs in with the forms in a tab.
func signInTab(w *messagingtest.Site, tab *browsertest.Tab, email string) {
	w.T.Helper()
	tab.Do(chromedp.Navigate(w.URL + "/dashboard/sign-in?lang=en"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#email"), email))
	tab.Click("main button[type=submit]")
	tab.WaitFor(browsertest.Seen("#code"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#code"), w.MailedCode(email)))
	tab.Click("main button[type=submit]")
	tab.WaitFor(browsertest.Seen(".shell"))
}

// An owner manages the account.
func TestAccountPages_InABrowser(t *testing.T) {
	t.Parallel()
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	signInTab(w, tab, messagingtest.OwnerEmail)
	for _, name := range []string{"Boutique Kalabash", "Usine de Kayes", "<b>Applications mobiles</b> pour l'Afrique de l'Ouest"} {
		if _, err := w.Directory.CreateProject(t.Context(), w.Account.ID, name); err != nil {
			t.Fatal(err)
		}
	}
	w.Member("aminata.ouedraogo.traore@boutique-kalabash.example.com", account.RoleDeveloper)
	w.Member("view@example.com", account.RoleViewer)
	looks(w, tab, "team", "/dashboard/team")
	tab.Do(chromedp.Navigate(w.URL + "/dashboard/team?lang=en&theme=light"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#email"), "fatou@example.com"))
	tab.Click("#invite button[type=submit]")
	tab.WaitFor(browsertest.Says(".toast", "Invitation sent"))
	looks(w, tab, "team-invited", "/dashboard/team?done=invited")
	address, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](`document.querySelector("a[href^='/dashboard/team/members/']").getAttribute("href")`))
	if err != nil {
		t.Fatal(err)
	}
	looks(w, tab, "team-member", address)
	tab.Do(chromedp.EmulateViewport(360, 800))
	tab.Click("a[href='#remove']")
	tab.WaitFor(browsertest.Seen("#remove"))
	tab.Screenshot("team-remove-360")
	tab.Click("#remove button[type=submit]")
	tab.WaitFor(browsertest.Says(".toast", "Member removed"))
	looks(w, tab, "activity", "/dashboard/activity")
	looks(w, tab, "activity-empty", "/dashboard/activity?actor=key")
	looks(w, tab, "settings", "/dashboard/settings")
	tab.Do(chromedp.SetValue(chromedp.CSS("#time-zone"), "Africa/Lagos"))
	tab.Click(".section:first-child button[type=submit]")
	tab.WaitFor(browsertest.Seen(".toast") + ` && document.querySelector("time").title.includes(" WAT · ")`)
	tab.Do(chromedp.Navigate(w.URL + "/dashboard/settings?lang=en&theme=light"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#close-name"), "Test"))
	tab.Click("form[action='/dashboard/settings/close'] button[type=submit]")
	tab.WaitFor(browsertest.Says(".note", "The account is closed."))
	tab.Screenshot("closed")
}

// A developer of an account without projects finds the way to the first one. An owner sees the country of a typed number
// before sending.
func TestFirstProject_InABrowser(t *testing.T) {
	t.Parallel()
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	w.Member("dev@example.com", account.RoleDeveloper)
	browser := browsertest.NewBrowser(t)
	tab := browsertest.Open(t, browser, "about:blank")
	signInTab(w, tab, "dev@example.com")
	looks(w, tab, "overview-no-project", "/dashboard")
	looks(w, tab, "logs-no-project", "/dashboard/logs")

	tab = browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	signInTab(w, tab, messagingtest.OwnerEmail)
	looks(w, tab, "team-no-project", "/dashboard/team")
	tab.Do(chromedp.EmulateViewport(360, 800), chromedp.Navigate(w.URL+"/dashboard/send?lang=en&theme=light"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#to"), "+22376000001"), chromedp.SendKeys(chromedp.CSS("#message"), "Bonjour"))
	tab.WaitFor(browsertest.Says("main", "Mali (+223)"))
	tab.Screenshot("send-preview-360")
}
