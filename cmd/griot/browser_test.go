package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"example.com/griot/internal/chantest"
	"example.com/griot/web/webtest"
)

// browser is a headless Chromium that records every error of its pages.
type browser struct {
	t    *testing.T
	ctx  context.Context // of its first tab
	lang string

	mu         sync.Mutex
	complaints []string
}

const browserTime = 90 * time.Second // for each step

type action = chromedp.Action[chromedp.Void]

func newBrowser(t *testing.T, lang string, width, height int64) *browser {
	t.Helper()
	ctx, cancel := chromedp.NewContext(webtest.NewBrowser(t))
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx, lang: lang}
	b.watch(ctx)
	b.do(ctx, chromedp.EmulateViewport(width, height))
	t.Cleanup(func() {
		for _, c := range b.takeComplaints() {
			t.Errorf("the browser complains: %s", c)
		}
	})
	return b
}

// takeComplaints returns the recorded errors, and clears them.
func (b *browser) takeComplaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	complaints := b.complaints
	b.complaints = nil
	return complaints
}

// watch records console errors, uncaught exceptions, failed loads and violations of
// the Content-Security-Policy, and sets the tab's language.
func (b *browser) watch(tab context.Context) {
	b.t.Helper()
	if err := chromedp.Do(tab); err != nil { // opens the tab for as long as the test, not for as long as a step
		b.t.Fatal(err)
	}
	entries := chromedp.Console(tab)
	go func() {
		for m, err := range entries {
			if err != nil {
				return
			}
			if m.Type == chromedp.ConsoleWarning || m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleException {
				b.mu.Lock()
				b.complaints = append(b.complaints, m.String()+" "+m.URL)
				b.mu.Unlock()
			}
		}
	}()
	b.do(tab, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: "Griot test", AcceptLanguage: b.lang})
		return err
	}))
}

func (b *browser) do(tab context.Context, actions ...action) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(tab, browserTime)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// newTab calls what opens another tab, and returns that tab.
func (b *browser) newTab(tab context.Context, does action) context.Context {
	b.t.Helper()
	opener := chromedp.FromContext(tab).Target.TargetID // other tests open tabs in the same Chromium
	opened := chromedp.WaitNewTarget(tab, func(i *target.Info) bool { return i.Type == "page" && i.OpenerID == opener })
	b.do(tab, does)
	other, cancel := chromedp.NewContext(tab, chromedp.WithTargetID(chantest.Receive(b.t, opened)))
	b.t.Cleanup(cancel)
	b.watch(other)
	return other
}

