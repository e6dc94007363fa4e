package clients_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/test/system/systemtest"
)

const connectPage = "docs/connect-programs.md"

// A relyingParty is a third-party program that people can only use after they have signed in: a proxy in front of a
// website, or a program with a library. docs/connect-programs.md has its configuration or the whole program.
type relyingParty struct {
	file     string // in docs/connect-programs.md, or in test/npm-relying-parties if own is true
	own      bool   // the program has nothing to learn from, and is not in the document
	callback string // the path of its redirect address
	entry    string // the page that starts a login
	basics   []string
	connect  []string // flags of griot admin clients connect, for the settings of its client
	settings []partySetting
	setting  *regexp.Regexp // matches the names of its settings in the file
	// start returns the command that runs the program with its configuration, which has been written to a file.
	start func(t *testing.T, site *partySite, config string) *exec.Cmd
	// enter starts a login and returns Griot's URL; nil: the entry redirects there.
	enter func(t *testing.T, site *partySite, who *systemtest.Person) *url.URL
	// visit reads the signed-in person from the last response to a request; ok is false if no one is signed in.
	visit    func(partyResponse) (v partyVisit, ok bool)
	proxy    bool   // it protects a website, which must see no forged headers
	noName   string // the reason that it doesn't show the name
	noPKCE   string // the reason that it sends no challenge
	noNonce  string // the reason that it sends no nonce
	anyISS   string // the reason that it accepts any iss in the redirect
	noISS    string // the reason that it needs no iss in the redirect
	oneState string // the reason that all its logins have one state
	noState  string // the reason that it sends no state
	redeems  string // the reason that it redeems a code for a browser that started no login
	anyState string // the reason that it accepts any state in the redirect
	scope    string // the scopes for which it asks, if they differ from those of the document
	admits   string // the reason that it admits everyone
	modes    bool   // it only accepts tokens of a configured mode
	mode     string // the configured mode, if it differs from its client's
}

// A partySetting is a setting beyond the basics: issuer, ID, secret, redirect address, scopes, and the address of the
// website.
type partySetting struct {
	name, reason string
	test         string // its line, if only the test has it and not the document
}

// A partyWebsite responds to each request with the data that it received.
type partyWebsite struct {
	url      string
	requests atomic.Int64
}

// A partySite is the address of a relying party.
type partySite struct {
	*partyWebsite
	listens string
	issuer  *partyIssuer
	client  authverbs.Client
	people  []string // the only numbers that it admits
}

// A partyVisitor is a person as the website or the program sees them.
type partyVisitor struct{ Sub, Phone, Name string }

// A partyVisit is a page that a signed-in person has received.
type partyVisit struct {
	partyVisitor
	page   string      // the requested page
	header http.Header // of the request to the website
}

// A partyRequest is a request that the website behind a relying party received.
type partyRequest struct {
	Path   string
	Header http.Header
}

// partyPage is a path of the website, with a query that must survive the login.
const partyPage = "/reports/2026?month=11&day=27"

// lineSetting matches the settings of a file with one per line.
var lineSetting = regexp.MustCompile(`(?m)^[\t <]*([A-Za-z]\w*)`)

// Proxies that only know Griot's issuer sign people in with the configuration of docs/connect-programs.md, pass the person to
// the website, and admit only the people that the configuration names. It takes minutes the first time, because it
// compiles oauth2-proxy.
func TestRelyingParties(t *testing.T) {
	t.Parallel()
	signInToParties(t, map[string]relyingParty{"oauth2-proxy": oauth2Proxy(t), "Apache": apache()})
}

// The programs in docs/connect-programs.md do the same with libraries of several languages. make test-long runs them. make
// test-system tests the same rules of Griot with TestRelyingParties. It takes more than 10 seconds, because it starts a
// program for each client, and compiles one.
func TestRelyingParties_Programs(t *testing.T) {
	systemtest.OnlyLong(t)
	t.Parallel()
	signInToParties(t, map[string]relyingParty{
		"express-openid-connect":  expressOpenIDConnect(),
		"openid-client":           openIDClient(),
		"openid-client/passport":  openIDClientPassport(),
		"passport-openidconnect":  passportOpenIDConnect(),
		"next-auth":               nextAuth(),
		"Auth.js":                 authJS(),
		"better-auth":             betterAuth("", "--email-domain", "people.example.com"),
		"better-auth's addresses": betterAuth("people.example.com"),
		"Hono":                    honoOIDCAuth(),
		"Flask":                   flask(t),
		"OmniAuth":                omniAuth(t),
		"zitadel/oidc":            zitadelOIDC(),
	})
}

