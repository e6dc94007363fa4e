package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/auth"
	"example.com/griot/auth/authtest"
	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/metrics/metricstest"
)

// withDNS lets a service ask a name server of the test.
func withDNS(dns *authtest.DNS) func(*auth.Options) {
	return func(o *auth.Options) { o.Resolver = dns.Resolver() }
}

// set replaces a client's settings for claims.
func (d *dashboard) set(c app, settings string) answer {
	return d.send("PUT", "/manage/clients/"+c.ID+"/connect", `{"postLogoutRedirectUris":[]`+settings+`}`)
}

// prove adds a domain, publishes its record, and verifies it.
func (d *dashboard) prove(dns *authtest.DNS, domain string) {
	d.t.Helper()
	got := d.send("POST", "/manage/domains", `{"domain":"`+domain+`"}`)
	got.must(d.t, http.StatusCreated)
	record, _ := got.json(d.t)["record"].(map[string]any)
	dns.Set(text(d.t, record, "name"), []string{text(d.t, record, "value")})
	d.send("POST", "/manage/domains/"+domain+"/verify", "").must(d.t, http.StatusOK)
}

// claims signs in and returns the claims email, email_verified, and preferred_username of the ID token, which must be
// those of userinfo, and the scope.
func (s *service) claims(a app, number, scope string) string {
	s.t.Helper()
	got := s.connected(a, number, "scope", scope).json(s.t)
	told, signed := s.told(text(s.t, got, "access_token")), identityOf(payload(s.t, text(s.t, got, "id_token")))
	if told != signed {
		s.t.Errorf("userinfo has %s, the ID token %s", told, signed)
	}
	if access := payload(s.t, text(s.t, got, "access_token")); identityOf(access) != "" {
		s.t.Errorf("the access token has %s", identityOf(access))
	}
	return strings.TrimSpace(signed + " (" + value(got, "scope") + ")")
}

// told returns the claims of userinfo.
func (s *service) told(accessToken string) string {
	s.t.Helper()
	got := s.userinfo(accessToken)
	got.must(s.t, http.StatusOK)
	return identityOf(got.json(s.t))
}

func identityOf(claims map[string]any) string {
	var out []string
	for _, name := range []string{"email", "email_verified", "preferred_username"} {
		if v, ok := claims[name]; ok {
			out = append(out, fmt.Sprint(v))
		}
	}
	return strings.Join(out, " ")
}

func (s *service) subject(number string) string {
	s.t.Helper()
	people, err := s.NewLogins().FindPeople(context.Background(), s.Tenant.ID, "22300000001")
	if err != nil || len(people) != 1 {
		s.t.Fatalf("%s: %d people, %v", number, len(people), err)
	}
	return people[0].ID
}

