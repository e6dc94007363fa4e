package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
)

// proofChannel is a way to prove a login.
type proofChannel struct {
	name     string
	mode     []tenant.Mode
	provider string
	phone    string
	named    any
	prove    func(b *browser, loginID string)
}

func proofChannels() []proofChannel {
	both := []tenant.Mode{tenant.Test, tenant.Live}
	return []proofChannel{
		{"message", both, "whatsapp", alice, "Awa", func(b *browser, loginID string) {
			if !b.message("wamid.1"+loginID, alice, "Bonjour! "+b.words(loginID)) {
				b.t.Error("the message was not accepted")
			}
		}},
		{"verify", both, "whatsapp", alice, "Awa", func(b *browser, loginID string) {
			checkProved(b.t, b.verify(b.proof(loginID, "wamid.2"+loginID, "+"+alice, b.words(loginID))), false)
		}},
		{"sandbox", []tenant.Mode{tenant.Test}, "sandbox", "22300000003", "Sandbox 3", func(b *browser, loginID string) {
			checkProved(b.t, b.sandbox(loginID, "22300000003"), false)
		}},
		{"sandbox without a name", []tenant.Mode{tenant.Test}, "sandbox", "22300000099", nil, func(b *browser, loginID string) {
			checkProved(b.t, b.sandbox(loginID, "22300000099"), false)
		}},
	}
}

func checkProved(t testing.TB, a answer, duplicate bool) {
	t.Helper()
	if want := fmt.Sprintf(`{"verified":true,"duplicate":%v}`, duplicate); a.status != http.StatusCreated || strings.TrimSpace(string(a.body)) != want {
		t.Errorf("%d %s, want 201 %s", a.status, a.body, want)
	}
}

// Rules: L3, L6, L8, L19, L28, L40, L44, L45, L46, L47, L48, L49, L50, L51, L52, L56, L57, L60, L63, L64, L65, L78, L100, L101, L102, L103, L104, L105, L106, L107, L108, L110, L111, L123, L124, L125, L141.
func TestLogin(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		for _, typ := range []tenant.Type{tenant.Public, tenant.Confidential} {
			for _, channel := range proofChannels() {
				for _, mode := range channel.mode {
					t.Run(fmt.Sprint(typ, " ", mode, " ", channel.name), func(t *testing.T) {
						s := s.in(t)
						s.checkLogin(s.app(typ, mode), channel)
					})
				}
			}
		}
	})
}

func (s *service) checkLogin(a app, channel proofChannel) {
	t := s.t
	b := s.browser()
	loginID := b.start(a)
	before := b.poll(loginID)
	if before["status"] != "PENDING" || before["id"] != loginID || before["mode"] != string(a.Mode) || before["tenantName"] != "Bamako Bank" ||
		before["redirectUrl"] != nil || len(strings.Fields(text(t, before, "matchingWords"))) != 3 {
		t.Errorf("before the proof: %v", before)
	}
	if before["serverTime"] != "2026-03-01T12:00:00.000Z" || before["expiresAt"] != "2026-03-01T12:01:30.000Z" {
		t.Errorf("times: %v", before)
	}
	activated := b.post("/authorize/activate", map[string]any{"loginKeyId": loginID})
	if activated.status != http.StatusCreated || activated.json(t)["activated"] != true {
		t.Errorf("activate: %d %s", activated.status, activated.body)
	}
	if b.poll(loginID)["status"] != "ACTIVATED" {
		t.Error("not ACTIVATED")
	}
	channel.prove(b, loginID)
	back := b.poll(loginID)
	if back["status"] != "VERIFIED" {
		t.Fatalf("after the proof: %v", back)
	}
	to, err := url.Parse(text(t, back, "redirectUrl"))
	if err != nil {
		t.Fatal(err)
	}
	q := to.Query()
	if !strings.HasPrefix(to.String(), redirect+"&") || !id.Valid(q.Get("code")) || q.Get("state") != state || q.Get("iss") != s.URL || q.Get("from") != "griot" {
		t.Errorf("hand-back to %s", to)
	}
	if again := b.poll(loginID); again["redirectUrl"] != back["redirectUrl"] {
		t.Errorf("the second hand-back differs: %v", again)
	}
	got := s.redeemed(a, q.Get("code"))
	s.checkToken(a, channel, got)
	if after := b.poll(loginID); after["status"] != "CONSUMED" || after["redirectUrl"] != nil {
		t.Errorf("after the exchange: %v", after)
	}
	b.post("/authorize/activate", map[string]any{"loginKeyId": loginID}).refused(t, 400, "invalid_request", "login_not_pending")
}

