package tenant_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/auth"
	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/test/system/browsertest"
)

// A tenant proves a domain, uses it for a client, and changes it, with scripts and without.
func TestDomains_InABrowser(t *testing.T) {
	t.Parallel()
	for scripts, width := range map[bool]int64{true: 360, false: 1280} {
		t.Run(fmt.Sprintf("scripts %v, %d pixels", scripts, width), func(t *testing.T) {
			dns := authtest.NewDNS(t)
			s := authtest.NewSite(t, dbtest.SQLite(t), func(o *auth.Options) { o.Resolver = dns.Resolver() })
			c := s.NewClient(t, tenant.Confidential, tenant.Live)
			tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
			if !scripts {
				tab.Do(browsertest.WithoutScripts())
			}
			tab.Do(chromedp.EmulateViewport(width, 800), chromedp.Navigate(s.URL+"/dashboard/sign-in?lang=en"))
			signInBrowser(s, tab)
			tab.Do(chromedp.Navigate(s.URL + "/dashboard/domains"))
			tab.Do(chromedp.SendKeys(chromedp.CSS("#domain"), "people.example.com"))
			tab.Click("main form[action='/dashboard/domains'] button")
			tab.WaitFor(browsertest.Says(".badge", "Not proven"))
			tab.Click("form[action$='/verify'] button")
			tab.WaitFor(browsertest.Says(".alert", "DNS has no TXT record"))
			if scripts {
				tab.Axe("a check that failed") // axe-core is a script
			}
			tab.Screenshot(fmt.Sprintf("domain-unproven-%d", width))
			found, err := s.Tenants.Domains(t.Context(), s.Tenant.ID)
			if err != nil || len(found) != 1 {
				t.Fatalf("%v, %v", found, err)
			}
			dns.Set(found[0].RecordName(), []string{found[0].RecordValue()})
			tab.Click("form[action$='/verify'] button")
			tab.WaitFor(browsertest.Says(".badge.good", "Proven"))
			tab.Do(chromedp.Navigate(s.URL + "/dashboard/clients/" + c.ID))
			save := "form[action$='/connect'] footer button"
			tab.Do(chromedp.SendKeys(chromedp.CSS("#email-domain"), "people.example.com"), chromedp.SetValue(chromedp.CSS("#email-verified"), "true"))
			tab.Click(save)
			tab.WaitFor(browsertest.Says(".toast", "Saved"))
			tab.Do(chromedp.SetValue(chromedp.CSS("#email-domain"), "other.example"), chromedp.SetValue(chromedp.CSS("#email-verified"), "false"))
			tab.Click(save)
			tab.WaitFor(browsertest.Seen("input[name=confirm]"))
			if scripts {
				tab.Axe("a form that asks") // axe-core is a script
			}
			tab.Screenshot(fmt.Sprintf("client-asks-%d", width))
			tab.Click("input[name=confirm]")
			tab.Click(save)
			tab.WaitFor(browsertest.Says(".toast", "Saved"))
			now, err := s.Tenants.OwnedClient(t.Context(), s.Tenant.ID, c.ID)
			if err != nil || now.Connect.EmailDomain != "other.example" {
				t.Errorf("stored %+v, %v", now, err)
			}
			tab.Do(chromedp.Navigate(s.URL + "/dashboard/domains"))
			tab.Click("a[href='#remove-people.example.com']")
			tab.Screenshot(fmt.Sprintf("domain-remove-%d", width))
			tab.Click("dialog form[action$='/remove'] button")
			tab.WaitFor(browsertest.Says(".empty", "No domains yet"))
		})
	}
}
