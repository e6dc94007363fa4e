package clients_test

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// signsIn checks that a person gets in, that the program knows the person even if the browser claims someone else, and
// that only the response to their own login is accepted. It returns their sub.
func (r *relyingParty) signsIn(t *testing.T, site *partySite, login partyLogin, want partyVisitor) string {
	t.Helper()
	if r.noName != "" {
		want.Name = ""
	}
	if !strings.Contains(r.scopes(), "phone") {
		want.Phone = ""
	}
	elsewhere := r.authorize(t, site, site.issuer.person(t)).Query().Get("state")
	for name, tc := range map[string]struct {
		change   func(url.Values)
		accepted string // the reason that it is accepted
	}{
		"the state of another login": {func(q url.Values) { q.Set("state", elsewhere) }, r.oneState + r.anyState},
		"an unknown state":           {func(q url.Values) { q.Set("state", "unknown-0000000000000000") }, r.anyState},
		"no state":                   {func(q url.Values) { q.Del("state") }, r.noState},
		"an unknown code":            {func(q url.Values) { q.Set("code", "00000000000000000000000000") }, ""},
		"an error":                   {func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") }, ""},
		"another issuer":             {func(q url.Values) { q.Set("iss", "https://attacker.example") }, r.anyISS},
		"no issuer":                  {func(q url.Values) { q.Del("iss") }, r.anyISS + r.noISS},
	} {
		refused := site.issuer.person(t) // each time another login, because a program can redeem the code before it checks the state
		wrong := *r.login(t, site, refused, login)
		q := wrong.Query()
		tc.change(q)
		wrong.RawQuery = q.Encode()
		if tc.accepted != "" {
			r.arrives(t, site, refused, wrong.String()) // otherwise the table is wrong
			continue
		}
		r.isRefused(t, site, refused, wrong.String(), name)
	}
	someone := site.issuer.person(t)
	back := r.login(t, site, someone, login)
	r.isRefused(t, site, site.issuer.person(t), back.String(), "a browser that started no login")
	if r.redeems != "" {
		back = r.login(t, site, someone, login)
	}
	another := site.issuer.person(t)
	r.authorize(t, site, another)
	r.isRefused(t, site, another, r.login(t, site, site.issuer.person(t), login).String(), "the login of another browser")
	again := someone.Clone()

	got := r.arrives(t, site, someone, back.String())
	if r.entry == partyPage && got.page != partyPage {
		t.Errorf("the person arrives at %s, want %s", got.page, partyPage)
	}
	if want.Sub == "" && len(got.Sub) == 26 {
		want.Sub = got.Sub
	}
	if got.partyVisitor != want {
		t.Errorf("the program sees %+v, want %+v", got.partyVisitor, want)
	}
	r.isRefused(t, site, again, back.String(), "a code that was used")
	if r.proxy {
		r.passesNoForgedHeaders(t, site, someone, got.header, want)
	}

	other := site.issuer.person(t)
	if second := r.arrives(t, site, other, r.login(t, site, other, login).String()); second.partyVisitor != want {
		t.Errorf("after a login in another browser the program sees %+v, want %+v", second.partyVisitor, want)
	}
	return got.Sub
}

// passesNoForgedHeaders checks that the website behind a proxy sees the real person, regardless of the headers
// that the browser sends.
func (r *relyingParty) passesNoForgedHeaders(t *testing.T, site *partySite, someone *systemtest.Person, seen http.Header, want partyVisitor) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.entrance(site), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for name := range seen {
		if strings.HasPrefix(name, "X-Forwarded-") || strings.HasPrefix(strings.ToUpper(name), "OIDC") {
			request.Header.Set(name, "somebody-else")
		}
	}
	status, body, _ := someone.Do(request)
	if forged, ok := r.visit(partyResponse{status: status, body: body}); !ok || forged.partyVisitor != want {
		t.Errorf("with forged headers the website answers %d %s, want %+v", status, body, want)
	}
}

