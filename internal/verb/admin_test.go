package verb_test

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/verb"
	"example.com/griot/internal/waittest"
)

type person struct {
	Name string `json:"name" arg:"NAME" row:"name"`
}

// greeter is a service.
type greeter struct{}

var errSecret = errors.New("a cause with hunter2 in it")

func (greeter) greet(_ context.Context, in *person) (person, error) {
	return person{"<" + in.Name + "&>"}, nil
}

func (greeter) refuse(context.Context, *person) (person, error) {
	return person{}, verb.Refuse("Not %d.", 2)
}
func (greeter) fail(context.Context, *person) (person, error)  { return person{}, errSecret }
func (greeter) panic(context.Context, *person) (person, error) { panic("hunter2") }

func table() verb.Verbs {
	return verb.Verbs{
		verb.Define("greet", "Greet somebody", verb.Reads, greeter.greet), verb.Define("refuse", "Refuse", verb.Changes, greeter.refuse),
		verb.Define("fail", "Fail", verb.Changes, greeter.fail), verb.Define("panic", "Panic", verb.Deletes, greeter.panic).As(""),
	}
}

func verbs() verb.Verbs { return verb.Bind(greeter{}, table(), nil) }

func masterKey(t *testing.T) *seal.Key {
	t.Helper()
	k, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func bearer(k *seal.Key) string {
	return "Bearer " + base64.RawURLEncoding.EncodeToString(k.Derive("admin"))
}

func TestHandler(t *testing.T) {
	var log strings.Builder
	k := masterKey(t)
	h := verb.Handler(verbs(), k, clock.System, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	type test struct {
		method, path, body string
		auth               string
		peer               string
		header             []string
		status             int
		answer             string
	}
	right := test{method: "POST", path: "greet", body: `{"name":"Awa"}`, auth: bearer(k), peer: "127.0.0.1:9", status: 200, answer: `{"result":{"name":"<Awa&>"}}`}
	change := func(f func(*test)) test {
		tt := right
		f(&tt)
		return tt
	}
	refused := func(status int, says string, f func(*test)) test {
		return change(func(tt *test) {
			f(tt)
			tt.status, tt.answer = status, `{"error":"`+says+`"}`
		})
	}
	const (
		wrongKey    = "The master key doesn't match the server's key."
		notLoopback = "Only programs on the server's machine can send this request, without a proxy."
		malformed   = "The body isn't a JSON object in UTF-8."
	)
	hello := func(tt *test) { tt.path, tt.body, tt.auth = "hello", `{"nonce":"x"}`, "" }
	for name, tt := range map[string]test{
		"hello, forwarded": refused(403, notLoopback, func(tt *test) { hello(tt); tt.header = []string{"X-Forwarded-For", "127.0.0.1"} }),
		"hello": change(func(tt *test) {
			hello(tt)
			tt.answer = `{"result":{"proof":"` + base64.RawURLEncoding.EncodeToString(seal.MAC(k.Derive("admin-server"), "x")) + `","key":"` + k.Name() + `"}}`
		}),
		"right":                  right,
		"IPv6":                   change(func(tt *test) { tt.peer = "[::1]:9" }),
		"1 MB":                   change(func(tt *test) { tt.body = `{"name":"Awa"}` + strings.Repeat(" ", 1<<20-14) }),
		"over 1 MB":              refused(413, "The body is too large.", func(tt *test) { tt.body = `{"name":"Awa"}` + strings.Repeat(" ", 1<<20-13) }),
		"another master key":     refused(401, wrongKey, func(tt *test) { tt.auth = bearer(masterKey(t)) }),
		"no key":                 refused(401, wrongKey, func(tt *test) { tt.auth = "" }),
		"the bare key":           refused(401, wrongKey, func(tt *test) { tt.auth = strings.TrimPrefix(tt.auth, "Bearer ") }),
		"no key, no such verb":   refused(401, wrongKey, func(tt *test) { tt.auth, tt.path = "", "none" }),
		"another machine":        refused(403, notLoopback, func(tt *test) { tt.peer = "192.0.2.1:9" }),
		"forwarded":              refused(403, notLoopback, func(tt *test) { tt.header = []string{"X-Forwarded-For", "127.0.0.1"} }),
		"forwarded, RFC 7239":    refused(403, notLoopback, func(tt *test) { tt.header = []string{"Forwarded", "for=127.0.0.1"} }),
		"a browser":              refused(403, notLoopback, func(tt *test) { tt.header = []string{"Origin", "http://127.0.0.1:9"} }),
		"no such verb":           refused(404, "The server doesn't know this command. Check whether it runs another version.", func(tt *test) { tt.path = "none" }),
		"GET":                    refused(405, "Send commands with POST.", func(tt *test) { tt.method = "GET" }),
		"no body":                refused(400, malformed, func(tt *test) { tt.body = "" }),
		"an array":               refused(400, malformed, func(tt *test) { tt.body = "[]" }),
		"two objects":            refused(400, malformed, func(tt *test) { tt.body = "{}{}" }),
		"U+0000":                 refused(400, malformed, func(tt *test) { tt.body = `{"name":"\u0000"}` }),
		"not UTF-8":              refused(400, malformed, func(tt *test) { tt.body = "{\"name\":\"\xff\"}" }),
		"a member of the future": refused(400, "The server doesn't understand the request. Check whether it runs another version.", func(tt *test) { tt.body = `{"name":"Awa","hunter2":1}` }),
		"a wrong type":           refused(400, "The server doesn't understand the request. Check whether it runs another version.", func(tt *test) { tt.body = `{"name":12}` }),
		"refused by the verb":    refused(400, "Not 2.", func(tt *test) { tt.path = "refuse" }),
		"failed":                 refused(500, "The server failed. Its log shows the reason.", func(tt *test) { tt.path = "fail" }),
		"panic":                  refused(500, "The server failed. Its log shows the reason.", func(tt *test) { tt.path = "panic" }),
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), tt.method, verb.Path+tt.path, strings.NewReader(tt.body))
			r.RemoteAddr = tt.peer
			if tt.auth != "" {
				r.Header.Set("Authorization", tt.auth)
			}
			if tt.header != nil {
				r.Header.Set(tt.header[0], tt.header[1])
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if got := strings.TrimSpace(w.Body.String()); w.Code != tt.status || got != tt.answer {
				t.Errorf("%d %s, want %d %s", w.Code, got, tt.status, tt.answer)
			}
		})
	}
	if s := log.String(); strings.Contains(s, bearer(k)[7:]) || strings.Contains(s, "Awa") || !strings.Contains(s, "msg=admin verb=greet") || strings.Contains(s, "verb=refuse") {
		t.Errorf("logged:\n%s", s)
	}
}

