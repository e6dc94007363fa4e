package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/browsertest"
	"example.com/griot/test/system/systemtest"
)

// Rules: L8.
func TestBrowser_SignsInThroughTheWaitingPageAndAVirtualPhone(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir())
	for _, lang := range []string{"fr", "en"} {
		t.Run(lang, func(t *testing.T) {
			b := browsertest.NewWindow(t, lang, 1280, 900)
			b.Do(b.Ctx,
				chromedp.Navigate(p.BaseURL+"/dev/demo"),
				chromedp.Click(chromedp.CSS(`.card a[href$="/0"]`)),
				chromedp.WaitVisible(chromedp.CSS(`#words span:nth-of-type(3)`)),
				chromedp.WaitVisible(chromedp.CSS(`#phones`)),
			)
			if page := b.Text(b.Ctx, "body"); !strings.Contains(page, "Boutique") {
				t.Errorf("the waiting page says %q", page)
			}
			words := strings.Join(strings.Fields(b.Text(b.Ctx, "#words")), " ")
			if strings.Count(words, " ") != 2 {
				t.Fatalf("words %q", words)
			}
			phone := b.NewTab(b.Ctx, chromedp.Click(chromedp.CSS(`#phones`)))
			b.Do(phone, chromedp.WaitVisible(chromedp.CSS(`.phone .compose textarea`)))
			text := browsertest.Get(b, phone, chromedp.Value(chromedp.CSS(`.phone .compose textarea`)))
			to := browsertest.Get(b, phone, chromedp.Value(chromedp.CSS(`.phone .compose [name=to]`)))
			if !strings.Contains(text, words) || !strings.Contains(to, p.ReceiverPhoneID) {
				t.Errorf("the phone is about to send %q to %q", text, to)
			}
			b.Do(phone, chromedp.Click(chromedp.CSS(`.phone .compose .send`)))
			b.Do(b.Ctx, chromedp.WaitVisible(chromedp.CSS(`.checks`))) // the demo application, with its checks
			page := b.Text(b.Ctx, "body")
			for _, s := range []string{"phone_number_verified", "whatsapp", p.Clients.LivePublic.ClientID, p.AuthURL} {
				if !strings.Contains(page, s) {
					t.Errorf("the application does not know %q:\n%s", s, page)
				}
			}
			if l := browsertest.Get(b, b.Ctx, chromedp.AttributeValue(chromedp.CSS("html"), "lang")); l.Value != lang {
				t.Errorf("the page is in %q", l.Value)
			}
		})
	}
}

// Rules: L8.
func TestBrowser_SandboxAndExpiry(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir())
	b := browsertest.NewWindow(t, "en", 390, 844)
	for i, name := range []string{"PUBLIC", "CONFIDENTIAL"} {
		b.Do(b.Ctx,
			chromedp.Navigate(p.BaseURL+"/dev/demo"),
			chromedp.Click(chromedp.CSS(fmt.Sprintf(`.card a[href$="/%d"]`, i+1))),
			chromedp.WaitVisible(chromedp.CSS(`#sandbox-send`)),
			chromedp.Click(chromedp.CSS(`#sandbox-send`)),
			chromedp.WaitVisible(chromedp.CSS(`.checks`)),
		)
		if page := b.Text(b.Ctx, "body"); !strings.Contains(page, "sandbox") || !strings.Contains(page, "22300000001") {
			t.Errorf("%s: %s", name, page)
		}
	}
}

func TestBrowser_AMessageArrivesOnAPhone(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir())
	b := browsertest.NewWindow(t, "fr", 1280, 900)
	b.Do(b.Ctx, chromedp.Navigate(p.BaseURL+"/dev/phones?from=22376000001"), chromedp.WaitVisible(chromedp.CSS(`.phone`)))
	r := p.Send(p.Accounts.Business.LiveKey, `{"channel":"whatsapp","to":"22376000001","message":"<b>Bonjour</b> Awa"}`)
	b.Do(b.Ctx, chromedp.WaitVisible(chromedp.CSS(`.bubble`)))
	if s := b.Text(b.Ctx, ".bubble-text"); s != "<b>Bonjour</b> Awa" {
		t.Errorf("the bubble says %q", s)
	}
	waittest.Until(t, func() error { // opening the page sends a read receipt
		if s := p.Call("GET", p.BaseURL+"/api/status/"+r.Text("messageId"), "", "X-API-Key: "+p.Accounts.Business.LiveKey); s.Text("status") != "READ" {
			return fmt.Errorf("status %s: %w", s.Raw, systemtest.ErrNotYet)
		}
		return nil
	})
}