// Only a client with the setting gets an address, only for both scopes, and only of a domain of its tenant's.
// Rules: L210.
func TestIdentity_Email(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		dns := authtest.NewDNS(t)
		m, _ := metricstest.New()
		s := newService(t, d, withDNS(dns), func(o *auth.Options) { o.Metrics = m.Groups })
		dash, a, without := s.dashboard(s.Tenant), s.app(tenant.Confidential, tenant.Test), s.app(tenant.Confidential, tenant.Test)
		want := func(scope, want string) {
			t.Helper()
			if got := s.claims(a, "22300000001", scope); got != want {
				t.Errorf("scope %s: %s, want %s", scope, got, want)
			}
		}
		want("openid email", "(openid)")
		sub := strings.ToLower(s.subject("22300000001"))
		dash.set(a, `,"emailDomain":"X.invalid."`).must(t, 200)
		want("openid email", sub+"@x.invalid (openid email)")
		want("openid profile phone", "(openid profile phone)")
		if got := s.claims(without, "22300000001", "openid email"); got != "(openid)" {
			t.Errorf("a client without the setting: %s", got)
		}
		b := s.browser() // without openid, everything is as before
		login := b.start(a, "scope", "email profile")
		b.sandbox(login, "22300000001")
		if got := s.exchange("/oauth2/token", exchange(a, b.code(login))); strings.Contains(string(got.body), "x.invalid") || strings.Contains(string(got.body), `"scope"`) {
			t.Errorf("without openid: %s", got.body)
		}

		dash.set(a, `,"emailDomain":"people.example.com","emailVerified":true,"replacesEmailDomain":"x.invalid"`).refused(t, 409, "invalid_request", "domain_not_proven")
		dash.prove(dns, "people.example.com")
		dash.set(a, `,"emailDomain":"People.Example.com","emailVerified":true,"replacesEmailDomain":"x.invalid"`).must(t, 200)
		want("email openid", sub+"@people.example.com true (openid email)")
		if got := dash.send("GET", "/manage/clients/"+a.ID+"/connect", "").json(t); got["emailDomainState"] != "proven" || got["emailVerified"] != true || got["emailDomain"] != "people.example.com" {
			t.Errorf("the settings are %v", got)
		}
		held := s.connected(a, "22300000001", "scope", "openid email").json(t)
		dash.set(a, `,"emailDomain":"people.example.com","emailVerified":false`).must(t, 200)
		if got := s.told(text(t, held, "access_token")); got != sub+"@people.example.com false" {
			t.Errorf("userinfo after the change: %s", got)
		}
		dash.set(a, `,"emailDomain":"people.example.com","emailVerified":true`).must(t, 200)

		// Another tenant can't use the domain, and a look-alike is another domain.
		other := s.NewTenant(t, "Other")
		theirs, theirDash := s.NewClientOf(t, other, tenant.Public, tenant.Test), s.dashboard(other)
		for _, spelling := range []string{"people.example.com", "PEOPLE.example.com.", " people.example.com ", "ｐeople.example.com", "people。example。com"} {
			for _, verified := range []string{"null", "false", "true"} {
				theirDash.set(theirs, `,"emailDomain":"`+spelling+`","emailVerified":`+verified).refused(t, 409, "invalid_request", "domain_taken")
			}
		}
		got := theirDash.set(theirs, `,"emailDomain":"pеople.example.com"`) // with a Cyrillic letter
		if got.must(t, 200); got.json(t)["emailDomain"] != "xn--pople-zwe.example.com" {
			t.Errorf("a look-alike: %s", got.body)
		}
		theirDash.set(theirs, `,"emailDomain":"b.example","replacesEmailDomain":"xn--pople-zwe.example.com"`).must(t, 200)
		signed := s.connected(theirs, "22300000001", "scope", "openid email").json(t)
		theirSub := strings.ToLower(text(t, signed, "subject"))
		if theirSub == sub || identityOf(payload(t, text(t, signed, "id_token"))) != theirSub+"@b.example" {
			t.Errorf("%s", signed)
		}
		dash.prove(dns, "b.example") // later
		if got := s.told(text(t, signed, "access_token")); got != "" {
			t.Errorf("with a domain that was taken later: %s", got)
		}
		if got := s.claims(theirs, "22300000001", "openid email"); got != "(openid email)" {
			t.Errorf("with a domain that was taken later: %s", got)
		}
		if got := theirDash.send("GET", "/manage/clients/"+theirs.ID+"/connect", "").json(t); got["emailDomainState"] != "taken" {
			t.Errorf("the settings are %v", got)
		}
		if !strings.Contains(metricstest.Scrape(t, m), "griot_login_emails_withheld_total 3\n") {
			t.Error("the withheld addresses are not counted")
		}
		theirDash.set(theirs, `,"emailDomain":"b.example"`).json(t) // nothing changes, so other settings can

		// A domain that was removed is no longer verified.
		if got := dash.send("DELETE", "/manage/domains/people.example.com", ""); got.json(t)["removed"] != true {
			t.Errorf("%s", got.body)
		}
		want("openid email", sub+"@people.example.com false (openid email)")
		dash.set(a, `,"replacesEmailDomain":"people.example.com"`).must(t, 200)
		want("openid email", "(openid)")
		if got := s.told(text(t, held, "access_token")); got != "" {
			t.Errorf("userinfo after the removal: %s", got)
		}
	})
}

