package webtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"mime"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"testing"
	"time"
)

// linked matches the URLs that a browser loads with a page.
var linked = regexp.MustCompile(`<(?:link rel="(?:stylesheet|modulepreload|icon)"[^>]* href|script[^>]* src|img[^>]* src)="([^"]+)"`)

const weighTime = 20 * time.Second

// Weight is the size of a page for a first-time visitor: the page and its styles, scripts, and pictures.
type Weight struct {
	Bytes    int // as they are sent: compressed, including headers
	Requests int
}

// Weigh loads a page like a browser with an empty cache, with the cookies of a jar. ok is false if the response is not
// a page.
func Weigh(t testing.TB, jar http.CookieJar, address string) (w Weight, ok bool) {
	t.Helper()
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ctx, cancel := context.WithTimeout(t.Context(), weighTime)
	defer cancel()
	load := func(address string) *http.Response {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "text/html")
		r.Header.Set("Accept-Encoding", "gzip")
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	page := load(address)
	defer func() { _ = page.Body.Close() }()
	if kind, _, _ := mime.ParseMediaType(page.Header.Get("Content-Type")); page.StatusCode != http.StatusOK || kind != "text/html" {
		return w, false
	}
	text := w.add(t, page)
	base, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, match := range linked.FindAllSubmatch(text, -1) {
		file, err := base.Parse(string(match[1]))
		if err != nil {
			t.Fatal(err)
		}
		if known[file.String()] || file.Scheme == "data" {
			continue
		}
		known[file.String()] = true
		answer := load(file.String())
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s names %s, which is answered by %d", address, file, answer.StatusCode)
		}
		w.add(t, answer)
		_ = answer.Body.Close()
	}
	return w, true
}

// add counts a response, and returns its text, uncompressed.
func (w *Weight) add(t testing.TB, answer *http.Response) []byte {
	t.Helper()
	all, err := httputil.DumpResponse(answer, true)
	if err != nil {
		t.Fatal(err)
	}
	w.Bytes, w.Requests = w.Bytes+len(all), w.Requests+1
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Header.Get("Content-Encoding") == "gzip" {
		body, err = unzip(body)
		if err != nil {
			t.Fatal(err)
		}
	}
	return body
}

func unzip(body []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
