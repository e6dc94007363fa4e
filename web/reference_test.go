package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/griot/web"
	"example.com/griot/web/reference"
	"example.com/griot/web/webtest"
)

// Every operation and object can be reached from the index, and every link of every page leads to a page and to an
// element in it.
// Rules: L175.
func TestReference_EveryLinkResolves(t *testing.T) {
	t.Parallel()
	for _, s := range webtest.DocsServices() {
		t.Run(string(s.Service), func(t *testing.T) {
			t.Parallel()
			mux := webtest.NewReferenceMux(t, s)
			ids, titles := map[string]map[string]bool{}, map[string]string{}
			links := map[string]string{} // the place of the first occurrence
			queue := []string{"/docs"}
			for len(queue) > 0 {
				path := queue[0]
				queue = queue[1:]
				w := httptest.NewRecorder()
				mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, http.NoBody))
				if to := w.Header().Get("Location"); to != "" {
					queue = append(queue, to)
					continue
				}
				if w.Code != http.StatusOK {
					t.Errorf("%s, linked from %s: %d", path, links[path], w.Code)
				}
				ids[path] = map[string]bool{"": true}
				if w.Body.Len() == 0 {
					continue
				}
				for _, e := range elementsOf(t, w.Body.String()) {
					ids[path][e.attr["id"]] = true
					if other, taken := titles[e.text]; e.name == "title" && taken && !strings.Contains(path, "?") {
						t.Errorf("%s and %s have the title %q", path, other, e.text)
					} else if e.name == "title" {
						titles[e.text] = path
					}
					to := e.attr["href"]
					if e.name != "a" || !strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "#") {
						continue
					}
					if strings.HasPrefix(to, "#") {
						to = path + to
					}
					if _, known := links[to]; known {
						continue
					}
					links[to] = path
					if page, _, _ := strings.Cut(to, "#"); ids[page] == nil {
						ids[page] = map[string]bool{}
						queue = append(queue, page)
					}
				}
			}
			for link, from := range links {
				page, id, _ := strings.Cut(link, "#")
				if !ids[page][id] {
					t.Errorf("%s, linked from %s, leads nowhere", link, from)
				}
			}
			d, err := reference.Parse(s.Document)
			if err != nil {
				t.Fatal(err)
			}
			count := 0
			for _, g := range d.Groups {
				for _, op := range g.Operations {
					count++
					if !ids[reference.Href(op.ID)]["responses"] {
						t.Errorf("%s has no page that is linked", op.ID)
					}
				}
			}
			if count < 30 {
				t.Errorf("%d operations, want more", count)
			}
		})
	}
}

// A page contains the information in the document, and links to the errors and back.
func TestReference_ShowsAnOperation(t *testing.T) {
	t.Parallel()
	mux := webtest.NewReferenceMux(t, webtest.DocsServices()[1])
	get := func(path string) string {
		r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		r.Header.Set("Accept-Language", "en")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		if w.Code != http.StatusOK || w.Header().Get("Content-Security-Policy") != web.CSP {
			t.Errorf("%s: %d, policy %q", path, w.Code, w.Header().Get("Content-Security-Policy"))
		}
		return w.Body.String()
	}
	for path, wants := range map[string][]string{
		"/docs/reference/sendMessage": {
			`<code class="field-name">to</code> <span class="field-type">string</span> <span class="tag required">required</span>`, "characters: <code>≤ 2048</code>",
			"one of <code>whatsapp</code> <code>sms</code>", `<a href="/docs/errors#quota_exceeded"><code>quota_exceeded</code></a>`, "curl &#39;https://griot.example/api/send&#39;",
			`data-credential="key" data-method="POST" data-path="/api/send"`, "needs JavaScript", "Authorization: Bearer …",
		},
		"/docs/reference/listMessages": {"default: <code>50</code>"},
		"/docs/reference/getProfile":   {"You can’t try it on this page.", "svc_account"},
		"/docs/reference/getWebhook":   {"It takes live keys only"},
		"/docs/reference/getHealth":    {"None: anyone can call it.", `data-credential="nothing"`},
		"/docs/errors":                 {`<a href="/docs/reference?q=quota_exceeded">Operations that return it (`},
		"/docs/errors?q=409":           {`data-item id="recipient_opted_out">`, `data-item id="rate_limited" hidden>`},
	} {
		page := get(path)
		for _, want := range wants {
			if !strings.Contains(page, want) {
				t.Errorf("%s has no %s", path, want)
			}
		}
	}
	if got, again := get("/docs/errors?q=%22%3E%3Cscript%3E"), get("/docs/reference?q="+strings.Repeat("x", 5000)); strings.Contains(got, "<script>") || !strings.Contains(again, `value="`+strings.Repeat("x", 200)+`"`) {
		t.Error("a query is repeated raw, or whole")
	}
}
