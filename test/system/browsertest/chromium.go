package browsertest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// program is the Chromium of this test binary. [NewBrowser] starts it for the first test that needs it.
var program chromium

type chromium struct {
	mu  sync.Mutex
	ctx context.Context //nolint:containedctx // chromedp keeps a browser in a context
	end func()
}

// Main runs the tests of a package and exits. After the tests, it ends Chromium and calls stop.
func Main(m *testing.M, stop ...func()) {
	code := m.Run()
	Stop()
	for _, f := range stop {
		f()
	}
	os.Exit(code)
}

// Stop ends Chromium. It is for a TestMain that does more than [Main].
func Stop() {
	program.mu.Lock()
	defer program.mu.Unlock()
	if program.ctx != nil {
		_ = chromedp.Cancel(program.ctx)
		program.end()
	}
}

// started returns the context of the running Chromium, and starts Chromium if it isn't running.
func (c *chromium) started() (context.Context, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx != nil {
		return c.ctx, nil
	}
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}
	found := slices.IndexFunc(names, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
	if found < 0 {
		return nil, errors.New("there is no Chromium here: make setup installs it")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(names[found]), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"), // wa.me is never visited
	)
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx); err != nil {
		end()
		endAllocator()
		return nil, err
	}
	c.ctx, c.end = ctx, func() { end(); endAllocator() }
	return ctx, nil
}

// NewBrowser returns a separate browser for the test. It shares no cookies, storage, or cache with other tests,
// although all tests of a package run in one Chromium. Its tabs close at the end of the test.
func NewBrowser(t *testing.T) context.Context {
	t.Helper()
	shared, err := program.started()
	if err != nil {
		t.Fatal(err)
	}
	chrome := chromedp.FromContext(shared).Browser
	created, err := cdp.Call(t.Context(), chrome, target.CreateBrowserContext, target.CreateBrowserContextParams{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = cdp.Call(shared, chrome, target.DisposeBrowserContext, target.DisposeBrowserContextParams(created))
	})
	browser, cancel := chromedp.NewContext(shared, chromedp.WithExistingBrowserContext(created.BrowserContextID))
	t.Cleanup(cancel)
	return browser
}
