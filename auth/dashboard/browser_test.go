package dashboard_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"griot/auth/tenant"
	"griot/internal/db/dbtest"
	"griot/web/webtest"
)

const hostile = `</title><script>alert(1)</script><img src=x onerror=alert(1)>`

// lived gives the tenant something to show on each page, with names that try to be more than text. It returns the pages' addresses.
func (s *site) lived() map[string]string {
	s.t.Helper()
	by := tenant.Author{Actor: tenant.ActorTenant}
	var at string
	for _, c := range []struct {
		name string
		typ  tenant.Type
		mode tenant.Mode
	}{{"Boutique Kalabash", tenant.Confidential, tenant.Test}, {hostile[:tenant.MaxName], tenant.Public, tenant.Live}, {"", tenant.Public, tenant.Test}} {
		made, _, err := s.Tenants.CreateNamedClient(context.Background(), by, s.Tenant.ID, c.name, c.typ, c.mode, []string{"https://app.example/callback/of/a/shop?with=a-long-address", "https://b.example/", "https://c.example/"})
		if err != nil {
			s.t.Fatal(err)
		}
		if at == "" {
			at = "/dashboard/clients/" + made.ID
		}
	}
	s.logins(30)
	return map[string]string{"home": "/dashboard", "home-empty": "/dashboard?mode=TEST", "events": "/dashboard/events", "login": "/dashboard/events?login=" + s.lastLogin(), "no-events": "/dashboard/events?type=code.replayed", "clients": "/dashboard/clients", "client-new": "/dashboard/clients/new", "client": at}
}

// signInBrowser signs a tab in by the form.
func (s *site) signInBrowser(tab *webtest.Tab) {
	s.t.Helper()
	tab.Do(chromedp.Navigate(s.url + "/dashboard"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#tenant"), s.Tenant.ID), chromedp.SendKeys(chromedp.CSS("#key"), s.key))
	tab.Click("main button[type=submit]")
	tab.WaitFor(webtest.Seen(".shell"))
}

var untranslated = regexp.MustCompile(`\b(tenant|shell|component|layout)\.[a-z_]+\b`)

func TestPages_InABrowser(t *testing.T) {
	t.Parallel()
	s := newSite(t, dbtest.SQLite(t))
	s.Exec(t, "UPDATE tenants SET name = $1", hostile)
	pages := s.lived()
	browser := webtest.NewBrowser(t)
	look := func(tab *webtest.Tab, name, path string) {
		for _, c := range []struct {
			theme, lang string
			width       int64
		}{{"light", "fr", 360}, {"light", "en", 1280}, {"dark", "fr", 1280}, {"dark", "en", 360}} {
			what := fmt.Sprintf("%s-%d-%s-%s", name, c.width, c.theme, c.lang)
			tab.Do(chromedp.EmulateViewport(c.width, 800), chromedp.Navigate(s.url+path+map[bool]string{false: "?", true: "&"}[strings.Contains(path, "?")]+"theme="+c.theme+"&lang="+c.lang))
			tab.WaitFor(`document.readyState === "complete" && document.documentElement.lang === "` + c.lang + `" && document.documentElement.dataset.theme === "` + c.theme + `"`)
			text, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string]("document.title + ' ' + document.body.innerText"))
			if err != nil {
				t.Fatal(err)
			}
			if key := untranslated.FindString(text); key != "" {
				t.Errorf("%s shows the key %s", what, key)
			}
			tab.Axe(what)
			tab.Fits(what)
			tab.Screenshot(what)
		}
		tab.Do(chromedp.EmulateViewport(320, 700))
		tab.Fits(name + ", 320 pixels")
	}
	tab := webtest.Open(t, browser, "about:blank")
	look(tab, "sign-in", "/dashboard/sign-in")
	s.signInBrowser(tab)
	for name, path := range pages {
		look(tab, name, path)
	}
}

// The main job of the clients' pages, by hand, with scripts and without.
func TestClients_InABrowser(t *testing.T) {
	t.Parallel()
	for _, scripts := range []bool{true, false} {
		for _, width := range []int64{360, 1280} {
			t.Run(fmt.Sprintf("scripts %v, %d pixels", scripts, width), func(t *testing.T) {
				s := newSite(t, dbtest.SQLite(t))
				tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
				if !scripts {
					tab.Do(webtest.WithoutScripts())
				}
				tab.Do(chromedp.EmulateViewport(width, 800), chromedp.Navigate(s.url+"/dashboard?lang=en"))
				tab.Do(chromedp.Navigate(s.url + "/dashboard/sign-in?lang=en"))
				s.signInBrowser(tab)
				tab.Do(chromedp.Navigate(s.url + "/dashboard/clients"))
				tab.WaitFor(webtest.Says("h1", "Clients"))
				tab.Click(".empty .button")
				tab.WaitFor(webtest.Says("h1", "New client"))
				tab.Do(chromedp.SendKeys(chromedp.CSS("#name"), "Boutique"), chromedp.SendKeys(chromedp.CSS("#redirects"), "http://app.example/"))
				tab.Click("main button[type=submit]")
				tab.WaitFor(webtest.Seen(".wrong"))
				if scripts {
					tab.Axe("a form that was filled in wrongly") // which is a script
				}
				tab.Do(chromedp.SetValue(chromedp.CSS("#redirects"), "https://app.example/"))
				tab.Click("main button[type=submit]")
				tab.WaitFor(webtest.Seen("#secret"))
				secret, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](`document.getElementById("secret").textContent`))
				if err != nil || !secretForm.MatchString(secret) {
					t.Fatalf("the secret is %q, %v", secret, err)
				}
				if scripts {
					tab.Axe("with a secret") // which is a script
				}
				tab.Screenshot(fmt.Sprintf("client-secret-%d", width))
				tab.Click("a[href='#rotate']")
				tab.WaitFor(webtest.Seen("#rotate"))
				tab.Screenshot(fmt.Sprintf("client-rotate-%d-scripts-%v", width, scripts))
				tab.Click("#rotate button[type=submit]")
				tab.WaitFor(`document.getElementById("secret").textContent !== "` + secret + `" && ` + webtest.Says(".toast", "replaced"))
				tab.Click("a[href='#switch-off']")
				tab.Click("#switch-off button[type=submit]")
				tab.WaitFor(webtest.Says(".page-header", "Switch on") + ` && !document.getElementById("secret")`)
				list, err := s.Tenants.ListClients(context.Background(), s.Tenant.ID)
				if err != nil || len(list) != 1 || list[0].Active || strings.Join(list[0].RedirectURIs, " ") != "https://app.example/" || list[0].HasSecret(secret) {
					t.Errorf("stored %+v, %v", list, err)
				}
				if width == 360 {
					tab.Click(".bar-top .button")
				}
				tab.Click(".side-foot form button")
				tab.WaitFor(webtest.Seen("#tenant"))
			})
		}
	}
}
