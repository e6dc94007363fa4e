package clients_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"golang.org/x/oauth2"

	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/test/system/systemtest"
)

// discover converts the RFC 8414 metadata to go-oidc's configuration, because go-oidc's
// own discovery requests a document that only OpenID providers have.
func discover(t *testing.T, issuer string) *oidc.ProviderConfig {
	t.Helper()
	config := &oidc.ProviderConfig{}
	fetchJSON(t, issuer+"/.well-known/oauth-authorization-server", config)
	if config.IssuerURL != issuer || !strings.HasSuffix(config.TokenURL, "/oauth2/token") {
		t.Fatalf("metadata %+v", config)
	}
	return config
}

func fetchJSON(t *testing.T, address string, v any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(v); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", address, res.StatusCode, err)
	}
}

func goClient(c devfile.Client, provider *oidc.Provider, style oauth2.AuthStyle) *oauth2.Config {
	endpoint := provider.Endpoint()
	endpoint.AuthStyle = style
	return &oauth2.Config{ClientID: c.ClientID, ClientSecret: c.ClientSecret, RedirectURL: c.RedirectURI, Endpoint: endpoint}
}

// goLogin holds a login up to the redirect to the application.
type goLogin struct {
	config   *oauth2.Config
	code     string
	verifier string
}

func startGo(t *testing.T, config *oauth2.Config, prove func(authorize string) *url.URL) *goLogin {
	t.Helper()
	state, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	back := prove(config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier))).Query()
	if back.Get("state") != state || back.Get("iss") == "" {
		t.Errorf("the redirect has the state %q and the issuer %q", back.Get("state"), back.Get("iss"))
	}
	return &goLogin{config: config, code: back.Get("code"), verifier: verifier}
}

func (l *goLogin) exchange(ctx context.Context) (*oauth2.Token, error) {
	return l.config.Exchange(ctx, l.code, oauth2.VerifierOption(l.verifier))
}

