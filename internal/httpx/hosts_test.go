package httpx_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/griot/internal/httpx"
)

func TestOnlyHosts(t *testing.T) {
	t.Parallel()
	h := httpx.OnlyHosts([]string{"Griot.test"}, "only these", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	for host, want := range map[string]int{
		"127.0.0.1": 418, "127.0.0.1:8080": 418, "[::1]": 418, "[::1]:8080": 418, "192.168.1.20:8080": 418, "localhost": 418, "LocalHost:8080": 418, "localhost.:8080": 418,
		"griot.test": 418, "GRIOT.TEST:8080": 418, "griot.test.": 418,
		"evil.example": 421, "evil.example:8080": 421, "localhost.evil.example": 421, "127.0.0.1.evil.example": 421, "x.griot.test": 421, "griot.test.evil.example": 421,
		"2130706433": 421, "localhost@evil.example": 421, "": 421, ":8080": 421,
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("Host %q: got %d, want %d", host, w.Code, want)
		}
	}
}

func TestIsHostName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"griot.test": true, "griot": true, "a-b.c_d": true, "": false, "griot.test:8080": false, "http://griot.test": false, "*": false, "*.griot.test": false, "griot..test": false, "-a": false, "a\n": false,
	} {
		if got := httpx.IsHostName(name); got != want {
			t.Errorf("IsHostName(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestStrict_IsForHttps(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{"https://api.example.com": "max-age=31536000", "http://127.0.0.1:8080": ""} {
		own, err := httpx.ParseOwn(url)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		own.Strict(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
		if got := w.Header().Get("Strict-Transport-Security"); got != want {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
}
