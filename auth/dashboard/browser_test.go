package dashboard_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/phone"
	"example.com/griot/web/webtest"
)

const hostile = `</title><script>alert(1)</script><img src=x onerror=alert(1)>`

// lived gives the tenant something to show on each page, with names that try to be more than text. It returns the pages' addresses.
func (s *site) lived() map[string]string {
	s.t.Helper()
	var at string
	for _, c := range []struct {
		name string
		typ  tenant.Type
		mode tenant.Mode
	}{{"Boutique Kalabash", tenant.Confidential, tenant.Test}, {hostile[:tenant.MaxName], tenant.Public, tenant.Live}, {"", tenant.Public, tenant.Test}} {
		made, _, err := s.Tenants.CreateNamedClient(context.Background(), s.Tenant.ID, c.name, c.typ, c.mode, []string{"https://app.example/callback/of/a/shop?with=a-long-address", "https://b.example/", "https://c.example/"})
		if err != nil {
			s.t.Fatal(err)
		}
		if at == "" {
			at = "/dashboard/clients/" + made.ID
		}
	}
	s.logins(30)
	s.setEndpoint("https://app.example/a/long/path/to/the/endpoint/of/a/shop")
	c := s.NewClient(s.t, tenant.Public, tenant.Live)
	person := s.proved(c, "22376543210", hostile)
	for i := range 5 {
		s.proved(c, phone.Number(fmt.Sprintf("2237654321%d", i+1)), []string{"Awa Traoré", "", "Seydou", "مريم", "A name that is as long as names may be, and says so"}[i])
	}
	event, err := s.endpoints().Ping(context.Background(), s.Tenant.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	for i, answer := range []string{"", "Come back later " + hostile} {
		s.Exec(s.t, "INSERT INTO tenant_hook_attempts (tenant_id, event_id, version, at, status, latency, answer, error) VALUES ($1, $2, $3, $4, $5, 31, $6, $7)",
			s.Tenant.ID, event, i, s.Clock.Now().UnixMilli(), []any{nil, 503}[i], answer, []string{"timeout", "status"}[i])
	}
	return map[string]string{
		"people": "/dashboard/people", "person": "/dashboard/people/" + person, "webhook": "/dashboard/webhook", "webhook-event": "/dashboard/webhook/events/" + event, "appearance": "/dashboard/appearance",
		"home": "/dashboard", "home-empty": "/dashboard?mode=TEST", "events": "/dashboard/events", "login": "/dashboard/events?login=" + s.lastLogin(), "no-events": "/dashboard/events?type=code.replayed", "clients": "/dashboard/clients", "client-new": "/dashboard/clients/new", "client": at,
	}
}

// signInBrowser signs a tab in by the form.
func (s *site) signInBrowser(tab *webtest.Tab) {
	s.t.Helper()
	tab.Do(chromedp.Navigate(s.url + "/dashboard"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#tenant"), s.Tenant.ID), chromedp.SendKeys(chromedp.CSS("#key"), s.key))
	tab.Click("main button[type=submit]")
	tab.WaitFor(webtest.Seen(".shell"))
}

func TestPages_InABrowser(t *testing.T) {
	t.Parallel()
	s := newSite(t, dbtest.SQLite(t))
	s.Exec(t, "UPDATE tenants SET name = $1", hostile)
	pages := s.lived()
	browser := webtest.NewBrowser(t)
	tab := webtest.Open(t, browser, "about:blank")
	tab.Look("sign-in", s.url+"/dashboard/sign-in")
	s.signInBrowser(tab)
	for name, path := range pages {
		tab.Look(name, s.url+path)
	}
}

// The main job of the clients' pages, by hand, with scripts and without.
func TestClients_InABrowser(t *testing.T) {
	t.Parallel()
	for scripts, width := range map[bool]int64{true: 360, false: 1280} {
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

// The main job of the pages about people, the webhook and the appearance, by hand, with scripts and without.
func TestPeopleWebhookAndAppearance_InABrowser(t *testing.T) {
	t.Parallel()
	for _, scripts := range []bool{true, false} {
		width := map[bool]int64{true: 1280, false: 360}[scripts]
		t.Run(fmt.Sprintf("scripts %v, %d pixels", scripts, width), func(t *testing.T) {
			s, r := newSite(t, dbtest.SQLite(t), loopback), newReceiver(t)
			authtest.Run(t, s.api.Run)
			tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
			if !scripts {
				tab.Do(webtest.WithoutScripts())
			}
			tab.Do(chromedp.EmulateViewport(width, 800), chromedp.Navigate(s.url+"/dashboard/sign-in?lang=en"))
			s.signInBrowser(tab)
			s.proved(s.NewClient(t, tenant.Public, tenant.Live), "22376543210", "Awa")

			tab.Do(chromedp.Navigate(s.url + "/dashboard/people"))
			tab.Do(chromedp.SendKeys(chromedp.CSS("#person"), "3210"))
			tab.Click(".finder button")
			tab.WaitFor(webtest.Seen(".wrong"))
			if scripts {
				tab.Axe("a number that was typed in part") // which is a script
			}
			tab.Do(chromedp.SetValue(chromedp.CSS("#person"), "+223 76 54 32 10"))
			tab.Click(".finder button")
			tab.WaitFor(webtest.Says("h1", "+223*****210"))
			tab.Click("a[href='#erase']")
			tab.WaitFor(webtest.Seen("#erase"))
			tab.Screenshot(fmt.Sprintf("person-erase-%d-scripts-%v", width, scripts))
			tab.Click("#erase button[type=submit]")
			tab.WaitFor(webtest.Says(".toast", "erased") + " && " + webtest.Says("main", "Nobody has signed in yet"))

			tab.Do(chromedp.Navigate(s.url + "/dashboard/webhook"))
			tab.WaitFor(webtest.Says("main", "No endpoint yet"))
			tab.Screenshot(fmt.Sprintf("webhook-empty-%d", width))
			s.setEndpoint(r.url)
			tab.Do(chromedp.Navigate(s.url + "/dashboard/webhook"))
			tab.Click("form[action$='/ping'] button")
			tab.WaitFor(webtest.Says("h1", "webhook.ping"))
			r.next(t)
			tab.Do(chromedp.Navigate(s.url + "/dashboard/webhook"))
			tab.Click("a[href='#rotate']")
			tab.Click("#rotate button[type=submit]")
			tab.WaitFor(webtest.Says("#secret", "whsec_"))
			if scripts {
				tab.Axe("with a secret")
			}
			tab.Screenshot(fmt.Sprintf("webhook-secret-%d", width))

			tab.Do(chromedp.Navigate(s.url + "/dashboard/appearance"))
			tab.Click("input[value=purple]")
			if scripts {
				tab.WaitFor(`document.querySelector(".look[data-theme=dark]").dataset.accent === "purple"`)
				tab.Do(chromedp.SendKeys(chromedp.CSS("#name"), "<i>"))
				tab.WaitFor(`document.querySelector("[data-name]").textContent.includes("<i>")`)
				tab.Axe("with a colour")
			}
			tab.Click("#appearance button[type=submit]")
			tab.WaitFor(webtest.Says(".toast", "Saved") + ` && document.readyState === "complete" && document.querySelector("input[value=purple]").checked && document.querySelector(".look").dataset.accent === "purple"`)
			tab.Screenshot(fmt.Sprintf("appearance-purple-%d", width))
			tab.Do(chromedp.Navigate(s.url + "/dashboard/people/x"))
			tab.WaitFor(webtest.Says("main", "Back to the dashboard"))
			tab.Fits("an error")
			tab.Screenshot(fmt.Sprintf("error-%d", width))
		})
	}
}
