package account_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/gateway"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/test/system/browsertest"
)

// A session ends while a person writes. After the sign-in, the form contains the text, and its button sends it.
func TestUnsent_InABrowser(t *testing.T) {
	t.Parallel()
	for lang, says := range map[string][2]string{
		"en": {"Your session has ended. Nothing was sent.", "this form was not sent"},
		"fr": {"Votre session a pris fin. Rien n’a été envoyé.", "ce formulaire n’a pas été envoyé"},
	} {
		t.Run(lang, func(t *testing.T) {
			w := messagingtest.NewSite(t, dbtest.SQLite(t))
			in := gateway.Inbound{ID: "1", Channel: gateway.WhatsApp, From: "22376000001", To: messagingtest.WhatsApp, Text: "Bonjour", At: w.Clock.Now(), Gateway: "fake"}
			if err := w.Inbox.Receive(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
			tab.Do(browsertest.WithoutMotion())
			signInTab(w, tab, messagingtest.OwnerEmail)
			if lang == "fr" {
				tab.Do(browsertest.WithoutScripts())
			}
			for page, form := range map[string]struct{ path, text, button, to string }{
				"send":  {"/dashboard/send", "#message", "#send button[type=submit]", "+22376000002"},
				"reply": {w.Conversation("22376000001"), "#text", "#reply button[type=submit]", "+22376000001"},
			} {
				tab.Do(chromedp.Navigate(w.URL + form.path + "?theme=light&lang=" + lang))
				if page == "send" {
					tab.Do(chromedp.SendKeys(chromedp.CSS("#to"), form.to))
				}
				text := "À demain, " + page + " <" + lang + ">"
				tab.Do(chromedp.SendKeys(chromedp.CSS(form.text), text))
				w.Clock.Advance(account.SessionTime)
				tab.Click(form.button)
				tab.WaitFor(browsertest.Says("main .note", says[0]))
				for _, width := range []int64{360, 768, 1280} {
					tab.Do(chromedp.EmulateViewport(width, 800))
					what := fmt.Sprintf("unsent-%s-%s-%d", page, lang, width)
					if tab.Screenshot(what); lang == "en" {
						tab.Axe(what)
					}
					tab.Fits(what)
				}
				tab.Do(chromedp.SendKeys(chromedp.CSS("#email"), messagingtest.OwnerEmail))
				tab.Click("main form button[type=submit]")
				tab.WaitFor(browsertest.Seen("#code"))
				tab.Screenshot("unsent-code-" + lang)
				tab.Do(chromedp.SendKeys(chromedp.CSS("#code"), w.MailedCode(messagingtest.OwnerEmail)))
				tab.Click("main form button[type=submit]")
				tab.WaitFor(browsertest.Says("main .notice", says[1]))
				tab.WaitFor(fmt.Sprintf(`document.querySelector(%q).value === %q`, form.text, text))
				if n := w.Calls(strings.TrimPrefix(form.to, "+")) + w.Calls(form.to); n != 0 {
					t.Errorf("%s was sent %d times without a click", page, n)
				}
				for _, width := range []int64{360, 768, 1280} {
					tab.Do(chromedp.EmulateViewport(width, 800))
					what := fmt.Sprintf("filled-%s-%s-%d", page, lang, width)
					if tab.Screenshot(what); lang == "en" {
						tab.Axe(what)
						tab.WaitFor(fmt.Sprintf("location.pathname === %q", form.path)) // a script sets the page's URL
					}
					tab.Fits(what)
				}
				tab.Click(form.button)
				tab.WaitFor(`!document.querySelector(".notice") && document.body.innerText.includes("À demain")`)
			}
		})
	}
}

// With WhatsApp, and with any sign-in in another tab, the button in the first tab shows the form.
func TestUnsent_AfterASignInInAnotherTab(t *testing.T) {
	t.Parallel()
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	browser := browsertest.NewBrowser(t)
	tab := browsertest.Open(t, browser, "about:blank")
	signInTab(w, tab, messagingtest.OwnerEmail)
	tab.Do(chromedp.Navigate(w.URL + "/dashboard/send"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#message"), "Bonjour à tous"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#to"), "+22376000002"))
	w.Clock.Advance(account.SessionTime)
	tab.Click("#send button[type=submit]")
	tab.WaitFor(browsertest.Says("main .note", "Your session has ended"))
	second := browsertest.Open(t, browser, "about:blank")
	signInTab(w, second, messagingtest.OwnerEmail)
	tab.Click(`form[action="/dashboard/unsent"] button`)
	tab.WaitFor(`document.querySelector("#message").value === "Bonjour à tous"`)
}
