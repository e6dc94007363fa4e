package account_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/test/system/browsertest"
)

// newKey creates a key with the form, and checks the page that shows it.
func newKey(w *messagingtest.Site, tab *browsertest.Tab, name, theme, lang string, width int64) {
	w.T.Helper()
	tab.Do(chromedp.EmulateViewport(width, 800), chromedp.Navigate(w.URL+"/dashboard/keys/new?theme="+theme+"&lang="+lang))
	tab.WaitFor(browsertest.Seen("#new-key") + ` && document.documentElement.lang === "` + lang + `"`)
	tab.WaitFor(`!` + browsertest.Seen("#project"))
	tab.Click(`[value="project"]`)
	tab.WaitFor(browsertest.Seen("#project"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#name"), name))
	tab.Screenshot(fmt.Sprintf("key-new-filled-%d-%s-%s", width, theme, lang))
	tab.Click("#new-key button[type=submit]")
	tab.WaitFor(browsertest.Seen("#secret"))
	looksAsItIs(w, tab, fmt.Sprintf("key-secret-%d-%s-%s", width, theme, lang))
	tab.WaitFor(browsertest.Seen(`[data-copy="secret"]`) + ` && /^svc_proj_\w{38}$/.test(document.querySelector("#secret").textContent)`)
}

// looksAsItIs checks a page that has no address.
func looksAsItIs(w *messagingtest.Site, tab *browsertest.Tab, what string) {
	w.T.Helper()
	tab.Axe(what)
	tab.Fits(what)
	tab.Screenshot(what)
}

// An owner creates a project and a key, replaces the key, and revokes it after entering another code.
func TestKeys_InABrowser(t *testing.T) {
	t.Parallel()
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	signInTab(w, tab, messagingtest.OwnerEmail)
	looks(w, tab, "projects-empty", "/dashboard/projects")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+"/dashboard/projects?lang=en"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#name"), "Boutique Kalabash"))
	tab.Click("#new-project button[type=submit]")
	tab.WaitFor(browsertest.Says(".toast", "Project created."))
	for _, name := range []string{"Applications mobiles pour l’Afrique de l’Ouest", "<b>Usine</b>"} {
		if _, err := w.Directory.CreateProject(t.Context(), w.Account.ID, name); err != nil {
			t.Fatal(err)
		}
	}
	looks(w, tab, "key-new", "/dashboard/keys/new")
	newKey(w, tab, "Caisse, production", "light", "fr", 360)
	newKey(w, tab, "Checkout", "dark", "en", 1280)
	w.Clock.Advance(forms.RepeatTime) // until then, the form shows its key again
	tab.Do(chromedp.Reload())
	tab.WaitFor(`location.pathname.startsWith("/dashboard/keys/") && !document.querySelector("#secret")`) // the form created its key
	if _, _, err := w.Directory.MakeKey(t.Context(), account.KeySpec{AccountID: w.Account.ID, Kind: account.Test, Name: "Intégration continue du site de démonstration"}); err != nil {
		t.Fatal(err)
	}
	looks(w, tab, "keys", "/dashboard/keys")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+"/dashboard/keys?lang=en"))
	path := messagingtest.KeyPath(t, w.SignIn(messagingtest.OwnerEmail).Get("/dashboard/keys"), "Checkout")
	looks(w, tab, "key", path)
	tab.Do(chromedp.EmulateViewport(360, 800), chromedp.Navigate(w.URL+path+"?lang=en&theme=light"))
	tab.WaitFor(browsertest.Seen("#rotate"))
	tab.Click("#rotate button[type=submit]")
	tab.WaitFor(browsertest.Seen("#secret"))
	looksAsItIs(w, tab, "key-rotated-360-light-en")
	looks(w, tab, "key-ending", path)
	project, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](`new URLSearchParams(document.querySelector(".pairs a").search).get("project")`))
	if err != nil {
		t.Fatal(err)
	}
	live, _, err := w.Directory.MakeKey(t.Context(), account.KeySpec{AccountID: w.Account.ID, Kind: account.Live, Name: "Assistant"})
	if err != nil {
		t.Fatal(err)
	}
	looks(w, tab, "key-tools", "/dashboard/keys/"+live.ID)
	tab.Do(chromedp.EmulateViewport(360, 800), chromedp.Navigate(w.URL+"/dashboard/keys/"+live.ID+"?lang=en&theme=light"))
	tab.Click(`#tools [value="search"]`)
	tab.Click(`#tools [value="send"]`)
	looksAsItIs(w, tab, "key-tools-chosen-360-light-en")
	tab.Click("#tools button[type=submit]")
	tab.WaitFor(browsertest.Says(".toast", "Tools saved.") + ` && document.querySelectorAll("#tools :checked").length === 2`)
	looks(w, tab, "projects", "/dashboard/projects")
	looks(w, tab, "project", "/dashboard/projects/"+project)

	w.Clock.Advance(account.RecentCode + time.Minute)
	tab.Do(browsertest.WithoutScripts(), chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+path+"?lang=en&theme=light"))
	tab.Click(`a[href="#revoke"]`)
	tab.WaitFor(browsertest.Seen("#revoke"))
	tab.Screenshot("key-revoke-1280")
	tab.Click("#revoke button[type=submit]")
	tab.WaitFor(`location.pathname === "/dashboard/confirm"`)
	tab.Screenshot("confirm-1280")
	tab.Click("main button[type=submit]")
	tab.WaitFor(browsertest.Seen("#code"))
	tab.Screenshot("confirm-code-1280")
	tab.Do(chromedp.SendKeys(chromedp.CSS("#code"), w.MailedCode(messagingtest.OwnerEmail)))
	tab.Click("main button[type=submit]")
	tab.WaitFor(browsertest.Says(".notice", "Now repeat what you were doing"))
	tab.Screenshot("key-confirmed-1280")
	tab.Click(`a[href="#revoke"]`)
	tab.Click("#revoke button[type=submit]")
	tab.WaitFor(browsertest.Says(".toast", "Key revoked."))
}

func TestConfirm_InABrowser(t *testing.T) {
	t.Parallel()
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	signInTab(w, tab, messagingtest.OwnerEmail)
	w.Clock.Advance(account.RecentCode + time.Minute)
	looks(w, tab, "confirm", "/dashboard/confirm?next=%2Fdashboard%2Fkeys")
	looks(w, tab, "confirm-code", "/dashboard/confirm/code?next=%2Fdashboard%2Fkeys")
}
