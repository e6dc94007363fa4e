package loginclienttest

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

// The client of the service.
const (
	ClientID     = "client_dashboard"
	ClientSecret = "cs_dashboard"
)

const code = "0123456789ABCDEFGHJKMNPQRS"

// Service is a login service that a test controls.
type Service struct {
	*httptest.Server
	now clock.Now
	key *rsa.PrivateKey

	mu        sync.Mutex
	authorize url.Values     // what the browser was sent with
	claims    map[string]any // replace those of the token; nil removes one
	typ       jose.ContentType
	sign      jose.SigningKey // when not with key
}

// Keys take long to make, and tests only read them.
var key = sync.OnceValue(NewKey)

// NewKey makes a key that the service does not have.
func NewKey() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
}

// New starts a service.
func New(t testing.TB, now clock.Now) *Service {
	t.Helper()
	s := &Service{now: now, key: key(), typ: "at+jwt"}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /authorize", s.authorized)
	mux.HandleFunc("POST /token", s.token)
	mux.HandleFunc("GET /.well-known/jwks.json", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: s.key.Public(), KeyID: "k1", Algorithm: "RS256", Use: "sig"}}})
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// Credentials are those of the client.
func (s *Service) Credentials() (clientID, secret string) { return ClientID, ClientSecret }

// SetClaims replaces claims of the next tokens; nil removes one.
func (s *Service) SetClaims(claims map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.claims = claims
}

// SetType sets the type of the next tokens.
func (s *Service) SetType(typ string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.typ = jose.ContentType(typ)
}

// SignWith signs the next tokens with another key.
func (s *Service) SignWith(k jose.SigningKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sign = k
}

// authorized sends the browser back, as the service does when its person has proved a number.
func (s *Service) authorized(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.authorize = r.URL.Query()
	http.Redirect(w, r, s.authorize.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {s.authorize.Get("state")}, "iss": {s.URL}}.Encode(), http.StatusSeeOther)
}

func (s *Service) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if r.PostFormValue("code") != code || r.PostFormValue("client_id") != ClientID || r.PostFormValue("client_secret") != ClientSecret || r.PostFormValue("redirect_uri") != s.authorize.Get("redirect_uri") ||
		s.authorize.Get("code_challenge_method") != "S256" || base64.RawURLEncoding.EncodeToString(challenge[:]) != s.authorize.Get("code_challenge") {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "invalid_grant"})
		return
	}
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": s.signed(), "token_type": "Bearer"})
}

func (s *Service) signed() string {
	now := s.now().Unix()
	claims := map[string]any{
		"iss": s.URL, "sub": "profile_awa", "aud": ClientID, "client_id": ClientID, "iat": now, "nbf": now, "exp": now + 900, "jti": "t1",
		"mode": "LIVE", "provider": "whatsapp", "phone_number": "+22376000001", "phone_number_verified": true,
	}
	maps.Copy(claims, s.claims)
	maps.DeleteFunc(claims, func(_ string, value any) bool { return value == nil })
	with := s.sign
	if with.Key == nil {
		with = jose.SigningKey{Algorithm: jose.RS256, Key: s.key}
	}
	signer, err := jose.NewSigner(with, (&jose.SignerOptions{}).WithType(s.typ).WithHeader("kid", "k1"))
	if err != nil {
		return err.Error()
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		return err.Error()
	}
	return token
}
