package web_test

import (
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	texttemplate "text/template"

	"example.com/griot/internal/i18n"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

// element is a start tag of a page, with the text after it.
type element struct {
	name string
	attr map[string]string
	text string
}

// elementsOf parses a page like a browser, and fails the test if it is not well-formed.
func elementsOf(t *testing.T, page string) []element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var list []element
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatalf("%v in:\n%s", err, page)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: strings.ToLower(token.Name.Local), attr: map[string]string{}}
			for _, a := range token.Attr {
				e.attr[strings.ToLower(a.Name.Local)] = a.Value
			}
			list = append(list, e)
		case xml.CharData:
			if len(list) > 0 {
				list[len(list)-1].text += string(token)
			}
		case xml.Comment:
			t.Errorf("a comment in a page: %s", token)
		}
	}
}

// Every page can be parsed, and its markup escaped, in every language. This happens on a page's first use. Most then
// end with an error, because the data is missing.
func TestRender_EveryPageCanBeParsed(t *testing.T) {
	t.Parallel()
	pages := webtest.NewPages(t)
	names, err := filepath.Glob("templates/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"app", "docs"} {
		more, err := filepath.Glob("templates/" + dir + "/*.html")
		if err != nil || len(more) == 0 {
			t.Fatalf("templates/%s: got %d pages, %v", dir, len(more), err)
		}
		names = append(names, more...)
	}
	for _, name := range names {
		page := strings.TrimSuffix(filepath.Base(name), ".html")
		if slices.Contains([]string{"layout", "shell", "components", "parts"}, page) {
			continue
		}
		for _, lang := range i18n.Langs() {
			if err := pages.Render(io.Discard, page, lang, nil); err != nil && !errors.As(err, new(texttemplate.ExecError)) {
				t.Errorf("%s in %s: %v", name, lang, err)
			}
		}
	}
}

func TestRender_PagesKeepTheirOwnPolicy(t *testing.T) {
	t.Parallel()
	pages := webtest.NewPages(t)
	static := pages.Static(http.NotFound)
	for _, s := range allSamples() {
		for _, lang := range i18n.Langs() {
			t.Run(s.Name+" "+string(lang), func(t *testing.T) {
				t.Parallel()
				elements := elementsOf(t, render(t, pages, s.Page, lang, s.Data))
				for _, e := range elements {
					checkInert(t, e)
					checkLinks(t, static, e)
				}
				checkShape(t, elements, lang)
			})
		}
	}
}

// checkInert checks that no script or style is inline.
func checkInert(t *testing.T, e element) {
	t.Helper()
	switch e.name {
	case "script":
		if e.attr["src"] == "" || strings.TrimSpace(e.text) != "" {
			t.Errorf("an inline script: %v %q", e.attr, e.text)
		}
	case "style", "iframe", "object", "embed", "base":
		t.Errorf("<%s> in a page", e.name)
	}
	for name, value := range e.attr {
		if name == "style" || strings.HasPrefix(name, "on") {
			t.Errorf("<%s %s=%q>: runs or styles inline", e.name, name, value)
		}
		if scheme, _, found := strings.Cut(strings.ToLower(strings.TrimSpace(value)), ":"); found && slices.Contains([]string{"javascript", "vbscript", "data"}, scheme) && name != "placeholder" {
			t.Errorf("<%s %s=%q>", e.name, name, value)
		}
	}
}

// checkLinks checks that files that a page loads are ours and exist.
func checkLinks(t *testing.T, static http.Handler, e element) {
	t.Helper()
	address := e.attr["src"]
	if e.name == "link" {
		address = e.attr["href"]
	}
	for _, own := range []string{"/authorize/qr.svg?loginKeyId=", "/authorize/status?loginKeyId="} {
		if strings.HasPrefix(address, own) {
			return
		}
	}
	if address == "" || e.attr["rel"] == "expect" { // which names a part of the page
		return
	}
	w := httptest.NewRecorder()
	static.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, http.NoBody))
	if !strings.HasPrefix(address, "/static/") || w.Code != http.StatusOK {
		t.Errorf("<%s> loads %s: %d", e.name, address, w.Code)
	}
}

