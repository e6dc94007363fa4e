package httpx_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
)

type input struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

func newAPI(log io.Writer) *httpx.API {
	return &httpx.API{
		Now: clock.NewFake(time.Unix(1_700_000_000, 0)).Now, Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Kinds: httpx.Kinds{
			JSON: apierror.InvalidJSON, Member: apierror.InvalidRequest, MediaType: apierror.UnsupportedMediaType, TooLarge: apierror.PayloadTooLarge,
			NotFound: apierror.NotFound, Method: apierror.MethodNotAllowed, Internal: apierror.Internal, Unavailable: apierror.StorageUnavailable,
		},
		Write: func(w http.ResponseWriter, _ *http.Request, e *apierror.Error) {
			_ = httpx.WriteJSON(w, e.Kind.Status, map[string]string{"code": e.Kind.Code, "field": e.Field, "text": e.Text(), "request": httpx.RequestID(w)})
		},
	}
}

func handler(log io.Writer) http.Handler {
	a := newAPI(log)
	return a.Handler([]httpx.Route{
		{Method: "POST", Path: "/echo", Access: httpx.Anyone, Handler: httpx.Call(a, 201, func(_ *http.Request, in *input) (*input, error) { return in, nil })},
		{Method: "POST", Path: "/form", Access: httpx.Anyone, Handler: a.Handle(func(w http.ResponseWriter, r *http.Request) error {
			v, err := a.ReadForm(w, r)
			if err != nil {
				return err
			}
			return httpx.WriteJSON(w, 200, v)
		})},
		{Method: "GET", Path: "/panic", Access: httpx.Anyone, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret words") })},
		{Method: "GET", Path: "/broken", Access: httpx.Anyone, Handler: a.Handle(func(http.ResponseWriter, *http.Request) error { return errors.New("secret cause") })},
		{Method: "GET", Path: "/storage", Access: httpx.Anyone, Handler: a.Handle(func(http.ResponseWriter, *http.Request) error { return fmt.Errorf("x: %w", &db.Error{Err: io.EOF}) })},
		{Method: "GET", Path: "/document", Access: httpx.Anyone, Handler: httpx.NewDocument("text/plain", []byte("once"), time.Minute)},
	})
}

func do(t *testing.T, h http.Handler, method, path, body string, headers ...string) (*httptest.ResponseRecorder, map[string]string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var out map[string]string
	_ = json.Unmarshal(w.Body.Bytes(), &out)
	return w, out
}

func TestBodies(t *testing.T) {
	t.Parallel()
	h := handler(io.Discard)
	for name, tc := range map[string]struct {
		body, contentType string
		status            int
		code, field       string
	}{
		"good":                     {`{"name":"é","count":3,"other":1}`, "application/json", 201, "", ""},
		"with a charset":           {`{"name":"x"}`, "application/json; charset=utf-8", 201, "", ""},
		"no content type":          {`{"name":"x"}`, "", 201, "", ""},
		"an escaped backslash":     {`{"name":"\\u0000"}`, "", 201, "", ""},
		"U+0000":                   {`{"name":"\u0000"}`, "", 400, "invalid_json", ""},
		"U+0000 after a backslash": {`{"name":"\\\u0000"}`, "", 400, "invalid_json", ""},
		"a raw NUL":                {"{\"name\":\"\x00\"}", "", 400, "invalid_json", ""},
		"not UTF-8":                {"{\"name\":\"\xc3\"}", "", 400, "invalid_json", ""},
		"empty":                    {"", "", 400, "invalid_json", ""},
		"null":                     {"null", "", 400, "invalid_json", ""},
		"an array":                 {"[]", "", 400, "invalid_json", ""},
		"more than one":            {"{} {}", "", 400, "invalid_json", ""},
		"cut off":                  {`{"name":`, "", 400, "invalid_json", ""},
		"very deep":                {strings.Repeat(`{"other":`, 20_000), "", 400, "invalid_json", ""},
		"a name twice":             {`{"name":"x","name":"y"}`, "", 400, "invalid_json", ""},
		"an unknown name twice":    {`{"other":[{"a":1,"a":2}]}`, "", 400, "invalid_json", ""},
		"a lone surrogate":         {`{"name":"\ud800"}`, "", 400, "invalid_json", ""},
		"a name in another case":   {`{"Name":"x","COUNT":"3"}`, "", 201, "", ""},
		"a wrong type":             {`{"name":"x","count":"3"}`, "", 400, "invalid_request", "count"},
		"a form":                   {"name=x", "application/x-www-form-urlencoded", 415, "unsupported_media_type", ""},
		"no media type at all":     {"{}", "///", 415, "unsupported_media_type", ""},
		"1 MB":                     {`{"name":"` + strings.Repeat("x", httpx.MaxBody-11) + `"}`, "", 201, "", ""},
		"1 MB and a byte":          {`{"name":"` + strings.Repeat("x", httpx.MaxBody-10) + `"}`, "", 413, "payload_too_large", ""},
	} {
		w, out := do(t, h, "POST", "/echo", tc.body, "Content-Type: "+tc.contentType)
		if w.Code != tc.status || out["code"] != tc.code || out["field"] != tc.field {
			t.Errorf("%s: got %d %.200s, want %d %s", name, w.Code, w.Body, tc.status, tc.code)
		}
	}
}

func TestBodies_OfUnknownLengthAreBoundedToo(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(handler(io.Discard))
	defer s.Close()
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, `{"name":"`)
		_, err := io.Copy(w, io.LimitReader(endless{}, 2*httpx.MaxBody))
		_ = w.CloseWithError(err)
	}()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/echo", r)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d", res.StatusCode)
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func TestForms(t *testing.T) {
	t.Parallel()
	h := handler(io.Discard)
	for body, want := range map[string]int{"a=1&b=2": 200, "a=1&a=2": 400, "a=%zz": 400, "a=%00": 400, "a=%ff": 400, "": 200} {
		if w, _ := do(t, h, "POST", "/form?a=ignored", body); w.Code != want || strings.Contains(w.Body.String(), "ignored") {
			t.Errorf("%q: got %d %s, want %d", body, w.Code, w.Body, want)
		}
	}
}

