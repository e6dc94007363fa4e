package dashboard_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"example.com/griot/internal/clock"
)

// The client of the login service.
const (
	loginClientID     = "client_dashboard"
	loginClientSecret = "cs_dashboard"
	loginCode         = "0123456789ABCDEFGHJKMNPQRS"
)

// loginService is a login service that a test controls.
type loginService struct {
	*httptest.Server
	now clock.Now
	key *rsa.PrivateKey

	mu        sync.Mutex
	authorize url.Values     // what the browser was sent with
	claims    map[string]any // replace those of the token; nil removes one
}

// loginKey is created once, because that is slow and tests only read it.
var loginKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

func newLoginService(t *testing.T, now clock.Now) *loginService {
	t.Helper()
	key, err := loginKey()
	if err != nil {
		t.Fatal(err)
	}
	s := &loginService{now: now, key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /authorize", s.authorized)
	mux.HandleFunc("POST /oauth2/token", s.token)
	mux.HandleFunc("GET /.well-known/jwks.json", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: s.key.Public(), KeyID: "k1", Algorithm: "RS256", Use: "sig"}}})
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// setClaims replaces claims of the next tokens; nil removes one.
func (s *loginService) setClaims(claims map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claims = claims
}

// authorized redirects the browser back, like the service after its person has proved a number.
func (s *loginService) authorized(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.authorize = r.URL.Query()
	http.Redirect(w, r, s.authorize.Get("redirect_uri")+"?"+url.Values{"code": {loginCode}, "state": {s.authorize.Get("state")}, "iss": {s.URL}}.Encode(), http.StatusSeeOther)
}

func (s *loginService) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if r.PostFormValue("code") != loginCode || r.PostFormValue("client_id") != loginClientID || r.PostFormValue("client_secret") != loginClientSecret || r.PostFormValue("redirect_uri") != s.authorize.Get("redirect_uri") ||
		s.authorize.Get("code_challenge_method") != "S256" || base64.RawURLEncoding.EncodeToString(challenge[:]) != s.authorize.Get("code_challenge") {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "invalid_grant"})
		return
	}
	w.WriteHeader(http.StatusCreated)
	token, claims := s.signed()
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": token, "token_type": "Bearer", "profile": map[string]any{"id": claims["sub"]}})
}

func (s *loginService) signed() (token string, claims map[string]any) {
	now := s.now().Unix()
	claims = map[string]any{
		"iss": s.URL, "sub": "profile_awa", "aud": loginClientID, "client_id": loginClientID, "iat": now, "nbf": now, "exp": now + 900, "jti": "t1",
		"mode": "LIVE", "provider": "whatsapp", "phone_number": "+22376000001", "phone_number_verified": true,
	}
	maps.Copy(claims, s.claims)
	maps.DeleteFunc(claims, func(_ string, value any) bool { return value == nil })
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: s.key}, (&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", "k1"))
	if err != nil {
		return err.Error(), claims
	}
	if token, err = jwt.Signed(signer).Claims(claims).Serialize(); err != nil {
		return err.Error(), claims
	}
	return token, claims
}
