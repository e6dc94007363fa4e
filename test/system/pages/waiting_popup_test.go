package pages_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/test/system/browsertest"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

// opener is a page of an application that signs a person in with a pop-up window, and waits there for its callback.
const opener = `<!DOCTYPE html><title>the application</title><button>Sign in</button><script>
document.querySelector("button").onclick = () => { window.popup = open(%q, "login", "popup"); };
addEventListener("message", (e) => { if (e.source === window.popup) window.received = e.data; });
</script>`

const callback = `<!DOCTYPE html><title>the callback</title><script>if (opener) { opener.postMessage("code", "*"); close(); }</script>`

// newApplication returns the address of an application that opens an address in a pop-up window, and the address of its callback.
func newApplication(t *testing.T, opens *string) (app, back string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintf(w, opener, *opens) })
	mux.HandleFunc("GET /callback", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, callback) })
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	return site.URL + "/", site.URL + "/callback"
}

// Rules: L10.
func TestWaiting_InAPopUp(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewBrowser(t)
	l, mux := webtest.NewLoginsMux(t, "")
	site, pages := http.NewServeMux(), webtest.NewPages(t)
	var opens string
	app, back := newApplication(t, &opens)
	site.Handle("/", mux)
	site.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, webtest.WaitingURL(""), http.StatusSeeOther)
	})
	serve := func(w http.ResponseWriter, r *http.Request, page string, data any) {
		w.Header().Set("Refresh", "0;url="+back) // like a person who continues
		if err := pages.Serve(w, r, http.StatusOK, page, data); err != nil {
			t.Error(err)
		}
	}
	site.HandleFunc("GET /authorize/refused", func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, web.PageError, web.Failure{Status: http.StatusBadRequest})
	})
	site.HandleFunc("GET /authorize/plain", func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, web.PagePlain, web.Plain{View: web.PlainConsumed, LoginKeyID: webtest.LoginID})
	})
	site.HandleFunc("GET /terms", func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, web.PageTerms, web.LegalText{})
	})
	service := webtest.NewSite(t, site).URL
	l.Set(http.StatusOK, map[string]any{"status": "VERIFIED", "redirectUrl": back})
	for path, kept := range map[string]bool{"/authorize": true, "/authorize/plain": true, "/authorize/refused": true, "/terms": false} {
		opens = service + path
		tab := browsertest.Open(t, browser, app)
		tab.Do(chromedp.Click(chromedp.CSS("button")))
		if kept {
			tab.WaitFor(`window.received === "code"`)
			continue
		}
		tab.WaitFor(`window.popup.closed && !window.received`) // any other page is separated from other sites' windows
	}
}
