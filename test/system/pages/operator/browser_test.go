package operator_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/doctor"
	"example.com/griot/messaging/audit"
	"example.com/griot/operator/operatortest"
	"example.com/griot/test/system/browsertest"
)

// The link that `griot admin open` prints opens the pages, and each passes its checks.
// It takes more than 10 seconds, because it examines each page of the operator with axe.
func TestPages_InABrowser(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	pages := s.Lived()
	s.Findings = []doctor.Finding{
		{Check: "server", Status: doctor.OK, Text: "version v1.2.3 responds"},
		{Check: "permissions", Subject: "/etc/griot/a-directory-with-a-long-name-of-forty-letters/griot.yaml", Status: doctor.Warning, Text: "everyone can read it", Hint: "chmod 600 /etc/griot/a-directory-with-a-long-name-of-forty-letters/griot.yaml"},
		{Check: "gateways", Subject: "fake", Status: doctor.Failed, Text: "it doesn't accept the configured credentials", Hint: "set the current password or key", Page: "gateways/fake"},
	}
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	tab.Look("sign-in", s.URL+"/")
	tab.Do(chromedp.Navigate(s.URL + "/?next=%2Foperator#" + s.Link()))
	tab.WaitFor(browsertest.Seen(".shell") + ` && location.pathname === "/operator" && !location.hash`)
	for name, path := range pages {
		tab.Look(name, s.URL+path)
	}
	m := s.Waiting()
	s.Store(t, m)
	tab.Do(chromedp.EmulateViewport(360, 800), chromedp.Navigate(s.URL+"/operator/messages"), chromedp.SendKeys(chromedp.CSS("#id"), m.ID))
	tab.Click("main button[type=submit]")
	tab.WaitFor(browsertest.Says("main", "+223*****001"))
	tab.Axe("a message")
	tab.Fits("a message")
	tab.Screenshot("lookup-found")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(s.URL+pages["sender"]))
	tab.Click("form[action*='senders.pause'] button")
	tab.WaitFor(browsertest.Says(".toast", "The sender is paused.") + " && " + browsertest.Says("main", "Paused since"))
}

// An operator adds a gateway with one form, which tests it first, gives a new account a sender on it, and sends a test
// message.
func TestGateway_IsAddedWithOneForm(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewBrowser(t)
	for lang, say := range map[string]struct{ kind, tested, open, account, sender, accepted string }{
		"en": {"Email by a mail server", "It responds and accepts the credentials.", "Open", "The account is ready.", "The sender is ready.", "The provider has accepted the message."},
		"fr": {"E-mail par un serveur de messagerie", "Elle répond, et accepte les identifiants.", "Ouverte", "Le compte est prêt.", "L’expéditeur est prêt.", "Le fournisseur a accepté le message."},
	} {
		s := operatortest.NewSite(t, dbtest.SQLite(t))
		tab := browsertest.Open(t, browser, s.URL+"/?next=%2Foperator%2Fgateways#"+s.Link())
		tab.WaitFor(browsertest.Seen(".shell"))
		tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(s.URL+"/operator/gateways?lang="+lang))
		tab.Click(`a[href="/operator/do/gateways.add"]`)
		tab.WaitFor(browsertest.Says("main", say.kind))
		tab.Screenshot("gateway-kinds-" + lang)
		tab.Click(`a[href$="kind=smtp"]`)
		tab.WaitFor(browsertest.Seen("#settings-host") + ` && document.activeElement.id === "name"`)
		fill := func(pairs ...string) {
			for i := 0; i < len(pairs); i += 2 {
				tab.Do(chromedp.SendKeys(chromedp.CSS("#"+pairs[i]), pairs[i+1]))
			}
		}
		fill("name", "mail", "settings-host", "127.0.0.1", "settings-port", operatortest.NewMailServer(t).Port, "settings-username", "griot", "settings-password", "baobab")
		tab.Do(chromedp.SetValue(chromedp.CSS("#settings-tls"), "none"))
		tab.Click("button[name=try]")
		tab.WaitFor(browsertest.Says("body", say.tested) + ` && document.querySelector("#settings-password").value === "" && document.querySelector("#settings-host").value === "127.0.0.1"`)
		tab.Screenshot("gateway-tried-" + lang)
		tab.Click("main button.primary") // the password of the test is kept, and adding tests the gateway again
		tab.WaitFor(`location.pathname === "/operator/gateways/mail" && ` + browsertest.Says(".badge", say.open))
		tab.Click("form[action*='gateways.test'] button")
		tab.WaitFor(browsertest.Says("body", say.tested))

		tab.Do(chromedp.Navigate(s.URL + "/operator/do/accounts.create"))
		fill("name", "Boutique", "email", "awa@example.com")
		tab.Click("main button.primary")
		tab.WaitFor(browsertest.Says("body", say.account))
		tab.Click(`a[href^="/operator/do/senders.add"]`)
		tab.WaitFor(browsertest.Seen("#address"))
		fill("address", "bonjour@example.com")
		tab.Do(chromedp.SetValue(chromedp.CSS("#channel"), "email"), chromedp.SetValue(chromedp.CSS("#gateway"), "mail"))
		tab.Click("main button.primary")
		tab.WaitFor(browsertest.Says("body", say.sender) + " && " + browsertest.Says("main", "bonjour@example.com"))

		tab.Do(chromedp.Navigate(s.URL + "/operator/gateways/mail"))
		tab.Click(`a[href^="/operator/do/gateways.send-test"]`)
		tab.WaitFor(browsertest.Seen("#to"))
		fill("to", "awa@example.com")
		tab.Click("main button.primary")
		tab.WaitFor(`location.pathname === "/operator/gateways/mail" && ` + browsertest.Says("body", say.accepted))
		tab.Screenshot("gateway-message-sent-" + lang)
	}
}

