package messagingtest

import (
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"example.com/griot/internal/phone"
	"example.com/griot/web/webtest"
)

// A Person is a person's browser. It stores cookies by their paths, and does not follow redirects.
type Person struct {
	w       *Site
	Client  *http.Client
	Origin  string // of the page with the forms that they send
	Referer string // the page's address; empty: the browser does not send it
}

// WantsAll checks that a page contains all of these texts.
func (p *Person) WantsAll(got *webtest.Page, parts ...string) {
	p.w.T.Helper()
	body := strings.ReplaceAll(html.UnescapeString(got.Body), "\u00a0", " ")
	for _, part := range parts {
		if got.Status != http.StatusOK || !strings.Contains(body, part) {
			p.w.T.Errorf("%d, want 200 with %q:\n%s", got.Status, part, body)
		}
	}
}

// SendCode sends a code with the tester and returns its challenge.
func (p *Person) SendCode(mode, to string) string {
	p.w.T.Helper()
	got := p.Post("/dashboard/codes/send"+mode, "to", to, "channel", "sms", "app", "Boutique")
	where, err := url.Parse(got.Location)
	if err != nil || got.Status != http.StatusSeeOther || where.Query().Get("challenge") == "" {
		p.w.T.Fatalf("sending a code: %d to %q, %v\n%s", got.Status, got.Location, err, got.Body)
	}
	p.Wants(p.Get(got.Location), http.StatusOK, `name="code"`)
	return where.Query().Get("challenge")
}

// Session returns the token in the person's cookie.
func (p *Person) Session() string {
	p.w.T.Helper()
	for _, c := range p.Client.Jar.Cookies(p.url("")) {
		if c.Name == "svc_account" {
			return c.Value
		}
	}
	return ""
}

// CodeAt returns the time at which the person last entered a code, as reported by the JSON API.
func (p *Person) CodeAt() string {
	p.w.T.Helper()
	found := regexp.MustCompile(`"codeAt":"([^"]+)"`).FindStringSubmatch(p.Get("/api/session").Body)
	if found == nil {
		p.w.T.Fatal("no codeAt in the session")
	}
	return found[1]
}

// AskForCode requests a code for an address with the form of the sign-in page, and returns a function that submits
// the form for the code.
func (p *Person) AskForCode(email, query string) (give func(code string) *webtest.Page) {
	p.w.T.Helper()
	asked := p.Post("/dashboard/sign-in?"+query, "email", email)
	p.Wants(asked, http.StatusSeeOther, "/dashboard/sign-in/code")
	form := p.Get(asked.Location)
	p.Wants(form, http.StatusOK, strings.ToLower(email))
	action := regexp.MustCompile(`action="(/dashboard/sign-in/code[^"]*)"`).FindStringSubmatch(form.Body)
	sealed := regexp.MustCompile(`name="for" value="([^"]+)"`).FindStringSubmatch(form.Body)
	if action == nil || sealed == nil {
		p.w.T.Fatalf("no form for the code:\n%s", form.Body)
	}
	return func(code string) *webtest.Page {
		p.w.T.Helper()
		return p.Post(html.UnescapeString(action[1]), "for", html.UnescapeString(sealed[1]), "code", code)
	}
}

// Twice sends a form twice with the same cookies, like a double click when the first response is too late, and checks
// both responses. The browser keeps the cookies of the second one.
func (p *Person) Twice(send func() *webtest.Page, status int, part string) (first, second *webtest.Page) {
	p.w.T.Helper()
	u := p.url("/dashboard")
	kept, thrownAway := p.Client.Jar, newJar()
	for _, c := range kept.Cookies(u) {
		thrownAway.SetCookies(u, []*http.Cookie{{Name: c.Name, Value: c.Value, Path: "/"}})
	}
	p.Client.Jar = thrownAway
	first = send()
	p.Client.Jar = kept
	second = send()
	p.Wants(first, status, part)
	p.Wants(second, status, part)
	return first, second
}

// Confirm enters another code and checks the target of the redirect.
func (p *Person) Confirm(email, next, want string) {
	p.w.T.Helper()
	at := Query("next", next)
	p.Wants(p.Post("/dashboard/confirm?"+at), http.StatusSeeOther, "/dashboard/confirm/code")
	if got := p.Post("/dashboard/confirm/code?"+at, "code", p.w.MailedCode(email)); got.Status != http.StatusSeeOther || got.Location != want {
		p.w.T.Errorf("next=%q leads to %q (%d), want %q", next, got.Location, got.Status, want)
	}
}

