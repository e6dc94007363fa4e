package dashboard_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/web/webtest"
)

// newKey makes a key by the form, and looks at the page that shows it.
func (w *world) newKey(tab *webtest.Tab, name, theme, lang string, width int64) {
	w.t.Helper()
	tab.Do(chromedp.EmulateViewport(width, 800), chromedp.Navigate(w.url+"/dashboard/keys/new?theme="+theme+"&lang="+lang))
	tab.WaitFor(webtest.Seen("#new-key") + ` && document.documentElement.lang === "` + lang + `"`)
	tab.WaitFor(`!` + webtest.Seen("#project"))
	tab.Click(`[value="project"]`)
	tab.WaitFor(webtest.Seen("#project"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#name"), name))
	tab.Screenshot(fmt.Sprintf("key-new-filled-%d-%s-%s", width, theme, lang))
	tab.Click("#new-key button[type=submit]")
	tab.WaitFor(webtest.Seen("#secret"))
	w.looksAsItIs(tab, fmt.Sprintf("key-secret-%d-%s-%s", width, theme, lang))
	tab.WaitFor(webtest.Seen(`[data-copy="secret"]`) + ` && /^svc_proj_\w{38}$/.test(document.querySelector("#secret").textContent)`)
}

// looksAsItIs looks at a page that has no address.
func (w *world) looksAsItIs(tab *webtest.Tab, what string) {
	w.t.Helper()
	tab.Axe(what)
	tab.Fits(what)
	tab.Screenshot(what)
}

// An owner makes a project and a key, replaces the key, and revokes it after giving another code.
func TestKeys_InABrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	w.signInTab(tab, ownerEmail)
	w.looks(tab, "projects-empty", "/dashboard/projects")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.url+"/dashboard/projects?lang=en"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#name"), "Boutique Kalabash"))
	tab.Click("#new-project button[type=submit]")
	tab.WaitFor(webtest.Says(".toast", "Project created."))
	for _, name := range []string{"Applications mobiles pour l’Afrique de l’Ouest", "<b>Usine</b>"} {
		if _, err := w.Directory.CreateProject(t.Context(), w.Account.ID, name); err != nil {
			t.Fatal(err)
		}
	}
	w.looks(tab, "key-new", "/dashboard/keys/new")
	w.newKey(tab, "Caisse, production", "light", "fr", 360)
	w.newKey(tab, "Checkout", "dark", "en", 1280)
	tab.Do(chromedp.Reload())
	tab.WaitFor(`location.pathname.startsWith("/dashboard/keys/") && !document.querySelector("#secret")`) // the form made its key
	if _, _, err := w.Directory.MakeKey(t.Context(), account.KeySpec{AccountID: w.Account.ID, Kind: account.Test, Name: "Intégration continue du site de démonstration"}); err != nil {
		t.Fatal(err)
	}
	w.looks(tab, "keys", "/dashboard/keys")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.url+"/dashboard/keys?lang=en"))
	path := keyPath(t, w.signIn(ownerEmail).get("/dashboard/keys"), "Checkout")
	w.looks(tab, "key", path)
	tab.Do(chromedp.EmulateViewport(360, 800), chromedp.Navigate(w.url+path+"?lang=en&theme=light"))
	tab.WaitFor(webtest.Seen("#rotate"))
	tab.Click("#rotate button[type=submit]")
	tab.WaitFor(webtest.Seen("#secret"))
	w.looksAsItIs(tab, "key-rotated-360-light-en")
	w.looks(tab, "key-ending", path)
	project, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](`new URLSearchParams(document.querySelector(".pairs a").search).get("project")`))
	if err != nil {
		t.Fatal(err)
	}
	w.looks(tab, "projects", "/dashboard/projects")
	w.looks(tab, "project", "/dashboard/projects/"+project)

	w.Clock.Advance(account.RecentCode + time.Minute)
	tab.Do(webtest.WithoutScripts(), chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.url+path+"?lang=en&theme=light"))
	tab.Click(`a[href="#revoke"]`)
	tab.WaitFor(webtest.Seen("#revoke"))
	tab.Screenshot("key-revoke-1280")
	tab.Click("#revoke button[type=submit]")
	tab.WaitFor(`location.pathname === "/dashboard/confirm"`)
	tab.Screenshot("confirm-1280")
	tab.Click("main button[type=submit]")
	tab.WaitFor(webtest.Seen("#code"))
	tab.Screenshot("confirm-code-1280")
	tab.Do(chromedp.SendKeys(chromedp.CSS("#code"), w.code(ownerEmail)))
	tab.Click("main button[type=submit]")
	tab.WaitFor(webtest.Says(".notice", "has not been done yet"))
	tab.Screenshot("key-confirmed-1280")
	tab.Click(`a[href="#revoke"]`)
	tab.Click("#revoke button[type=submit]")
	tab.WaitFor(webtest.Says(".toast", "Key revoked."))
}

func TestConfirm_InABrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	w.signInTab(tab, ownerEmail)
	w.Clock.Advance(account.RecentCode + time.Minute)
	w.looks(tab, "confirm", "/dashboard/confirm?next=%2Fdashboard%2Fkeys")
	w.looks(tab, "confirm-code", "/dashboard/confirm/code?next=%2Fdashboard%2Fkeys")
}
