package clients_test

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/security"
	"github.com/chromedp/chromedp"

	griot "example.com/griot/client"
	"example.com/griot/client/login"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/browsertest"
	"example.com/griot/test/system/systemtest"
)

// A singlePage is the page with oidc-client-ts in docs/connect-programs.md, on a server that only serves people on its list.
type singlePage struct {
	issuer  *partyIssuer
	address string
	live    bool
	// holds makes the server respond to a return with an empty page, so that a test gets the address before the program
	// does.
	holds atomic.Bool
}

// oidcClientTS is the page's use of oidc-client-ts.
func oidcClientTS() relyingParty {
	return relyingParty{
		file:     "index.html",
		setting:  regexp.MustCompile(`(?m)^  (\w+):`),
		basics:   []string{"authority", "client_id", "redirect_uri", "scope"},
		settings: []partySetting{{name: "loadUserInfo", reason: "with it the library asks userinfo, too, and compares sub"}},
	}
}

func startSinglePage(t *testing.T, issuer *partyIssuer, mode string, people ...string) *singlePage {
	t.Helper()
	p := &singlePage{issuer: issuer, live: mode == login.Live}
	srv := httptest.NewUnstartedServer(nil)
	p.address = "http://" + srv.Listener.Addr().String() + "/"
	client := issuer.client("PUBLIC", mode, p.address)
	party := oidcClientTS()
	page := strings.NewReplacer("https://login.example.com", issuer.url, "CLIENT_ID", client.ClientID).Replace(party.documented(t))
	tokens, err := login.New(login.Options{
		Issuer: issuer.url, ClientID: client.ClientID, RedirectURI: p.address, Mode: mode, Requests: griot.Options{
			HTTP: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: issuer.files.Pool, MinVersion: tls.VersionTLS12}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.RawQuery != "" && p.holds.Load() {
			_, _ = w.Write([]byte(`<!doctype html><title>Held</title><link rel="icon" href="data:,"><p id="held">Held</p>`))
			return
		}
		_, _ = w.Write([]byte(page))
	})
	mux.HandleFunc("GET /oidc-client-ts.min.js", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join(partyModules(t), "oidc-client-ts/dist/browser/oidc-client-ts.min.js"))
	})
	mux.HandleFunc("GET /me", func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		claims, err := tokens.Verify(r.Context(), token)
		if err != nil || !slices.Contains(people, claims.Phone) {
			w.WriteHeader(http.StatusForbidden)
		}
	})
	srv.Config.Handler = mux
	srv.Start()
	t.Cleanup(srv.Close)
	return p
}

// window opens a browser without cookies and storage, which accepts the certificate of the issuer.
func (p *singlePage) window(t *testing.T) *browsertest.Window {
	t.Helper()
	b := browsertest.NewWindow(t, "en", 800, 900)
	b.Do(b.Ctx, browsertest.Command(security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true}))
	return b
}

// login opens the page, which redirects to Griot, and signs someone in.
func (p *singlePage) login(b *browsertest.Window, number string) {
	b.T.Helper()
	b.Do(b.Ctx, chromedp.Navigate(p.address))
	if p.live {
		b.Do(b.Ctx, chromedp.WaitVisible(chromedp.CSS(`#words span:nth-of-type(3)`)))
		p.issuer.send(b.T, number, partyReceiver, strings.Join(strings.Fields(b.Text(b.Ctx, "#words")), " "))
		return
	}
	b.Do(b.Ctx, chromedp.WaitVisible(chromedp.CSS(`#sandbox-send`)))
	browsertest.Get(b, b.Ctx, chromedp.Evaluate[string](fmt.Sprintf(`document.querySelector('#sandbox-number').value = %q`, number)))
	b.Do(b.Ctx, chromedp.Click(chromedp.CSS(`#sandbox-send`)))
}

