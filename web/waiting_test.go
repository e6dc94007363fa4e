package web_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"griot/internal/i18n"
	"griot/web"
)

const deeplink = "https://wa.me/22370000001?text=ambre%20rivi%C3%A8re%20soleil%0A%0A1%2B1"

// logins is the part of the authorization service that the waiting page talks to, with one login.
type logins struct {
	mu       sync.Mutex
	answer   int // of the status, when it isn't 200
	status   map[string]any
	asked    int
	received []string // the bodies of POST requests
	origins  []string
}

func (l *logins) set(answer int, members map[string]any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answer = answer
	for name, value := range members {
		l.status[name] = value
	}
}

func (l *logins) posted() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(append(l.received, l.origins...), " ")
}

// newLogins has a login that began just now, on a server whose clock is two days off.
func newLogins(t *testing.T, phonesURL string) (*logins, string) {
	t.Helper()
	there := time.Now().Add(-48 * time.Hour)
	l := &logins{status: map[string]any{
		"id": "x", "status": "PENDING", "mode": "LIVE", "matchingWords": "ambre rivière soleil", "tenantName": "Kalabash <b>",
		"serverTime": there, "expiresAt": there.Add(85 * time.Second),
	}}
	mux := http.NewServeMux()
	pages := newPages(t)
	mux.HandleFunc("GET /waiting.html", func(w http.ResponseWriter, _ *http.Request) {
		web.Headers(w.Header())
		_ = pages.Render(w, web.PageWaiting, i18n.EN, web.Waiting{PhonesURL: phonesURL})
	})
	mux.HandleFunc("GET /authorize/status", func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.asked++
		w.WriteHeader(l.answer)
		_ = json.NewEncoder(w).Encode(l.status)
	})
	mux.HandleFunc("GET /authorize/qr.svg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9H0z"/></svg>`)
	})
	post := func(status, answer string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			l.mu.Lock()
			defer l.mu.Unlock()
			l.received, l.origins = append(l.received, string(body)), append(l.origins, r.Header.Get("Origin"))
			l.status["status"] = status
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, answer)
		}
	}
	mux.HandleFunc("POST /authorize/activate", post("ACTIVATED", `{"activated":true,"deeplink":"`+deeplink+`"}`))
	mux.HandleFunc("POST /authorize/sandbox", post("VERIFIED", `{"verified":true,"duplicate":false}`))
	mux.HandleFunc("GET /app", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<title>the application</title>")
	})
	l.answer = http.StatusOK
	return l, newSite(t, mux).URL
}

func TestWaiting_InABrowser(t *testing.T) {
	t.Parallel()
	browser := newBrowser(t)

	t.Run("a live login on a computer", func(t *testing.T) {
		l, site := newLogins(t, "http://127.0.0.1:1/dev/phones")
		tab := open(t, browser, site+"/waiting.html?loginKeyId=x")
		tab.waitFor(says("#words", "ambre rivière soleil"))
		tab.waitFor(says("#tenant", "Kalabash <b>"))
		tab.waitFor(says("#clock-text", "1:2")) // by the server's clock
		tab.waitFor(seen("#qr-image") + " && " + seen(".note.warn") + " && !" + seen("#sandbox"))
		tab.click("#whatsapp")
		tab.waitFor(says("#receiver", "+22370000001"))
		tab.waitFor(`new URL(document.getElementById("phones-link").href).searchParams.get("text") === "ambre rivière soleil\n\n1+1"`)
		if got := l.posted(); got != `{"loginKeyId":"x"} `+site {
			t.Errorf("posted %s", got)
		}
		l.set(http.StatusOK, map[string]any{"status": "VERIFIED", "redirectUrl": site + "/app?code=c&state=s"})
		tab.waitFor(`location.href === "` + site + `/app?code=c&state=s"`)
	})

	t.Run("a test login", func(t *testing.T) {
		l, site := newLogins(t, "")
		l.set(http.StatusOK, map[string]any{"mode": "TEST"})
		tab := open(t, browser, site+"/waiting.html?loginKeyId=x")
		tab.waitFor(seen("#sandbox") + " && " + seen("#test-tag") + " && !" + seen("#live"))
		tab.do(chromedp.SetValue(chromedp.CSS("#sandbox-number"), "22300000099"))
		tab.click("#sandbox-send")
		tab.waitFor(seen("#view-verified") + " && !" + seen("#continue")) // until the service says where to
		l.set(http.StatusOK, map[string]any{"redirectUrl": site + "/app"})
		tab.waitFor(`location.pathname === "/app"`)
		if got := l.posted(); got != `{"loginKeyId":"x","phoneE164":"22300000099"} `+site {
			t.Errorf("posted %s", got)
		}
	})

	t.Run("a lost connection", func(t *testing.T) {
		l, site := newLogins(t, "")
		l.set(http.StatusServiceUnavailable, nil)
		tab := open(t, browser, site+"/waiting.html?loginKeyId=x")
		tab.waitFor(says("#status", "Trying again"))
		l.set(http.StatusOK, nil)
		tab.waitFor(`dispatchEvent(new Event("online"))`)
		tab.waitFor(seen("#words") + " && " + says("#status", "Waiting for your message"))
	})

	for name, end := range map[string]struct {
		answer  int
		members map[string]any
		seen    string
	}{
		"expired":                     {http.StatusOK, map[string]any{"status": "EXPIRED", "redirectUrl": "https://app.example/?error=access_denied"}, "#back"},
		"ended by a second phone":     {http.StatusOK, map[string]any{"status": "EXPIRED", "endedBy": "second_phone", "redirectUrl": "https://app.example/?error=access_denied"}, "#back"},
		"finished":                    {http.StatusOK, map[string]any{"status": "CONSUMED"}, "#view-consumed"},
		"another browser's":           {http.StatusForbidden, nil, "#view-gone"},
		"unknown":                     {http.StatusUnauthorized, nil, "#view-gone"},
		"a redirect that is a script": {http.StatusOK, map[string]any{"status": "VERIFIED", "redirectUrl": "javascript:document.title='run'"}, "#view-verified"},
	} {
		t.Run(name, func(t *testing.T) {
			l, site := newLogins(t, "")
			l.set(end.answer, end.members)
			tab := open(t, browser, site+"/waiting.html?loginKeyId=x")
			tab.waitFor(seen(end.seen) + " && !" + seen("#words") + " && !" + seen("#continue") + ` && document.title !== "run"`)
			if by := end.members["endedBy"]; by == "second_phone" {
				tab.waitFor(says("#view-expired", "Two phones sent these words") + " && !" + says("#view-expired", "Time is up") + " && " + says("#status", "was stopped"))
			} else if name == "expired" {
				tab.waitFor(says("#view-expired", "Time is up"))
			}
			l.mu.Lock()
			asked := l.asked
			l.mu.Unlock()
			if name == "expired" && asked != 1 {
				t.Errorf("asked %d times about a login that has ended", asked)
			}
		})
	}

	t.Run("no login at all", func(t *testing.T) {
		_, site := newLogins(t, "")
		open(t, browser, site+"/waiting.html").waitFor(seen("#view-gone"))
	})
}
