package browsertest

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"example.com/griot/internal/waittest"
)

// A Window is a separate browser for the test, with tabs that share their cookies. Each error of a page fails the test.
type Window struct {
	T    *testing.T
	Ctx  context.Context // of its first tab
	lang string

	mu         sync.Mutex
	complaints []string
}

// NewWindow opens a window with a size in pixels and a language for requests.
func NewWindow(t *testing.T, lang string, width, height int64) *Window {
	t.Helper()
	ctx, cancel := chromedp.NewContext(NewBrowser(t))
	t.Cleanup(cancel)
	b := &Window{T: t, Ctx: ctx, lang: lang}
	b.watch(ctx)
	b.Do(ctx, chromedp.EmulateViewport(width, height))
	t.Cleanup(func() {
		for _, c := range b.TakeComplaints() {
			t.Errorf("the browser complains: %s", c)
		}
	})
	return b
}

// TakeComplaints returns the recorded errors, and clears them.
func (b *Window) TakeComplaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	complaints := b.complaints
	b.complaints = nil
	return complaints
}

// watch records console errors, uncaught exceptions, failed loads, and violations of
// the Content-Security-Policy, and sets the tab's language.
func (b *Window) watch(tab context.Context) {
	b.T.Helper()
	if err := chromedp.Do(tab); err != nil { // the tab lives as long as the test, not only as long as a step
		b.T.Fatal(err)
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
	b.Do(tab, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: "Griot test", AcceptLanguage: b.lang})
		return err
	}))
}

// Do runs actions in a tab.
func (b *Window) Do(tab context.Context, actions ...Action) {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(tab, stepTimeout)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.T.Fatal(err)
	}
}

// NewTab runs an action that opens another tab, and returns that tab.
func (b *Window) NewTab(tab context.Context, does Action) context.Context {
	b.T.Helper()
	opener := chromedp.FromContext(tab).Target.TargetID // other tests open tabs in the same Chromium
	opened := chromedp.WaitNewTarget(tab, func(i *target.Info) bool { return i.Type == "page" && i.OpenerID == opener })
	b.Do(tab, does)
	other, cancel := chromedp.NewContext(tab, chromedp.WithTargetID(waittest.Receive(b.T, opened)))
	b.T.Cleanup(cancel)
	b.watch(other)
	return other
}

// Text returns the text of the first element that matches.
func (b *Window) Text(tab context.Context, selector chromedp.CSS) string {
	b.T.Helper()
	return strings.TrimSpace(Get(b, tab, chromedp.Text(selector)))
}

// WaitSignedIn waits until the demo application shows that the person is signed in.
func (b *Window) WaitSignedIn(tab context.Context, number string) {
	b.T.Helper()
	b.Do(tab, chromedp.WaitVisible(chromedp.CSS(`.checks`)))
	if page := b.Text(tab, "body"); !strings.Contains(page, number) {
		b.T.Errorf("the application does not know %s:\n%s", number, page)
	}
}

// Tab opens another tab of the same browser.
func (b *Window) Tab() context.Context {
	b.T.Helper()
	tab, cancel := chromedp.NewContext(b.Ctx)
	b.T.Cleanup(cancel)
	b.watch(tab)
	return tab
}

// An Action is a step in a tab.
type Action = chromedp.Action[chromedp.Void]

// Get runs an action that returns a value.
func Get[T any](b *Window, tab context.Context, a chromedp.Action[T]) T {
	b.T.Helper()
	ctx, cancel := context.WithTimeout(tab, stepTimeout)
	defer cancel()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		b.T.Fatal(err)
	}
	return v
}