func (s *service) checkToken(a app, channel proofChannel, got answer) {
	t := s.t
	var body struct {
		Token       string    `json:"token"`
		AccessToken string    `json:"access_token"`
		TokenType   string    `json:"token_type"`
		ExpiresIn   int       `json:"expires_in"`
		Subject     string    `json:"subject"`
		IssuedAt    time.Time `json:"issued_at"`
		Profile     map[string]any
	}
	if err := json.Unmarshal(got.body, &body); err != nil {
		t.Fatal(err)
	}
	p := body.Profile
	if body.Token == "" || body.AccessToken != body.Token || body.TokenType != "Bearer" || body.ExpiresIn != 900 || body.Subject != p["id"] || !body.IssuedAt.Equal(s.Clock.Now()) {
		t.Errorf("TokenResponse: %s", got.body)
	}
	meta, isObject := p["metadata"].(map[string]any)
	if len(p) != 8 || !id.Valid(text(t, p, "id")) || p["tenant_id"] != s.Tenant.ID || p["phone_e164"] != channel.phone || p["display_name"] != channel.named ||
		p["provider"] != channel.provider || p["mode"] != string(a.Mode) || p["first_seen_at"] == nil || !isObject || len(meta) != 0 {
		t.Errorf("Profile: %v", p)
	}
	if got.header.Get("Cache-Control") != "no-store" || got.header.Get("Pragma") != "no-cache" {
		t.Errorf("the token may be cached: %v", got.header)
	}
	claims := s.verifyJWT(body.Token)
	iat := float64(s.Clock.Now().Unix())
	for name, want := range map[string]any{
		"iss": s.URL, "sub": p["id"], "aud": a.ClientID, "client_id": a.ClientID, "iat": iat, "nbf": iat, "exp": iat + 900, "auth_time": iat,
		"tenant_id": s.Tenant.ID, "mode": string(a.Mode), "provider": channel.provider, "phone_number": "+" + channel.phone, "phone_number_verified": true, "name": channel.named,
	} {
		if claims[name] != want {
			t.Errorf("claim %s = %v, want %v", name, claims[name], want)
		}
	}
	if jti, _ := claims["jti"].(string); !id.Valid(jti) || fmt.Sprint(claims["amr"]) != "[mca]" {
		t.Errorf("jti %v, amr %v", claims["jti"], claims["amr"])
	}
}

// verifyJWT checks a token like an application, with an independent library and the published keys.
func (s *service) verifyJWT(token string) map[string]any {
	s.t.Helper()
	var keys jose.JSONWebKeySet
	got := s.do(s.request("GET", "/.well-known/jwks.json", ""))
	if err := json.Unmarshal(got.body, &keys); err != nil {
		s.t.Fatal(err)
	}
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		s.t.Fatal(err)
	}
	if h := parsed.Headers[0]; h.ExtraHeaders["typ"] != "at+jwt" || len(keys.Key(h.KeyID)) != 1 {
		s.t.Fatalf("header %+v, keys %s", h, got.body)
	}
	claims := map[string]any{}
	var standard jwt.Claims
	if err := parsed.Claims(keys.Key(parsed.Headers[0].KeyID)[0].Key, &claims, &standard); err != nil {
		s.t.Fatal(err)
	}
	if err := standard.ValidateWithLeeway(jwt.Expected{Issuer: s.URL, Time: s.Clock.Now()}, 0); err != nil {
		s.t.Error(err)
	}
	return claims
}
