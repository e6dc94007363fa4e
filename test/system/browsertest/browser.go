package browsertest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// stepTimeout ends a step that hangs.
const stepTimeout = 90 * time.Second

// A Tab is a page in the browser. Its page must not cause errors.
type Tab struct {
	Ctx context.Context

	t     *testing.T
	close func()
}

// Open shows an address in a new tab. It fails the test at its end if the page has violated the policy or thrown an
// error. It ignores console messages that the test itself causes: error responses of the network, a field that was not
// focused because the test had typed or clicked before, and the tolerated ones.
func Open(t *testing.T, browser context.Context, address string, tolerated ...string) *Tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	tolerated = append(tolerated, "Autofocus processing was blocked")
	var mu sync.Mutex
	var complaints []string
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			expected := slices.ContainsFunc(tolerated, func(part string) bool { return strings.Contains(m.String(), part) })
			if m.Source != "network" && !expected {
				mu.Lock()
				complaints = append(complaints, m.String())
				mu.Unlock()
			}
		}
	}()
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range complaints {
			t.Errorf("the browser's console: %s", c)
		}
	})
	b := &Tab{Ctx: ctx, t: t, close: cancel}
	b.Do(chromedp.Navigate(address))
	return b
}

// Close closes the tab.
func (b *Tab) Close() { b.close() }

// Do runs steps in the tab.
func (b *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.Ctx, stepTimeout)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// Click clicks on the first element that matches.
func (b *Tab) Click(selector string) {
	b.t.Helper()
	b.Do(chromedp.Click(chromedp.CSS(selector)))
}

// WaitFor waits until an expression is true. It also works across a page change.
func (b *Tab) WaitFor(expression string) {
	b.t.Helper()
	for end := time.Now().Add(stepTimeout); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(b.Ctx, stepTimeout)
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		cancel()
		if err == nil && ok {
			return
		}
	}
	text, _ := chromedp.Run(b.Ctx, chromedp.Evaluate[string]("location.href + ' ' + document.body.innerText"))
	b.t.Fatalf("not true in %s: %s\nthe page shows: %s", stepTimeout, expression, text)
}

// Seen returns an expression that reports whether an element is visible, for [Tab.WaitFor].
func Seen(selector string) string {
	return "document.querySelector('" + selector + "').checkVisibility()"
}

// Says returns an expression that reports whether an element has this text, for [Tab.WaitFor].
func Says(selector, text string) string {
	return "document.querySelector('" + selector + "').textContent.includes('" + text + "')"
}

// Command converts a call of the browser's protocol to a step.
func Command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// WithoutScripts disables the tab's scripts.
func WithoutScripts() chromedp.Action[chromedp.Void] {
	return Command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// WithoutMotion requests reduced motion from pages, so that elements don't fade away after some seconds on a slow
// machine.
func WithoutMotion() chromedp.Action[chromedp.Void] {
	return Command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}})
}
