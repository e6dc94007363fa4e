package probe_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"example.com/griot/internal/probe"
)

func get(t *testing.T, h http.Handler, path string) (status int, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return w.Code, strings.TrimSpace(w.Body.String())
}

func TestProbe_IsReadyWhileItServesAndNothingIsMissing(t *testing.T) {
	var changes []bool
	p := probe.New(func(serving bool) { changes = append(changes, serving) })
	h := p.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("numbers")) }))
	missing := map[string]string{}
	check := func(name string) probe.Check { return func(context.Context) string { return missing[name] } }
	wants := func(when string, status int, body string) {
		t.Helper()
		if got, text := get(t, h, "/readyz"); got != status || text != body {
			t.Errorf("%s: /readyz %d %q, want %d %q", when, got, text, status, body)
		}
		if got, text := get(t, h, "/livez"); got != 200 || text != "alive" {
			t.Errorf("%s: /livez %d %q, want 200", when, got, text)
		}
	}
	wants("before it serves", 503, "starting")
	p.Serve([]probe.Check{check("database"), check("migrations")}, probe.Note(check("pause")))
	wants("serving", 200, "ready")
	missing["database"], missing["migrations"] = "database: does not answer", "migrations: 3 of 4"
	wants("with something missing", 503, "database: does not answer\nmigrations: 3 of 4")
	clear(missing)
	wants("with all of it back", 200, "ready")
	missing["pause"] = "sending is paused"
	wants("with a note", 200, "ready\nsending is paused")
	p.Stop()
	p.Stop()
	p.Serve(nil)
	wants("stopping", 503, "stopping")
	if len(changes) != 2 || !changes[0] || changes[1] {
		t.Errorf("changes %v, want that it served and stopped", changes)
	}
	if got, text := get(t, h, "/metrics"); got != 200 || text != "numbers" {
		t.Errorf("/metrics %d %q", got, text)
	}
	for _, path := range []string{"/", "/internal/verify", "/debug/pprof/"} {
		if got, _ := get(t, h, path); got != 404 {
			t.Errorf("%s: %d, want 404", path, got)
		}
	}
}

// With any number of concurrent requests, the database is read once, because the address might be open to a network.
func TestProbe_ChecksOnceForAllWhoAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := probe.New(func(bool) {})
		h := p.Handler(http.NotFoundHandler())
		checked, noted, release := 0, 0, make(chan struct{})
		p.Serve([]probe.Check{func(context.Context) string { checked++; <-release; return "" }}, func(context.Context) string { noted++; return "paused" })
		var all sync.WaitGroup
		gone, leave := context.WithCancel(t.Context())
		for i := range 20 {
			ctx := t.Context()
			if i == 0 {
				ctx = gone
			}
			all.Go(func() {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/readyz", nil))
				if i > 0 && (w.Code != 200 || w.Body.String() != "ready\npaused\n") {
					t.Errorf("%d %q, want 200 and the note", w.Code, w.Body)
				}
			})
			if i == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		leave() // the others get the first one's result
		synctest.Wait()
		close(release)
		all.Wait()
		if checked != 1 || noted != 1 {
			t.Errorf("checked %d times, noted %d times, want once each", checked, noted)
		}
		if got, _ := get(t, h, "/readyz"); got != 200 || checked != 2 {
			t.Errorf("later: %d, checked %d times, want that it is checked anew", got, checked)
		}
	})
}
