// Package accesstest records the access to the routes of a table: for each route, the responses and the callers that
// get each of them. A change to the permissions of a route then changes a line in a file.
package accesstest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/griot/internal/httpx"
)

// file is the path of a recording in a test's package.
const file = "testdata/access.txt"

var record = flag.Bool("record", false, "write "+file+" instead of comparing with it")

// Caller is one kind of caller.
type Caller struct {
	Name    string
	Header  http.Header
	Cookies []*http.Cookie
	Origin  string // empty: none
}

// Matrix is the configuration of a recording.
type Matrix struct {
	URL     string // of the server
	Routes  []httpx.Route
	Callers []Caller
	// Objects are the ids that GET routes name, by the part of their paths before the parameter. Other routes name
	// objects that don't exist, so that no caller changes the data for the next.
	Objects map[string]string
	Code    string                   // the field of a refusal that contains its code
	Form    func(path string) bool   // reports whether a route takes a form; others take JSON
	After   func()                   // reverts the changes that a request has made nevertheless
	Skip    func(r httpx.Route) bool // reports whether a route needs no authentication
}

// Compare makes every request and compares the responses with the recording of the test's package.
func (m *Matrix) Compare(t *testing.T) {
	t.Helper()
	var out strings.Builder
	for _, route := range m.Routes {
		if m.Skip(route) {
			continue
		}
		by := map[string][]string{}
		for _, c := range m.Callers {
			got := m.request(t, route.Method, m.path(route), c)
			by[got] = append(by[got], c.Name)
			m.After()
		}
		fmt.Fprintf(&out, "%s %s\n", route.Method, route.Path)
		for _, response := range slices.Sorted(maps.Keys(by)) {
			fmt.Fprintf(&out, "\t%s: %s\n", response, strings.Join(by[response], ", "))
		}
	}
	if *record {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	recorded, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, got := lines(string(recorded)), lines(out.String())
	for _, line := range slices.Sorted(maps.Keys(want)) {
		if !got[line] {
			t.Errorf("no longer: %s", line)
		}
	}
	for _, line := range slices.Sorted(maps.Keys(got)) {
		if !want[line] {
			t.Errorf("new: %s", line)
		}
	}
}

// lines returns a recording's lines, each with its route.
func lines(recording string) map[string]bool {
	set, route := map[string]bool{}, ""
	for line := range strings.Lines(recording) {
		if !strings.HasPrefix(line, "\t") {
			route = line
		}
		set[route+line] = true
	}
	return set
}

// path fills in a route's parameter.
func (m *Matrix) path(r httpx.Route) string {
	before, rest, has := strings.Cut(r.Path, "/{")
	parameter, after, _ := strings.Cut(rest, "}")
	object := m.Objects[before]
	switch {
	case !has:
		return r.Path
	case parameter == "$":
		return before + "/"
	case r.Method != http.MethodGet || object == "":
		object = "absent"
	}
	return before + "/" + object + after
}

var ids = regexp.MustCompile(`\b([a-z]{3}_)?[0-9A-HJKMNP-TV-Z]{26}\b`)

// request returns a response's status, with its error code or its redirect.
func (m *Matrix) request(t *testing.T, method, path string, c Caller) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel() // ends streams
	body, contentType := "{}", "application/json"
	if m.Form(path) {
		body, contentType = "", "application/x-www-form-urlencoded"
	}
	r, err := http.NewRequestWithContext(ctx, method, m.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Header, c.Header)
	for _, cookie := range c.Cookies {
		r.AddCookie(cookie)
	}
	if method != http.MethodGet {
		r.Header.Set("Content-Type", contentType)
	}
	if c.Origin != "" {
		r.Header.Set("Origin", c.Origin)
	}
	res, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	detail, err := url.QueryUnescape(res.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode >= 400 && strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		var refusal map[string]any
		b, err := io.ReadAll(res.Body)
		if err == nil {
			err = json.Unmarshal(b, &refusal)
		}
		if err != nil {
			t.Fatal(err)
		}
		if code, ok := refusal[m.Code].(string); ok {
			detail = code
		}
	}
	return strings.TrimSpace(fmt.Sprint(res.StatusCode, " ", ids.ReplaceAllString(detail, "ID")))
}
