package browser_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"example.com/griot/test/system/browsertest"
	"example.com/griot/test/system/systemtest"
)

// The return to the application is the step at which a login by message fails in practice: phones suspend pages, people
// go back and forth, open a second tab, or run no scripts. Each of these logins succeeds, and no page reports an error.

// startLogin opens the demo application in a tab, starts a login with the LIVE client, and returns the words.
func startLogin(b *browsertest.Window, tab context.Context, p *systemtest.Dev) (words string) {
	b.T.Helper()
	b.Do(tab,
		chromedp.Navigate(p.BaseURL+"/dev/demo"),
		chromedp.Click(chromedp.CSS(`.card a[href$="/0"]`)),
		chromedp.WaitVisible(chromedp.CSS(`#words span:nth-of-type(3)`)),
	)
	return strings.Join(strings.Fields(b.Text(tab, "#words")), " ")
}

// writes sends words from a virtual phone to the login's number.
func writes(p *systemtest.Dev, from, text string) {
	p.T.Helper()
	body := fmt.Sprintf(`{"channel":"whatsapp","to":%q,"text":%q}`, p.ReceiverPhoneID, text)
	if r := p.Call("POST", p.BaseURL+"/dev/phones/"+from+"/messages", body); r.Status != 201 {
		p.T.Fatalf("a phone writes: got %d %s, want success", r.Status, r.Raw)
	}
}

func lifecycle(state page.SetWebLifecycleStateState) browsertest.Action {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state})
		return err
	})
}

func withoutScripts() browsertest.Action {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})
}

// Rules: L37.
func TestBrowser_TwoTabsGetTheirOwnHandBack(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	b := browsertest.NewWindow(t, "en", 1280, 900)
	one, two := b.Ctx, b.Tab()
	wordsOne, wordsTwo := startLogin(b, one, p), startLogin(b, two, p)
	writes(p, "22376000002", wordsTwo)
	b.WaitSignedIn(two, "22376000002")
	if words := strings.Join(strings.Fields(b.Text(one, "#words")), " "); words != wordsOne {
		t.Errorf("the first tab waits with %q, its words were %q", words, wordsOne)
	}
	writes(p, "22376000001", wordsOne)
	b.WaitSignedIn(one, "22376000001")
}

// Rules: L57.
func TestBrowser_HandsBackAgain(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	for name, meanwhile := range map[string]struct{ leave, back []browsertest.Action }{
		"after a reload": {
			[]browsertest.Action{lifecycle(page.SetWebLifecycleStateStateFrozen)}, // or it would be gone before the reload
			[]browsertest.Action{chromedp.Reload()},
		},
		"to who comes back by history": {
			[]browsertest.Action{chromedp.Navigate(p.BaseURL + "/dev/phones")},
			[]browsertest.Action{chromedp.NavigateBack()},
		},
		"to a tab that slept": {
			[]browsertest.Action{lifecycle(page.SetWebLifecycleStateStateFrozen)},
			[]browsertest.Action{lifecycle(page.SetWebLifecycleStateStateActive)},
		},
		"by the stream": { // polls get no response
			[]browsertest.Action{chromedp.Evaluate[chromedp.Void](`window.fetch = () => new Promise(() => {}); undefined`)},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := browsertest.NewWindow(t, "fr", 390, 844)
			words := startLogin(b, b.Ctx, p)
			b.Do(b.Ctx, meanwhile.leave...)
			writes(p, "22376000001", words)
			b.Do(b.Ctx, meanwhile.back...)
			b.WaitSignedIn(b.Ctx, "22376000001")
		})
	}
}

func TestBrowser_WithoutScripts(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	t.Run("TEST", func(t *testing.T) {
		b := browsertest.NewWindow(t, "en", 390, 844)
		b.Do(b.Ctx,
			withoutScripts(),
			chromedp.Navigate(p.BaseURL+"/dev/demo"),
			chromedp.Click(chromedp.CSS(`.card a[href$="/1"]`)),
			chromedp.WaitVisible(chromedp.CSS(`#sandbox button[value="22300000002"]`)),
			chromedp.Click(chromedp.CSS(`#sandbox button[value="22300000002"]`)),
		)
		b.WaitSignedIn(b.Ctx, "22300000002")
	})
	t.Run("LIVE", func(t *testing.T) {
		b := browsertest.NewWindow(t, "fr", 390, 844)
		b.Do(b.Ctx,
			withoutScripts(),
			chromedp.Navigate(p.BaseURL+"/dev/demo"),
			chromedp.Click(chromedp.CSS(`.card a[href$="/0"]`)),
			chromedp.WaitVisible(chromedp.CSS(`#phones`)),
		)
		words := b.Text(b.Ctx, "#words")
		if strings.Count(words, " ") != 2 {
			t.Fatalf("words %q", words)
		}
		writes(p, "22376000003", words)
		b.WaitSignedIn(b.Ctx, "22376000003")
	})
}