// checkShape checks the structure that readers of all kinds rely on.
func checkShape(t *testing.T, elements []element, lang i18n.Lang) {
	t.Helper()
	count := map[string]int{}
	ids := map[string]bool{}
	labelled := map[string]bool{}
	for _, e := range elements {
		if e.name != "title" || count["body"] == 0 { // a picture has its own titles
			count[e.name]++
		}
		if id := e.attr["id"]; id != "" {
			if ids[id] {
				t.Errorf("two elements have the id %q", id)
			}
			ids[id] = true
		}
		if e.name == "label" {
			labelled[e.attr["for"]] = true
		}
	}
	for _, e := range elements {
		_, alt := e.attr["alt"]
		switch e.name {
		case "html":
			if e.attr["lang"] != string(lang) {
				t.Errorf("the page says that it is in %q", e.attr["lang"])
			}
		case "img":
			if !alt {
				t.Error("a picture without a description")
			}
		case "input", "select", "textarea":
			if e.attr["aria-label"] == "" && !labelled[e.attr["id"]] && e.attr["type"] != "checkbox" && e.attr["type"] != "hidden" {
				t.Errorf("a field without a label: %v", e.attr)
			}
		}
		for _, reference := range []string{"aria-labelledby", "for"} {
			if id := e.attr[reference]; id != "" && !ids[id] {
				t.Errorf("%s=%q leads nowhere", reference, id)
			}
		}
	}
	for _, name := range []string{"title", "main", "h1", "header"} {
		if count[name] == 0 || name != "header" && count[name] > 1 {
			t.Errorf("%d <%s>", count[name], name)
		}
	}
}

func TestRender_EscapesWhatItIsGiven(t *testing.T) {
	t.Parallel()
	page := render(t, webtest.NewPages(t), web.PageError, i18n.EN, web.Failure{
		Status: 400, Code: "<b>", Description: `<script>alert("1")</script>`, DocsURL: "javascript:alert(1)",
	})
	if strings.Contains(page, "<b>") || strings.Contains(page, "alert(1)") || !strings.Contains(page, "&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;") {
		t.Errorf("not escaped:\n%s", page)
	}
}

func TestRender_GivesEachCodeOneAnchor(t *testing.T) {
	t.Parallel()
	catalogue := web.Catalogue{Sections: []web.Section{
		{Title: "one", Kinds: []web.Kind{{Status: 400, Code: "twice"}, {Status: 401, Code: "twice"}}},
		{Title: "two", Kinds: []web.Kind{{Status: 429, Code: "twice"}, {Status: 404, Code: "once"}}},
	}}
	page := render(t, webtest.NewPages(t), web.PageErrors, i18n.FR, catalogue)
	for _, code := range []string{"twice", "once"} {
		if n := strings.Count(page, `id="`+code+`"`); n != 1 {
			t.Errorf("%d anchors for %s", n, code)
		}
	}
	if n := strings.Count(page, "<code>twice</code>"); n != 3 {
		t.Errorf("%d lines for a code that is in three", n)
	}
}

func TestRender_RefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	pages := webtest.NewPages(t)
	var b strings.Builder
	if err := pages.Render(&b, "nothing", i18n.FR, nil); err == nil || b.Len() > 0 {
		t.Errorf("a page that isn't there: %v, %d bytes", err, b.Len())
	}
	if err := pages.Render(&b, web.PageError, i18n.FR, web.Waiting{}); err == nil || b.Len() > 0 {
		t.Errorf("data of another page: %v, %d bytes written", err, b.Len())
	}
	if page := render(t, pages, web.PagePhones, i18n.Lang("xx"), nil); !strings.Contains(page, `<html lang="fr">`) {
		t.Error("a language that we don't speak isn't answered in French")
	}
}

// The page of a refused request shows the time to wait, like Retry-After.
func TestServe_SaysHowLongToWait(t *testing.T) {
	t.Parallel()
	pages := webtest.NewPages(t)
	for seconds, want := range map[string]string{"40": "Réessayez dans 40\u00a0s.", "600": "Réessayez dans 10\u00a0min.", "": "réessayez.</p>"} {
		w := httptest.NewRecorder()
		w.Header().Set("Retry-After", seconds)
		if err := pages.Serve(w, httptest.NewRequest(http.MethodGet, "/", nil), http.StatusTooManyRequests, web.PageError, web.Failure{Status: http.StatusTooManyRequests, Dashboard: "/dashboard"}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("Retry-After %s: no %q in:\n%s", seconds, want, w.Body)
		}
	}
}
