package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	documentation "example.com/griot/docs"
	"example.com/griot/internal/fault"
	"example.com/griot/openapi"
	"example.com/griot/web"
	"example.com/griot/web/book"
	"example.com/griot/web/reference"
	"example.com/griot/web/webtest"
)

// docsService is a service with its document.
type docsService struct {
	service  fault.Service
	document []byte
}

func docsServices() []docsService {
	return []docsService{{fault.Auth, openapi.Auth()}, {fault.Messaging, openapi.Messaging()}}
}

// newReferenceMux serves the documentation of a service.
func newReferenceMux(t *testing.T, s docsService) *http.ServeMux {
	t.Helper()
	docs := web.NewReference(newPages(t), s.service, "https://griot.example", s.document)
	serve := func(handler func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if err := handler(w, r); err != nil {
				t.Error(err)
			}
		}
	}
	mux := http.NewServeMux()
	pages := web.NewBook(newPages(t), book.Open(documentation.Files(), book.Origins{Auth: "https://login.example", Messaging: "https://api.example"}))
	mux.HandleFunc("GET /docs", serve(pages.Contents))
	mux.HandleFunc("GET /docs/{page...}", serve(func(w http.ResponseWriter, r *http.Request) error {
		found, err := pages.Page(w, r, r.PathValue("page"))
		if err == nil && !found {
			http.NotFound(w, r)
		}
		return err
	}))
	mux.HandleFunc("GET /docs/errors", serve(docs.Errors))
	mux.HandleFunc("GET /docs/reference", serve(docs.Index))
	mux.HandleFunc("GET /docs/reference/{name}", serve(func(w http.ResponseWriter, r *http.Request) error {
		found, err := docs.Page(w, r, r.PathValue("name"))
		if err == nil && !found {
			http.NotFound(w, r)
		}
		return err
	}))
	mux.HandleFunc("GET /openapi.yaml", func(http.ResponseWriter, *http.Request) {})
	return mux
}

// From the index every operation and object is reached, and every link of every page leads to a page, and to an element of it.
func TestReference_EveryLinkResolves(t *testing.T) {
	t.Parallel()
	for _, s := range docsServices() {
		t.Run(string(s.service), func(t *testing.T) {
			t.Parallel()
			mux := newReferenceMux(t, s)
			ids, titles := map[string]map[string]bool{}, map[string]string{}
			links := map[string]string{} // where each was found first
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
			d, err := reference.Parse(s.document)
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

// A page has what the document says, and leads to the errors and back.
func TestReference_ShowsAnOperation(t *testing.T) {
	t.Parallel()
	mux := newReferenceMux(t, docsServices()[1])
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
		"/docs/reference/getProfile":   {"can’t be tried from this page", "svc_account"},
		"/docs/reference/getWebhook":   {"It takes live keys only"},
		"/docs/reference/getHealth":    {"None: anyone may call it.", `data-credential="nothing"`},
		"/docs/errors":                 {`<a href="/docs/reference?q=quota_exceeded">Operations that answer with it (`},
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

// The script of a list finds what the server finds, and keeps the search in the address.
func TestReference_SearchesWithAndWithoutScripts(t *testing.T) {
	t.Parallel()
	mux := newReferenceMux(t, docsServices()[1])
	site := newSite(t, mux)
	tab := webtest.Open(t, webtest.NewBrowser(t), site.URL+"/docs/reference")
	const visible = `Array.from(document.querySelectorAll("[data-item]:not([hidden])"), (e) => e.textContent.trim()).join("|") + "#" + document.querySelectorAll("[data-section]:not([hidden])").length + document.getElementById("nothing").hidden + document.getElementById("found").textContent`
	read := func() string {
		t.Helper()
		s, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](visible))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, page := range []string{"/docs/reference", "/docs/errors"} {
		seen := map[string]bool{}
		for _, q := range []string{"", "send", "Rate_Limited  post", "409", "nothing of the kind"} {
			tab.Do(chromedp.Navigate(site.URL + page + "?q=" + strings.ReplaceAll(q, " ", "%20")))
			byServer := read()
			tab.Do(chromedp.Navigate(site.URL + page))
			tab.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.getElementById("q").value = %q; document.getElementById("q").dispatchEvent(new Event("input")); undefined`, q)))
			if byScript := read(); byScript != byServer {
				t.Errorf("%s, %q: the script shows\n%s\nthe server\n%s", page, q, byScript, byServer)
			}
			tab.WaitFor(fmt.Sprintf(`(new URL(location.href).searchParams.get("q") || "") === %q`, q))
			seen[byServer] = true
		}
		if len(seen) < 4 {
			t.Errorf("%s: %d different results for five searches", page, len(seen))
		}
	}
}

func TestReference_IsAccessibleAndWeighsLittle(t *testing.T) {
	t.Parallel()
	site, m := newMeteredSite(t, newReferenceMux(t, docsServices()[1]))
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	for i, path := range []string{"/docs/reference", "/docs/reference/sendMessage", "/docs/reference/getHealth", "/docs/reference/SendRequest", "/docs/errors", "/docs", "/docs/concepts/message", "/docs/start/back-end"} {
		bytes, requests := m.bytes.Load(), m.requests.Load()
		for j, choice := range []string{"?theme=light&lang=fr", "?theme=dark&lang=en"} {
			width := []int64{320, 1280}[(i+j)%2]
			what := fmt.Sprintf("%s%s at %d pixels", path, choice, width)
			tab.Do(chromedp.EmulateViewport(width, 800), chromedp.Navigate(site+path+choice))
			tab.WaitFor(`document.readyState === "complete"`)
			tab.Do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach((d) => { d.open = true; }); undefined`))
			tab.Axe(what)
			tab.Do(chromedp.EmulateViewport(320, 800))
			tab.Fits(what)
		}
		// Both languages, each behind the redirect that chooses it.
		if bytes, requests = m.bytes.Load()-bytes, m.requests.Load()-requests; bytes > 50_000 || requests > 16 {
			t.Errorf("%s: %d bytes in %d requests for two visits, want at most 50000 in 16", path, bytes, requests)
		}
	}
}

// Without scripts the form of a search asks the server, and the page of an operation says what trying it needs.
func TestReference_WorksWithoutScripts(t *testing.T) {
	t.Parallel()
	site := newSite(t, newReferenceMux(t, docsServices()[1]))
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	tab.Do(webtest.WithoutScripts(), chromedp.Navigate(site.URL+"/docs/reference?lang=en"), chromedp.SetValue(chromedp.CSS("#q"), "cancel"))
	tab.Click(".search button")
	tab.WaitFor(`new URL(location.href).searchParams.get("q") === "cancel" && ` + webtest.Seen(`a[href="/docs/reference/cancelMessage"]`) + ` && !` + webtest.Seen(`a[href="/docs/reference/listGroups"]`))
	tab.Click(`a[href="/docs/reference/cancelMessage"]`)
	tab.WaitFor(webtest.Seen("noscript .note") + ` && ` + webtest.Says("noscript .note", "needs JavaScript") + ` && !` + webtest.Seen("#try") + ` && !` + webtest.Seen("[data-copy]") + ` && ` + webtest.Seen("#curl"))
}
