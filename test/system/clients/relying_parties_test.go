package clients_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/test/system/systemtest"
)

const connectPage = "docs/connect.md"

// A relyingParty is a program, written by others, that lets people see a website only after they have signed in.
type relyingParty struct {
	file     string // its configuration in docs/connect.md
	callback string // the path of its redirect address
	basics   []string
	settings []partySetting
	// start returns the command that runs the program with its configuration, which has been written to a file.
	start func(t *testing.T, site *partySite, config string) *exec.Cmd
	// visitor reads from a request to the website who sent it.
	visitor func(http.Header) partyVisitor
	names   bool // the website sees the name, too
}

// A partySetting is one beyond the basics: issuer, ID, secret, redirect address, scopes, and the address of the website.
type partySetting struct {
	name, reason string
	test         string // its line where only the test has it, not the document
}

// A partyWebsite answers each request with what it received.
type partyWebsite struct {
	url      string
	requests atomic.Int64
}

// A partySite is the address of a relying party in front of the website.
type partySite struct {
	*partyWebsite
	listens string
	authURL string // of Griot
	client  authadmin.Client
	people  []string // the only numbers that it admits
}

// A partyVisitor is a person as the website sees them.
type partyVisitor struct{ Sub, Phone, Name string }

// A partyRequest is one that the website behind a relying party received.
type partyRequest struct {
	Path   string
	Header http.Header
}

// partyPage is a path of the website, with a query that has to survive the login.
const partyPage = "/reports/2026?month=11&day=27"

// Programs that know Griot by its issuer sign people in with the configuration of docs/connect.md, show the website who they
// are, and admit only the people that the configuration names.
// It takes minutes the first time, because it compiles oauth2-proxy.
func TestRelyingParties(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	website := startPartyWebsite(t)
	sandbox := func(number string) partyLogin {
		return func(who *systemtest.Person, authorize string) *url.URL { return who.SignInSandboxAs(number, authorize) }
	}
	phone := func(number string) partyLogin {
		return func(who *systemtest.Person, authorize string) *url.URL {
			return who.SendWordsFrom(number, p.BaseURL, authorize)
		}
	}
	subs := map[string]string{} // of the people, by what else the website sees of them
	for name, party := range map[string]relyingParty{"oauth2-proxy": oauth2Proxy(t), "Apache": apache()} {
		t.Run(name+" with a TEST client", func(t *testing.T) {
			site := party.open(t, p, website, "TEST", "+22300000001", "+22300000099")
			subs["Sandbox 1"] = party.signsIn(t, site, sandbox("22300000001"), partyVisitor{subs["Sandbox 1"], "+22300000001", "Sandbox 1"})
			subs["nameless"] = party.signsIn(t, site, sandbox("22300000099"), partyVisitor{subs["nameless"], "+22300000099", ""})
			party.refuses(t, site, sandbox("22300000002"))
		})
		t.Run(name+" with a LIVE client", func(t *testing.T) {
			site := party.open(t, p, website, "LIVE", "+22376000001")
			subs["Awa"] = party.signsIn(t, site, phone("22376000001"), partyVisitor{subs["Awa"], "+22376000001", "Awa"})
			party.refuses(t, site, phone("22376000002"))
		})
	}
	if !t.Failed() && (subs["Sandbox 1"] == subs["nameless"] || subs["Awa"] == subs["nameless"]) {
		t.Errorf("two people have one sub: %v", subs)
	}
}

func startPartyWebsite(t *testing.T) *partyWebsite {
	t.Helper()
	website := &partyWebsite{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		website.requests.Add(1)
		_ = json.NewEncoder(w).Encode(partyRequest{r.URL.RequestURI(), r.Header})
	}))
	t.Cleanup(srv.Close)
	website.url = srv.URL
	return website
}

// A partyLogin signs a person in at an authorization address, and returns the address that their browser is sent back to.
type partyLogin func(who *systemtest.Person, authorize string) *url.URL

