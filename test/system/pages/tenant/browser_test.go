package tenant_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/browsertest"
)

// signInBrowser signs in with the form in a tab.
func signInBrowser(s *authtest.Site, tab *browsertest.Tab) {
	s.T.Helper()
	tab.Do(chromedp.Navigate(s.URL + "/dashboard"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#tenant"), s.Tenant.ID), chromedp.SendKeys(chromedp.CSS("#key"), s.InvitationKey))
	tab.Click("main button[type=submit]")
	tab.WaitFor(browsertest.Seen(".shell"))
}

// A tenant signs in with an invitation key, and opens each page of the dashboard.
func TestPages_InABrowser(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	s.Exec(t, "UPDATE tenants SET name = $1", authtest.Hostile)
	pages := s.Lived()
	browser := browsertest.NewBrowser(t)
	tab := browsertest.Open(t, browser, "about:blank")
	tab.Look("sign-in", s.URL+"/dashboard/sign-in")
	signInBrowser(s, tab)
	for name, path := range pages {
		tab.Look(name, s.URL+path)
	}
}

// The main task of the clients' pages, manually, with scripts and without.
func TestClients_InABrowser(t *testing.T) {
	t.Parallel()
	for scripts, width := range map[bool]int64{true: 360, false: 1280} {
		t.Run(fmt.Sprintf("scripts %v, %d pixels", scripts, width), func(t *testing.T) {
			s := authtest.NewSite(t, dbtest.SQLite(t))
			tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
			if !scripts {
				tab.Do(browsertest.WithoutScripts())
			}
			tab.Do(chromedp.EmulateViewport(width, 800), chromedp.Navigate(s.URL+"/dashboard?lang=en"))
			tab.Do(chromedp.Navigate(s.URL + "/dashboard/sign-in?lang=en"))
			signInBrowser(s, tab)
			tab.Do(chromedp.Navigate(s.URL + "/dashboard/clients"))
			tab.WaitFor(browsertest.Says("h1", "Clients"))
			tab.Click(".empty .button")
			tab.WaitFor(browsertest.Says("h1", "New client"))
			tab.Do(chromedp.SendKeys(chromedp.CSS("#name"), "Boutique"), chromedp.SendKeys(chromedp.CSS("#redirects"), "http://app.example/"))
			tab.Click("main button[type=submit]")
			tab.WaitFor(browsertest.Seen(".wrong"))
			if scripts {
				tab.Axe("a form that was filled in wrongly") // axe-core is a script
			}
			tab.Do(chromedp.SetValue(chromedp.CSS("#redirects"), "https://app.example/"))
			tab.Click("main button[type=submit]")
			tab.WaitFor(browsertest.Seen("#secret"))
			secret, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](`document.getElementById("secret").textContent`))
			if err != nil || !authtest.SecretForm.MatchString(secret) {
				t.Fatalf("the secret is %q, %v", secret, err)
			}
			if scripts {
				tab.Axe("with a secret") // axe-core is a script
			}
			tab.Screenshot(fmt.Sprintf("client-secret-%d", width))
			tab.Click("a[href='#rotate']")
			tab.WaitFor(browsertest.Seen("#rotate"))
			tab.Screenshot(fmt.Sprintf("client-rotate-%d-scripts-%v", width, scripts))
			tab.Click("#rotate button[type=submit]")
			tab.WaitFor(`document.getElementById("secret").textContent !== "` + secret + `" && ` + browsertest.Says(".toast", "replaced"))
			tab.Click("a[href='#switch-off']")
			tab.Click("#switch-off button[type=submit]")
			tab.WaitFor(browsertest.Says(".page-header", "Enable the client") + ` && !document.getElementById("secret")`)
			list, err := s.Tenants.ListClients(context.Background(), s.Tenant.ID)
			if err != nil || len(list) != 1 || list[0].Active || strings.Join(list[0].RedirectURIs, " ") != "https://app.example/" || list[0].HasSecret(secret) {
				t.Errorf("stored %+v, %v", list, err)
			}
			if width == 360 {
				tab.Click(".bar-top .button")
			}
			tab.Click(".side-foot form button")
			tab.WaitFor(browsertest.Seen("#tenant"))
		})
	}
}