func get[T any](b *browser, tab context.Context, a chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(tab, browserTime)
	defer cancel()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

func (b *browser) text(tab context.Context, selector chromedp.CSS) string {
	b.t.Helper()
	return strings.TrimSpace(get(b, tab, chromedp.Text(selector)))
}

func TestBrowser_SignsInThroughTheWaitingPageAndAVirtualPhone(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	for _, lang := range []string{"fr", "en"} {
		t.Run(lang, func(t *testing.T) {
			b := newBrowser(t, lang, 1280, 900)
			b.do(b.ctx,
				chromedp.Navigate(p.BaseURL+"/dev/demo"),
				chromedp.Click(chromedp.CSS(`.card a[href$="/0"]`)),
				chromedp.WaitVisible(chromedp.CSS(`#words span:nth-of-type(3)`)),
				chromedp.WaitVisible(chromedp.CSS(`#qr-image`)),
			)
			if page := b.text(b.ctx, "body"); !strings.Contains(page, "Griot Demo") {
				t.Errorf("the waiting page says %q", page)
			}
			words := strings.Join(strings.Fields(b.text(b.ctx, "#words")), " ")
			if strings.Count(words, " ") != 2 {
				t.Fatalf("words %q", words)
			}
			phone := b.newTab(b.ctx, chromedp.Click(chromedp.CSS(`#phones`)))
			b.do(phone, chromedp.WaitVisible(chromedp.CSS(`.phone .compose textarea`)))
			text := get(b, phone, chromedp.Value(chromedp.CSS(`.phone .compose textarea`)))
			to := get(b, phone, chromedp.Value(chromedp.CSS(`.phone .compose [name=to]`)))
			if !strings.Contains(text, words) || !strings.Contains(to, p.ReceiverPhoneID) {
				t.Errorf("the phone is about to send %q to %q", text, to)
			}
			b.do(phone, chromedp.Click(chromedp.CSS(`.phone .compose .send`)))
			b.do(b.ctx, chromedp.WaitVisible(chromedp.CSS(`.checks`))) // the demo application, with what it has verified
			page := b.text(b.ctx, "body")
			for _, s := range []string{"phone_number_verified", "whatsapp", p.Clients.LivePublic.ClientID, p.AuthURL} {
				if !strings.Contains(page, s) {
					t.Errorf("the application does not know %q:\n%s", s, page)
				}
			}
			if l := get(b, b.ctx, chromedp.AttributeValue(chromedp.CSS("html"), "lang")); l.Value != lang {
				t.Errorf("the page is in %q", l.Value)
			}
		})
	}
}

func TestBrowser_SandboxAndExpiry(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	b := newBrowser(t, "en", 390, 844)
	for i, name := range []string{"PUBLIC", "CONFIDENTIAL"} {
		b.do(b.ctx,
			chromedp.Navigate(p.BaseURL+"/dev/demo"),
			chromedp.Click(chromedp.CSS(fmt.Sprintf(`.card a[href$="/%d"]`, i+1))),
			chromedp.WaitVisible(chromedp.CSS(`#sandbox-send`)),
			chromedp.Click(chromedp.CSS(`#sandbox-send`)),
			chromedp.WaitVisible(chromedp.CSS(`.checks`)),
		)
		if page := b.text(b.ctx, "body"); !strings.Contains(page, "sandbox") || !strings.Contains(page, "22300000001") {
			t.Errorf("%s: %s", name, page)
		}
	}
}

func TestBrowser_AMessageArrivesOnAPhone(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	b := newBrowser(t, "fr", 1280, 900)
	b.do(b.ctx, chromedp.Navigate(p.BaseURL+"/dev/phones?from=22376000001"), chromedp.WaitVisible(chromedp.CSS(`.phone`)))
	r := p.send(p.Accounts.Business.LiveKey, `{"channel":"whatsapp","to":"22376000001","message":"<b>Bonjour</b> Awa"}`)
	b.do(b.ctx, chromedp.WaitVisible(chromedp.CSS(`.bubble`)))
	if s := b.text(b.ctx, ".bubble-text"); s != "<b>Bonjour</b> Awa" {
		t.Errorf("the bubble says %q", s)
	}
	eventually(t, 10*time.Second, func() error { // the page opens it: a read receipt
		if s := p.call("GET", p.BaseURL+"/api/status/"+r.text("messageId"), "", "X-API-Key: "+p.Accounts.Business.LiveKey); s.text("status") != "READ" {
			return fmt.Errorf("status %s: %w", s.raw, errNotYet)
		}
		return nil
	})
}

// A button pressed below a message is answered to its sender.
func TestBrowser_ButtonsOnAPhone(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir(), "--phones", "memory")
	b := newBrowser(t, "fr", 1280, 900)
	b.do(b.ctx, chromedp.Navigate(p.BaseURL+"/dev/phones?from=22376000001"), chromedp.WaitVisible(chromedp.CSS(`.phone`)))
	asked := p.send(p.Accounts.Business.LiveKey, `{"channel":"whatsapp","to":"22376000001","message":"Quelle heure ?","whatsapp":{"interactive":{"header":"Livraison",
 "list":{"button":"Choisir","sections":[{"rows":[{"id":"8","title":"8 h","description":"au marché"},{"id":"18","title":"18 h"}]}]}}}}`)
	b.do(b.ctx, chromedp.WaitVisible(chromedp.CSS(`.bubble-choices summary`)), chromedp.Click(chromedp.CSS(`.bubble-choices summary`)), chromedp.WaitVisible(chromedp.CSS(`.choice`)))
	if s := b.text(b.ctx, ".bubble-header") + "|" + b.text(b.ctx, ".bubble-choices summary") + "|" + b.text(b.ctx, ".choice"); s != "Livraison|Choisir|8 h au marché" {
		t.Errorf("the phone shows %q", s)
	}
	b.do(b.ctx, chromedp.Click(chromedp.CSS(`.choice:last-of-type`)), chromedp.WaitVisible(chromedp.CSS(`.bubble.out`)))
	if s := b.text(b.ctx, ".bubble.out .bubble-text"); s != "18 h" {
		t.Errorf("the phone answered %q", s)
	}
	eventually(t, 10*time.Second, func() error {
		inbox := p.call("GET", p.BaseURL+"/api/inbox/conversations", "", "X-API-Key: "+p.Accounts.Business.LiveKey)
		if !strings.Contains(inbox.raw, "18 h") {
			return fmt.Errorf("inbox %s: %w", inbox.raw, errNotYet)
		}
		id, _ := inbox.body["conversations"].([]any)[0].(map[string]any)["id"].(string)
		messages := p.call("GET", p.BaseURL+"/api/inbox/conversations/"+id+"/messages", "", "X-API-Key: "+p.Accounts.Business.LiveKey)
		if !strings.Contains(messages.raw, `"choice":{"id":"18","title":"18 h"}`) || !strings.Contains(messages.raw, `"replyTo":"`+asked.text("messageId")+`"`) {
			return fmt.Errorf("messages %s: %w", messages.raw, errNotYet)
		}
		return nil
	})
}

