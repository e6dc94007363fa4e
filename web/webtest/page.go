package webtest

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"example.com/griot/web"
)

// Page is a response with its body.
type Page struct {
	Status         int
	Location, Body string
	Header         http.Header
	Cookies        []*http.Cookie // set by the response
}

// Send sends a request to a service like a browser in English, and follows no redirects. A form is sent from the
// service's own origin. headers are names and values that replace the browser's. An empty value removes the header.
func Send(t testing.TB, service, method, path string, form url.Values, cookies map[string]string, headers ...string) Page {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, service+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Accept-Language", "en")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", service)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		switch r.Header.Del(headers[i]); {
		case headers[i] == "Host":
			r.Host = headers[i+1]
		case headers[i+1] != "":
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	for name, value := range cookies {
		if value != "" {
			r.AddCookie(&http.Cookie{Name: name, Value: value})
		}
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Page{answer.StatusCode, answer.Header.Get("Location"), string(body), answer.Header, answer.Cookies()}
}

// Shows checks that a response is a page with these texts, that it isn't cached, and that nothing from other
// sites runs in it.
func (p Page) Shows(t testing.TB, texts ...string) {
	t.Helper()
	if p.Status != http.StatusOK {
		t.Fatalf("got %d %s, want a page", p.Status, p.Body)
	}
	for _, want := range texts {
		if !strings.Contains(p.Body, want) {
			t.Errorf("the page does not show %q:\n%s", want, p.Body)
		}
	}
	if got := p.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control %q, want no-store", got)
	}
	if got := p.Header.Get("Content-Security-Policy"); got != web.CSP {
		t.Errorf("Content-Security-Policy %q, want %q", got, web.CSP)
	}
}

// Hides checks that a page doesn't have these texts.
func (p Page) Hides(t testing.TB, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(p.Body, text) {
			t.Errorf("the page shows %q", text)
		}
	}
}

// Leads checks that a response is a 303 to a path, with the security headers of a page.
func (p Page) Leads(t testing.TB, path string) {
	t.Helper()
	if p.Status != http.StatusSeeOther || p.Location != path {
		t.Fatalf("got %d to %q %s, want 303 to %q", p.Status, p.Location, p.Body, path)
	}
	want := http.Header{}
	web.Secure(want, "")
	for name := range want {
		if got := p.Header.Get(name); got != want.Get(name) {
			t.Errorf("the redirect to %s has %s %q, want %q", path, name, got, want.Get(name))
		}
	}
}

// Form returns a form of names and values.
func Form(pairs ...string) url.Values {
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}