// open starts the program in front of the website with the configuration of the document.
func (r *relyingParty) open(t *testing.T, p *systemtest.Dev, website *partyWebsite, mode string, people ...string) *partySite {
	t.Helper()
	site := &partySite{partyWebsite: website, listens: systemtest.FreeAddress(t), authURL: p.AuthURL, people: people}
	address := "http://" + site.listens
	site.client = systemtest.RunJSON[authadmin.Client](p.Operator(), "clients", "create", "--tenant", p.Tenant.ID, "--type", "CONFIDENTIAL", "--mode", mode, "--redirect", address+r.callback)
	text := strings.NewReplacer(
		"https://login.example.com", p.AuthURL, "https://intranet.example.com", address, "http://127.0.0.1:3000", website.url,
		"CLIENT_ID", site.client.ClientID, "CLIENT_SECRET", site.client.ClientSecret, "RANDOM", strings.Repeat("r", 32),
	).Replace(r.documented(t))
	for _, s := range r.settings {
		if s.test != "" {
			text = s.test + "\n" + text
		}
	}
	config := filepath.Join(t.TempDir(), r.file)
	systemtest.WriteFile(t, config, text)
	startApplication(t, r.start(t, site, config), site.listens)
	return site
}

// documented returns the configuration of the document, and holds that the table has a reason for each setting of it.
func (r *relyingParty) documented(t *testing.T) string {
	t.Helper()
	blocks := systemtest.BlocksOf(t, connectPage)
	i := slices.IndexFunc(blocks, func(b *systemtest.Block) bool { return b.File == r.file })
	if i < 0 {
		t.Fatalf("%s has no %s", connectPage, r.file)
	}
	text := blocks[i].Code
	var found []string
	for line := range strings.Lines(text) {
		if name := strings.Trim(line, "<> \n"); name != "" && !strings.HasPrefix(name, "#") && !strings.HasPrefix(name, "/") {
			found = append(found, strings.Fields(name)[0])
		}
	}
	want := slices.Clone(r.basics)
	for _, s := range r.settings {
		if s.reason == "" {
			t.Errorf("%s: %s without a reason", r.file, s.name)
		}
		if s.test == "" {
			want = append(want, s.name)
		}
	}
	slices.Sort(found)
	slices.Sort(want)
	if found = slices.Compact(found); !slices.Equal(found, want) {
		t.Errorf("%s has the settings %v, want %v", blocks[i].At(), found, want)
	}
	return text
}

// signsIn holds that a person gets to the page that they asked for, that the website sees who they are, even if their browser
// claims something else, and that no other answer than the one of their login opens the website. It returns their sub.
func (r *relyingParty) signsIn(t *testing.T, site *partySite, login partyLogin, want partyVisitor) string {
	t.Helper()
	if !r.names {
		want.Name = ""
	}
	elsewhere := r.authorize(t, site, systemtest.NewPerson(t)).Query().Get("state")
	for name, change := range map[string]func(url.Values){
		"the state of another login": func(q url.Values) { q.Set("state", elsewhere) },
		"an unknown code":            func(q url.Values) { q.Set("code", "00000000000000000000000000") },
		"an error":                   func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") },
	} {
		refused := systemtest.NewPerson(t) // each time another login, because a program can redeem the code before it looks at the state
		wrong := *r.login(t, site, refused, login)
		q := wrong.Query()
		change(q)
		wrong.RawQuery = q.Encode()
		r.isRefused(t, site, refused, wrong.String(), name)
	}
	someone := systemtest.NewPerson(t)
	back := r.login(t, site, someone, login)
	r.isRefused(t, site, systemtest.NewPerson(t), back.String(), "a browser that started no login")
	again := someone.Clone()

	seen := r.arrives(t, site, someone, back.String())
	if seen.Path != partyPage {
		t.Errorf("the website was asked for %s, want %s", seen.Path, partyPage)
	}
	got := r.visitor(seen.Header)
	if want.Sub == "" && len(got.Sub) == 26 {
		want.Sub = got.Sub
	}
	if got != want {
		t.Errorf("the website sees %+v, want %+v", got, want)
	}
	r.isRefused(t, site, again, back.String(), "a code that was used")

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+site.listens+partyPage, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for name := range seen.Header {
		if strings.HasPrefix(name, "X-Forwarded-") || strings.HasPrefix(strings.ToUpper(name), "OIDC") {
			request.Header.Set(name, "somebody-else")
		}
	}
	status, body, _ := someone.Do(request)
	if forged := r.visitor(received(t, status, body).Header); forged != want {
		t.Errorf("with forged headers the website sees %+v, want %+v", forged, want)
	}

	other := systemtest.NewPerson(t)
	if second := r.visitor(r.arrives(t, site, other, r.login(t, site, other, login).String()).Header); second != want {
		t.Errorf("after a login in another browser the website sees %+v, want %+v", second, want)
	}
	return got.Sub
}