// OptOutURL returns the address of the page of a contact's opt-out, from the link in the list.
func (p *Person) OptOutURL(contact string) string {
	p.w.T.Helper()
	list := html.UnescapeString(p.Get("/dashboard/opt-outs").Body)
	found := regexp.MustCompile(`href="(/dashboard/opt-outs/[^"]+)" class="break">` + regexp.QuoteMeta(phone.Grouped(contact)) + `<`).FindStringSubmatch(list)
	if found == nil {
		p.w.T.Fatalf("%s is not in the list:\n%s", contact, list)
	}
	return found[1]
}

// Send fills in the form, sends it, and returns the address of the message.
func (p *Person) Send(pairs ...string) string {
	p.w.T.Helper()
	return p.leads(p.Post("/dashboard/send", pairs...), "/dashboard/messages/")
}

// NewProject creates a project and returns the address of its page.
func (p *Person) NewProject(name string) string {
	p.w.T.Helper()
	got := p.Post("/dashboard/projects", "name", name)
	path, done, _ := strings.Cut(got.Location, "?")
	if got.Status != http.StatusSeeOther || done != "done=project_created" {
		p.w.T.Fatalf("making a project: %d to %q\n%s", got.Status, got.Location, got.Body)
	}
	return path
}

// Holds checks that a page contains texts, and does not contain those that start with "no ".
func (p *Person) Holds(got *webtest.Page, parts ...string) {
	p.w.T.Helper()
	body := html.UnescapeString(got.Body)
	for _, part := range parts {
		without, absent := strings.CutPrefix(part, "no ")
		if strings.Contains(body, without) == absent {
			p.w.T.Errorf("%d, want %q in:\n%s", got.Status, part, body)
		}
	}
}

// Ping sends a test event with the form and returns the path of its page.
func (p *Person) Ping() string {
	p.w.T.Helper()
	return p.leads(p.Post("/dashboard/webhooks/ping"), "/dashboard/webhooks/evt_")
}

// leads returns the path to which a response redirects, which must have a prefix.
func (p *Person) leads(got *webtest.Page, prefix string) string {
	p.w.T.Helper()
	path, _, _ := strings.Cut(got.Location, "?")
	if got.Status != http.StatusSeeOther || !strings.HasPrefix(path, prefix) {
		p.w.T.Fatalf("%d to %q, want %s\n%s", got.Status, got.Location, prefix, got.Body)
	}
	return path
}

// Do requests a page with the browser's cookies. A POST sends form like the page's form.
func (p *Person) Do(method, path string, form url.Values) *webtest.Page {
	p.w.T.Helper()
	u := p.url(path)
	headers := []string{"Referer", p.Referer, "Origin", ""}
	if method == http.MethodPost {
		headers[3] = p.Origin
	}
	cookies := map[string]string{}
	for _, c := range slices.Backward(p.Client.Jar.Cookies(u)) { // of two with a name, the one with the longer path
		cookies[c.Name] = c.Value
	}
	got := webtest.Send(p.w.T, p.w.URL, method, path, form, cookies, headers...)
	p.Client.Jar.SetCookies(u, got.Cookies)
	return &got
}

// url returns the address of a path.
func (p *Person) url(path string) *url.URL {
	p.w.T.Helper()
	u, err := url.Parse(p.w.URL + path)
	if err != nil {
		p.w.T.Fatal(err)
	}
	return u
}

// Get requests a page.
func (p *Person) Get(path string) *webtest.Page {
	p.w.T.Helper()
	return p.Do(http.MethodGet, path, nil)
}

// Post sends a form with pairs of names and values.
func (p *Person) Post(path string, pairs ...string) *webtest.Page {
	p.w.T.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return p.Do(http.MethodPost, path, form)
}

// Wants checks a response's status and the target of its redirect, or a part of the page.
func (p *Person) Wants(got *webtest.Page, status int, part string) {
	p.w.T.Helper()
	if got.Status != status || !strings.HasPrefix(got.Location, part) && !strings.Contains(got.Body, part) {
		p.w.T.Errorf("%d to %q, want %d with %q:\n%s", got.Status, got.Location, status, part, got.Body)
	}
}

func newJar() http.CookieJar {
	jar, _ := cookiejar.New(nil) // it returns no error without options
	return jar
}