// signInToParties signs people in to each program, in the sandbox and with a phone.
func signInToParties(t *testing.T, parties map[string]relyingParty) {
	t.Helper()
	issuer, website := startPartyIssuer(t), startPartyWebsite(t)
	subs := map[string]string{} // of the people; the same for each program
	for name, party := range parties {
		t.Run(name+" with a TEST client", func(t *testing.T) {
			site := party.open(t, issuer, website, "TEST", "+22300000001", "+22300000099")
			subs["Sandbox 1"] = party.signsIn(t, site, issuer.sandbox("22300000001"), partyVisitor{Sub: subs["Sandbox 1"], Phone: "+22300000001", Name: "Sandbox 1"})
			subs["nameless"] = party.signsIn(t, site, issuer.sandbox("22300000099"), partyVisitor{Sub: subs["nameless"], Phone: "+22300000099"})
			if party.admits == "" {
				party.refuses(t, site, issuer.sandbox("22300000002"))
			}
		})
		t.Run(name+" with a LIVE client", func(t *testing.T) {
			site := party.open(t, issuer, website, "LIVE", "+22376000001")
			subs["Awa"] = party.signsIn(t, site, issuer.phone(t, "22376000001"), partyVisitor{Sub: subs["Awa"], Phone: "+22376000001", Name: "Awa"})
			if party.admits == "" {
				party.refuses(t, site, issuer.phone(t, "22376000002"))
			}
		})
		if party.modes {
			t.Run(name+" in production with a TEST client", func(t *testing.T) {
				party.mode = "LIVE"
				party.refuses(t, party.open(t, issuer, website, "TEST", "+22300000001"), issuer.sandbox("22300000001"))
			})
		}
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

// readsHeaders returns a function that reads the visitor of a website behind a proxy from the header of its request.
func readsHeaders(read func(http.Header) partyVisitor) func(partyResponse) (partyVisit, bool) {
	return func(r partyResponse) (v partyVisit, ok bool) {
		var request partyRequest
		if err := json.Unmarshal([]byte(r.body), &request); err != nil || r.status != http.StatusOK {
			return v, false
		}
		return partyVisit{read(request.Header), request.Path, request.Header}, true
	}
}

// readsClaims reads the visitor of a program that responds with their claims.
func readsClaims(r partyResponse) (v partyVisit, ok bool) {
	var claims struct {
		Sub   string
		Phone string `json:"phone_number"`
		Name  string
	}
	if err := json.Unmarshal([]byte(r.body), &claims); err != nil || r.status != http.StatusOK || claims.Sub == "" {
		return v, false
	}
	return partyVisit{partyVisitor{claims.Sub, claims.Phone, claims.Name}, r.at.RequestURI(), nil}, true
}

// open starts the program with the text of the document.
func (r *relyingParty) open(t *testing.T, issuer *partyIssuer, website *partyWebsite, mode string, people ...string) *partySite {
	t.Helper()
	site := &partySite{partyWebsite: website, listens: systemtest.FreeAddress(t), issuer: issuer, people: people}
	address := "http://" + site.listens
	site.client = issuer.client("CONFIDENTIAL", mode, address+r.callback)
	if len(r.connect) > 0 {
		systemtest.RunJSON[authverbs.Client](issuer.operator, append([]string{"clients", "connect", site.client.ClientID}, r.connect...)...)
	}
	text := r.program(t)
	if r.proxy {
		text = strings.NewReplacer(
			"https://login.example.com", issuer.url, "https://intranet.example.com", address, "http://127.0.0.1:3000", website.url,
			"CLIENT_ID", site.client.ClientID, "CLIENT_SECRET", site.client.ClientSecret, "RANDOM", strings.Repeat("r", 32),
		).Replace(text)
	}
	for _, s := range r.settings {
		if s.test != "" {
			text = s.test + "\n" + text
		}
	}
	config := filepath.Join(t.TempDir(), r.file)
	systemtest.WriteFile(t, config, text)
	startApplication(t, r.start(t, site, config), site.listens, append(issuer.variables(), "ISSUER="+issuer.url, "CLIENT_ID="+site.client.ClientID,
		"CLIENT_SECRET="+site.client.ClientSecret, "REDIRECT_URI="+address+r.callback, "PEOPLE="+strings.Join(people, " "), "MODE="+cmp.Or(r.mode, mode),
		"SESSION_KEY="+strings.Repeat("5", 64))...)
	return site
}

// program returns the text of the program or of its configuration.
func (r *relyingParty) program(t *testing.T) string {
	t.Helper()
	if !r.own {
		return r.documented(t)
	}
	text, err := os.ReadFile(systemtest.Root + "test/npm-relying-parties/" + r.file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// documented returns the text of the document, and checks that the table has a reason for each of its settings.
func (r *relyingParty) documented(t *testing.T) string {
	t.Helper()
	block := connectBlock(t, r.file)
	text := block.Code
	var found []string
	for _, m := range r.setting.FindAllStringSubmatch(text, -1) {
		found = append(found, strings.Join(m[1:], ""))
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
		t.Errorf("%s has the settings %v, want %v", block.At(), found, want)
	}
	return text
}

// connectBlock returns the document's block with a file.
func connectBlock(t *testing.T, file string) *systemtest.Block {
	t.Helper()
	blocks := systemtest.BlocksOf(t, connectPage)
	i := slices.IndexFunc(blocks, func(b *systemtest.Block) bool { return b.File == file })
	if i < 0 {
		t.Fatalf("%s has no %s", connectPage, file)
	}
	return blocks[i]
}

// entrance returns the address of the page that starts a login.
func (r *relyingParty) entrance(site *partySite) string { return "http://" + site.listens + r.entry }

// readsAccount reads the visitor of a program with its own accounts: the person is the account.
func readsAccount(r partyResponse) (v partyVisit, ok bool) {
	var user struct{ Account, Email, Name string }
	if err := json.Unmarshal([]byte(r.body), &user); err != nil || r.status != http.StatusOK {
		return v, false
	}
	sub, _, _ := strings.Cut(user.Email, "@")
	sub = strings.ToUpper(cmp.Or(user.Account, sub))
	return partyVisit{partyVisitor{Sub: sub, Name: user.Name}, r.at.RequestURI(), nil}, sub != ""
}
