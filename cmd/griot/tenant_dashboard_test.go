package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/cmd/griot/devfile"
)

// A tenant signs in to its dashboard, tries its TEST client by the link on the client's page, and sees who has signed in. The
// application at the end knows nothing of the login, and gets a code that nobody can exchange.
func TestTenantDashboard_TriesAClient(t *testing.T) {
	t.Parallel()
	t.Run("dev", func(t *testing.T) {
		p := startDev(t, t.TempDir())
		tryClient(t, p.AuthURL, p.Tenant, p.Clients.TestPublic.ClientID, p.BaseURL)
	})
	t.Run("serve", func(t *testing.T) {
		application := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprint(w, `<!doctype html><link rel="icon" href="data:,"><title>App</title>An application`)
		}))
		t.Cleanup(application.Close)
		database := "sqlite:" + filepath.Join(t.TempDir(), "griot.db")
		s := startServeWith(t, database, "")
		o := &operator{t: t, dir: s.cmd.Dir, env: s.cmd.Env}
		made := runJSON[authadmin.Tenant](o, "tenants", "create", "--name", "Boutique")
		c := runJSON[authadmin.Client](o, "clients", "create", "--tenant", made.ID, "--type", "CONFIDENTIAL", "--mode", "TEST", "--redirect", application.URL+"/callback")
		key := runJSON[authadmin.NewInvitation](o, "invitations", "create", "--tenant", made.ID)
		tryClient(t, s.auth, devfile.Tenant{ID: made.ID, InvitationKey: key.Key}, c.ClientID, application.URL)
	})
}

// tryClient tries a client in a browser: it ends at an address that begins so.
func tryClient(t *testing.T, authURL string, tenant devfile.Tenant, clientID, ends string) {
	t.Helper()
	b := newBrowser(t, "fr", 360, 800)
	at := func(begins, text string) {
		t.Helper()
		eventually(t, 20*time.Second, func() error {
			where, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.readyState === 'complete' ? location.href + '\\n' + document.body.innerText : ''"))
			if err == nil && (!strings.HasPrefix(where, begins) || !strings.Contains(where, text)) {
				err = fmt.Errorf("at %q, want %s with %q: %w", where, begins, text, errNotYet)
			}
			return err
		})
	}
	b.do(b.ctx, chromedp.Navigate(authURL+"/dashboard/clients"))
	at(authURL+"/dashboard/sign-in", "")
	b.do(b.ctx, chromedp.SendKeys(chromedp.CSS("#tenant"), tenant.ID), chromedp.SendKeys(chromedp.CSS("#key"), tenant.InvitationKey), chromedp.Click(chromedp.CSS("main button[type=submit]")))
	at(authURL+"/dashboard/clients", clientID)
	b.do(b.ctx, chromedp.Navigate(authURL+"/dashboard/appearance"), chromedp.Click(chromedp.CSS("input[value=teal]")), chromedp.Click(chromedp.CSS("#appearance button[type=submit]")))
	at(authURL+"/dashboard/appearance", "Enregistré")
	b.do(b.ctx, chromedp.Navigate(authURL+"/dashboard/clients"))
	at(authURL+"/dashboard/clients", clientID)
	path := get(b, b.ctx, chromedp.Evaluate[string](fmt.Sprintf(`[...document.querySelectorAll("tbody tr")].find((row) => row.textContent.includes(%q)).querySelector("a").href`, clientID)))
	b.do(b.ctx, chromedp.Navigate(path))
	at(path, clientID)
	link := get(b, b.ctx, chromedp.Evaluate[string](`document.querySelector("a[href^='/authorize?']").href`))
	b.do(b.ctx, chromedp.Navigate(link))
	at(authURL+"/waiting.html?", "")
	b.do(b.ctx, chromedp.WaitVisible(chromedp.CSS("#sandbox-send")))
	eventually(t, 10*time.Second, func() error {
		if accent := get(b, b.ctx, chromedp.Evaluate[string](`document.body.dataset.accent || ""`)); accent != "teal" {
			return fmt.Errorf("the waiting page has the accent %q, want teal: %w", accent, errNotYet)
		}
		return nil
	})
	if dir := os.Getenv(screenshotsVariable); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "waiting-teal.png"), get(b, b.ctx, chromedp.FullScreenshot(100)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.do(b.ctx, chromedp.Click(chromedp.CSS("#sandbox-send")))
	at(ends, "")
	if where := get(b, b.ctx, chromedp.Evaluate[string]("location.href")); !strings.Contains(where, "state=try-") || !strings.Contains(where, "code=") {
		t.Errorf("the login ended at %s, want a code and the state of the dashboard", where)
	}
	b.do(b.ctx, chromedp.Navigate(authURL+"/dashboard/people"))
	at(authURL+"/dashboard/people", "+223*****001")
}