// heldLogin holds a login at the return to the page, and returns its address before the page has seen it.
func (p *singlePage) heldLogin(b *browsertest.Window, number string) *url.URL {
	b.T.Helper()
	p.holds.Store(true)
	defer p.holds.Store(false)
	p.login(b, number)
	b.Do(b.Ctx, chromedp.WaitVisible(chromedp.CSS(`#held`)))
	back, err := url.Parse(browsertest.Get(b, b.Ctx, chromedp.Evaluate[string](`location.href`)))
	if err != nil || back.Query().Get("code") == "" {
		b.T.Fatalf("the browser returns to %v, %v; want an address with a code", back, err)
	}
	return back
}

// says waits until the page shows a text, and returns it.
func (p *singlePage) says(b *browsertest.Window) (text string) {
	b.T.Helper()
	waittest.Until(b.T, func() (err error) {
		text, err = chromedp.Run(b.Ctx, chromedp.Evaluate[string](`document.querySelector('#person')?.textContent ?? ''`))
		if err == nil && text == "" {
			return systemtest.ErrNotYet
		}
		return err
	})
	return text
}

// signsIn checks that the page knows the signed-in person, also after a reload, and accepts only the return of its own
// login. It returns the person's sub.
func (p *singlePage) signsIn(t *testing.T, number, name string) string {
	t.Helper()
	b, other := p.window(t), p.window(t) // opened first, because this takes time and a code isn't valid for long
	back := p.heldLogin(b, number)
	refuses := func(b *browsertest.Window, address, what string) {
		t.Helper()
		b.Do(b.Ctx, chromedp.Navigate(address))
		if text := p.says(b); !strings.HasPrefix(text, "The login was not completed: No matching state found in storage") {
			t.Errorf("%s: the page says %s", what, text)
		}
	}
	refuses(other, back.String(), "another browser")
	unknown, q := *back, back.Query()
	q.Set("state", "00000000000000000000000000000000")
	unknown.RawQuery = q.Encode()
	refuses(b, unknown.String(), "an unknown state")

	b.Do(b.Ctx, chromedp.Navigate(back.String()))
	first := p.says(b)
	b.Do(b.Ctx, chromedp.Reload())
	if again := p.says(b); again != first {
		t.Errorf("after a reload the page says %s, want %s", again, first)
	}
	var claims struct {
		Sub   string
		Phone string `json:"phone_number"`
		Name  string
	}
	if err := json.Unmarshal([]byte(first), &claims); err != nil || len(claims.Sub) != 26 || claims.Phone != "+"+number || claims.Name != name {
		t.Errorf("the page says %s, want the claims of %s, %q", first, number, name)
	}
	refuses(b, back.String(), "a code that was used")
	return claims.Sub
}

// A page without a server signs people in with oidc-client-ts in Chromium, which reads discovery, the token, and
// userinfo of the issuer from another origin. make test-long runs it. make test-system tests the same rules of Griot
// with TestRelyingParties and TestClients_NPM. It takes more than 10 seconds, because it opens seven windows of
// Chromium one after the other.
func TestRelyingParties_SinglePage(t *testing.T) {
	systemtest.OnlyLong(t)
	t.Parallel()
	issuer := startPartyIssuer(t)
	for mode, tc := range map[string]struct {
		people   map[string]string // their names
		stranger string
	}{
		login.Test: {map[string]string{"22300000001": "Sandbox 1", "22300000099": ""}, "22300000002"},
		login.Live: {map[string]string{"22376000001": "Awa"}, "22376000002"},
	} {
		t.Run(mode, func(t *testing.T) {
			subs := map[string]bool{}
			var list []string
			for number := range tc.people {
				list = append(list, "+"+number)
			}
			p := startSinglePage(t, issuer, mode, list...)
			for number, name := range tc.people {
				subs[p.signsIn(t, number, name)] = true
			}
			if len(subs) != len(tc.people) {
				t.Errorf("two people have one sub: %v", subs)
			}
			b := p.window(t)
			p.login(b, tc.stranger)
			if text := p.says(b); text != "You are not on the list." {
				t.Errorf("a stranger sees %s", text)
			}
			if c := b.TakeComplaints(); len(c) != 1 || !strings.Contains(c[0], "403") {
				t.Errorf("a stranger's browser says %v, want one 403", c)
			}
		})
	}
}
