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

	"griot/web"
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
	browser := newBrowser(t)

	t.Run("a live login on a computer", func(t *testing.T) {
		l, site := newLogins(t, "http://127.0.0.1:1/dev/phones")
		tab := open(t, browser, site+"/waiting.html?loginKeyId="+loginID)
		tab.waitFor(says("#words", "ambre rivière soleil"))
		tab.waitFor(says("#tenant", "Kalabash <b>"))
		tab.waitFor(says("#clock-text", "1:2")) // by the server's clock
		tab.waitFor(seen("#qr-image") + " && " + seen(".note.warn") + " && !" + seen("#sandbox"))
		tab.waitFor(says("#receiver", "+22370000001"))
		tab.waitFor(`document.getElementById("phones").href.endsWith("/authorize/open?in=phones&loginKeyId=` + loginID + `")`)
		tab.click("#whatsapp")
		tab.waitFor(says("#status", "this page updates by itself") + ` && location.pathname === "/waiting.html"`)
		if got := l.posted(); got != "loginKeyId="+loginID {
			t.Errorf("opened %s", got)
		}
		l.set(http.StatusOK, map[string]any{"status": "VERIFIED", "redirectUrl": site + "/app?code=c&state=s"})
		tab.waitFor(`location.href === "` + site + `/app?code=c&state=s"`)
	})

	t.Run("a test login", func(t *testing.T) {
		l, site := newLogins(t, "")
		l.set(http.StatusOK, map[string]any{"mode": "TEST"})
		tab := open(t, browser, site+"/waiting.html?loginKeyId="+loginID)
		tab.waitFor(seen("#sandbox") + " && " + seen("#test-tag") + " && !" + seen("#live") + " && !" + seen("#qr"))
		tab.do(chromedp.SetValue(chromedp.CSS("#sandbox-number"), "22300000099"))
		l.mu.Lock()
		l.details = `{"receiver":null,"phone":"+223*****099"}`
		l.mu.Unlock()
		tab.click("#sandbox-send")
		tab.waitFor(seen("#view-verified") + " && !" + seen("#continue")) // until the service says where to
		tab.waitFor(says("#verified-phone", "+223*****099"))
		l.set(http.StatusOK, map[string]any{"redirectUrl": site + "/app"})
		tab.waitFor(`location.pathname === "/app"`)
		if got := l.posted(); got != `{"loginKeyId":"`+loginID+`","phoneE164":"22300000099"} `+site {
			t.Errorf("posted %s", got)
		}
	})

	t.Run("a lost connection", func(t *testing.T) {
		l, site := newLogins(t, "")
		l.set(http.StatusServiceUnavailable, nil)
		tab := open(t, browser, site+"/waiting.html?loginKeyId="+loginID)
		tab.waitFor(says("#waits", "Trying again"))
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
			tab := open(t, browser, site+"/waiting.html?loginKeyId="+loginID)
			tab.waitFor(seen(end.seen) + " && !" + seen("#words") + " && !" + seen("#continue") + ` && document.title !== "run"`)
			if by := end.members["endedBy"]; by == "second_phone" {
				tab.waitFor(says("#view-expired", "Two phones sent these words") + " && !" + says("#view-expired", "Time is up") + " && " + says("#status", "was stopped") + " && !" + seen("#again"))
			} else if name == "expired" {
				tab.waitFor(says("#view-expired", "Time is up") + " && " + seen("#again") + ` && document.getElementById("again").href.endsWith("/authorize/again?loginKeyId=` + loginID + `")`)
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
