package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const (
	tryButton = chromedp.CSS(`#try button`)
	tryBody   = chromedp.CSS(`#try-body`)
)

// try sends the form of an operation's page with a key, and returns what the page then says.
func (b *browser) try(key string, then chromedp.CSS) string {
	b.t.Helper()
	b.do(b.ctx, chromedp.SetValue(chromedp.CSS(`#try-key`), key), chromedp.Click(tryButton), chromedp.WaitVisible(then))
	return b.text(b.ctx, then)
}

// A page of the reference sends a request with a test key, which is kept nowhere, and refuses live keys.
func TestBrowser_TriesAnOperationWithATestKey(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir(), "--phones", "memory")
	for _, view := range []struct {
		lang          string
		width         int64
		live, foreign string
	}{
		{"en", 1280, "This is a live key", "This is not a test key"},
		{"fr", 360, "C’est une clé de production", "Ce n’est pas une clé de test"},
	} {
		t.Run(view.lang, func(t *testing.T) {
			b := newBrowser(t, view.lang, view.width, 900)
			b.do(b.ctx, chromedp.Navigate(p.BaseURL+"/docs/reference"), chromedp.Click(chromedp.CSS(`a[href="/docs/reference/sendMessage"]`)), chromedp.WaitVisible(tryButton))
			const problem = `#try-problem`
			if got := b.try(p.Accounts.Business.LiveKey, problem); !strings.Contains(got, view.live) {
				t.Errorf("a live key: %q", got)
			}
			if got := b.try("secret", problem); !strings.Contains(got, view.foreign) {
				t.Errorf("what is no key: %q", got)
			}
			b.do(b.ctx, chromedp.SetValue(tryBody, `{"to":"+22370112233","channel":"sms","message":"svc_live_x"}`))
			if got := b.try(p.Accounts.Business.TestKey, problem); !strings.Contains(got, view.live) {
				t.Errorf("a live key in the body: %q", got)
			}
			const asked = `performance.getEntriesByType("resource").filter((e) => e.name.includes("/api/")).length`
			if n := get(b, b.ctx, chromedp.Evaluate[int](asked)); n != 0 {
				t.Errorf("%d requests were sent, want none", n)
			}
			b.do(b.ctx, chromedp.SetValue(tryBody, `{"to":"+22370112233","channel":"sms","message":"<b>Bonjour</b>"}`))
			got := b.try(p.Accounts.Business.TestKey, `#try-answer`)
			if !strings.Contains(got, "200") || !strings.Contains(got, `"status": "SANDBOX"`) {
				t.Errorf("the answer: %q", got)
			}
			headers := get(b, b.ctx, chromedp.Evaluate[string](`document.getElementById("answer-headers").textContent`))
			if !strings.Contains(headers, "x-request-id: ") {
				t.Errorf("the answer's headers: %q", headers)
			}
			kept := fmt.Sprintf(`[location.href, document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), JSON.stringify(history.state)].join(" ").includes(%q)`, p.Accounts.Business.TestKey)
			if get(b, b.ctx, chromedp.Evaluate[bool](kept)) {
				t.Error("the key is kept")
			}
			b.do(b.ctx, chromedp.Reload(), chromedp.WaitVisible(tryButton))
			if key := get(b, b.ctx, chromedp.Value(chromedp.CSS(`#try-key`))); key != "" {
				t.Errorf("after a reload the key's field has %q", key)
			}
		})
	}
}

// The login service's pages authenticate a test client; what is open needs no key.
func TestBrowser_TriesAnOperationOfTheLoginService(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir(), "--phones", "memory")
	b := newBrowser(t, "en", 1280, 900)
	b.do(b.ctx, chromedp.Navigate(p.AuthURL+"/docs/reference/introspectToken"), chromedp.WaitVisible(tryButton))
	if got := b.try(p.Clients.LivePublic.ClientID, `#try-problem`); !strings.Contains(got, "This is a live key") {
		t.Errorf("a live client: %q", got)
	}
	c := p.Clients.TestConfidential
	b.do(b.ctx, chromedp.SetValue(chromedp.CSS(`#try-secret`), c.ClientSecret))
	if got := b.try(c.ClientID, `#try-answer`); !strings.Contains(got, `"active": false`) {
		t.Errorf("the answer: %q", got)
	}
	b.do(b.ctx, chromedp.Navigate(p.AuthURL+"/docs/reference/getHealth"), chromedp.WaitVisible(tryButton), chromedp.Click(tryButton), chromedp.WaitVisible(chromedp.CSS(`#try-answer`)))
	if got := b.text(b.ctx, `#answer-body`); !strings.Contains(got, `"status": "ok"`) {
		t.Errorf("the answer: %q", got)
	}
}
