package openapitest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"example.com/griot/openapi/openapitest"
)

const (
	jsonType = "application/json"
	htmlType = "text/html; charset=utf-8"

	added = `{"id":"abc","size":1,"limit":null}`
	thing = `{"name":"kora","at":"2026-03-01T12:00:00Z","home":"https://example.com/a?b=c"}`
	bad   = `{"success":false,"code":"bad"}`
)

// answer is the response of a handler: a status, headers as "Name: value", and a body.
type answer struct {
	status int
	header []string
	body   string
}

// with returns an answer with a content type and the header that 201 requires.
func with(status int, contentType, body string) answer {
	return answer{status, []string{"Content-Type: " + contentType, "X-Request-Id: abc"}, body}
}

func (a answer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	for _, line := range a.header {
		name, value, _ := strings.Cut(line, ": ")
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

// post returns a request for /things that is valid if the body is.
func post(body string, header ...string) *http.Request {
	return request(http.MethodPost, "/things", body, append([]string{"Content-Type: " + jsonType, "Authorization: Bearer k"}, header...)...)
}

// get returns a request that is valid for the document's paths.
func get(target string, header ...string) *http.Request {
	return request(http.MethodGet, target, "", append([]string{"Cookie: sid=s"}, header...)...)
}

// request returns a request. A header without a value is removed.
func request(method, target, body string, header ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
		if value == "" {
			r.Header.Del(name)
		}
	}
	return r
}

func TestWrap_LetsWhatAgreesPass(t *testing.T) {
	for _, tt := range []struct {
		name string
		r    *http.Request
		a    answer
	}{
		{"JSON", post(`{"name":"x","size":2,"more":true}`), with(201, jsonType, added)},
		{"a charset", post(`{"name":"x"}`), with(201, jsonType+"; charset=utf-8", added)},
		{"a form", post("name=x&size=2", "Content-Type: application/x-www-form-urlencoded"), with(201, jsonType, added)},
		{"the other credential", post(`{"name":"x"}`, "Authorization: ", "X-Key: k"), with(201, jsonType, added)},
		{"a bad request that is refused", post(`{"nam`, "Authorization: "), with(400, jsonType, bad)},
		{"path and query", get("/things/12?q=ab"), with(200, jsonType, thing)},
		{"a wrong item that is judged alone", post(`{"name":"x","parts":["a",7]}`), with(201, jsonType, added)},
		{"null", get("/things/12?q=ab"), with(200, jsonType, strings.Replace(thing, `"kora"`, "null", 1))},
		{"HEAD", request(http.MethodHead, "/things/12?q=ab", "", "Cookie: sid=s"), with(200, jsonType, "")},
		{"a HEAD that is refused", request(http.MethodHead, "/things/12?q=ab", "", "Cookie: sid=s"), answer{405, []string{"Allow: GET"}, ""}},
		{"a redirect", get("/things/12?q=ab"), answer{303, []string{"Location: /there"}, ""}},
		{"not modified", get("/things/12?q=ab"), answer{304, []string{`ETag: "e"`}, ""}},
		{"a page", get("/pages/a.html"), with(200, htmlType, "<p>")},
		{"a picture, deeper", get("/pages/a/b/c.svg"), with(200, "image/svg+xml", "<svg/>")},
		{"an unknown address", get("/nothing"), with(404, jsonType, `{"success":false,"code":"not_found"}`)},
		{"an unknown address, to a browser", get("/nothing", "Accept: text/html,*/*"), with(404, htmlType, "<p>")},
		{"an unknown method", request(http.MethodDelete, "/things", ""), answer{405, []string{"Content-Type: " + jsonType, "Allow: POST"}, bad}},
		{"another spelling", get("/pages//a"), answer{301, []string{"Location: /pages/a"}, "moved"}},
		{"another host", get("/things/12?q=ab"), answer{307, []string{"Location: http://127.0.0.1/things/12?q=ab"}, "moved"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tb := &recorder{TB: t}
			w := httptest.NewRecorder()
			openapitest.Wrap(tb, []byte(small), tt.a).ServeHTTP(w, tt.r)
			if len(tb.errors) != 0 {
				t.Errorf("reported %q", tb.errors)
			}
			if w.Code != tt.a.status || w.Body.String() != tt.a.body {
				t.Errorf("the client got %d %q", w.Code, w.Body)
			}
		})
	}
}

func TestWrap_ReportsWhatDoesNot(t *testing.T) {
	const ok = `{"name":"x"}`
	for _, tt := range []struct {
		name string
		r    *http.Request
		a    answer
		want string
	}{
		{"an undocumented status", post(ok), with(200, jsonType, added), "the status is not in the document"},
		{"an undocumented error", post(ok), with(500, jsonType, bad), "the status is not in the document"},

		{"a missing member", get("/things/12?q=ab"), with(200, jsonType, `{"name":"a","at":"2026-03-01T12:00:00Z"}`), "missing property 'home'"},
		{"a missing member, with references", post(ok), with(201, jsonType, `{"id":"abc","size":1}`), "missing property 'limit'"},
		{"a missing member, with rules", post(ok), with(400, jsonType, `{"success":false}`), "missing property 'code'"},
		{"an extra member", get("/things/12?q=ab"), with(200, jsonType, strings.Replace(thing, "{", `{"x":1,`, 1)), "'x' not allowed"},
		{"an extra member, with references", post(ok), with(201, jsonType, strings.Replace(added, "{", `{"x":1,`, 1)), "'x' not allowed"},
		{"an extra member, with rules", post(ok), with(400, jsonType, strings.Replace(bad, "{", `{"x":1,`, 1)), "'x' not allowed"},
		{"a wrong type", get("/things/12?q=ab"), with(200, jsonType, strings.Replace(thing, `"kora"`, "1", 1)), "at '/name': got number"},
		{"a wrong type, with references", post(ok), with(201, jsonType, strings.Replace(added, "1", `"1"`, 1)), "at '/size': got string"},
		{"a wrong type, behind a reference", post(ok), with(201, jsonType, strings.Replace(added, `"abc"`, "7", 1)), "at '/id': got number"},
		{"a wrong type beside null", post(ok), with(201, jsonType, strings.Replace(added, "null", `"x"`, 1)), "at '/limit': got string"},
		{"null where there is none", post(ok), with(201, jsonType, strings.Replace(added, "1", "null", 1)), "at '/size'"},
		{"a word that isn't in the list", post(ok), with(400, jsonType, strings.Replace(bad, "bad", "awful", 1)), "at '/code': value must be one of"},
		{"a rule between members", post(ok), with(400, jsonType, strings.Replace(bad, "bad", "worse", 1)), "missing property 'id'"},
		{"no date", get("/things/12?q=ab"), with(200, jsonType, strings.Replace(thing, "-03-", "-13-", 1)), "at '/at': '2026-13-01T12:00:00Z' is not valid date-time"},
		{"no date, with references", post(ok), with(201, jsonType, strings.Replace(added, "{", `{"seen":"today",`, 1)), "at '/seen': 'today' is not valid date-time"},
		{"no URI", get("/things/12?q=ab"), with(200, jsonType, strings.Replace(thing, "https://", "", 1)), "is not valid uri"},
		{"a body with more behind it", post(ok), with(201, jsonType, added+"{}"), "not one JSON value"},
		{"an empty body", post(ok), with(201, jsonType, ""), "not one JSON value"},

		{"a wrong content type", post(ok), with(201, htmlType, added), `unexpected value: "text/html`},
		{"no content type", post(ok), answer{201, []string{"X-Request-Id: abc"}, added}, `unexpected value: ""`},
		{"JSON for a page", get("/pages/a"), with(200, jsonType, `"<p>"`), `unexpected value: "application/json"`},
		{"a body where none is described", get("/things/12?q=ab"), answer{303, []string{"Location: /there"}, "see there"}, "the document describes none"},
		{"a missing header", post(ok), answer{201, []string{"Content-Type: " + jsonType}, added}, `header "X-Request-Id" missing`},
		{"a wrong header", post(ok), answer{201, []string{"Content-Type: " + jsonType, "X-Request-Id: ABC"}, added}, `header "X-Request-Id" doesn't match`},
		{"not modified, without its header", get("/things/12?q=ab"), answer{304, nil, ""}, `header "ETag" missing`},

		{"an invalid body", post(`{"name":1}`), with(201, jsonType, added), "accepted an invalid request: at '/name'"},
		{"an invalid form", post("size=2", "Content-Type: application/x-www-form-urlencoded"), with(201, jsonType, added), "accepted an invalid request: request body has an error"},
		{"no body", post(""), with(201, jsonType, added), "accepted an invalid request: request body has an error"},
		{"a body of another type", post("<a/>", "Content-Type: text/xml"), with(201, jsonType, added), "accepted an invalid request: request body has an error"},
		{"an invalid header", post(ok, "X-Mode: slow"), with(201, jsonType, added), `accepted an invalid request: parameter "X-Mode" in header`},
		{"a missing parameter", get("/things/12"), with(200, jsonType, thing), `accepted an invalid request: parameter "q" in query`},
		{"an invalid parameter", get("/things/12?q=a"), with(200, jsonType, thing), `accepted an invalid request: parameter "q" in query`},
		{"too many items that are judged alone", post(`{"name":"x","parts":["a","b","c"]}`), with(201, jsonType, added), "accepted an invalid request: at '/parts'"},
		{"an invalid path", get("/things/twelve?q=ab"), answer{304, []string{`ETag: "e"`}, ""}, `accepted an invalid request: parameter "id" in path`},
		{"HEAD, without the header of its GET", request(http.MethodHead, "/things/12?q=ab", "", "Cookie: sid=s"), answer{303, nil, ""}, `header "Location" missing`},
		{"a HEAD that is refused, without Allow", request(http.MethodHead, "/things/12?q=ab", "", "Cookie: sid=s"), answer{405, nil, ""}, "405 without Allow"},
		{"no key", post(ok, "Authorization: "), with(201, jsonType, added), "accepted an invalid request: security requirements failed"},
		{"another scheme", post(ok, "Authorization: Basic aw=="), with(201, jsonType, added), "accepted an invalid request: security requirements failed"},
		{"no cookie", get("/things/12?q=ab", "Cookie: "), with(200, jsonType, thing), "accepted an invalid request: security requirements failed"},

		{"an undocumented address", get("/nothing"), with(200, jsonType, added), "the document has no such operation"},
		{"an undocumented method", request(http.MethodPut, "/things", ""), with(200, jsonType, added), "the document has no such operation"},
		{"an undocumented redirect", get("/nothing"), answer{301, []string{"Location: /there"}, ""}, "the document has no such operation"},
		{"an unknown address, with another body", get("/nothing"), with(404, jsonType, `{"error":"not found"}`), "the error's body"},
		{"an unknown address, as text", get("/nothing"), with(404, "text/plain", "404 page not found"), `an error of type "text/plain"`},
		{"an unknown address, as a page for a program", get("/nothing"), with(404, htmlType, "<p>"), `an error of type "text/html"`},
		{"an unknown method, without Allow", request(http.MethodDelete, "/things", ""), with(405, jsonType, bad), "405 without Allow"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tb := &recorder{TB: t}
			w := httptest.NewRecorder()
			openapitest.Wrap(tb, []byte(small), tt.a).ServeHTTP(w, tt.r)
			if len(tb.errors) != 1 || !strings.Contains(tb.errors[0], tt.want) {
				t.Errorf("reported %q, want one report with %q", tb.errors, tt.want)
			}
			if w.Code != tt.a.status || w.Body.String() != tt.a.body {
				t.Errorf("the client got %d %q: a report must not change the answer", w.Code, w.Body)
			}
		})
	}
}