// A change of a domain or of user names names the value that it replaces.
// Rules: L213.
func TestIdentity_ChangesNameWhatTheyReplace(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		dash, a := s.dashboard(s.Tenant), s.app(tenant.Public, tenant.Live)
		for _, step := range []struct {
			settings string
			code     string
		}{
			{`,"emailVerified":false`, "malformed_parameter"},
			{`,"emailDomain":"a@b.example"`, "malformed_parameter"},
			{`,"emailDomain":"co.uk"`, "malformed_parameter"},
			{`,"emailDomain":"example"`, "malformed_parameter"},
			{`,"emailDomain":"127.0.0.1"`, "malformed_parameter"},
			{`,"emailDomain":"a b.example"`, "malformed_parameter"},
			{`,"preferredUsername":"email"`, "malformed_parameter"},
			{`,"emailDomain":"a.example","replacesEmailDomain":"b.example"`, "replaces_mismatch"}, // another editor has removed it
			{`,"emailDomain":"a.example","emailVerified":null,"preferredUsername":"sub"`, ""},
			{`,"emailDomain":"a.example","emailVerified":false,"preferredUsername":"sub"`, ""}, // verified changes no accounts
			{``, "replaces_mismatch"},
			{`,"emailDomain":"a.example"`, "replaces_mismatch"},
			{`,"emailDomain":"a.example","preferredUsername":"name"`, "replaces_mismatch"},
			{`,"emailDomain":"b.example","preferredUsername":"sub"`, "replaces_mismatch"},
			{`,"emailDomain":"b.example","preferredUsername":"sub","replacesEmailDomain":"c.example"`, "replaces_mismatch"},
			{`,"emailDomain":"b.example","preferredUsername":"name","replacesEmailDomain":"a.example"`, "replaces_mismatch"},
			{`,"emailDomain":"b.example","preferredUsername":"name","replacesEmailDomain":"a.example","replacesPreferredUsername":"sub"`, ""},
			{`,"emailDomain":"b.example","preferredUsername":"name","replacesEmailDomain":"a.example","replacesPreferredUsername":"sub"`, ""}, // again
			{`,"emailDomain":"c.example","preferredUsername":"name","replacesEmailDomain":"a.example"`, "replaces_mismatch"},                  // another editor was first
			{`,"replacesEmailDomain":"b.example","replacesPreferredUsername":"name"`, ""},
		} {
			got := dash.set(a, step.settings)
			switch step.code {
			case "":
				got.want(t, 200)
			case "malformed_parameter":
				got.refused(t, 400, "invalid_request", step.code)
			default:
				got.refused(t, 409, "invalid_request", step.code)
			}
		}
		if n := s.count(`SELECT count(*) FROM oauth_clients WHERE email_domain IS NULL AND email_verified IS NULL AND preferred_username IS NULL`); n != 1 {
			t.Error("the settings are not gone")
		}
	})
}