func TestClient(t *testing.T) {
	k := masterKey(t)
	s := httptest.NewServer(verb.Handler(verbs(), k, clock.System, slog.New(slog.DiscardHandler)))
	c, err := verb.NewClient(s.URL, k)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.Call(t.Context(), "greet", []byte(`{"name":"Awa"}`)); err != nil || string(got) != `{"name":"<Awa&>"}` {
		t.Errorf("got %s, %v, want <Awa&> as it is", got, err)
	}
	if _, err := c.Call(t.Context(), "refuse", []byte(`{}`)); err == nil || err.Error() != "Not 2." {
		t.Errorf("refused: %v", err)
	}
	s.Close()
	if _, err := c.Call(t.Context(), "greet", []byte(`{}`)); !errors.Is(err, verb.ErrNoServer) {
		t.Errorf("nobody listens: %v", err)
	}
	for _, address := range []string{"http://192.0.2.1:8082", "https://127.0.0.1:8082", "127.0.0.1:8082", "http://login.example.com", ""} {
		if _, err := verb.NewClient(address, k); err == nil {
			t.Errorf("the key would go to %q", address)
		}
	}
}

func TestClient_WhatIsNoGriot(t *testing.T) {
	k := masterKey(t)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the key went on to %s", r.URL.Path)
	}))
	t.Cleanup(elsewhere.Close)
	for name, h := range map[string]http.HandlerFunc{
		"a page":     func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"other JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"ok":true}`) },
		"another API": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"error":"not_found","code":"not_found"}`)
		},
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusPermanentRedirect)
		},
		"no answer": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"half of one": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = io.WriteString(w, "{")
		},
	} {
		s := httptest.NewServer(h)
		c, err := verb.NewClient(s.URL, k)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Call(t.Context(), "greet", []byte(`{}`)); err == nil || errors.Is(err, verb.ErrNoServer) || !strings.Contains(err.Error(), s.URL) {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
}

func TestClient_ShowsItsKeyOnlyToWhoHasIt(t *testing.T) {
	k := masterKey(t)
	c := func(h http.Handler) *verb.Client {
		t.Helper()
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" {
				t.Error("the key was shown")
			}
			h.ServeHTTP(w, r)
		}))
		t.Cleanup(s.Close)
		c, err := verb.NewClient(s.URL, k)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	other := masterKey(t)
	says := func(body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
	}
	for name, tt := range map[string]struct {
		server http.Handler
		used   string
	}{
		"another master key":       {verb.Handler(verbs(), other, clock.System, slog.New(slog.DiscardHandler)), other.Name()},
		"a constant proof":         {says(`{"result":{"proof":"AAAA"}}`), ""},
		"no proof":                 {says(`{"result":{}}`), ""},
		"no name of a key":         {says(`{"result":{"proof":"","key":"\u001b[2Jhidden"}}`), ""},
		"the client's own name":    {says(`{"result":{"proof":"","key":"` + k.Name() + `"}}`), ""},
		"a name of another length": {says(`{"result":{"proof":"","key":"AAAA"}}`), ""},
	} {
		_, err := c(tt.server).Call(t.Context(), "greet", []byte(`{}`))
		if wrong, ok := errors.AsType[*seal.WrongKeyError](err); !ok || wrong.Configured != k.Name() || wrong.Used != tt.used {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestClient_GivesUpWithItsContext(t *testing.T) {
	k := masterKey(t)
	arrived := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(arrived)
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	c, err := verb.NewClient(s.URL, k)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(waittest.Context(t))
	go func() { <-arrived; cancel() }()
	if _, err := c.Call(ctx, "greet", []byte(`{}`)); !errors.Is(err, context.Canceled) || errors.Is(err, verb.ErrNoServer) {
		t.Errorf("got %v, want the context's end", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := c.Call(ended, "greet", []byte(`{}`)); !errors.Is(err, context.Canceled) || errors.Is(err, verb.ErrNoServer) {
		t.Errorf("before it began: %v", err)
	}
}

func TestJoin(t *testing.T) {
	both, err := verb.Join(verbs()[:1], verbs()[1:2])
	if err != nil || len(both) != 2 {
		t.Errorf("got %v, %v, want both verbs", both, err)
	}
	if _, err := both.Call(t.Context(), "none", nil); err == nil {
		t.Error("called what is not there")
	}
	define := func(do func(greeter, context.Context, *struct{ A chan int }) (person, error)) verb.Verbs {
		return verb.Bind(greeter{}, verb.Verbs{verb.Define("odd", "", verb.Reads, do)}, nil)
	}
	hidden := verb.Define("odd", "", verb.Reads, func(greeter, context.Context, *person) (struct{ A int }, error) { return struct{ A int }{}, nil })
	for what, wrong := range map[string]verb.Verbs{
		"two verbs of one name": append(verbs(), verbs()...), "verbs of no service": table(), "a type without a kind": define(nil), "a result that shows nothing": verb.Bind(greeter{}, verb.Verbs{hidden}, nil),
	} {
		if _, err := verb.Join(wrong); err == nil {
			t.Error(what)
		}
	}
}

// The list shows callers with the master key every verb and its input.
func TestHandler_ListsItsTable(t *testing.T) {
	k := masterKey(t)
	h := verb.Handler(verbs(), k, clock.System, slog.New(slog.DiscardHandler))
	get := func(auth string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, verb.Path, nil)
		r.RemoteAddr = "127.0.0.1:9"
		r.Header.Set("Authorization", auth)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	const first = `{"result":[{"name":"greet","help":"Greet somebody","danger":"reads","command":"greet","input":{"additionalProperties":false,"properties":{"name":{"type":"string"}},"required":["name"],"type":"object"}},`
	if w := get(bearer(k)); w.Code != http.StatusOK || !strings.HasPrefix(w.Body.String(), first) || strings.Count(w.Body.String(), `"input"`) != len(verbs()) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := get(bearer(masterKey(t))); w.Code != http.StatusUnauthorized {
		t.Errorf("without the key: %d %s", w.Code, w.Body)
	}
}

func BenchmarkDefine(b *testing.B) {
	for b.Loop() {
		for range 23 { // four verbs each
			table()
		}
	}
}
