package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// The return to the application is where a login by message fails in practice: phones put pages to sleep, people go back
// and forth, open a second tab, or run no scripts. Each of these logins succeeds, and no page reports an error.

// startLogin opens the demo application in a tab, starts a login with the LIVE client and returns the words.
func (b *browser) startLogin(tab context.Context, p *process) (words string) {
	b.t.Helper()
	b.do(tab,
		chromedp.Navigate(p.BaseURL+"/dev/demo"),
		chromedp.Click(chromedp.CSS(`.card a[href$="/0"]`)),
		chromedp.WaitVisible(chromedp.CSS(`#words span:nth-of-type(3)`)),
	)
	return strings.Join(strings.Fields(b.text(tab, "#words")), " ")
}

// writes makes a virtual phone send words to the login's number.
func (p *process) writes(from, text string) {
	p.t.Helper()
	body := fmt.Sprintf(`{"channel":"whatsapp","to":%q,"text":%q}`, p.ReceiverPhoneID, text)
	if r := p.call("POST", p.BaseURL+"/dev/phones/"+from+"/messages", body); r.status != 201 {
		p.t.Fatalf("a phone writes: got %d %s, want success", r.status, r.raw)
	}
}

// waitSignedIn waits until the demo application shows that the person is signed in.
func (b *browser) waitSignedIn(tab context.Context, number string) {
	b.t.Helper()
	b.do(tab, chromedp.WaitVisible(chromedp.CSS(`.checks`)))
	if page := b.text(tab, "body"); !strings.Contains(page, number) {
		b.t.Errorf("the application does not know %s:\n%s", number, page)
	}
}

// tab opens another tab of the same browser.
func (b *browser) tab() context.Context {
	b.t.Helper()
	tab, cancel := chromedp.NewContext(b.ctx)
	b.t.Cleanup(cancel)
	b.watch(tab)
	return tab
}

func lifecycle(state page.SetWebLifecycleStateState) action {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state})
		return err
	})
}

func withoutScripts() action {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})
}

func TestBrowser_TwoTabsGetTheirOwnHandBack(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir(), "--phones", "memory")
	b := newBrowser(t, "en", 1280, 900)
	one, two := b.ctx, b.tab()
	wordsOne, wordsTwo := b.startLogin(one, p), b.startLogin(two, p)
	p.writes("22376000002", wordsTwo)
	b.waitSignedIn(two, "22376000002")
	if words := strings.Join(strings.Fields(b.text(one, "#words")), " "); words != wordsOne {
		t.Errorf("the first tab waits with %q, its words were %q", words, wordsOne)
	}
	p.writes("22376000001", wordsOne)
	b.waitSignedIn(one, "22376000001")
}

func TestBrowser_HandsBackAgain(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir(), "--phones", "memory")
	for name, meanwhile := range map[string]struct{ leave, back []action }{
		"after a reload": {
			[]action{lifecycle(page.SetWebLifecycleStateStateFrozen)}, // or it would be gone before the reload
			[]action{chromedp.Reload()},
		},
		"to who comes back by history": {
			[]action{chromedp.Navigate(p.BaseURL + "/dev/phones")},
			[]action{chromedp.NavigateBack()},
		},
		"to a tab that slept": {
			[]action{lifecycle(page.SetWebLifecycleStateStateFrozen)},
			[]action{lifecycle(page.SetWebLifecycleStateStateActive)},
		},
		"by the stream": { // no poll is answered any more
			[]action{chromedp.Evaluate[chromedp.Void](`window.fetch = () => new Promise(() => {}); undefined`)},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBrowser(t, "fr", 390, 844)
			words := b.startLogin(b.ctx, p)
			b.do(b.ctx, meanwhile.leave...)
			p.writes("22376000001", words)
			b.do(b.ctx, meanwhile.back...)
			b.waitSignedIn(b.ctx, "22376000001")
		})
	}
}

func TestBrowser_WithoutScripts(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir(), "--phones", "memory")
	t.Run("TEST", func(t *testing.T) {
		b := newBrowser(t, "en", 390, 844)
		b.do(b.ctx,
			withoutScripts(),
			chromedp.Navigate(p.BaseURL+"/dev/demo"),
			chromedp.Click(chromedp.CSS(`.card a[href$="/1"]`)),
			chromedp.WaitVisible(chromedp.CSS(`#sandbox button[value="22300000002"]`)),
			chromedp.Click(chromedp.CSS(`#sandbox button[value="22300000002"]`)),
		)
		b.waitSignedIn(b.ctx, "22300000002")
	})
	t.Run("LIVE", func(t *testing.T) {
		b := newBrowser(t, "fr", 390, 844)
		b.do(b.ctx,
			withoutScripts(),
			chromedp.Navigate(p.BaseURL+"/dev/demo"),
			chromedp.Click(chromedp.CSS(`.card a[href$="/0"]`)),
			chromedp.WaitVisible(chromedp.CSS(`#whatsapp`)),
		)
		words := b.text(b.ctx, "#words")
		if strings.Count(words, " ") != 2 {
			t.Fatalf("words %q", words)
		}
		p.writes("22376000003", words)
		b.waitSignedIn(b.ctx, "22376000003")
	})
}