// A user name is made at the first use, and stays through changes of the name and of the number.
// Rules: L211.
func TestIdentity_Username(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		dash, a := s.dashboard(s.Tenant), s.app(tenant.Public, tenant.Live)
		n := 0
		signIn := func(from, name string) (subject, username string) {
			t.Helper()
			s.Clock.Advance(time.Minute)
			n++
			b := s.browser()
			loginID := b.start(a, "scope", "openid profile")
			if !s.deliver(fmt.Sprintf("m%d", n), b.words(loginID), func(in *gateway.Inbound) { in.From, in.DisplayName = from, name }) {
				t.Fatal("the message proved nothing")
			}
			got := s.exchange("/oauth2/token", exchange(a, b.code(loginID))).json(t)
			claims := payload(t, text(t, got, "id_token"))
			if told := s.told(text(t, got, "access_token")); told != value(claims, "preferred_username") {
				t.Errorf("userinfo has %s", told)
			}
			return text(t, got, "subject"), value(claims, "preferred_username")
		}
		end := func(sub string) string { return strings.ToLower(sub[20:]) }
		if _, username := signIn(alice, "Awa"); username != "" {
			t.Errorf("without the setting: %s", username)
		}
		if n := s.count(`SELECT count(*) FROM profiles WHERE username IS NOT NULL`); n != 0 {
			t.Error("a user name was stored without a use")
		}
		dash.set(a, `,"preferredUsername":"sub"`).must(t, 200)
		sub, username := signIn(alice, "Awa")
		if username != strings.ToLower(sub) {
			t.Errorf("sub: %s", username)
		}
		dash.set(a, `,"preferredUsername":"name","replacesPreferredUsername":"sub"`).must(t, 200)
		if _, username = signIn(alice, "Awa Traoré"); username != "awa-traore-"+end(sub) {
			t.Errorf("name: %s", username)
		}
		for _, name := range []string{"Seydou", "", "👩🏾‍🌾", strings.Repeat("ß", 255)} {
			if _, again := signIn(alice, name); again != username {
				t.Errorf("%q has changed the user name to %s", name, again)
			}
		}
		bobs, bobsName := signIn(bob, username) // a name that looks like another person's user name
		if bobsName != username+"-"+end(bobs) && !strings.HasSuffix(bobsName, "-"+end(bobs)) || bobsName == username {
			t.Errorf("bob: %s", bobsName)
		}
		if exported := dash.send("GET", "/manage/people/"+sub, "").json(t); exported["preferredUsername"] != username {
			t.Errorf("exported %v", exported)
		}
		out, err := s.auth.Verbs().Call(t.Context(), "people.export", []byte(`{"phone":"`+alice+`"}`))
		if err != nil || !strings.Contains(string(out), `"preferredUsername":"`+username+`"`) {
			t.Errorf("exported %s, %v", out, err)
		}
		s.Clock.Advance(time.Minute)
		const moved = "22376543299"
		change := gateway.Change{Gateway: receiverGateway, Channel: gateway.WhatsApp, Kind: gateway.NumberChanged, To: receiverNumber, OldNumber: alice, From: moved, At: s.Clock.Now()}
		if err := s.auth.Logins.NumberChanged(t.Context(), &change); err != nil {
			t.Fatal(err)
		}
		s.admin("people.move", map[string]any{"tenantId": s.Tenant.ID, "id": sub, "phone": "+" + moved})
		if got, name := signIn(moved, "Awa"); got != sub || name != username {
			t.Errorf("after the move: %s, %s; want %s, %s", got, name, sub, username)
		}
		if next, name := signIn(alice, "Awa Traoré"); next == sub || name == username || name != "awa-traore-"+end(next) {
			t.Errorf("the next owner of the number: %s", name)
		}
		dash.send("DELETE", "/manage/people/"+sub, "").must(t, 200)
		if n := s.count(`SELECT count(*) FROM profiles WHERE username = $1`, username); n != 0 {
			t.Error("the user name is still stored after the erasure")
		}
	})
}

