package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/browsertest"
	"example.com/griot/test/system/systemtest"
)

// buttonSite is another site, with a policy that only lets it load the button's two files.
type buttonSite struct {
	url    string
	logins atomic.Int64 // number of logins that its /login has started
}

const buttonPage = `<!doctype html>
<html lang="%s"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Boutique</title>
<link rel="stylesheet" href="%[2]s/button.css" crossorigin><script src="%[2]s/button.js" crossorigin async></script></head>
<body><main><h1>Boutique</h1>
<p><a id="empty" class="griot-button" href="/login"></a></p>
<p lang="en-GB"><a id="near" class="griot-button" href="/login"></a></p>
<p><a id="french" class="griot-button" lang="fr" data-theme="dark" href="/login"> </a></p>
<p><a id="other" class="griot-button" lang="de" data-theme="light" href="/login"></a></p>
<p><a id="own" class="griot-button" href="/login">Entrer par message</a></p>
</main></body></html>`

func newButtonSite(t *testing.T, p *systemtest.Dev) *buttonSite {
	t.Helper()
	s := &buttonSite{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{lang}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; script-src %[1]s; style-src %[1]s", p.AuthURL))
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, buttonPage, r.PathValue("lang"), p.AuthURL)
	})
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		if s.logins.Add(1) == 1 {
			w.WriteHeader(http.StatusNoContent) // the browser stays on the page
			return
		}
		c := p.Clients.LivePublic
		http.Redirect(w, r, fmt.Sprintf("%s/authorize?client_id=%s&redirect_uri=%s&state=sixteen-or-more-characters&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256",
			p.AuthURL, c.ClientID, c.RedirectURI), http.StatusSeeOther)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	s.url = site.URL
	return s
}

func emulateMedia(feature, value string) chromedp.Action[chromedp.Void] {
	return browsertest.Command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: feature, Value: value}}})
}

// The button on another site's page, with a policy that forbids everything else: its text is in the page's language, it
// is readable in both themes, the keyboard reaches it, and several clicks start only one login. It also works without
// scripts.
// Rules: L178.
func TestBrowser_ButtonOnAnotherSite(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	s := newButtonSite(t, p)
	browser := browsertest.NewBrowser(t)
	tab := browsertest.Open(t, browser, s.url+"/fr")
	evaluate := func(ctx context.Context, expression string) string {
		t.Helper()
		value, err := chromedp.Run(ctx, chromedp.Evaluate[string](expression))
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	const texts = `[...document.querySelectorAll("a")].map((a) => a.textContent + "/" + (a.closest("[lang]") || {}).lang).join(", ")`
	for lang, want := range map[string]string{
		"fr": "Se connecter par message/fr, Sign in by message/en-GB, Se connecter par message/fr, Sign in by message/en, Entrer par message/fr",
		"en": "Sign in by message/en, Sign in by message/en-GB, Se connecter par message/fr, Sign in by message/en, Entrer par message/en",
	} {
		for _, theme := range []string{"light", "dark"} {
			what := lang + ", " + theme
			tab.Do(chromedp.EmulateViewport(320, 700), emulateMedia("prefers-color-scheme", theme), chromedp.Navigate(s.url+"/"+lang))
			tab.WaitFor(`document.readyState === "complete" && document.querySelector("#empty").textContent !== ""`)
			if got := evaluate(tab.Ctx, texts); got != want {
				t.Errorf("%s: the texts are\n%s, want\n%s", what, got, want)
			}
			tab.Axe(what)
			tab.Fits(what)
			const ground = `getComputedStyle(document.querySelector("%s")).backgroundColor`
			if own, light, dark := evaluate(tab.Ctx, fmt.Sprintf(ground, "#empty")), evaluate(tab.Ctx, fmt.Sprintf(ground, "#other")), evaluate(tab.Ctx, fmt.Sprintf(ground, "#french")); light == dark || own != map[string]string{"light": light, "dark": dark}[theme] {
				t.Errorf("%s: the button is %s; with a theme of its own it is %s or %s", what, own, light, dark)
			}
			tab.Screenshot("button-" + lang + "-" + theme)
		}
	}
	tab.Do(chromedp.Evaluate[chromedp.Void](`document.documentElement.lang = "fr"; document.body.append(Object.assign(document.createElement("a"), { className: "griot-button", id: "late" })); undefined`))
	tab.WaitFor(browsertest.Says("#late", "Se connecter") + " && " + browsertest.Says("#empty", "Se connecter"))

	const clicks = `[1, 2, 3].map(() => document.querySelector("#empty").dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }))) + " " + document.querySelector("#empty").getAttribute("aria-busy")`
	if got := evaluate(tab.Ctx, clicks); got != "true,false,false true" {
		t.Errorf("three clicks count as %s, want the first only, and a busy button", got)
	}
	waittest.Until(t, func() error {
		if s.logins.Load() == 0 {
			return systemtest.ErrNotYet
		}
		return nil
	})
	tab = browsertest.Open(t, browser, s.url+"/en") // a navigation might still be in progress in the first tab
	tab.WaitFor(browsertest.Says("#empty", "Sign in"))
	tab.Do(chromedp.KeyEvent("\t"))
	if focused := evaluate(tab.Ctx, `document.activeElement.id + " " + getComputedStyle(document.activeElement).outlineStyle`); focused != "empty solid" {
		t.Errorf("the first press of Tab leads to %q, want the button with a visible outline", focused)
	}
	tab.Do(chromedp.KeyEvent("\r"))
	tab.WaitFor(`document.querySelector("#words span:nth-of-type(3)") !== null`)
	if n := s.logins.Load(); n != 2 {
		t.Errorf("three clicks and a key have started %d logins, want 2", n)
	}

	plain := browsertest.Open(t, browser, "about:blank")
	plain.Do(browsertest.WithoutScripts(), emulateMedia("forced-colors", "active"), chromedp.Navigate(s.url+"/fr"))
	const shown = `getComputedStyle(document.querySelector("%s"), "::after").content`
	if own, near := evaluate(plain.Ctx, fmt.Sprintf(shown, "#empty")), evaluate(plain.Ctx, fmt.Sprintf(shown, "#near")); own != `"Se connecter par message"` || near != `"Sign in by message"` {
		t.Errorf("without scripts the buttons show %s and %s", own, near)
	}
	plain.Screenshot("button-forced-colors")
}