func TestClients_Go(t *testing.T) {
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	provider := discover(t, p.AuthURL).NewProvider(t.Context())
	sandbox := systemtest.NewPerson(t).SignInSandbox
	phone := func(authorize string) *url.URL { return systemtest.NewPerson(t).SendWords(p.BaseURL, authorize) }
	public, confidential, live := p.Clients.TestPublic, p.Clients.TestConfidential, p.Clients.LivePublic
	for name, tc := range map[string]struct {
		client devfile.Client
		style  oauth2.AuthStyle
		prove  func(string) *url.URL
		mode   string
		number string
	}{
		"public, detected":     {public, oauth2.AuthStyleAutoDetect, sandbox, "TEST", "+22300000001"},
		"public, in body":      {public, oauth2.AuthStyleInParams, sandbox, "TEST", "+22300000001"},
		"confidential, detect": {confidential, oauth2.AuthStyleAutoDetect, sandbox, "TEST", "+22300000001"},
		"confidential, body":   {confidential, oauth2.AuthStyleInParams, sandbox, "TEST", "+22300000001"},
		"confidential, header": {confidential, oauth2.AuthStyleInHeader, sandbox, "TEST", "+22300000001"},
		"live, from a phone":   {live, oauth2.AuthStyleInParams, phone, "LIVE", "+22376000001"},
	} {
		t.Run(name, func(t *testing.T) {
			token, err := startGo(t, goClient(tc.client, provider, tc.style), tc.prove).exchange(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			profile, _ := token.Extra("profile").(map[string]any)
			if token.Type() != "Bearer" || time.Until(token.Expiry) > 15*time.Minute || profile["phone_e164"] != tc.number[1:] {
				t.Errorf("a %s token until %v for %v", token.Type(), token.Expiry, profile)
			}
			verified, err := provider.Verifier(&oidc.Config{ClientID: tc.client.ClientID}).Verify(t.Context(), token.AccessToken)
			if err != nil {
				t.Fatal(err)
			}
			var claims struct {
				Mode  string
				Phone string `json:"phone_number"`
			}
			if err := verified.Claims(&claims); err != nil || claims.Mode != tc.mode || claims.Phone != tc.number || verified.Subject != profile["id"] {
				t.Errorf("claims %+v of %s: %v", claims, verified.Subject, err)
			}
		})
	}
}

func TestClients_GoRefusals(t *testing.T) {
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	metadata := discover(t, p.AuthURL)
	provider := metadata.NewProvider(t.Context())
	config := goClient(p.Clients.TestPublic, provider, oauth2.AuthStyleAutoDetect)
	used := startGo(t, config, systemtest.NewPerson(t).SignInSandbox)
	token, err := used.exchange(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other := startGo(t, config, systemtest.NewPerson(t).SignInSandbox)
	other.verifier = used.verifier
	for code, login := range map[string]*goLogin{"code_already_used": used, "pkce_mismatch": other} {
		_, err := login.exchange(t.Context())
		refusal := (*oauth2.RetrieveError)(nil)
		if !errors.As(err, &refusal) || refusal.ErrorCode != "invalid_grant" || !strings.Contains(string(refusal.Body), code) {
			t.Errorf("%s: %v", code, err)
		}
	}

	keys := &jose.JSONWebKeySet{}
	fetchJSON(t, metadata.JWKSURL, keys)
	remote := oidc.NewRemoteKeySet(t.Context(), metadata.JWKSURL)
	audience := p.Clients.TestPublic.ClientID
	for name, tc := range map[string]struct {
		token, issuer, audience string
		oidc, jose              string // texts of the refusals; both empty if the token is valid
	}{
		"good":              {token.AccessToken, p.AuthURL, audience, "", ""},
		"another service":   {token.AccessToken, "http://127.0.0.1:9", audience, "different provider", "invalid issuer"},
		"another client":    {token.AccessToken, p.AuthURL, p.Clients.TestConfidential.ClientID, "expected audience", "invalid audience"},
		"other claims":      {forged(t, token.AccessToken, 1, `"+22300000001"`, `"+22376543210"`), p.AuthURL, audience, "failed to verify", "cryptographic primitive"},
		"no signature":      {forged(t, token.AccessToken, 0, `"RS256"`, `"none"`), p.AuthURL, audience, "malformed jwt", "unexpected signature algorithm"},
		"another algorithm": {forged(t, token.AccessToken, 0, `"RS256"`, `"HS256"`), p.AuthURL, audience, "unexpected signature algorithm", "unexpected signature algorithm"},
	} {
		_, err := oidc.NewVerifier(tc.issuer, remote, &oidc.Config{ClientID: tc.audience}).Verify(t.Context(), tc.token)
		wantRefusal(t, name+", go-oidc", err, tc.oidc)
		wantRefusal(t, name+", go-jose", verifyJOSE(tc.token, keys, tc.issuer, tc.audience), tc.jose)
	}
}

// verifyJOSE makes the checks that docs/login.md requires of an application's server, with go-jose.
func verifyJOSE(token string, keys *jose.JSONWebKeySet, issuer, audience string) error {
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		return err
	}
	if typ := parsed.Headers[0].ExtraHeaders[jose.HeaderType]; typ != "at+jwt" {
		return errors.New("unexpected typ")
	}
	claims := jwt.Claims{}
	if err := parsed.Claims(keys, &claims); err != nil {
		return err
	}
	return claims.ValidateWithLeeway(jwt.Expected{Issuer: issuer, AnyAudience: jwt.Audience{audience}, Time: time.Now()}, 0)
}

func wantRefusal(t *testing.T, name string, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", name, err, want)
	}
}

// forged returns a token whose header (0) or claims (1) are changed.
func forged(t *testing.T, token string, part int, was, is string) string {
	t.Helper()
	parts := strings.Split(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(parts[part])
	if err != nil || !strings.Contains(string(text), was) {
		t.Fatalf("part %d does not have %s: %v", part, was, err)
	}
	parts[part] = base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(text), was, is, 1)))
	return strings.Join(parts, ".")
}