// Two nodes that make a user name at the same moment return the same one, and people whose user names would be equal
// have different ones.
// Rules: L211.
func TestIdentity_UsernameOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		nodes := []*login.Service{s.NewLogins(), s.NewLogins()}
		insert := func(id, number string) {
			s.Exec(t, `INSERT INTO profiles (id, tenant_id, phone, mode, metadata, first_seen_at) VALUES ($1, $2, $3, 'LIVE', '{}', 0)`, id, s.Tenant.ID, number)
		}
		// at once calls for two names or people.
		atOnce := func(people, names [2]string) (got [2]string) {
			var wg sync.WaitGroup
			for n, node := range nodes {
				wg.Go(func() {
					username, err := node.Username(context.Background(), s.Tenant.ID, people[n], names[n])
					if got[n] = username; err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			return got
		}
		for i := range 10 {
			one, two := fmt.Sprintf("01J9ZK4A7B8C9D0E1F2G%02dAAAA", i), fmt.Sprintf("01J9ZK4A7B8C9D0E1F3G%02dAAAA", i) // with the same end
			insert(one, fmt.Sprintf("2237600%04d", i))
			insert(two, fmt.Sprintf("2237700%04d", i))
			if got := atOnce([2]string{one, two}, [2]string{"Awa", "Awa"}); got[0] == got[1] || got[0] == "" || got[1] == "" {
				t.Errorf("two people: %q", got)
			}
			three := fmt.Sprintf("01J9ZK4A7B8C9D0E1F4G%02dBBBB", i)
			insert(three, fmt.Sprintf("2237800%04d", i))
			if got := atOnce([2]string{three, three}, [2]string{"Awa", "Seydou"}); got[0] != got[1] || got[0] == "" {
				t.Errorf("one person: %q", got)
			}
		}
		if got, err := nodes[0].Username(t.Context(), s.NewTenant(t, "Other").ID, "01J9ZK4A7B8C9D0E1F4G01BBBB", "Awa"); err != nil || got != "" {
			t.Errorf("another tenant's person: %q, %v", got, err)
		}
	})
}

// Rules: L212.
func TestDomains_AtTheAPI(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		dns := authtest.NewDNS(t)
		s := newService(t, d, withDNS(dns))
		dash := s.dashboard(s.Tenant)
		if got := dash.send("GET", "/manage/domains", ""); got.status != 200 || string(got.body) != `{"domains":[]}`+"\n" {
			t.Errorf("%d %s", got.status, got.body)
		}
		dash.send("POST", "/manage/domains", `{}`).refused(t, 400, "invalid_request", "missing_parameter")
		for _, wrong := range []string{"a@b", "co.uk", "example", "10.0.0.1"} {
			dash.send("POST", "/manage/domains", `{"domain":"`+wrong+`"}`).refused(t, 400, "invalid_request", "malformed_parameter")
		}
		made := dash.send("POST", "/manage/domains", `{"domain":"Bücher.example"}`)
		made.must(t, 201)
		domain := made.json(t)
		if again := dash.send("POST", "/manage/domains", `{"domain":"xn--bcher-kva.example."}`); again.status != 200 || string(again.body) != string(made.body) {
			t.Errorf("again: %d %s, want %s", again.status, again.body, made.body)
		}
		record, _ := domain["record"].(map[string]any)
		if domain["domain"] != "xn--bcher-kva.example" || record["type"] != "TXT" || record["name"] != "_griot.xn--bcher-kva.example" || domain["verifiedAt"] != nil {
			t.Errorf("%v", domain)
		}
		verify := func() answer { return dash.send("POST", "/manage/domains/xn--bcher-kva.example/verify", "") }
		verify().refused(t, 409, "invalid_request", "domain_record_missing")
		dns.Break(true)
		verify().refused(t, 409, "invalid_request", "domain_lookup_failed")
		dns.Break(false)
		dns.Set(text(t, record, "name"), []string{"other"})
		if got := verify(); !strings.Contains(string(got.body), "has 1 TXT records, but not the one") {
			t.Errorf("another record: %s", got.body)
		}
		other := s.dashboard(s.NewTenant(t, "Other"))
		other.send("POST", "/manage/domains/xn--bcher-kva.example/verify", "").refused(t, 404, "invalid_request", "domain_not_found")
		if got := other.send("DELETE", "/manage/domains/xn--bcher-kva.example", "").json(t); got["removed"] != false {
			t.Error("another tenant has removed the domain")
		}
		dns.Set(text(t, record, "name"), []string{text(t, record, "value")})
		verify().must(t, 200)
		var all struct{ Domains []map[string]any }
		if err := json.Unmarshal(dash.send("GET", "/manage/domains", "").body, &all); err != nil || len(all.Domains) != 1 || all.Domains[0]["verifiedAt"] == nil {
			t.Errorf("%v, %v", all, err)
		}
	})
}