// A button below a message sends a reply to its sender.
func TestBrowser_ButtonsOnAPhone(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	b := browsertest.NewWindow(t, "fr", 1280, 900)
	b.Do(b.Ctx, chromedp.Navigate(p.BaseURL+"/dev/phones?from=22376000001"), chromedp.WaitVisible(chromedp.CSS(`.phone`)))
	asked := p.Send(p.Accounts.Business.LiveKey, `{"channel":"whatsapp","to":"22376000001","message":"Quelle heure ?","whatsapp":{"interactive":{"header":"Livraison",
 "list":{"button":"Choisir","sections":[{"rows":[{"id":"8","title":"8 h","description":"au marché"},{"id":"18","title":"18 h"}]}]}}}}`)
	b.Do(b.Ctx, chromedp.WaitVisible(chromedp.CSS(`.bubble-choices summary`)), chromedp.Click(chromedp.CSS(`.bubble-choices summary`)), chromedp.WaitVisible(chromedp.CSS(`.choice`)))
	if s := b.Text(b.Ctx, ".bubble-header") + "|" + b.Text(b.Ctx, ".bubble-choices summary") + "|" + b.Text(b.Ctx, ".choice"); s != "Livraison|Choisir|8 h au marché" {
		t.Errorf("the phone shows %q", s)
	}
	b.Do(b.Ctx, chromedp.Click(chromedp.CSS(`.choice:last-of-type`)), chromedp.WaitVisible(chromedp.CSS(`.bubble.out`)))
	if s := b.Text(b.Ctx, ".bubble.out .bubble-text"); s != "18 h" {
		t.Errorf("the phone answered %q", s)
	}
	waittest.Until(t, func() error {
		inbox := p.Call("GET", p.BaseURL+"/api/inbox/conversations", "", "X-API-Key: "+p.Accounts.Business.LiveKey)
		if !strings.Contains(inbox.Raw, "18 h") {
			return fmt.Errorf("inbox %s: %w", inbox.Raw, systemtest.ErrNotYet)
		}
		id, _ := inbox.Body["conversations"].([]any)[0].(map[string]any)["id"].(string)
		messages := p.Call("GET", p.BaseURL+"/api/inbox/conversations/"+id+"/messages", "", "X-API-Key: "+p.Accounts.Business.LiveKey)
		if !strings.Contains(messages.Raw, `"choice":{"id":"18","title":"18 h"}`) || !strings.Contains(messages.Raw, `"replyTo":"`+asked.Text("messageId")+`"`) {
			return fmt.Errorf("messages %s: %w", messages.Raw, systemtest.ErrNotYet)
		}
		return nil
	})
}

func TestBrowser_ReportsAPagesErrors(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	b := browsertest.NewWindow(t, "en", 800, 600)
	for what, script := range map[string]string{
		"Content Security Policy": `document.body.setAttribute("style", "color: red")`,
		"planted":                 `console.error("planted")`,
		"thrown":                  `setTimeout(() => { throw new Error("thrown") })`,
		"404":                     `fetch("/nowhere")`,
	} {
		b.Do(b.Ctx, chromedp.Navigate(p.BaseURL+"/dev/demo"), chromedp.Evaluate[chromedp.Void](script))
		waittest.Until(t, func() error {
			if got := strings.Join(b.TakeComplaints(), "\n"); !strings.Contains(got, what) {
				return fmt.Errorf("the browser reported %q: %w", got, systemtest.ErrNotYet)
			}
			return nil
		})
	}
}

// The page shows developers the components of the dashboards.
func TestBrowser_ShowsTheComponents(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	b := browsertest.NewWindow(t, "fr", 1280, 900)
	b.Do(b.Ctx, chromedp.Navigate(p.BaseURL+"/dev/components"), chromedp.WaitVisible(chromedp.CSS(`.shell .nav a[aria-current]`)), chromedp.WaitVisible(chromedp.CSS(`.chart svg rect`)))
	waittest.Until(t, func() error { // its script runs
		if page := b.Text(b.Ctx, "body"); !strings.Contains(page, "Aucun message réel n’est envoyé") || !strings.Contains(page, "il y a 2 minutes") {
			return fmt.Errorf("the page shows %q: %w", page, systemtest.ErrNotYet)
		}
		return nil
	})
}

// Content of other people is shown and doesn't run: an email is in a frame, and everything else is text.
func TestBrowser_AMailOnAPhoneDoesNotRun(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	b := browsertest.NewWindow(t, "en", 1280, 900)
	b.Do(b.Ctx, chromedp.Navigate(p.BaseURL+"/dev/phones"), chromedp.WaitVisible(chromedp.CSS(`.phone[data-kind="email"]`)))
	p.Send(p.Accounts.Business.LiveKey, `{"channel":"email","to":"awa@example.com","subject":"<b>Facture","message":"en texte","html":"<h1>Facture</h1><script>parent.document.title='run'</script><img src='/dev/demo'>"}`)
	p.Send(p.Accounts.Business.LiveKey, `{"channel":"whatsapp","to":"22376000001","message":"*gras* <script>document.title='run'</script>"}`)
	b.Do(b.Ctx, chromedp.WaitVisible(chromedp.CSS(`.bubble-mail iframe`)), chromedp.WaitVisible(chromedp.CSS(`.bubble-text strong`)))
	if s := b.Text(b.Ctx, `.bubble[data-channel="email"] .bubble-subject`) + "|" + b.Text(b.Ctx, `.bubble[data-channel="whatsapp"] .bubble-text`); s != "<b>Facture|gras <script>document.title='run'</script>" {
		t.Errorf("the phones show %q", s)
	}
	waittest.Until(t, func() error { // the browser has loaded the email
		const loaded = `performance.getEntriesByType("resource").some((r) => r.initiatorType === "iframe" && r.name.endsWith("/html") && r.responseEnd > 0)`
		if !browsertest.Get(b, b.Ctx, chromedp.Evaluate[bool](loaded)) {
			return systemtest.ErrNotYet
		}
		return nil
	})
	b.TakeComplaints() // ignore the blocked script, because browsers differ in the console that reports it
	if title := browsertest.Get(b, b.Ctx, chromedp.Evaluate[string]("document.title")); strings.Contains(title, "run") {
		t.Errorf("the title is %q: a mail's script ran", title)
	}
}
