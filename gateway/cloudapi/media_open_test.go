package cloudapi

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/internal/safedial"
)

func TestOpenMedia(t *testing.T) {
	t.Parallel()
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	t.Cleanup(other.Close)
	var graph *httptest.Server
	graph = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address := map[string]string{"/v23.0/1003": graph.URL + "/file", "/v23.0/1004": graph.URL + "/gone", "/v23.0/1005": other.URL + "/file", "/v23.0/1006": "https://fbsbx.com.example.com/a"}[r.URL.Path]
		switch {
		case r.Header.Get("Authorization") != "Bearer "+token:
			w.WriteHeader(http.StatusUnauthorized)
		case address != "":
			_ = json.NewEncoder(w).Encode(map[string]string{"url": address, "mime_type": "image/jpeg"})
		case r.URL.Path == "/file":
			_, _ = io.WriteString(w, "bytes")
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"error":{"code":100}}`)
		}
	}))
	t.Cleanup(graph.Close)
	env := gatewaytest.NewEnvironment()
	s := gatewaytest.Open[*sender](t, Open, env, gatewaytest.Settings(t, map[string]any{
		"base_url": graph.URL, "access_token": token, "phone_numbers": []any{map[string]any{"id": ourNumberID, "number": ourNumber}},
	}, nil))
	public := safedial.Client(safedial.Options{Loopback: true}) // so that only the host for the token decides
	for _, address := range []string{"1003", graph.URL + "/file"} {
		body, err := s.OpenMedia(t.Context(), address, public)
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		if got, err := io.ReadAll(body); string(got) != "bytes" || err != nil {
			t.Errorf("%s: got %q, %v", address, got, err)
		}
		_ = body.Close()
	}
	for _, address := range []string{"1004", "1005", "1006", "1007", other.URL + "/file", "https://user@lookaside.fbsbx.com/a"} {
		_, err := s.OpenMedia(t.Context(), address, public)
		if failure, ok := errors.AsType[*gateway.Error](err); !ok || failure.Class != gateway.Permanent {
			t.Errorf("%s: %v, want a permanent error", address, err)
		}
	}
	if elsewhere != 0 {
		t.Errorf("the token's request went elsewhere %d times", elsewhere)
	}
}

// Failed queries of media wait before the provider blocks the number, for an hour. Other numbers go on.
func TestOpenMedia_FailuresWait(t *testing.T) {
	t.Parallel()
	asked := 0
	var graph *httptest.Server
	graph = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v23.0/1003":
			_ = json.NewEncoder(w).Encode(map[string]string{"url": graph.URL + "/file"})
		case "/file":
			_, _ = io.WriteString(w, "bytes")
		default:
			asked++
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"code":131000}}`)
		}
	}))
	t.Cleanup(graph.Close)
	env := gatewaytest.NewEnvironment()
	s := gatewaytest.Open[*sender](t, Open, env, gatewaytest.Settings(t, map[string]any{
		"base_url": graph.URL, "access_token": token, "phone_numbers": []any{map[string]any{"id": ourNumberID, "number": ourNumber}},
	}, nil))
	open := func(address string) *gateway.Error {
		t.Helper()
		body, err := s.OpenMedia(t.Context(), address, nil)
		if err == nil {
			_ = body.Close()
		}
		failure, _ := errors.AsType[*gateway.Error](err)
		return failure
	}
	for range failedQueries {
		if f := open(ourNumber + "/1004"); f == nil || f.Class != gateway.Temporary {
			t.Fatalf("a failed query: %v, want it to be for now", f)
		}
		env.Clock.Advance(time.Minute)
	}
	for range 3 {
		if f := open(ourNumber + "/1003"); f == nil || f.Class != gateway.RateLimited || f.Code != "media_rate_limited" || f.RetryAfter != failedWithin-failedQueries*time.Minute {
			t.Errorf("after %d failed queries: %+v, want the query to wait until an hour after the first", failedQueries, f)
		}
	}
	if asked != failedQueries {
		t.Errorf("%d failed queries, want %d", asked, failedQueries)
	}
	for _, other := range []string{"22376543299/1003", "1003"} {
		if f := open(other); f != nil {
			t.Errorf("%s: %v, want it opened", other, f)
		}
	}
	env.Clock.Advance(failedWithin - failedQueries*time.Minute)
	if f := open(ourNumber + "/1003"); f != nil {
		t.Errorf("after an hour: %v, want it opened", f)
	}
}