func TestWrap_IsTransparent(t *testing.T) {
	t.Parallel()
	h := openapitest.Wrap(t, []byte(small), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/pages/aborted" {
			panic(http.ErrAbortHandler)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != `{"name":"x"}` {
			t.Errorf("the handler read %q, %v", body, err)
		}
		w.Header().Set("Content-Type", jsonType)
		w.Header().Add("X-Request-Id", "abc")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusCreated)
		w.Header().Set("X-Late", "1")
		w.WriteHeader(http.StatusTeapot)
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, added[:5])
		_, _ = io.WriteString(w, added[5:])
	}))
	s := httptest.NewServer(h)
	defer s.Close()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/things", strings.NewReader(`{"name":"x"}`))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Content-Type", jsonType)
			r.Header.Set("X-Key", "k")
			resp, err := s.Client().Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if resp.StatusCode != http.StatusCreated || string(body) != added || err != nil || resp.Header.Get("X-Request-Id") != "abc" || resp.Header.Get("X-Late") != "" {
				t.Errorf("got %d %q %v %v", resp.StatusCode, body, resp.Header, err)
			}
		})
	}
	all.Wait()
	if resp, err := s.Client().Get(s.URL + "/pages/aborted"); err == nil {
		_ = resp.Body.Close()
		t.Errorf("an aborted answer arrived: %d", resp.StatusCode)
	}
}

func TestWrap_LooksAtWhatTheHandlerLeftUnread(t *testing.T) {
	t.Parallel()
	tb := &recorder{TB: t}
	h := openapitest.Wrap(tb, []byte(small), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadFull(r.Body, make([]byte, 3))
		with(201, jsonType, added).ServeHTTP(w, r)
	}))
	h.ServeHTTP(httptest.NewRecorder(), post(`{"name":"x"}`))
	if len(tb.errors) != 0 {
		t.Errorf("reported %q", tb.errors)
	}
}

func TestWrap_RefusesADocumentThatIsNone(t *testing.T) {
	t.Parallel()
	for _, document := range []string{"{", strings.Replace(small, "    Error:\n", "    Fault:\n", 1)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%.20q was taken", document)
				}
			}()
			openapitest.Wrap(&recorder{TB: t}, []byte(document), http.NotFoundHandler())
		}()
	}
}
