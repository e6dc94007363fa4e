package book_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"example.com/griot/web/book"
)

// files returns the files of a small book.
func files(more map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range map[string]string{
		"README.md":         "# Guide\n\nAll of it.\n\n## Start\n\nFirst.\n\n- [One](one.md): the `first`\n- [Two](deep/two.md)\n\n## Reference\n\n- [Errors](errors.md)\n- [API](../openapi/auth.yaml)\n- [Login](../openapi/messaging.yaml)\n",
		"one.md":            "# The *one*\n\nText & <https://example.com>.\n\n## A part, with `code`\n\nIdempotency keys.\n\n## A part, with code\n\n[up](deep/two.md#below) [here](#a-part-with-code) [out](../ARCHITECTURE.md) [to `all`](deep) [home](README.md) [e](errors.md) <a id=\"l1\"></a>**L1**\n",
		"deep/README.md":    "# Deep\n",
		"deep/two.md":       "# Two\n\n### Below\n\n<!-- a comment -->\n\n```sh\necho '<b>'\n```\n\n    indented & more\n\n| | b |\n|---|---:|\n| x | y |\n\n![What it & shows](../img/a.svg)\n",
		"errors.md":         "# Errors\n",
		"img/a.svg":         `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="a-title"><title id="a-title">Words</title><style>text { fill: red; }</style><text>words</text></svg>`,
		"decisions/0001.md": "# Why\n\nIdempotency.\n",
	} {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for name, text := range more {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func open(more map[string]string) *book.Book {
	return book.Open(files(more), book.Origins{Auth: "https://login.example"})
}

func page(t *testing.T, b *book.Book, name string) *book.Page {
	t.Helper()
	p, err := b.Page(name)
	if err != nil || p == nil {
		t.Fatalf("%s: got %v, %v, want a page", name, p, err)
	}
	return p
}

func TestContents(t *testing.T) {
	t.Parallel()
	c, err := open(nil).Contents()
	if err != nil {
		t.Fatal(err)
	}
	if c.Title != "Guide" || c.About != "All of it." || len(c.Parts) != 2 || c.Parts[0].About != "First." || c.Parts[1].Anchor != "reference" {
		t.Errorf("got %+v", c)
	}
	want := []book.Entry{{Title: "One", Href: "/docs/one", About: "the first"}, {Title: "Two", Href: "/docs/deep/two"}}
	if got := c.Parts[0].Entries; len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v, want %+v", got, want)
	}
	// An API with an unknown address is omitted.
	if got := c.Parts[1].Entries; len(got) != 2 || got[0].Href != "/docs/errors" || got[1].Href != "https://login.example/docs/reference" {
		t.Errorf("got %+v, want the errors and the API that has an address", got)
	}
	if previous, next := c.Around("/docs/one"); previous != (book.Entry{}) || next != want[1] {
		t.Errorf("around the first: got %+v and %+v", previous, next)
	}
	if previous, next := c.Around("/docs/deep/two"); previous != want[0] || next != (book.Entry{}) {
		t.Errorf("around the last: got %+v and %+v", previous, next)
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	b := open(nil)
	for name, parts := range map[string][]string{
		"one": {
			`<h1 id="the-one">The <em>one</em></h1>`, `Text &amp; <a href="https://example.com">`, `<h2 id="a-part-with-code">A part, with <code>code</code> <a class="anchor" href="#a-part-with-code"`, `<h2 id="a-part-with-code-1">`,
			`<a href="/docs/deep/two#below">up</a> <a href="#a-part-with-code">here</a> out <a href="/docs/deep">to <code>all</code></a> <a href="/docs">home</a> <a href="/docs/errors">e</a> <a id="l1"></a><strong>`,
		},
		"deep/two": {
			`<h3 id="below">`, `<p class="snippet-head">Shell</p><pre tabindex="0"><code>echo &#39;&lt;b&gt;&#39;` + "\n</code></pre>", `indented &amp; more`, `<td></td>`, `<th align="right">b</th>`,
			`role="group" tabindex="0" aria-label="What it &amp; shows"><svg xmlns="http://www.w3.org/2000/svg" aria-hidden="true"><text>words</text></svg>`,
		},
	} {
		p := page(t, b, name)
		for _, part := range parts {
			if !strings.Contains(string(p.Body), part) {
				t.Errorf("%s has no %s:\n%s", name, part, p.Body)
			}
		}
		if strings.Contains(string(p.Body), "comment") || strings.Contains(string(p.Body), "style") {
			t.Errorf("%s has a comment or a style:\n%s", name, p.Body)
		}
	}
	if p := page(t, b, "one"); p.Title != "The one" || p.Href != "/docs/one" || len(p.Headings) != 2 || p.Headings[1] != (book.Heading{Text: "A part, with code", Anchor: "a-part-with-code-1"}) {
		t.Errorf("got %+v", p)
	}
	if p := page(t, b, "deep"); p.Title != "Deep" || p.Href != "/docs/deep" {
		t.Errorf("got %+v", p)
	}
	for _, name := range []string{"", "README", "deep/README", "none", "errors", "../one", "one.md", "deep/", "img/a.svg", "one/", strings.Repeat("x/", 5000)} {
		if p, err := b.Page(name); p != nil || err != nil {
			t.Errorf("%q: got %+v, %v, want no page", name, p, err)
		}
	}
}

// Content that would not work on a page is an error, which the test of all pages finds.
func TestPage_Refuses(t *testing.T) {
	t.Parallel()
	for what, text := range map[string]string{
		"HTML":                            "# A\n\n<div>x</div>\n",
		"an element with more than an id": "# A\n\n<a id=\"x\" onclick=\"y\">z</a>\n",
		"HTML in a line":                  "# A\n\nan <b>x</b>\n",
		"a diagram to render":             "# A\n\n```mermaid\na --> b\n```\n",
		"a picture of pixels":             "# A\n\n![x](img/a.png)\n",
		"a missing picture":               "# A\n\n![x](img/b.svg)\n",
		"an outer picture":                "# A\n\n![x](https://example.com/b.svg)\n",
		"no title":                        "text\n",
		"two titles":                      "# A\n\n# B\n",
	} {
		if p, err := open(map[string]string{"bad.md": text}).Page("bad"); err == nil {
			t.Errorf("%s: got %+v, want an error", what, p)
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("before ", 40) + "The Needle is here " + strings.Repeat("behind ", 60)
	b := open(map[string]string{"long.md": "# Hay\n\n" + long + "\n\n## Needle\n\nx\n"})
	for query, want := range map[string]string{
		"IDEMPOTENCY":       "/docs/one#a-part-with-code /docs/decisions/0001",
		"idempotency keys":  "/docs/one#a-part-with-code",
		"idempotency never": "",
		"needle":            "/docs/long#needle /docs/long",
		"hay needle":        "/docs/long /docs/long#needle",
		"":                  "",
		"  ":                "",
		"indented":          "/docs/deep/two#below",
	} {
		found, err := b.Search(query)
		var got []string
		for _, r := range found {
			got = append(got, r.Href)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, %v, want %q", query, got, err, want)
		}
	}
	found, err := b.Search("needle")
	if err != nil || len(found) != 2 {
		t.Fatalf("got %+v, %v", found, err)
	}
	r := found[1]
	if r.Page != "Hay" || r.Section != "" || !strings.HasPrefix(r.Before, "… before ") || !strings.HasSuffix(r.Before, "The ") || r.Match != "Needle" || !strings.HasPrefix(r.After, " is here ") || !strings.HasSuffix(r.After, " …") || len(r.Before+r.After) > 300 {
		t.Errorf("got %+v", r)
	}
	// Many words need no more work than a few.
	if found, err := b.Search("needle needle needle needle needle needle needle needle not there"); err != nil || len(found) != 2 {
		t.Errorf("got %d, %v, want the first eight words to count", len(found), err)
	}
}
