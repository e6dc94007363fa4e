package browser_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/browsertest"
	"example.com/griot/test/system/systemtest"
)

// posted is a request with which a browser returned to an application.
type posted struct {
	method string
	form   url.Values
}

// A login with response_mode=form_post returns by a form: immediately if scripts run, and otherwise by a button. The
// page does not send an exchanged code again.
// Rules: L191.
func TestBrowser_ReturnsByAForm(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	returns := make(chan posted, 8)
	application := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/callback" { // the browser also requests an icon
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		returns <- posted{r.Method, r.PostForm}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<h1 id="there">There</h1>`))
	}))
	t.Cleanup(application.Close)
	client := systemtest.RunJSON[authverbs.Client](p.Operator(), "clients", "create", "--tenant", p.Tenant.ID, "--type", "CONFIDENTIAL", "--mode", "TEST", "--redirect", application.URL+"/callback")
	authorize := p.AuthURL + "/authorize?" + url.Values{
		"client_id": {client.ClientID}, "redirect_uri": {application.URL + "/callback"}, "state": {`sixteen "or" <more>`}, "scope": {"openid"}, "response_mode": {"form_post"},
	}.Encode()
	arrives := func() url.Values {
		t.Helper()
		select {
		case got := <-returns:
			if got.method != http.MethodPost || got.form.Get("state") != `sixteen "or" <more>` || got.form.Get("code") == "" || got.form.Get("iss") != p.AuthURL {
				t.Errorf("the application got %+v", got)
			}
			return got.form
		case <-time.After(waittest.Limit):
			t.Fatal("the browser has not returned")
			return nil
		}
	}

	b := browsertest.NewWindow(t, "en", 390, 844)
	b.Do(b.Ctx, chromedp.Navigate(authorize), chromedp.WaitVisible(chromedp.CSS(`#sandbox-send`)))
	login := browsertest.Get(b, b.Ctx, chromedp.Evaluate[string](`location.search`))
	b.Do(b.Ctx, chromedp.Click(chromedp.CSS(`#sandbox-send`)), chromedp.WaitVisible(chromedp.CSS(`#there`)))
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {arrives().Get("code")}, "client_id": {client.ClientID}, "client_secret": {client.ClientSecret}, "redirect_uri": {application.URL + "/callback"},
	}
	exchanged := p.Call("POST", p.AuthURL+"/oauth2/token", form.Encode(), "Content-Type: application/x-www-form-urlencoded")
	if exchanged.Status != http.StatusOK {
		t.Fatalf("the exchange: %d %s", exchanged.Status, exchanged.Raw)
	}
	b.Do(b.Ctx, chromedp.Navigate(p.AuthURL+"/authorize/return"+login), chromedp.WaitVisible(chromedp.CSS(`#tenant`)))
	if userinfo := p.Call("GET", p.AuthURL+"/userinfo", "", "Authorization: Bearer "+exchanged.Text("access_token")); userinfo.Status != http.StatusOK || len(returns) > 0 {
		t.Errorf("after the page was opened again, %d more returns, and userinfo answers %d %s", len(returns), userinfo.Status, userinfo.Raw)
	}

	plain := browsertest.NewWindow(t, "en", 390, 844)
	plain.Do(plain.Ctx,
		browsertest.WithoutScripts(),
		chromedp.Navigate(authorize),
		chromedp.WaitVisible(chromedp.CSS(`#sandbox button`)), chromedp.Click(chromedp.CSS(`#sandbox button`)),
		chromedp.WaitVisible(chromedp.CSS(`#return button`)), chromedp.Click(chromedp.CSS(`#return button`)),
		chromedp.WaitVisible(chromedp.CSS(`#there`)),
	)
	arrives()
}
