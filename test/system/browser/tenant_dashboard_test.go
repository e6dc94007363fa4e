package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/browsertest"
	"example.com/griot/test/system/systemtest"
)

// A tenant signs in to its dashboard, tries its TEST client with the link on the client's page, and sees the person who
// has signed in. The application at the end doesn't know the login, and gets a code that can't be exchanged.
func TestTenantDashboard_TriesAClient(t *testing.T) {
	t.Parallel()
	t.Run("dev", func(t *testing.T) {
		p := systemtest.StartDev(t, t.TempDir())
		tryClient(t, p.AuthURL, p.Tenant, p.Clients.TestPublic.ClientID, p.BaseURL)
	})
	t.Run("serve", func(t *testing.T) {
		application := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprint(w, `<!doctype html><link rel="icon" href="data:,"><title>App</title>An application`)
		}))
		t.Cleanup(application.Close)
		database := "sqlite:" + filepath.Join(t.TempDir(), "griot.db")
		s := systemtest.StartServeWith(t, database, "")
		o := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: s.Cmd.Env}
		made := systemtest.RunJSON[authverbs.Tenant](o, "tenants", "create", "--name", "Boutique")
		c := systemtest.RunJSON[authverbs.Client](o, "clients", "create", "--tenant", made.ID, "--type", "CONFIDENTIAL", "--mode", "TEST", "--redirect", application.URL+"/callback")
		key := systemtest.RunJSON[authverbs.NewInvitation](o, "invitations", "create", "--tenant", made.ID)
		tryClient(t, s.Auth, devfile.Tenant{ID: made.ID, InvitationKey: key.Key}, c.ClientID, application.URL)
	})
}

// tryClient tries a client in a browser, which must end at an address with a prefix.
func tryClient(t *testing.T, authURL string, tenant devfile.Tenant, clientID, ends string) {
	t.Helper()
	b := browsertest.NewWindow(t, "fr", 360, 800)
	at := func(begins, text string) {
		t.Helper()
		waittest.Until(t, func() error {
			where, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string]("document.readyState === 'complete' ? location.href + '\\n' + document.body.innerText : ''"))
			if err == nil && (!strings.HasPrefix(where, begins) || !strings.Contains(where, text)) {
				err = fmt.Errorf("at %q, want %s with %q: %w", where, begins, text, systemtest.ErrNotYet)
			}
			return err
		})
	}
	b.Do(b.Ctx, chromedp.Navigate(authURL+"/dashboard/clients"))
	at(authURL+"/dashboard/sign-in", "")
	b.Do(b.Ctx, chromedp.SendKeys(chromedp.CSS("#tenant"), tenant.ID), chromedp.SendKeys(chromedp.CSS("#key"), tenant.InvitationKey), chromedp.Click(chromedp.CSS("main button[type=submit]")))
	at(authURL+"/dashboard/clients", clientID)
	b.Do(b.Ctx, chromedp.Navigate(authURL+"/dashboard/appearance"), chromedp.Click(chromedp.CSS("input[value=teal]")), chromedp.Click(chromedp.CSS("#appearance button[type=submit]")))
	at(authURL+"/dashboard/appearance", "Enregistré")
	b.Do(b.Ctx, chromedp.Navigate(authURL+"/dashboard/clients"))
	at(authURL+"/dashboard/clients", clientID)
	path := browsertest.Get(b, b.Ctx, chromedp.Evaluate[string](fmt.Sprintf(`[...document.querySelectorAll("tbody tr")].find((row) => row.textContent.includes(%q)).querySelector("a").href`, clientID)))
	b.Do(b.Ctx, chromedp.Navigate(path))
	at(path, clientID)
	link := browsertest.Get(b, b.Ctx, chromedp.Evaluate[string](`document.querySelector("a[href^='/authorize?']").href`))
	b.Do(b.Ctx, chromedp.Navigate(link))
	at(authURL+"/waiting.html?", "")
	b.Do(b.Ctx, chromedp.WaitVisible(chromedp.CSS("#sandbox-send")))
	waittest.Until(t, func() error {
		if accent := browsertest.Get(b, b.Ctx, chromedp.Evaluate[string](`document.body.dataset.accent || ""`)); accent != "teal" {
			return fmt.Errorf("the waiting page has the accent %q, want teal: %w", accent, systemtest.ErrNotYet)
		}
		return nil
	})
	if dir := os.Getenv(screenshotsVariable); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "waiting-teal.png"), browsertest.Get(b, b.Ctx, chromedp.FullScreenshot(100)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.Do(b.Ctx, chromedp.Click(chromedp.CSS("#sandbox-send")))
	at(ends, "")
	if where := browsertest.Get(b, b.Ctx, chromedp.Evaluate[string]("location.href")); !strings.Contains(where, "state=try-") || !strings.Contains(where, "code=") {
		t.Errorf("the login ended at %s, want a code and the state of the dashboard", where)
	}
	b.Do(b.Ctx, chromedp.Navigate(authURL+"/dashboard/people"))
	at(authURL+"/dashboard/people", "+223*****001")
}