// The main task of the pages about people, the webhook, and the appearance, manually, with scripts and without.
func TestPeopleWebhookAndAppearance_InABrowser(t *testing.T) {
	t.Parallel()
	for _, scripts := range []bool{true, false} {
		width := map[bool]int64{true: 1280, false: 360}[scripts]
		t.Run(fmt.Sprintf("scripts %v, %d pixels", scripts, width), func(t *testing.T) {
			s, r := authtest.NewSite(t, dbtest.SQLite(t), authtest.Loopback), authtest.NewReceiver(t)
			waittest.Run(t, s.Run)
			tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
			if !scripts {
				tab.Do(browsertest.WithoutScripts())
			}
			tab.Do(chromedp.EmulateViewport(width, 800), chromedp.Navigate(s.URL+"/dashboard/sign-in?lang=en"))
			signInBrowser(s, tab)
			s.Proved(s.NewClient(t, tenant.Public, tenant.Live), "22376543210", "Awa")

			tab.Do(chromedp.Navigate(s.URL + "/dashboard/people"))
			tab.Do(chromedp.SendKeys(chromedp.CSS("#person"), "3210"))
			tab.Click(".finder button")
			tab.WaitFor(browsertest.Seen(".wrong"))
			if scripts {
				tab.Axe("a number that was typed in part") // axe-core is a script
			}
			tab.Do(chromedp.SetValue(chromedp.CSS("#person"), "+223 76 54 32 10"))
			tab.Click(".finder button")
			tab.WaitFor(browsertest.Says("h1", "+223*****210"))
			tab.Click("a[href='#erase']")
			tab.WaitFor(browsertest.Seen("#erase"))
			tab.Screenshot(fmt.Sprintf("person-erase-%d-scripts-%v", width, scripts))
			tab.Click("#erase button[type=submit]")
			tab.WaitFor(browsertest.Says(".toast", "erased") + " && " + browsertest.Says("main", "No one has signed in yet"))

			tab.Do(chromedp.Navigate(s.URL + "/dashboard/webhook"))
			tab.WaitFor(browsertest.Says("main", "No endpoint yet"))
			tab.Screenshot(fmt.Sprintf("webhook-empty-%d", width))
			s.SetEndpoint(r.URL)
			tab.Do(chromedp.Navigate(s.URL + "/dashboard/webhook"))
			tab.Click("form[action$='/ping'] button")
			tab.WaitFor(browsertest.Says("h1", "webhook.ping"))
			r.Next(t)
			tab.Do(chromedp.Navigate(s.URL + "/dashboard/webhook"))
			tab.Click("a[href='#rotate']")
			tab.Click("#rotate button[type=submit]")
			tab.WaitFor(browsertest.Says("#secret", "whsec_"))
			if scripts {
				tab.Axe("with a secret")
			}
			tab.Screenshot(fmt.Sprintf("webhook-secret-%d", width))

			tab.Do(chromedp.Navigate(s.URL + "/dashboard/appearance"))
			tab.Click("input[value=purple]")
			if scripts {
				tab.WaitFor(`document.querySelector(".look[data-theme=dark]").dataset.accent === "purple"`)
				tab.Do(chromedp.SendKeys(chromedp.CSS("#name"), "<i>"))
				tab.WaitFor(`document.querySelector("[data-name]").textContent.includes("<i>")`)
				tab.Axe("with a color")
			}
			tab.Click("#appearance button[type=submit]")
			tab.WaitFor(browsertest.Says(".toast", "Saved") + ` && document.readyState === "complete" && document.querySelector("input[value=purple]").checked && document.querySelector(".look").dataset.accent === "purple"`)
			tab.Screenshot(fmt.Sprintf("appearance-purple-%d", width))
			tab.Do(chromedp.Navigate(s.URL + "/dashboard/people/x"))
			tab.WaitFor(browsertest.Says("main", "Back to the dashboard"))
			tab.Fits("an error")
			tab.Screenshot(fmt.Sprintf("error-%d", width))
		})
	}
}
