package loginclient_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/loginclient"
	"example.com/griot/internal/loginclient/loginclienttest"
)

type fixture struct {
	service *loginclienttest.Service
	clock   *clock.Fake
	client  *loginclient.Client
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{clock: clock.NewFake(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC))}
	f.service = loginclienttest.New(t, f.clock.Now)
	f.client = loginclient.New(loginclient.Options{Service: f.service.URL, RedirectURI: "https://app.example/back", Credentials: f.service.Credentials, Now: f.clock.Now})
	return f
}

// begin starts an attempt, and returns what the browser comes back with.
func (f *fixture) begin(t *testing.T) (loginclient.Attempt, url.Values) {
	t.Helper()
	a, to := f.client.Begin("fr")
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, to, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := browser.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	back, err := url.Parse(res.Header.Get("Location"))
	if err != nil || !strings.HasPrefix(back.String(), "https://app.example/back?") || !strings.Contains(to, "ui_locales=fr") {
		t.Fatalf("%s led to %s, %v", to, back, err)
	}
	return a, back.Query()
}

func TestClient_KnowsWhoSignedIn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, back := f.begin(t)
	p, err := f.client.Finish(t.Context(), a, back)
	if err != nil || *p != (loginclient.Person{Issuer: f.service.URL, Subject: "profile_awa", Phone: "+22376000001"}) {
		t.Fatalf("%+v, %v", p, err)
	}
	if other, _ := f.begin(t); other.State == a.State || other.Verifier == a.Verifier || len(a.State) < 43 || len(a.Verifier) < 43 {
		t.Errorf("%+v and %+v", a, other)
	}
}

func TestClient_RefusesWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	for want, change := range map[loginclient.RefusedError]func(f *fixture, a *loginclient.Attempt, back url.Values){
		"state":        func(_ *fixture, _ *loginclient.Attempt, back url.Values) { back.Set("state", "x") },
		"iss":          func(_ *fixture, _ *loginclient.Attempt, back url.Values) { back.Set("iss", "https://evil.example") },
		"error":        func(_ *fixture, _ *loginclient.Attempt, back url.Values) { back.Set("error", "access_denied") },
		"code":         func(_ *fixture, _ *loginclient.Attempt, back url.Values) { back.Del("code") },
		"token":        func(_ *fixture, a *loginclient.Attempt, _ url.Values) { a.Verifier = strings.Repeat("x", 43) },
		"typ":          func(f *fixture, _ *loginclient.Attempt, _ url.Values) { f.service.SetType("JWT") },
		"mode":         claim("mode", "TEST"),
		"provider":     claim("provider", "sandbox"),
		"phone_number": claim("phone_number_verified", false),
		"sub":          claim("sub", nil),
		"exp":          claim("exp", nil),
		"aud":          claim("aud", []string{loginclienttest.ClientID, "other"}),
		"signature": func(f *fixture, _ *loginclient.Attempt, _ url.Values) {
			f.service.SignWith(jose.SigningKey{Algorithm: jose.RS256, Key: loginclienttest.NewKey()})
		},
		"alg": func(f *fixture, _ *loginclient.Attempt, _ url.Values) {
			f.service.SignWith(jose.SigningKey{Algorithm: jose.HS256, Key: []byte(strings.Repeat("x", 32))})
		},
	} {
		t.Run(string(want), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			a, back := f.begin(t)
			change(f, &a, back)
			p, err := f.client.Finish(t.Context(), a, back)
			if got, ok := errors.AsType[loginclient.RefusedError](err); !ok || got != want || p != nil {
				t.Errorf("%+v, %v; want %s", p, err, want)
			}
		})
	}
}

func claim(name string, value any) func(*fixture, *loginclient.Attempt, url.Values) {
	return func(f *fixture, _ *loginclient.Attempt, _ url.Values) {
		f.service.SetClaims(map[string]any{name: value})
	}
}

func TestClient_OtherIssuersAndOldTokens(t *testing.T) {
	t.Parallel()
	for want, change := range map[loginclient.RefusedError]func(f *fixture){
		"iss": func(f *fixture) { f.service.SetClaims(map[string]any{"iss": "https://evil.example"}) },
		"aud": func(f *fixture) { f.service.SetClaims(map[string]any{"aud": "other"}) },
		"exp": func(f *fixture) { f.service.SetClaims(map[string]any{"exp": f.clock.Now().Add(-time.Minute).Unix()}) },
	} {
		f := newFixture(t)
		a, back := f.begin(t)
		change(f)
		if _, err := f.client.Finish(t.Context(), a, back); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

func TestClient_AServiceThatIsDownRefusesNobody(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, back := f.begin(t)
	f.service.Close()
	_, err := f.client.Finish(t.Context(), a, back)
	if _, refused := errors.AsType[loginclient.RefusedError](err); err == nil || refused || strings.Contains(err.Error(), back.Get("code")) {
		t.Errorf("got %v", err)
	}
}

func TestClient_Configured(t *testing.T) {
	t.Parallel()
	var none *loginclient.Client
	if none.Configured() || loginclient.New(loginclient.Options{Credentials: func() (string, string) { return "", "" }}).Configured() || !newFixture(t).client.Configured() {
		t.Error("a client without an id is configured, or one with an id is not")
	}
}