// Long details in a list have enough room in a wide window and on a phone: no line of a cell has only a few characters,
// and none is wider than the window.
func TestAudit_DetailsHaveRoom(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	s.Lived()
	s.Write(t, func(tx *db.Tx) error {
		for _, details := range []string{"a of to in on at by or an is it as be we he", strings.Repeat("x", 180), "sk_live_ab12 Boutique Awa Bamako Hippodrome"} {
			if err := audit.Record(tx, audit.New(t.Context(), s.Clock.Now(), s.Account.ID, audit.KeyRevoked, "a-target-with-a-long-name-of-forty-letters", "name", details)); err != nil {
				return err
			}
		}
		return nil
	})
	tab := browsertest.Open(t, browsertest.NewBrowser(t), s.URL+"/?next=%2Foperator#"+s.Link())
	tab.WaitFor(browsertest.Seen(".shell"))
	for _, width := range []int64{360, 1280} {
		tab.Do(chromedp.EmulateViewport(width, 800))
		for _, path := range []string{"/operator/audit", "/operator/audit/logins?tenantId=" + s.Login.Tenant.ID, "/operator/webhooks", "/operator/accounts"} {
			tab.Do(chromedp.Navigate(s.URL + path))
			tab.WaitFor(browsertest.Seen(".table"))
			found, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](`[...document.querySelectorAll(".table tbody :is(th, td):not(:has(.more, .flows)), .table .more, .table .flows")].filter((cell) => {
				const range = document.createRange();
				range.selectNodeContents(cell);
				const text = cell.innerText.trim(), box = range.getBoundingClientRect(), lines = Math.round(box.height / parseFloat(getComputedStyle(cell).lineHeight));
				return text.length > 24 && text.length / lines < 15 || box.width > Math.min(cell.matches(".more, .flows") ? 640 : 400, innerWidth - 64);
			}).map((cell) => cell.innerText).join("\n")`))
			if err != nil || found != "" {
				t.Errorf("%s at %d pixels: %s, %v", path, width, found, err)
			}
			if path == "/operator/audit" {
				tab.WaitFor(`document.querySelector(".table").scrollWidth <= document.querySelector(".table").clientWidth`)
			}
		}
	}
}

// Without scripts the link is pasted.
func TestOpen_WithoutScripts(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	link := s.URL + "/#" + s.Link()
	tab.Do(browsertest.WithoutScripts(), chromedp.Navigate(link), chromedp.SendKeys(chromedp.CSS("#token"), link))
	tab.Click("main button[type=submit]")
	tab.WaitFor(browsertest.Seen(".shell"))
}