// A client without the settings gets no claim, and its logins don't read the tables of the settings.
func TestIdentity_CostsNothingWithoutSettings(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Confidential, tenant.Test)
		s.Exec(t, `DROP TABLE tenant_domains`)
		if got := s.claims(a, "22300000001", "openid profile phone email"); got != "(openid profile phone)" {
			t.Errorf("%s", got)
		}
		if n := s.count(`SELECT count(*) FROM profiles WHERE username IS NOT NULL`); n != 0 {
			t.Error("a user name was stored")
		}
	})
}

// The operator has the same commands, with the same refusals.
func TestIdentity_ByTheOperator(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		dns := authtest.NewDNS(t)
		s := newService(t, d, withDNS(dns))
		a := s.app(tenant.Public, tenant.Live)
		call := func(verb string, in map[string]any) (string, error) {
			body, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			out, err := s.auth.Verbs().Call(t.Context(), verb, body)
			if refused, ok := errors.AsType[*apierror.Error](err); ok {
				err = errors.New(refused.Text())
			}
			return string(out), err
		}
		domain := map[string]any{"tenantId": s.Tenant.ID, "domain": "People.example.com"}
		connect := func(want string, settings map[string]any) {
			t.Helper()
			settings["clientId"] = a.ClientID
			out, err := call("clients.connect", settings)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%v: %s, %v; want %q", settings, out, err, want)
			}
		}
		refused := func(verb string, in map[string]any, want string) {
			t.Helper()
			if out, err := call(verb, in); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s, %v; want %q", verb, out, err, want)
			}
		}
		refused("tenants.domains.add", map[string]any{"tenantId": s.Tenant.ID, "domain": "co.uk"}, "at least two labels")
		refused("tenants.domains.verify", domain, "doesn't have this domain")
		out, err := call("tenants.domains.add", domain)
		var added struct{ RecordName, RecordValue string }
		if err != nil || json.Unmarshal([]byte(out), &added) != nil || added.RecordName != "_griot.people.example.com" {
			t.Fatalf("added %s, %v", out, err)
		}
		refused("tenants.domains.verify", domain, "The name has no TXT record. Publish the record")
		dns.Break(true)
		refused("tenants.domains.verify", domain, "DNS didn't answer")
		dns.Break(false)
		connect("can't be true", map[string]any{"emailDomain": "people.example.com", "emailVerified": "true"})
		dns.Set(added.RecordName, []string{added.RecordValue})
		if out, err := call("tenants.domains.verify", domain); err != nil || strings.Contains(out, `"verifiedAt":null`) {
			t.Errorf("verified %s, %v", out, err)
		}
		connect("true or false", map[string]any{"emailDomain": "people.example.com", "emailVerified": "yes"})
		connect("needs an email domain", map[string]any{"emailVerified": "false"})
		connect("sub or name", map[string]any{"preferredUsername": "email"})
		connect("", map[string]any{"emailDomain": "people.example.com", "emailVerified": "true", "preferredUsername": "name"})
		if out, err := call("clients.list", map[string]any{"tenantId": s.Tenant.ID}); err != nil || !strings.Contains(out, `"emailDomain":"people.example.com","emailVerified":"true","preferredUsername":"name"`) {
			t.Errorf("listed %s, %v", out, err)
		}
		connect("--replaces-email-domain", map[string]any{})
		connect("--replaces-email-domain", map[string]any{"emailDomain": "people.example.com", "preferredUsername": "sub"})
		connect("", map[string]any{"replacesEmailDomain": "people.example.com", "replacesPreferredUsername": "name"})
		if out, err := call("tenants.domains.remove", domain); err != nil || !strings.Contains(out, "people.example.com") {
			t.Errorf("removed %s, %v", out, err)
		}
		refused("tenants.domains.remove", domain, "doesn't have this domain")
		if out, err := call("tenants.domains.list", map[string]any{"tenantId": s.Tenant.ID}); err != nil || strings.TrimSpace(out) != "[]" {
			t.Errorf("listed %s, %v", out, err)
		}
	})
}