// refuses checks that a person who isn't on the list gets no further than the login.
func (r *relyingParty) refuses(t *testing.T, site *partySite, login partyLogin) {
	t.Helper()
	stranger := site.issuer.person(t)
	back := r.login(t, site, stranger, login)
	before := site.requests.Load()
	got := site.browse(t, stranger, back.String())
	if _, ok := r.visit(got); ok || got.status != http.StatusForbidden || site.requests.Load() != before {
		t.Errorf("a stranger gets %d %s, want 403 without a request to the website", got.status, got.body)
	}
	r.isRefused(t, site, stranger, r.entrance(site), "a stranger who comes again")
}

// authorize opens a page of the program, and returns the Griot URL to which it redirects.
func (r *relyingParty) authorize(t *testing.T, site *partySite, who *systemtest.Person) *url.URL {
	t.Helper()
	var authorize *url.URL
	if r.enter != nil {
		authorize = r.enter(t, site, who)
	} else if got := site.browse(t, who, r.entrance(site)); got.authorize != nil {
		authorize = got.authorize
	} else {
		t.Fatalf("the program answers %d and leads to no login\n%s", got.status, got.body)
	}
	q := authorize.Query()
	wants := map[string]string{"client_id": site.client.ClientID, "scope": r.scopes(), "code_challenge_method": "S256"}
	if r.noPKCE != "" {
		wants["code_challenge_method"] = ""
	}
	for name, want := range wants {
		if got := q.Get(name); got != want {
			t.Errorf("%s=%s, want %s", name, got, want)
		}
	}
	if (q.Get("nonce") == "") != (r.noNonce != "") || (q.Get("state") == "") != (r.noState != "") {
		t.Errorf("got %v, want a state: %v, and a nonce: %v", q, r.noState == "", r.noNonce == "")
	}
	return authorize
}

// scopes returns the scopes for which the program asks.
func (r *relyingParty) scopes() string { return cmp.Or(r.scope, "openid profile phone") }

// submits sends a form that starts a login, and returns the Griot URL to which the response redirects.
func submits(t *testing.T, who *systemtest.Person, address string, form url.Values) *url.URL {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	status, body, header := who.Do(request)
	authorize, err := url.Parse(header.Get("Location"))
	if err != nil || status != http.StatusFound {
		t.Fatalf("the sign-in answers %d %s, want a redirect", status, body)
	}
	return authorize
}

// login signs someone in, up to the redirect to the program, and returns the address of the redirect.
func (r *relyingParty) login(t *testing.T, site *partySite, who *systemtest.Person, login partyLogin) *url.URL {
	t.Helper()
	return login(who, r.authorize(t, site, who).String())
}

// arrives opens an address, and returns the person that the program sees in the end.
func (r *relyingParty) arrives(t *testing.T, site *partySite, who *systemtest.Person, address string) partyVisit {
	t.Helper()
	got := site.browse(t, who, address)
	v, ok := r.visit(got)
	if !ok {
		t.Fatalf("got %d %s, want the page of somebody who is signed in", got.status, got.body)
	}
	return v
}

// isRefused checks that an address opens nothing, and that the browser that has opened it has no access. The program
// chooses the status: Apache responds to errors of the login with 200.
func (r *relyingParty) isRefused(t *testing.T, site *partySite, who *systemtest.Person, address, what string) {
	t.Helper()
	before := site.requests.Load()
	for _, address := range []string{address, r.entrance(site)} {
		got := site.browse(t, who, address)
		if _, ok := r.visit(got); ok || site.requests.Load() != before {
			t.Fatalf("%s: %s answers %d %s", what, address, got.status, got.body)
		}
	}
}

// A partyResponse is the last response to a request, after redirects.
type partyResponse struct {
	at        *url.URL // URL of the response
	status    int
	body      string
	authorize *url.URL // Griot's URL, if the response redirects there
}

// browse opens an address and follows redirects, up to one to Griot.
func (s *partySite) browse(t *testing.T, who *systemtest.Person, address string) (r partyResponse) {
	t.Helper()
	for range 10 {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", "text/html") // otherwise Apache starts no login
		status, body, header := who.Do(request)
		r = partyResponse{at: request.URL, status: status, body: body}
		if header.Get("Location") == "" {
			return r
		}
		leads, err := request.URL.Parse(header.Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		if address = leads.String(); strings.HasPrefix(address, s.issuer.url+"/authorize?") {
			r.authorize = leads
			return r
		}
	}
	t.Fatalf("there are more than 10 redirects, the last one to %s", address)
	return r
}
