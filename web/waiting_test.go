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

	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

// logins is the part of the authorization service that the waiting page talks to, with one login.
type logins struct {
	mu       sync.Mutex
	answer   int    // of the status, when it isn't 200
	code     string // of the error, then
	status   map[string]any
	details  string
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

const (
	qrPicture = `<svg xmlns="http://www.w3.org/2000/svg" width="222" height="222" viewBox="0 0 9 9"><path d="M0 0h9v9H0z"/></svg>`
	loginID   = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
)

// newLogins has a login that began just now, on a server whose clock is two days off.
func newLogins(t *testing.T, phonesURL string) (*logins, string) {
	t.Helper()
	l, mux := newLoginsMux(t, phonesURL)
	return l, newSite(t, mux).URL
}

func newLoginsMux(t *testing.T, phonesURL string) (*logins, *http.ServeMux) {
	t.Helper()
	there := time.Now().Add(-48 * time.Hour)
	l := &logins{answer: http.StatusOK, status: map[string]any{
		"id": loginID, "status": "PENDING", "mode": "LIVE", "matchingWords": "ambre rivière soleil", "tenantName": "Kalabash <b>",
		"serverTime": there, "expiresAt": there.Add(85 * time.Second),
	}, details: `{"receiver":"22370000001","phone":null}`}
	mux := http.NewServeMux()
	pages := newPages(t)
	mux.HandleFunc("GET /waiting.html", func(w http.ResponseWriter, r *http.Request) {
		data := web.Waiting{PhonesURL: phonesURL}
		if r.URL.Query().Get("loginKeyId") == loginID {
			data.LoginKeyID = loginID
		}
		w.Header().Set("Cache-Control", "no-store")
		_ = pages.Serve(w, r, http.StatusOK, web.PageWaiting, data)
	})
	mux.HandleFunc("GET /authorize/status", func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.asked++
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(l.answer)
		if l.answer != http.StatusOK {
			_, _ = io.WriteString(w, `{"error_code":"`+l.code+`"}`)
			return
		}
		_ = json.NewEncoder(w).Encode(l.status)
	})
	mux.HandleFunc("GET /authorize/details", func(w http.ResponseWriter, _ *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		_, _ = io.WriteString(w, l.details)
	})
	mux.HandleFunc("GET /authorize/qr.svg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = io.WriteString(w, qrPicture)
	})
	mux.HandleFunc("GET /authorize/open", func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.received = append(l.received, r.URL.RawQuery)
		l.status["status"] = "ACTIVATED"
		http.Redirect(w, r, "/app", http.StatusSeeOther) // in place of WhatsApp
	})
	mux.HandleFunc("POST /authorize/sandbox", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.received, l.origins = append(l.received, string(body)), append(l.origins, r.Header.Get("Origin"))
		l.status["status"] = "VERIFIED"
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"verified":true,"duplicate":false}`)
	})
	mux.HandleFunc("GET /authorize/page", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<title>the plain page</title>")
	})
	mux.HandleFunc("GET /app", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<title>the application</title>")
	})
	return l, mux
}

func TestWaiting_InABrowser(t *testing.T) {
	t.Parallel()
	browser := webtest.NewBrowser(t)

	t.Run("a live login on a computer", func(t *testing.T) {
		l, site := newLogins(t, "http://127.0.0.1:1/dev/phones")
		tab := webtest.Open(t, browser, site+"/waiting.html?loginKeyId="+loginID)
		tab.WaitFor(webtest.Says("#words", "ambre rivière soleil"))
		tab.WaitFor(webtest.Says("#tenant", "Kalabash <b>"))
		tab.WaitFor(webtest.Says("#clock-text", "1:2")) // by the server's clock
		tab.WaitFor(webtest.Seen("#qr-image") + " && " + webtest.Seen(".note.warn") + " && !" + webtest.Seen("#sandbox"))
		tab.WaitFor(webtest.Says("#receiver", "+22370000001"))
		tab.WaitFor(`document.getElementById("phones").href.endsWith("/authorize/open?in=phones&loginKeyId=` + loginID + `")`)
		// It asks every two seconds, and not more often.
		tab.WaitFor(`(polls => polls.length > 2 && polls[2].startTime - polls[0].startTime >= 3900)(performance.getEntriesByType("resource").filter(e => e.name.includes("/authorize/status")))`)
		tab.Click("#whatsapp")
		tab.WaitFor(webtest.Says("#status", "this page updates by itself") + ` && location.pathname === "/waiting.html"`)
		if got := l.posted(); got != "loginKeyId="+loginID {
			t.Errorf("opened %s", got)
		}
		l.set(http.StatusOK, map[string]any{"status": "VERIFIED", "redirectUrl": site + "/app?code=c&state=s"})
		tab.WaitFor(`location.href === "` + site + `/app?code=c&state=s"`)
	})

	t.Run("a test login", func(t *testing.T) {
		l, site := newLogins(t, "")
		l.set(http.StatusOK, map[string]any{"mode": "TEST"})
		tab := webtest.Open(t, browser, site+"/waiting.html?loginKeyId="+loginID)
		tab.WaitFor(webtest.Seen("#sandbox") + " && " + webtest.Seen("#test-tag") + " && !" + webtest.Seen("#live") + " && !" + webtest.Seen("#qr"))
		tab.Do(chromedp.SetValue(chromedp.CSS("#sandbox-number"), "22300000099"))
		l.mu.Lock()
		l.details = `{"receiver":null,"phone":"+223*****099"}`
		l.mu.Unlock()
		tab.Click("#sandbox-send")
		tab.WaitFor(webtest.Seen("#view-verified") + " && !" + webtest.Seen("#continue")) // until the service says where to
		tab.WaitFor(webtest.Says("#verified-phone", "+223*****099"))
		l.set(http.StatusOK, map[string]any{"redirectUrl": site + "/app"})
		tab.WaitFor(`location.pathname === "/app"`)
		if got := l.posted(); got != `{"loginKeyId":"`+loginID+`","phoneE164":"22300000099"} `+site {
			t.Errorf("posted %s", got)
		}
	})

	t.Run("a lost connection", func(t *testing.T) {
		l, site := newLogins(t, "")
		l.set(http.StatusServiceUnavailable, nil)
		tab := webtest.Open(t, browser, site+"/waiting.html?loginKeyId="+loginID)
		tab.WaitFor(webtest.Says("#waits", "Trying again"))
		l.set(http.StatusOK, nil)
		tab.WaitFor(`dispatchEvent(new Event("online"))`)
		tab.WaitFor(webtest.Seen("#words") + " && " + webtest.Says("#status", "Waiting for your message"))
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
			tab := webtest.Open(t, browser, site+"/waiting.html?loginKeyId="+loginID)
			tab.WaitFor(webtest.Seen(end.seen) + " && !" + webtest.Seen("#words") + " && !" + webtest.Seen("#continue") + ` && document.title !== "run"`)
			if by := end.members["endedBy"]; by == "second_phone" {
				tab.WaitFor(webtest.Says("#view-expired", "Two phones sent these words") + " && !" + webtest.Says("#view-expired", "Time is up") + " && " + webtest.Says("#status", "was stopped") + " && !" + webtest.Seen("#again"))
			} else if name == "expired" {
				tab.WaitFor(webtest.Says("#view-expired", "Time is up") + " && " + webtest.Seen("#again") + ` && document.getElementById("again").href.endsWith("/authorize/again?loginKeyId=` + loginID + `")`)
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
		webtest.Open(t, browser, site+"/waiting.html").WaitFor(webtest.Seen("#view-gone"))
	})
}
