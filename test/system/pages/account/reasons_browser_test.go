package account_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/griot/gateway"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/test/system/browsertest"
)

// journey counts the clicks of a person who looks for the reason that a message failed.
type journey struct {
	*browsertest.Tab
	clicks int
}

func (j *journey) click(selector string) {
	j.clicks++
	j.Click(selector)
}

// From a failed message, in the overview and in the log, two clicks lead to the explanation of its error.
func TestReasons_TwoClicksFromAFailedMessage(t *testing.T) {
	t.Parallel()
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	signInTab(w, tab, messagingtest.OwnerEmail)
	p := w.SignIn(messagingtest.OwnerEmail)
	w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
		if strings.HasSuffix(out.To, "76000001") { // the other message can be sent at the same time
			w.Clock.Advance(62 * time.Second)
		}
		return gateway.Ack{}, &gateway.Error{Class: gateway.Unreachable, Code: "not_on_whatsapp"}
	})
	failed := p.Send("to", "+22376000001", "channel", "sms", "message", "Bonjour")
	p.Send("to", "+22376000002", "channel", "sms", "message", "Votre commande est prête")
	w.Gateway.SetScript(nil)
	for _, lang := range i18n.Langs() {
		_, cause, advice := lang.Reason("not_on_whatsapp", "")
		for _, start := range []struct{ path, first, second string }{
			{"/dashboard", `a[href="/dashboard/logs?code=not_on_whatsapp"]`, `.log a[href^="/docs/errors#"]`},
			{"/dashboard/logs", `a[href="` + failed + `"]`, `.alert.bad a`},
		} {
			j := journey{Tab: tab}
			j.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+start.path+"?lang="+string(lang)))
			j.WaitFor(`document.documentElement.lang === "` + string(lang) + `" && ` + browsertest.Seen(strings.ReplaceAll(start.first, `"`, `\"`)))
			j.click(start.first)
			j.WaitFor(browsertest.Seen(strings.ReplaceAll(start.second, `"`, `\"`)))
			j.click(start.second)
			j.WaitFor(`location.hash === "#reason-not_on_whatsapp" && document.querySelector(":target").textContent.includes("` + cause + `") && document.querySelector(":target").textContent.includes("` + advice + `")`)
			if j.clicks != 2 {
				t.Errorf("%s in %s: %d clicks, want 2", start.path, lang, j.clicks)
			}
		}
	}
	looks(w, tab, "message-failed", failed)
	tab.WaitFor(`document.querySelector(".timeline .exact").textContent.endsWith(" UTC") && document.querySelector(".timeline").textContent.includes("+62")`)
	looks(w, tab, "logs-failed", "/dashboard/logs?code=not_on_whatsapp")
	looks(w, tab, "overview-failed", "/dashboard")
}

// The log shows changes while it is open, unless it is paused.
func TestLogs_FollowTheirMessages(t *testing.T) {
	t.Parallel()
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	signInTab(w, tab, messagingtest.OwnerEmail)
	p := w.SignIn(messagingtest.OwnerEmail)
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+"/dashboard/logs?lang=en&theme=light"))
	tab.WaitFor(browsertest.Seen("[data-pause]"))
	p.Send("to", "+22376000001", "channel", "sms", "message", "Numéro un")
	tab.WaitFor(browsertest.Says("#messages", "Numéro un"))
	tab.Click("[data-pause]")
	tab.WaitFor(browsertest.Seen("[data-pause] span:last-child"))
	tab.Axe("logs-paused")
	tab.Screenshot("logs-paused")
	p.Send("to", "+22376000001", "channel", "sms", "message", "Numéro deux")
	// A second page, which isn't paused, shows that enough time has passed for the update.
	other := browsertest.Open(t, tab.Ctx, w.URL+"/dashboard/logs")
	other.WaitFor(browsertest.Says("#messages", "Numéro deux"))
	p.Send("to", "+22376000001", "channel", "sms", "message", "Numéro trois")
	other.WaitFor(browsertest.Says("#messages", "Numéro trois"))
	if shown, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[bool](browsertest.Says("#messages", "Numéro deux"))); err != nil || shown {
		t.Errorf("a paused log shows a new message: %v, %v", shown, err)
	}
	tab.Click("[data-pause]")
	tab.WaitFor(browsertest.Says("#messages", "Numéro deux"))
	looks(w, tab, "logs-live", "/dashboard/logs")
}

// The preview of an email runs nothing, loads nothing, and follows no link.
func TestMessage_PreviewHasNoNetwork(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	evil := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Error("the preview asked for " + r.URL.Path) }))
	evil.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			calls.Add(1)
		}
	}
	evil.Start()
	t.Cleanup(evil.Close)
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	at := evil.URL
	content := `<!doctype html><html><head><meta http-equiv="refresh" content="0;url=` + at + `/refresh"><link rel="stylesheet" href="` + at + `/css"><link rel="preconnect" href="` + at + `"><link rel="prefetch" href="` + at + `/prefetch"><link rel="icon" href="` + at + `/icon"><base href="` + at + `/">
<style>@import url("` + at + `/import"); @font-face { font-family: x; src: url("` + at + `/font"); } h1 { color: #7a3b00; background: url("` + at + `/background"); font-family: x; }</style></head>
<body><h1>Votre commande</h1><p style="color:#333">Bonjour Awa, votre commande 2041 est partie.</p><p><a id="link" href="` + at + `/link" target="_top" ping="` + at + `/ping">Suivre</a></p>
<img src="` + at + `/img" alt="Logo"><iframe src="` + at + `/frame"></iframe><object data="` + at + `/object"></object><video src="` + at + `/video" autoplay></video>
<form id="form" action="` + at + `/form"><button>Envoyer</button></form><script>fetch("` + at + `/script"); top.location = "` + at + `/top"</script><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=" alt="" width="20" height="20"></body></html>`
	path := "/dashboard/messages/" + w.Submit(t, &message.Request{To: "awa@example.com", Channel: gateway.Email, Content: message.Content{Subject: "Votre commande", Text: "Bonjour Awa, votre commande 2041 est partie.", HTML: content}}).Message.ID
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank", "Content Security Policy", "sandbox", "preload")
	signInTab(w, tab, messagingtest.OwnerEmail)
	tab.Do(chromedp.EmulateViewport(1280, 1000), chromedp.Navigate(w.URL+path+"?lang=en&theme=light"))
	tab.WaitFor(`document.readyState === "complete" && ` + browsertest.Seen("iframe.mail"))
	tab.Click("details summary")
	looks(w, tab, "message-html", path)
	tab.Do(chromedp.Navigate(w.URL + path + "/html")) // it is equally harmless at its own URL
	tab.WaitFor(`document.readyState === "complete"`)
	if n := calls.Load(); n != 0 {
		t.Errorf("the preview made %d connections, want none", n)
	}
}
