package virtual_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/griot/gateway"
)

func (g *fixture) get(path string) *httptest.ResponseRecorder {
	g.t.Helper()
	w := httptest.NewRecorder()
	g.mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, http.NoBody))
	return w
}

func TestHTML_IsServedForAFrameInWhichNothingRuns(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		out := outbound(mailbox)
		out.HTML = `<script>alert(1)</script><p>Bonjour</p><a href="https://shop.example/">Shop</a><link rel=preconnect href=//shop.example>`
		shown := `<script>alert(1)</script><p>Bonjour</p><x-a href="https://shop.example/">Shop</a><x-link rel=preconnect href=//shop.example>`
		id := g.send(out).ProviderID
		w := g.get("/dev/phones/" + mailbox + "/messages/" + id + "/html")
		if w.Code != 200 || w.Body.String() != shown {
			t.Errorf("got %d %q, want 200 %q", w.Code, w.Body, shown)
		}
		policy := w.Header().Get("Content-Security-Policy")
		for _, part := range []string{"sandbox;", "default-src 'none'", "img-src data:", "style-src 'unsafe-inline'", "frame-ancestors 'self'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("policy %q, want %s in it", policy, part)
			}
		}
		for name, want := range map[string]string{"Content-Type": "text/html; charset=utf-8", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s %q, want %q", name, got, want)
			}
		}
		text := g.send(outbound(aissata)).ProviderID
		for path, code := range map[string]string{
			"/dev/phones/" + mailbox + "/messages/none/html":          "message_not_found",
			"/dev/phones/" + aissata + "/messages/" + id + "/html":    "message_not_found",
			"/dev/phones/" + aissata + "/messages/" + text + "/html":  "no_html",
			"/dev/phones/" + aissata + "/messages/" + text + "/media": "no_media",
			"/dev/phones/%20/messages/" + id + "/html":                "invalid_address",
		} {
			if _, answer := g.call("GET", path, ""); answer["error"] != code {
				t.Errorf("%s: %v, want %s", path, answer, code)
			}
		}
	})
}

func TestMedia_IsServedWhereABrowserOnlyShowsIt(t *testing.T) {
	t.Parallel()
	g := open(t, "")
	types := map[string]string{
		"picture": "image/png", "sound": "audio/ogg", "film": "video/mp4", "page": "text/html", "drawing": "image/svg+xml", "document": "application/pdf",
	}
	g.options.FetchMedia = func(_ context.Context, address string) (*gateway.Media, error) {
		name := strings.TrimPrefix(address, "https://files.example/")
		if types[name] == "" {
			return nil, errors.New("there is nothing")
		}
		return &gateway.Media{MIMEType: types[name], Data: []byte("bytes of " + name)}, nil
	}
	g.reopen()
	for name, status := range map[string]int{"picture": 200, "sound": 200, "film": 200, "page": 204, "drawing": 204, "document": 204, "absent": 204} {
		out := outbound(aissata)
		out.Media = &gateway.Media{URL: "https://files.example/" + name}
		w := g.get("/dev/phones/" + aissata + "/messages/" + g.send(out).ProviderID + "/media")
		if w.Code != status || status == 200 && (w.Body.String() != "bytes of "+name || w.Header().Get("Content-Type") != types[name]) || status == 204 && w.Body.Len() > 0 {
			t.Errorf("%s: got %d, %s, %q; want %d", name, w.Code, w.Header().Get("Content-Type"), w.Body, status)
		}
		if policy := w.Header().Get("Content-Security-Policy"); status == 200 && (!strings.HasPrefix(policy, "sandbox; default-src 'none'") || w.Header().Get("X-Content-Type-Options") != "nosniff") {
			t.Errorf("%s: headers %v, want a sandbox and nosniff", name, w.Header())
		}
	}
}
