package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

const browserTimeout = 20 * time.Second

// newBrowser starts Chromium for a test; make setup installs it.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}
	found := slices.IndexFunc(names, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
	if found < 0 {
		t.Fatal("there is no Chromium here: make setup installs it")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(names[found]), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"), // wa.me stays unvisited
	)
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	browser, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(browser); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = chromedp.Cancel(browser) }) // or the temporary directory is removed under its feet
	return browser
}

// A tab is a page in the browser that must stay free of errors of its own.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// open shows an address in a new tab. At the end of the test nothing may have
// broken the policy or thrown; that the network answered with an error, or what is tolerated, is the test's own doing.
func open(t *testing.T, browser context.Context, address string, tolerated ...string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
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
	b := &tab{t, ctx}
	b.do(chromedp.Navigate(address))
	return b
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserTimeout)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// waitFor waits until an expression is true; it may be asked across a change of page.
func (b *tab) waitFor(expression string) {
	b.t.Helper()
	for end := time.Now().Add(browserTimeout); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(b.ctx, browserTimeout)
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		cancel()
		if err == nil && ok {
			return
		}
	}
	text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string]("location.href + ' ' + document.body.innerText"))
	b.t.Fatalf("not true in %s: %s\nthe page shows: %s", browserTimeout, expression, text)
}

// seen says whether an element is visible, for waitFor.
func seen(selector string) string {
	return "document.querySelector('" + selector + "').checkVisibility()"
}

// says says whether an element has this text, for waitFor.
func says(selector, text string) string {
	return "document.querySelector('" + selector + "').textContent.includes('" + text + "')"
}

// newSite serves the pages with what a test's service answers.
func newSite(t *testing.T, mux *http.ServeMux) *httptest.Server {
	t.Helper()
	mux.Handle("/static/", newPages(t).Static(http.NotFound))
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	return site
}
