package clients_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/test/system/systemtest"
)

const (
	npmFolder  = "../../../test/npm"
	npmTime    = time.Minute
	isAccepted = "" // a library accepts it, so the application must check it
)

// npmClients returns the expected result of each library in each scenario of
// test/npm/clients/run.mjs: words of its refusal, or isAccepted.
func npmClients() map[string]map[string]string {
	with := func(base map[string]string, own ...string) map[string]string {
		out := map[string]string{}
		for name, words := range base {
			out[name] = words
		}
		for i := 0; i < len(own); i += 2 {
			out[own[i]] = own[i+1]
		}
		return out
	}
	jose := map[string]string{
		"sign in":                      isAccepted,
		"token of another service":     `unexpected "iss" claim value`,
		"token of another client":      `unexpected "aud" claim value`,
		"token with other claims":      "ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
		"token with another signature": "ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
		"token without a signature":    "ERR_JOSE_ALG_NOT_ALLOWED",
		"code a second time":           "code_already_used",
		"verifier of another login":    "pkce_mismatch",
	}
	clients := map[string]map[string]string{
		"oauth4webapi": with(jose, // the strict one
			"iss of another service in the redirect", `unexpected "iss" (issuer) response parameter value`,
			"no iss in the redirect", `response parameter "iss" (issuer) missing`,
			"state of another login in the redirect", `unexpected "state" response parameter value`,
			"token of another service", `unexpected JWT "iss" (issuer) claim value`,
			"token of another client", `unexpected JWT "aud" (audience) claim value`,
			"token with other claims", "JWT signature verification failed",
			"token with another signature", "JWT signature verification failed",
			"token without a signature", `unexpected JWT "alg" header parameter`,
			"exchange at /token", "unexpected HTTP status code", // 201: the reason for /oauth2/token
		),
		"openid-client": with(jose,
			"iss of another service in the redirect", `unexpected "iss" (issuer) response parameter value`,
			"no iss in the redirect", `response parameter "iss" (issuer) missing`,
			"state of another login in the redirect", `unexpected "state" response parameter value`,
			"exchange at /token", "unexpected HTTP response status code",
		),
		"openid-client-5": with(jose,
			"iss of another service in the redirect", "iss mismatch",
			"no iss in the redirect", "iss missing from the response",
			"state of another login in the redirect", "state mismatch",
			"code a second time", "invalid_grant (The code has been used",
			"verifier of another login", "invalid_grant (code_verifier doesn't match",
			"exchange at /token", "expected 200 OK, got: 201 Created",
		),
		"simple-oauth2": with(jose, // supports neither PKCE, state, nor RFC 9207
			"iss of another service in the redirect", isAccepted,
			"no iss in the redirect", isAccepted,
			"state of another login in the redirect", isAccepted,
			"exchange at /token", isAccepted,
		),
	}
	for _, library := range []string{"openid-client", "openid-client-5"} {
		clients[library+withOpenID] = clients[library]
	}
	return clients
}

// withOpenID marks a library that signs in with OpenID Connect.
const withOpenID = " openid"

// npmOAuth is a client in the scripts' format.
type npmOAuth struct {
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret,omitempty"`
	Method       string `json:"method"`
}

type npmLine struct {
	Name, Refused string
	Accepted      bool
	Answer        struct {
		AccessToken string         `json:"access_token"`
		ID, Person  map[string]any // the claims of the ID token, and those of userinfo
		Profile     struct {
			ID    string
			Phone string `json:"phone_e164"`
		}
	}
	Claims map[string]any
}

// Public libraries that only know the issuer sign someone in, and refuse invalid responses. It
// takes more than 10 seconds, because it starts a Node.js process for each library and client.
func TestClients_NPM(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	public := npmOAuth{p.Clients.TestPublic.ClientID, "", "none"}
	post := npmOAuth{p.Clients.TestConfidential.ClientID, p.Clients.TestConfidential.ClientSecret, "client_secret_post"}
	basic := post
	basic.Method = "client_secret_basic"
	for script, wants := range npmClients() {
		for _, tc := range []struct{ own, other npmOAuth }{{public, post}, {post, public}, {basic, public}} {
			t.Run(script+"/"+tc.own.Method, func(t *testing.T) {
				library, openID := strings.CutSuffix(script, withOpenID)
				lines := runNPM(t, library, map[string]any{
					"issuer": p.AuthURL, "redirectUri": p.Clients.TestPublic.RedirectURI, "client": tc.own, "other": tc.other, "openid": openID,
				})
				if len(lines) != len(wants) {
					t.Errorf("%d scenarios, want %d", len(lines), len(wants))
				}
				for _, line := range lines {
					want, known := wants[line.Name]
					switch {
					case !known:
						t.Errorf("%s: no result is listed for it", line.Name)
					case line.Accepted != (want == isAccepted), !strings.Contains(line.Refused, want):
						t.Errorf("%s: accepted %v, refused with %q; want %q", line.Name, line.Accepted, line.Refused, want)
					case strings.HasPrefix(line.Name, "code ") || strings.HasPrefix(line.Name, "verifier "):
						if !strings.Contains(line.Refused, "invalid_grant") {
							t.Errorf("%s: refused with %q, want invalid_grant", line.Name, line.Refused)
						}
					case line.Name == "sign in":
						checkNPMLogin(t, &line, p.AuthURL, tc.own.ClientID)
						if openID {
							checkNPMPerson(t, &line)
						}
					}
				}
			})
		}
	}
}

func checkNPMLogin(t *testing.T, line *npmLine, issuer, clientID string) {
	t.Helper()
	a, c := line.Answer, line.Claims
	if a.AccessToken == "" || a.Profile.Phone != "22300000001" {
		t.Errorf("a token of %d bytes for %+v", len(a.AccessToken), a.Profile)
	}
	for claim, want := range map[string]any{
		"iss": issuer, "aud": clientID, "client_id": clientID, "sub": a.Profile.ID, "mode": "TEST",
		"phone_number": "+22300000001", "phone_number_verified": true, "name": "Sandbox 1",
	} {
		if c[claim] != want {
			t.Errorf("%s = %v, want %v", claim, c[claim], want)
		}
	}
}

// checkNPMPerson checks that OpenID Connect and the access token have the same data about a person.
func checkNPMPerson(t *testing.T, line *npmLine) {
	t.Helper()
	for _, claim := range []string{"sub", "phone_number", "phone_number_verified", "name"} {
		if want := line.Claims[claim]; line.Answer.ID[claim] != want || line.Answer.Person[claim] != want {
			t.Errorf("%s: ID token %v, userinfo %v; want %v", claim, line.Answer.ID[claim], line.Answer.Person[claim], want)
		}
	}
}

// runNPM runs all scenarios with one library.
func runNPM(t *testing.T, script string, config map[string]any) []npmLine {
	t.Helper()
	input, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	out, err := node(t, bytes.NewReader(input), filepath.Join(npmFolder, "clients/run.mjs"), script).Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderrOf(err))
	}
	var lines []npmLine
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var line npmLine
		if err := d.Decode(&line); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		lines = append(lines, line)
	}
	return lines
}
