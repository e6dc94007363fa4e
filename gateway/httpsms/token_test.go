package httpsms

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/providertest"
)

// issuer issues tokens t1, t2 … and accepts messages with the last one.
type issuer struct {
	mu      sync.Mutex
	asked   int
	taken   int
	expires string
	status  int
	revoked bool
}

func (i *issuer) start(t *testing.T, env *gatewaytest.Environment) *sender {
	t.Helper()
	f := providertest.New(t, func(*http.Request) bool { return true }, i.answer)
	return open(t, env, `{"url":"`+f.URL+`/send","json":{"to":"{{to}}","text":"{{text}}"},
		"oauth":{"url":"`+f.URL+`/token","client_id":"griot id","client_secret":"`+testSecret+`","scope":"sms"}}`)
}

func (i *issuer) answer(r *http.Request, body []byte, _ string) providertest.Answer {
	i.mu.Lock()
	defer i.mu.Unlock()
	if r.URL.Path == "/token" {
		i.asked++
		form, err := url.ParseQuery(string(body))
		user, password, _ := r.BasicAuth()
		if err != nil || form.Get("grant_type") != "client_credentials" || form.Get("scope") != "sms" || user != "griot+id" || password != testSecret {
			return providertest.Answer{Status: 401}
		}
		if i.status != 0 {
			return providertest.Answer{Status: i.status, Body: testSecret}
		}
		return providertest.Answer{Status: 200, Body: `{"token_type":"Bearer","access_token":"t` + string(rune('0'+i.asked)) + `","expires_in":` + i.expires + `}`}
	}
	if i.revoked || r.Header.Get("Authorization") != "Bearer t"+string(rune('0'+i.asked)) {
		i.revoked = false
		return providertest.Answer{Status: 401}
	}
	i.taken++
	return providertest.Answer{Status: 200}
}

func TestOAuth(t *testing.T) {
	t.Parallel()
	for _, expires := range []string{`3600`, `"3600"`} {
		env, i := gatewaytest.NewEnvironment(), &issuer{expires: expires}
		s := i.start(t, env)
		send := func(asked int) {
			t.Helper()
			if _, err := s.Send(t.Context(), message()); err != nil {
				t.Fatal(err)
			}
			if i.asked != asked {
				t.Errorf("%d tokens were requested, want %d", i.asked, asked)
			}
		}
		send(1)
		send(1)
		env.Clock.Advance(59*time.Minute + time.Second)
		send(2) // a minute before expiry
		i.revoked = true
		send(3) // a revoked token costs no attempt
		if i.taken != 4 {
			t.Errorf("%d messages were accepted, want 4", i.taken)
		}
	}
}

func TestOAuth_Fails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		issuer *issuer
		want   string
	}{
		{&issuer{status: 400}, "sender_down credentials_refused 400"},
		{&issuer{status: 401}, "sender_down credentials_refused 401"},
		{&issuer{status: 429}, "rate_limited token_unavailable 429"},
		{&issuer{status: 500}, "temporary token_unavailable 500"},
		{&issuer{expires: `3600,`}, "temporary token_unavailable 200"},
		{&issuer{expires: `3600`, revoked: true}, "sender_down credentials_refused 401"},
	} {
		i := tt.issuer
		s := i.start(t, gatewaytest.NewEnvironment())
		_, err := s.Send(t.Context(), message())
		gatewaytest.WantFailure(t, err, tt.want)
		if err != nil && strings.Contains(err.Error(), testSecret) || i.taken != 0 {
			t.Errorf("%v, %d taken", err, i.taken)
		}
	}
}