func TestBrowser_ReportsAPagesErrors(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir(), "--phones", "memory")
	b := newBrowser(t, "en", 800, 600)
	for what, script := range map[string]string{
		"Content Security Policy": `document.body.setAttribute("style", "color: red")`,
		"planted":                 `console.error("planted")`,
		"thrown":                  `setTimeout(() => { throw new Error("thrown") })`,
		"404":                     `fetch("/nowhere")`,
	} {
		b.do(b.ctx, chromedp.Navigate(p.BaseURL+"/dev/demo"), chromedp.Evaluate[chromedp.Void](script))
		eventually(t, 5*time.Second, func() error {
			if got := strings.Join(b.takeComplaints(), "\n"); !strings.Contains(got, what) {
				return fmt.Errorf("the browser reported %q: %w", got, errNotYet)
			}
			return nil
		})
	}
}

// The page shows what the dashboards are built of, to who works on them.
func TestBrowser_ShowsTheComponents(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir(), "--phones", "memory")
	b := newBrowser(t, "fr", 1280, 900)
	b.do(b.ctx, chromedp.Navigate(p.BaseURL+"/dev/components"), chromedp.WaitVisible(chromedp.CSS(`.shell .nav a[aria-current]`)), chromedp.WaitVisible(chromedp.CSS(`.chart svg rect`)))
	eventually(t, 10*time.Second, func() error { // its script runs
		if page := b.text(b.ctx, "body"); !strings.Contains(page, "Aucun message réel n’est envoyé") || !strings.Contains(page, "il y a 2 minutes") {
			return fmt.Errorf("the page shows %q: %w", page, errNotYet)
		}
		return nil
	})
}

// What others wrote is shown, and does not run: a mail is in a frame, everything else is text.
func TestBrowser_AMailOnAPhoneDoesNotRun(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir(), "--phones", "memory")
	b := newBrowser(t, "en", 1280, 900)
	b.do(b.ctx, chromedp.Navigate(p.BaseURL+"/dev/phones"), chromedp.WaitVisible(chromedp.CSS(`.phone[data-kind="email"]`)))
	p.send(p.Accounts.Business.LiveKey, `{"channel":"email","to":"awa@example.com","subject":"<b>Facture","message":"en texte","html":"<h1>Facture</h1><script>parent.document.title='run'</script><img src='/dev/demo'>"}`)
	p.send(p.Accounts.Business.LiveKey, `{"channel":"whatsapp","to":"22376000001","message":"*gras* <script>document.title='run'</script>"}`)
	b.do(b.ctx, chromedp.WaitVisible(chromedp.CSS(`.bubble-mail iframe`)), chromedp.WaitVisible(chromedp.CSS(`.bubble-text strong`)))
	if s := b.text(b.ctx, `.bubble[data-channel="email"] .bubble-subject`) + "|" + b.text(b.ctx, `.bubble[data-channel="whatsapp"] .bubble-text`); s != "<b>Facture|gras <script>document.title='run'</script>" {
		t.Errorf("the phones show %q", s)
	}
	eventually(t, 10*time.Second, func() error { // the browser has loaded the mail
		const loaded = `performance.getEntriesByType("resource").some((r) => r.initiatorType === "iframe" && r.name.endsWith("/html") && r.responseEnd > 0)`
		if !get(b, b.ctx, chromedp.Evaluate[bool](loaded)) {
			return errNotYet
		}
		return nil
	})
	b.takeComplaints() // that the script was blocked: browsers differ in whose console it is in
	if title := get(b, b.ctx, chromedp.Evaluate[string]("document.title")); strings.Contains(title, "run") {
		t.Errorf("the title is %q: a mail's script ran", title)
	}
}
