package operator_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/operator/operatortest"
	"example.com/griot/test/system/browsertest"
)

// The link that `griot admin open` prints opens the pages, and each looks as it must.
// It takes more than 10 seconds, because it examines each page of the operator with axe.
func TestPages_InABrowser(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	pages := s.Lived()
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	tab.Look("sign-in", s.Url+"/")
	tab.Do(chromedp.Navigate(s.Url + "/?next=%2Foperator#" + s.Link()))
	tab.WaitFor(browsertest.Seen(".shell") + ` && location.pathname === "/operator" && !location.hash`)
	for name, path := range pages {
		tab.Look(name, s.Url+path)
	}
	m := s.Waiting()
	s.Store(t, m)
	tab.Do(chromedp.EmulateViewport(360, 800), chromedp.Navigate(s.Url+"/operator/messages"), chromedp.SendKeys(chromedp.CSS("#id"), m.ID))
	tab.Click("main button[type=submit]")
	tab.WaitFor(browsertest.Says("main", "+223*****001"))
	tab.Axe("a message")
	tab.Fits("a message")
	tab.Screenshot("lookup-found")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(s.Url+pages["sender"]))
	tab.Click("form[action*='senders.pause'] button")
	tab.WaitFor(browsertest.Says(".toast", "The sender is paused.") + " && " + browsertest.Says("main", "Paused since"))
}

// Without scripts the link is pasted.
func TestOpen_WithoutScripts(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	link := s.Url + "/#" + s.Link()
	tab.Do(browsertest.WithoutScripts(), chromedp.Navigate(link), chromedp.SendKeys(chromedp.CSS("#token"), link))
	tab.Click("main button[type=submit]")
	tab.WaitFor(browsertest.Seen(".shell"))
}
