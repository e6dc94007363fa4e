package webtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/web"
)

const (
	// QrPicture is the QR code that the service in a test returns.
	QrPicture = `<svg xmlns="http://www.w3.org/2000/svg" width="222" height="222" viewBox="0 0 9 9"><path d="M0 0h9v9H0z"/></svg>`
	// LoginID identifies the login.
	LoginID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
)

// Logins is the part of the authorization service that the waiting page uses, with one login.
type Logins struct {
	Mu       sync.Mutex
	answer   int    // of the status, if it isn't 200
	Code     string // of the error in that case
	status   map[string]any
	Details  string
	Fills    bool // the page contains the words, as for the login's own browser
	Asked    int
	received []string // the bodies of POST requests
	origins  []string
}

// NewLoginsMux returns a login service with one login, and its handler.
func NewLoginsMux(t *testing.T, phonesURL string) (*Logins, *http.ServeMux) {
	t.Helper()
	there := time.Now().Add(-48 * time.Hour)
	l := &Logins{answer: http.StatusOK, status: map[string]any{
		"id": LoginID, "status": "PENDING", "mode": "LIVE", "matchingWords": "ambre rivière soleil", "tenantName": "Kalabash <b>",
		"serverTime": there, "expiresAt": there.Add(85 * time.Second),
	}, Details: `{"receiver":"22370000001","receiverText":"+223\u00a070\u00a000\u00a000\u00a001","phone":null,"returnHost":"shop.kalabash.example"}`}
	mux := http.NewServeMux()
	pages := NewPages(t)
	mux.HandleFunc("GET /waiting.html", func(w http.ResponseWriter, r *http.Request) {
		data := web.Waiting{PhonesURL: phonesURL}
		if r.URL.Query().Get("loginKeyId") == LoginID {
			data.LoginKeyID = LoginID
			data.Login = l.filled()
		}
		w.Header().Set("Cache-Control", "no-store")
		_ = pages.Serve(w, r, http.StatusOK, web.PageWaiting, data)
	})
	mux.HandleFunc("GET /authorize/status", func(w http.ResponseWriter, r *http.Request) {
		l.Mu.Lock()
		defer l.Mu.Unlock()
		l.Asked++
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(l.answer)
		if l.answer != http.StatusOK {
			_, _ = io.WriteString(w, `{"error_code":"`+l.Code+`"}`)
			return
		}
		_ = json.NewEncoder(w).Encode(l.status)
	})
	mux.HandleFunc("GET /authorize/details", func(w http.ResponseWriter, _ *http.Request) {
		l.Mu.Lock()
		defer l.Mu.Unlock()
		_, _ = io.WriteString(w, l.Details)
	})
	mux.HandleFunc("GET /authorize/qr.svg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = io.WriteString(w, QrPicture)
	})
	mux.HandleFunc("GET /authorize/open", func(w http.ResponseWriter, r *http.Request) {
		l.Mu.Lock()
		defer l.Mu.Unlock()
		l.received = append(l.received, r.URL.RawQuery)
		l.status["status"] = "ACTIVATED"
		http.Redirect(w, r, "/app", http.StatusSeeOther) // instead of WhatsApp
	})
	mux.HandleFunc("POST /authorize/sandbox", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		l.Mu.Lock()
		defer l.Mu.Unlock()
		l.received, l.origins = append(l.received, string(body)), append(l.origins, r.Header.Get("Origin"))
		l.status["status"] = "VERIFIED"
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"verified":true,"duplicate":false}`)
	})
	mux.HandleFunc("POST /authorize/page", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		l.Mu.Lock()
		defer l.Mu.Unlock()
		l.received, l.origins = append(l.received, string(body)), append(l.origins, r.Header.Get("Origin"))
		l.status["held"] = "number_hidden"
		http.Redirect(w, r, "/authorize/page", http.StatusSeeOther)
	})
	mux.HandleFunc("GET /authorize/page", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<title>the plain page</title>")
	})
	mux.HandleFunc("GET /app", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<title>the application</title>")
	})
	return l, mux
}

// filled returns the data of the login for the page.
func (l *Logins) filled() *web.WaitingLogin {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if !l.Fills {
		return nil
	}
	var details struct{ Accent, Logo, ReturnHost string } // the service's details don't contain the logo
	_ = json.Unmarshal([]byte(l.Details), &details)
	at, expires := l.status["serverTime"].(time.Time), l.status["expiresAt"].(time.Time)
	return &web.WaitingLogin{
		Tenant: l.status["tenantName"].(string), Accent: details.Accent, Logo: details.Logo, Host: details.ReturnHost, Words: strings.Fields(l.status["matchingWords"].(string)),
		Test: l.status["mode"] == "TEST", Activated: l.status["status"] == "ACTIVATED",
		ExpiresAt: expires.UTC().Format(time.RFC3339), At: at.UTC().Format(time.RFC3339), Left: expires.Sub(at), Lifetime: 90 * time.Second,
	}
}

// Set sets the status and the body of the next responses.
func (l *Logins) Set(answer int, members map[string]any) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	l.answer = answer
	for name, value := range members {
		l.status[name] = value
	}
}

// Posted returns the last body that the page has sent.
func (l *Logins) Posted() string {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	return strings.Join(append(l.received, l.origins...), " ")
}

// WaitingURL returns the address of the waiting page.
func WaitingURL(site string) string { return site + "/waiting.html?loginKeyId=" + LoginID }

// Hold serves a site whose responses at some paths wait until they are released. They
// must be released before the site is closed, because closing waits for them.
func Hold(t *testing.T, site http.Handler, paths ...string) (held *http.ServeMux, release func()) {
	t.Helper()
	later := make(chan struct{})
	held = http.NewServeMux()
	held.Handle("/", site)
	for _, path := range paths {
		held.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			<-later
			site.ServeHTTP(w, r)
		})
	}
	return held, sync.OnceFunc(func() { close(later) })
}
