package demo_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"example.com/griot/cmd/griot/demo"
	"example.com/griot/internal/clock"
	"example.com/griot/web/webtest"
)

const (
	code    = "0123456789ABCDEFGHJKMNPQRS"
	subject = "01J9ZQ7Y3K4M5N6P7Q8R9S0T1V"
)

// service is an authorization server that a test controls.
type service struct {
	*httptest.Server
	now       clock.Now
	key       *rsa.PrivateKey // signs
	published *rsa.PrivateKey // is in the JWKS

	mu        sync.Mutex
	authorize url.Values // sent by the browser
	exchanged []url.Values
	status    int            // of /token
	claims    map[string]any // replacements for claims of the token; nil removes one
	profile   map[string]any
}

// Generating keys takes a second, and tests only read them.
var goodKey, otherKey = sync.OnceValue(newKey), sync.OnceValue(newKey)

func newKey() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
}

func newService(t *testing.T, now clock.Now) *service {
	t.Helper()
	key := goodKey()
	s := &service{
		now: now, key: key, published: key, status: http.StatusCreated, claims: map[string]any{},
		profile: map[string]any{"id": subject, "phone_e164": "22300000001", "display_name": "Awa <b>Traoré</b>", "metadata": map[string]any{}},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /authorize", func(_ http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.authorize = r.URL.Query()
	})
	mux.HandleFunc("POST /oauth2/token", s.token)
	mux.HandleFunc("GET /.well-known/jwks.json", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: s.published.Public(), KeyID: "k1", Algorithm: "RS256", Use: "sig"}}})
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *service) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.ParseForm() != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.exchanged = append(s.exchanged, r.PostForm)
	challenge := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	w.Header().Set("Content-Type", "application/json")
	if s.status >= http.StatusBadRequest || r.PostForm.Get("code") != code || base64.RawURLEncoding.EncodeToString(challenge[:]) != s.authorize.Get("code_challenge") {
		w.WriteHeader(max(s.status, http.StatusBadRequest))
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "invalid_grant", "error_code": "code_expired", "error_description": "The code has expired."})
		return
	}
	token := s.makeToken("at+jwt", r.PostForm.Get("client_id"), s.claims)
	hash := sha256.Sum256([]byte(token))
	idToken := s.makeToken("JWT", r.PostForm.Get("client_id"), map[string]any{"nonce": s.authorize.Get("nonce"), "at_hash": base64.RawURLEncoding.EncodeToString(hash[:16]), "sid": "a login"})
	w.WriteHeader(s.status)
	_ = json.NewEncoder(w).Encode(map[string]any{"token": token, "access_token": token, "id_token": idToken, "token_type": "Bearer", "expires_in": 900, "profile": s.profile})
}

func (s *service) makeToken(typ, clientID string, more map[string]any) string {
	now := s.now().Unix()
	claims := map[string]any{
		"iss": s.URL, "sub": subject, "aud": clientID, "client_id": clientID, "iat": now, "nbf": now, "exp": now + 900,
		"jti": "01J9ZQ7Y3K4M5N6P7Q8R9S0T1W", "phone_number": "+22300000001", "mode": "TEST",
	}
	maps.Copy(claims, more)
	maps.DeleteFunc(claims, func(_ string, value any) bool { return value == nil })
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: s.key}, (&jose.SignerOptions{}).WithType(jose.ContentType(typ)).WithHeader("kid", "k1"))
	if err != nil {
		return err.Error()
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		return err.Error()
	}
	return token
}

// fixture is the demo, its authorization service, and a person's browser.
type fixture struct {
	*service
	clock   *clock.Fake
	app     *httptest.Server
	browser *http.Client
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	now := clock.NewFake(time.Date(2026, 9, 21, 12, 0, 0, 0, time.UTC))
	b := &fixture{service: newService(t, now.Now), clock: now, browser: &http.Client{Jar: jar}}
	mux := http.NewServeMux()
	b.app = httptest.NewServer(mux)
	t.Cleanup(b.app.Close)
	redirect := b.app.URL + "/dev/demo/callback"
	app, err := demo.New(demo.Options{
		AuthURL: b.URL, BaseURL: b.app.URL, Pages: webtest.NewPages(t), Now: now.Now,
		Clients: []demo.Client{
			{Name: "Shop", ClientID: "cl_test_public", RedirectURI: redirect, Mode: "TEST", Type: "PUBLIC"},
			{Name: "Office", ClientID: "cl_test_confidential", ClientSecret: "cs_secret", RedirectURI: redirect, Mode: "TEST", Type: "CONFIDENTIAL"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	app.Mount(mux)
	return b
}
