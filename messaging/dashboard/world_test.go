package dashboard_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/chantest"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/logtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/api/apitest"
	"example.com/griot/messaging/dashboard"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

func TestMain(m *testing.M) { webtest.Main(m, dbtest.Stop) }

const ownerEmail = "test-pro@example.com" // messagingtest's, on the plan pro

// world is the messaging service with its dashboard; what it mails comes out of mails.
type world struct {
	*messagingtest.World
	t     *testing.T
	url   string
	pages *dashboard.Dashboard
	log   *logtest.Recorder
	mails chan gateway.Outbound
}

func newWorld(t *testing.T, d *db.DB, change ...func(*api.Options)) *world {
	t.Helper()
	return newWorldWith(t, d, func(*dashboard.Options) {}, change...)
}

// newWorldWith changes the options of the pages too.
func newWorldWith(t *testing.T, d *db.DB, changePages func(*dashboard.Options), change ...func(*api.Options)) *world {
	t.Helper()
	w := &world{World: messagingtest.New(t, d, "pro"), t: t, log: &logtest.Recorder{}, mails: make(chan gateway.Outbound, 100)}
	w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
		if out.From == "bonjour@griot.example" && regexp.MustCompile(`\b\d{6}\b`).MatchString(out.Text) {
			w.mails <- *out
		}
		return gateway.Ack{ProviderID: "p_" + out.Ref}, nil
	})
	if err := w.Directory.CreatePlatformSender(t.Context(), account.Sender{Channel: gateway.Email, Address: "bonjour@griot.example", Gateway: "fake"}); err != nil {
		t.Fatal(err)
	}
	pages, err := web.New()
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(nil)
	w.url = "http://" + srv.Listener.Addr().String()
	o := apitest.Options(w.World, pages, w.log.Logger(), w.url)
	for _, c := range change {
		c(&o)
	}
	a, err := api.New(o)
	if err != nil {
		t.Fatal(err)
	}
	do := dashboard.Options{API: a, People: w.People, Key: w.Master, DB: w.DB, Directory: w.Directory, Engine: w.Engine, Endpoints: w.Endpoints, Inbox: w.Inbox, OTP: o.OTP, Now: w.Clock.Now, Pages: pages, URL: w.url}
	changePages(&do)
	w.pages, err = dashboard.New(do)
	if err != nil {
		t.Fatal(err)
	}
	srv.Config.Handler = a.Handler(w.pages.Routes()...)
	srv.Start()
	t.Cleanup(srv.Close)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	w.Run(t, w.Engine)
	return w
}

// person is somebody's browser: it keeps cookies by their paths, and follows nothing by itself.
type person struct {
	w       *world
	client  *http.Client
	origin  string // of the page whose forms they send
	referer string // that page's address; empty: the browser does not say
}

func (w *world) person() *person {
	jar := newJar()
	return &person{w: w, client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, origin: w.url}
}

type page struct {
	status int
	to     string // where it leads
	body   string
	header http.Header
}

func (p *person) do(method, path string, form url.Values) *page {
	p.w.t.Helper()
	var body io.Reader = http.NoBody
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(p.w.t.Context(), method, p.w.url+path, body)
	if err != nil {
		p.w.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Accept-Language", "en")
	if p.referer != "" {
		r.Header.Set("Referer", p.referer)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if p.origin != "" {
			r.Header.Set("Origin", p.origin)
		}
	}
	res, err := p.client.Do(r)
	if err != nil {
		p.w.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		p.w.t.Fatal(err)
	}
	return &page{res.StatusCode, res.Header.Get("Location"), string(b), res.Header}
}

func (p *person) get(path string) *page { p.w.t.Helper(); return p.do(http.MethodGet, path, nil) }

func (p *person) post(path string, pairs ...string) *page {
	p.w.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return p.do(http.MethodPost, path, form)
}

// wants holds an answer against a status and where it leads, or a part of the page.
func (p *person) wants(got *page, status int, part string) {
	p.w.t.Helper()
	if got.status != status || !strings.HasPrefix(got.to, part) && !strings.Contains(got.body, part) {
		p.w.t.Errorf("%d to %q, want %d with %q:\n%s", got.status, got.to, status, part, got.body)
	}
}

// code is that of the mail that must come.
func (w *world) code(email string) string {
	w.t.Helper()
	select {
	case m := <-w.mails:
		if m.To != email {
			w.t.Fatalf("a mail to %s, want one to %s", m.To, email)
		}
		return regexp.MustCompile(`\b\d{6}\b`).FindString(m.Text)
	case <-time.After(10 * time.Second):
		w.t.Fatalf("no mail to %s", email)
		return ""
	}
}

// invitation returns the link and the code of the invitation's mail that must come.
func (w *world) invitation(email string) (link, code string) {
	w.t.Helper()
	m := chantest.Receive(w.t, w.mails)
	link = regexp.MustCompile(`\S+/dashboard/invitation#\S{43}`).FindString(m.Text)
	code = regexp.MustCompile(`\b\d{6}\b`).FindString(m.Text)
	if m.To != email || link == "" || code == "" {
		w.t.Fatalf("a mail to %s, want an invitation to %s:\n%s", m.To, email, m.Text)
	}
	return link, code
}

// signIn signs a new person in.
func (w *world) signIn(email string) *person {
	w.t.Helper()
	p := w.person()
	p.wants(p.post("/dashboard/sign-in", "email", email), http.StatusSeeOther, "/dashboard/sign-in/code")
	p.wants(p.post("/dashboard/sign-in/code", "code", w.code(email)), http.StatusSeeOther, "/dashboard")
	return p
}

// invite stores an invitation.
func (w *world) invite(email string, role account.Role) *account.Invitation {
	w.t.Helper()
	i, _ := w.Directory.NewInvitation(w.Account.ID, email, account.Membership{Role: role})
	if err := w.Directory.StoreInvitation(w.t.Context(), i); err != nil {
		w.t.Fatal(err)
	}
	return i
}

// member signs in somebody who has accepted an invitation.
func (w *world) member(email string, role account.Role) *person {
	w.t.Helper()
	i := w.invite(email, role)
	p := w.signIn(email)
	p.wants(p.post("/dashboard/invitation", "invitation", i.ID), http.StatusSeeOther, "/dashboard?done=joined")
	return p
}
