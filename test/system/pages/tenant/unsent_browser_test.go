package tenant_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/test/system/browsertest"
)

// A tenant's session ends while they fill in a client's form. After the sign-in, the form contains their text.
func TestUnsent_InABrowser(t *testing.T) {
	t.Parallel()
	for lang, says := range map[string][2]string{
		"en": {"Your session has ended. Nothing was sent.", "this form was not sent"},
		"fr": {"Votre session a pris fin. Rien n’a été envoyé.", "ce formulaire n’a pas été envoyé"},
	} {
		t.Run(lang, func(t *testing.T) {
			s := authtest.NewSite(t, dbtest.SQLite(t))
			tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
			tab.Do(browsertest.WithoutMotion())
			signInBrowser(s, tab)
			tab.Do(chromedp.Navigate(s.URL + "/dashboard/clients/new?theme=dark&lang=" + lang))
			tab.Do(chromedp.SendKeys(chromedp.CSS("#name"), "Boutique Kalabash"), chromedp.SendKeys(chromedp.CSS("#redirects"), "https://shop.example/callback"))
			s.Clock.Advance(tenant.DashboardTime)
			tab.Click("main button[type=submit]")
			tab.WaitFor(browsertest.Says("main .note", says[0]))
			tab.Fits("sign-in " + lang)
			tab.Axe("sign-in " + lang)
			tab.Screenshot("unsent-" + lang)
			tab.Do(chromedp.SendKeys(chromedp.CSS("#tenant"), s.Tenant.ID), chromedp.SendKeys(chromedp.CSS("#key"), s.InvitationKey))
			tab.Click("main form button[type=submit]")
			tab.WaitFor(browsertest.Says("main .notice", says[1]))
			tab.WaitFor(`document.querySelector("#redirects").value === "https://shop.example/callback"`)
			for _, width := range []int64{360, 768, 1280} {
				tab.Do(chromedp.EmulateViewport(width, 800))
				tab.Screenshot(fmt.Sprintf("filled-%s-%d", lang, width))
				tab.Fits("filled " + lang)
				tab.Axe("filled " + lang)
			}
			if n := s.Count(t, "SELECT count(*) FROM oauth_clients"); n != 0 {
				t.Errorf("%d clients were created without a click", n)
			}
			tab.Click("main form button[type=submit]")
			tab.WaitFor(`document.querySelector("h1").textContent.includes("Boutique Kalabash")`)
		})
	}
}
