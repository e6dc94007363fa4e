package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/test/system/browsertest"
	"example.com/griot/test/system/systemtest"
)

const (
	tryButton = chromedp.CSS(`#try button`)
	tryBody   = chromedp.CSS(`#try-body`)
)

// try sends the form of an operation's page with a key, and returns the text that the page then shows.
func try(b *browsertest.Window, key string, then chromedp.CSS) string {
	b.T.Helper()
	b.Do(b.Ctx, chromedp.SetValue(chromedp.CSS(`#try-key`), key), chromedp.Click(tryButton), chromedp.WaitVisible(then))
	return b.Text(b.Ctx, then)
}

// A page of the reference sends a request with a test key, which it doesn't store, and refuses live keys.
func TestBrowser_TriesAnOperationWithATestKey(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	for _, view := range []struct {
		lang          string
		width         int64
		live, foreign string
	}{
		{"en", 1280, "This is a live key", "This is not a test key"},
		{"fr", 360, "C’est une clé de production", "Ce n’est pas une clé de test"},
	} {
		t.Run(view.lang, func(t *testing.T) {
			b := browsertest.NewWindow(t, view.lang, view.width, 900)
			b.Do(b.Ctx, chromedp.Navigate(p.BaseURL+"/docs/reference"), chromedp.Click(chromedp.CSS(`a[href="/docs/reference/sendMessage"]`)), chromedp.WaitVisible(tryButton))
			const problem = `#try-problem`
			if got := try(b, p.Accounts.Business.LiveKey, problem); !strings.Contains(got, view.live) {
				t.Errorf("a live key: %q", got)
			}
			if got := try(b, "secret", problem); !strings.Contains(got, view.foreign) {
				t.Errorf("what is no key: %q", got)
			}
			b.Do(b.Ctx, chromedp.SetValue(tryBody, `{"to":"+22370112233","channel":"sms","message":"svc_live_x"}`))
			if got := try(b, p.Accounts.Business.TestKey, problem); !strings.Contains(got, view.live) {
				t.Errorf("a live key in the body: %q", got)
			}
			const asked = `performance.getEntriesByType("resource").filter((e) => e.name.includes("/api/")).length`
			if n := browsertest.Get(b, b.Ctx, chromedp.Evaluate[int](asked)); n != 0 {
				t.Errorf("%d requests were sent, want none", n)
			}
			b.Do(b.Ctx, chromedp.SetValue(tryBody, `{"to":"+22370112233","channel":"sms","message":"<b>Bonjour</b>"}`))
			got := try(b, p.Accounts.Business.TestKey, `#try-answer`)
			if !strings.Contains(got, "200") || !strings.Contains(got, `"status": "SANDBOX"`) {
				t.Errorf("the answer: %q", got)
			}
			headers := browsertest.Get(b, b.Ctx, chromedp.Evaluate[string](`document.getElementById("answer-headers").textContent`))
			if !strings.Contains(headers, "x-request-id: ") {
				t.Errorf("the answer's headers: %q", headers)
			}
			kept := fmt.Sprintf(`[location.href, document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), JSON.stringify(history.state)].join(" ").includes(%q)`, p.Accounts.Business.TestKey)
			if browsertest.Get(b, b.Ctx, chromedp.Evaluate[bool](kept)) {
				t.Error("the key is kept")
			}
			b.Do(b.Ctx, chromedp.Reload(), chromedp.WaitVisible(tryButton))
			if key := browsertest.Get(b, b.Ctx, chromedp.Value(chromedp.CSS(`#try-key`))); key != "" {
				t.Errorf("after a reload the key's field has %q", key)
			}
		})
	}
}

// The login service's pages authenticate a test client. Open operations need no key.
func TestBrowser_TriesAnOperationOfTheLoginService(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	b := browsertest.NewWindow(t, "en", 1280, 900)
	b.Do(b.Ctx, chromedp.Navigate(p.AuthURL+"/docs/reference/introspectToken"), chromedp.WaitVisible(tryButton))
	if got := try(b, p.Clients.LivePublic.ClientID, `#try-problem`); !strings.Contains(got, "This is a live key") {
		t.Errorf("a live client: %q", got)
	}
	c := p.Clients.TestConfidential
	b.Do(b.Ctx, chromedp.SetValue(chromedp.CSS(`#try-secret`), c.ClientSecret))
	if got := try(b, c.ClientID, `#try-answer`); !strings.Contains(got, `"active": false`) {
		t.Errorf("the answer: %q", got)
	}
	b.Do(b.Ctx, chromedp.Navigate(p.AuthURL+"/docs/reference/getHealth"), chromedp.WaitVisible(tryButton), chromedp.Click(tryButton), chromedp.WaitVisible(chromedp.CSS(`#try-answer`)))
	if got := b.Text(b.Ctx, `#answer-body`); !strings.Contains(got, `"status": "ok"`) {
		t.Errorf("the answer: %q", got)
	}
}
