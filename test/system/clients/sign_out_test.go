package clients_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// People sign out of Apache and, with it, of the login. A person who ends their login by a message is signed out of
// Apache, too.
func TestRelyingParties_SignOut(t *testing.T) {
	t.Parallel()
	var apacheListens atomic.Pointer[url.URL]
	tokens := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(apacheListens.Load()) }}) // its address is known before Apache's
	t.Cleanup(tokens.Close)
	issuer, website, party := startPartyIssuer(t, "GRIOT_WEBHOOKS_ALLOW="+tokens.URL), startPartyWebsite(t), apache()
	site := party.open(t, issuer, website, "LIVE", "+22376000001")
	address := "http://" + site.listens
	apacheListens.Store(&url.URL{Scheme: "http", Host: site.listens})
	after := address + "/bye"
	systemtest.RunJSON[authverbs.Client](issuer.operator, "clients", "connect", site.client.ClientID, "--post-logout-redirect", after, "--backchannel-logout", tokens.URL+party.callback+"?logout=backchannel")
	phone := issuer.phone(t, "22376000001")
	signIn := func() (who *systemtest.Person, token string) {
		t.Helper()
		who = issuer.person(t)
		return who, party.arrives(t, site, who, party.login(t, site, who, phone).String()).header.Get("OIDC_access_token")
	}
	signedIn := func(token string) bool {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, issuer.url+"/userinfo", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		status, _, _ := issuer.person(t).Do(request)
		return status == http.StatusOK
	}

	who, token := signIn()
	elsewhere, other := signIn()
	if !signedIn(token) || !signedIn(other) {
		t.Fatal("the access tokens are worth nothing")
	}
	got := site.browse(t, who, address+party.callback+"?"+url.Values{"logout": {after}}.Encode())
	if got.authorize == nil || got.at.String() != after {
		t.Errorf("after the sign-out the browser is at %s, which answers %d %s; want it at %s, which leads to a login", got.at, got.status, got.body, after)
	}
	if signedIn(token) || !signedIn(other) {
		t.Errorf("the token of the login that was signed out is worth something: %v; that of another login: %v", signedIn(token), signedIn(other))
	}
	if v := party.arrives(t, site, elsewhere, party.entrance(site)); v.Phone != "+22376000001" {
		t.Errorf("the other browser is signed in as %+v", v)
	}

	issuer.send(t, "22376000001", partyReceiver, "STOP")
	waittest.Until(t, func() error {
		if got := site.browse(t, elsewhere, party.entrance(site)); got.authorize == nil {
			return fmt.Errorf("the website answers %d %s after a STOP, want a new login", got.status, got.body)
		}
		return nil
	})
}