func TestErrors_ShowNothingInternal(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	h := handler(&log)
	for path, want := range map[string]struct {
		status int
		code   string
	}{"/panic": {500, "internal"}, "/broken": {500, "internal"}, "/storage": {503, "storage_unavailable"}} {
		w, out := do(t, h, "GET", path, "")
		if w.Code != want.status || out["code"] != want.code || strings.Contains(w.Body.String(), "secret") || !id.Valid(out["request"]) || out["request"] != w.Header().Get("X-Request-Id") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		if !strings.Contains(log.String(), out["request"]) {
			t.Errorf("%s: no log line with its request id", path)
		}
	}
	if w, _ := do(t, h, "GET", "/storage", ""); w.Header().Get("Retry-After") != "5" {
		t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
	}
}

func TestUnknownAddresses(t *testing.T) {
	t.Parallel()
	h := handler(io.Discard)
	if w, out := do(t, h, "GET", "/nowhere", ""); w.Code != 404 || out["code"] != "not_found" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if w, out := do(t, h, "GET", "/echo", ""); w.Code != 405 || out["code"] != "method_not_allowed" || w.Header().Get("Allow") != "POST" {
		t.Errorf("got %d %s, Allow %q", w.Code, w.Body, w.Header().Get("Allow"))
	}
	for _, path := range []string{"/echo?a=%00", "/nowhere%00"} {
		if w, out := do(t, h, "GET", path, ""); w.Code != 400 || out["code"] != "invalid_request" {
			t.Errorf("%s: got %d %s", path, w.Code, w.Body)
		}
	}
}

func TestDocument_IsSentOnceToAClientThatKeepsIt(t *testing.T) {
	t.Parallel()
	h := handler(io.Discard)
	w, _ := do(t, h, "GET", "/document", "")
	if w.Code != 200 || w.Body.String() != "once" || w.Header().Get("Cache-Control") != "public, max-age=60" {
		t.Fatalf("got %d %s %v", w.Code, w.Body, w.Header())
	}
	if w, _ := do(t, h, "GET", "/document", "", "If-None-Match: "+w.Header().Get("Etag")); w.Code != 304 || w.Body.Len() != 0 {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if w, _ := do(t, h, "HEAD", "/document", ""); w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Content-Length") != "4" {
		t.Errorf("HEAD: %d %v", w.Code, w.Header())
	}
}

func FuzzDecodeBytes(f *testing.F) {
	a := newAPI(io.Discard)
	for _, s := range []string{`{"name":"x"}`, `{"name":"\u0000"}`, `{"name":"\\u0000"}`, `[]`, ``, `{"count":1e99}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var in input
		if err := a.DecodeBytes(body, &in); err != nil {
			if _, ok := errors.AsType[*apierror.Error](err); !ok {
				t.Fatalf("not from the catalog: %v", err)
			}
			return
		}
		if strings.ContainsRune(in.Name, 0) {
			t.Fatal("U+0000 came through")
		}
	})
}

// A service with such a table does not start.
func TestHandler_RefusesARouteThatDoesNotSayWhoMayCallIt(t *testing.T) {
	t.Parallel()
	for name, access := range map[string]httpx.Access{"no access": nil, "an access of nobody": httpx.Callers("")} {
		func() {
			defer func() {
				if p := recover(); !strings.Contains(fmt.Sprint(p), "GET /keys") {
					t.Errorf("%s: %v, want a panic that names the route", name, p)
				}
			}()
			new(httpx.API).Handler([]httpx.Route{{Method: "GET", Path: "/keys", Access: access, Handler: http.NotFoundHandler()}})
		}()
	}
}