// refuses holds that a person who isn't named gets no further than the login.
func (r *relyingParty) refuses(t *testing.T, site *partySite, login partyLogin) {
	t.Helper()
	stranger := systemtest.NewPerson(t)
	back := r.login(t, site, stranger, login)
	before := site.requests.Load()
	if _, status, body := site.browse(t, stranger, back.String()); status != http.StatusForbidden || site.requests.Load() != before {
		t.Errorf("a stranger gets %d %s, want 403 without a request to the website", status, body)
	}
	r.isRefused(t, site, stranger, "http://"+site.listens+partyPage, "a stranger who comes again")
}

// authorize opens a page of the website, and returns the address of Griot to which that leads.
func (r *relyingParty) authorize(t *testing.T, site *partySite, who *systemtest.Person) *url.URL {
	t.Helper()
	authorize, status, body := site.browse(t, who, "http://"+site.listens+partyPage)
	if authorize == nil {
		t.Fatalf("the website answers %d and leads to no login\n%s", status, body)
	}
	q := authorize.Query()
	for name, want := range map[string]string{"client_id": site.client.ClientID, "scope": "openid profile phone", "code_challenge_method": "S256"} {
		if got := q.Get(name); got != want {
			t.Errorf("%s=%s, want %s", name, got, want)
		}
	}
	if q.Get("nonce") == "" || q.Get("state") == "" {
		t.Errorf("the login has no nonce or no state: %v", q)
	}
	return authorize
}

// login signs somebody in, up to the redirect to the program, whose address it returns.
func (r *relyingParty) login(t *testing.T, site *partySite, who *systemtest.Person, login partyLogin) *url.URL {
	t.Helper()
	return login(who, r.authorize(t, site, who).String())
}

// arrives opens an address, and returns the request that the website received in the end.
func (r *relyingParty) arrives(t *testing.T, site *partySite, who *systemtest.Person, address string) partyRequest {
	t.Helper()
	_, status, body := site.browse(t, who, address)
	return received(t, status, body)
}

// received returns the request that the website answered.
func received(t *testing.T, status int, body string) (request partyRequest) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &request); err != nil || status != http.StatusOK {
		t.Fatalf("got %d %s, want the website's answer", status, body)
	}
	return request
}

// isRefused holds that nothing gets to the website from an address, nor from a browser that has opened it. The status is the
// program's business: Apache answers errors of the login with 200.
func (r *relyingParty) isRefused(t *testing.T, site *partySite, who *systemtest.Person, address, what string) {
	t.Helper()
	before := site.requests.Load()
	for _, address := range []string{address, "http://" + site.listens + partyPage} {
		if _, status, body := site.browse(t, who, address); site.requests.Load() != before {
			t.Fatalf("%s: %s answers %d %s", what, address, status, body)
		}
	}
}

// browse opens an address and follows redirects, up to one that leads to Griot.
func (s *partySite) browse(t *testing.T, who *systemtest.Person, address string) (authorize *url.URL, status int, body string) {
	t.Helper()
	for range 10 {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", "text/html") // for others, Apache starts no login
		status, body, header := who.Do(request)
		if header.Get("Location") == "" {
			return nil, status, body
		}
		leads, err := request.URL.Parse(header.Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		if address = leads.String(); strings.HasPrefix(address, s.authURL+"/authorize?") {
			return leads, status, body
		}
	}
	t.Fatalf("there are more than 10 redirects, the last one to %s", address)
	return nil, 0, ""
}
