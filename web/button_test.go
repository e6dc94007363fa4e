package web_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/griot/internal/i18n"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

// A site has the button on its front page, so it must be smaller than a picture.
const buttonBudget = 3 << 10

// Rules: L178.
func TestButton_IsSmallAndForEverySite(t *testing.T) {
	t.Parallel()
	pages := webtest.NewPages(t)
	total := 0
	for name, contentType := range map[string]string{web.ButtonScript: "text/javascript; charset=utf-8", web.ButtonStyle: "text/css; charset=utf-8"} {
		answer := get(t, pages.Button(name), http.MethodGet, "/"+name)
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		total += len(body)
		h := answer.Header
		for header, want := range map[string]string{
			"Content-Type": contentType, "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin",
			"Cache-Control": "public, max-age=3600", "X-Content-Type-Options": "nosniff", "Content-Encoding": "",
		} {
			if got := h.Get(header); got != want {
				t.Errorf("%s: %s is %q, want %q", name, header, got, want)
			}
		}
		if again := get(t, pages.Button(name), http.MethodGet, "/"+name, "If-None-Match", h.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s: %d for a file that the browser has, want 304", name, again.StatusCode)
		}
		for _, lang := range i18n.Langs() {
			text := lang.T("button.text")
			if strings.ContainsAny(text, "\"\\\n") || !strings.Contains(string(body), `"`+text+`"`) {
				t.Errorf("%s does not have %q, or could not quote it", name, text)
			}
		}
		if strings.Contains(string(body), "TEXT_") || strings.Contains(string(body), "DEFAULT_LANG") || strings.Contains(string(body), "url(") {
			t.Errorf("%s has a text that was not replaced, or loads something:\n%s", name, body)
		}
	}
	if total > buttonBudget {
		t.Errorf("the button has %d bytes, want at most %d", total, buttonBudget)
	}
}
