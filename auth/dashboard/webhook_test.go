package dashboard_test

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"example.com/griot/auth/api"
	"example.com/griot/auth/authtest"
	"example.com/griot/auth/events"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/webhook"
	"example.com/griot/web/webtest"
)

// receiver is a tenant's endpoint.
type receiver struct {
	url    string
	status atomic.Int64
	got    chan received
}

type received struct {
	header http.Header
	body   []byte
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{got: make(chan received, 100)}
	r.status.Store(http.StatusNoContent)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		w.WriteHeader(int(r.status.Load()))
		r.got <- received{q.Header.Clone(), body}
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	r.url = server.URL + "/hook"
	return r
}

func (r *receiver) next(t *testing.T) received {
	t.Helper()
	select {
	case got := <-r.got:
		return got
	case <-time.After(30 * time.Second):
		t.Fatal("nothing came to the endpoint in 30 s")
		return received{}
	}
}

func loopback(o *api.Options) { o.Webhooks = api.Webhooks{Dial: safedial.Options{Loopback: true}} }

// endpoints are what an operator changes.
func (s *site) endpoints() *events.Endpoints {
	return events.NewEndpoints(webhook.Endpoints{DB: s.DB, Key: s.Key, Dial: safedial.Options{Loopback: true}, Now: s.Clock.Now, Signal: &webhook.Signal{}, Changed: s.Tenants.ClearCache})
}

func (s *site) setEndpoint(url string) {
	s.t.Helper()
	if _, err := s.endpoints().Set(context.Background(), s.Tenant.ID, url); err != nil {
		s.t.Fatal(err)
	}
}

var codeText = regexp.MustCompile(`<code id="secret">([^<]+)</code>`)

func TestWebhook_IsTestedRotatedAndEnabled(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, r := newSite(t, d, loopback), newReceiver(t)
		s.signIn()
		s.get("/dashboard/webhook").Shows(t, "No endpoint yet", "griot admin tenants webhook set --tenant "+s.Tenant.ID)
		for _, act := range []string{"ping", "enable", "rotate"} {
			if got := s.post("/dashboard/webhook/" + act); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "no_endpoint") {
				t.Errorf("%s without an endpoint: %d, want 400 no_endpoint", act, got.Status)
			}
		}
		s.setEndpoint(r.url)
		authtest.Run(t, s.api.Run)
		s.get("/dashboard/webhook").Shows(t, html.EscapeString(r.url), "Enabled", "No events yet")

		pinged := s.post("/dashboard/webhook/ping")
		path := pinged.Location
		pinged.Leads(t, path)
		r.next(t)
		authtest.Eventually(t, true, func() bool { return strings.Contains(s.get(path).Body, "Delivered") })
		s.get(path).Shows(t, "&#34;event&#34;: &#34;webhook.ping&#34;", ">204<")
		s.get("/dashboard/webhook").Shows(t, path, "webhook.ping")
		s.get("/dashboard/webhook?delivery=failed").Shows(t, "No event matches")

		s.post("/dashboard/webhook/rotate").Leads(t, "/dashboard/webhook")
		shown := codeText.FindStringSubmatch(s.get("/dashboard/webhook").Body)
		if shown == nil {
			t.Fatal("the secret is not shown")
		}
		if again := s.get("/dashboard/webhook"); codeText.MatchString(again.Body) {
			t.Error("the secret is shown twice")
		}
		verify, err := standardwebhooks.NewWebhook(html.UnescapeString(shown[1]))
		if err != nil {
			t.Fatal(err)
		}
		s.post(path+"/resend").Leads(t, path)
		if got := r.next(t); verify.VerifyIgnoringTimestamp(got.body, got.header) != nil {
			t.Error("the event that was sent again is not signed by the new secret")
		}

		r.status.Store(http.StatusGone)
		s.post("/dashboard/webhook/ping")
		r.next(t)
		authtest.Eventually(t, true, func() bool { return strings.Contains(s.get("/dashboard/webhook").Body, "answered 410") })
		r.status.Store(http.StatusNoContent)
		s.post("/dashboard/webhook/enable").Leads(t, "/dashboard/webhook")
		s.get("/dashboard/webhook").Shows(t, "The endpoint is enabled.", "Enabled")
		if err := s.endpoints().Disable(context.Background(), s.Tenant.ID); err != nil {
			t.Fatal(err)
		}
		got := s.get("/dashboard/webhook")
		got.Shows(t, "Whoever runs this service has disabled the endpoint")
		if strings.Contains(got.Body, "/dashboard/webhook/enable") {
			t.Error("what an operator has disabled can be enabled")
		}
		if got := s.post("/dashboard/webhook/enable"); got.Status != http.StatusForbidden || !strings.Contains(got.Body, "endpoint_disabled") {
			t.Errorf("got %d, want 403 endpoint_disabled", got.Status)
		}
	})
}

func TestWebhookEvents_AreTheTenantsOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t, dbtest.SQLite(t))
	s.setEndpoint("https://app.example/hook")
	eventID, err := s.endpoints().Ping(context.Background(), s.Tenant.ID)
	if err != nil {
		t.Fatal(err)
	}
	other := s.NewTenant(t, "Another")
	key := s.invite(other.ID)
	s.post("/dashboard/sign-in", "tenantId", other.ID, "key", key)
	for _, absent := range []string{eventID, "evt_" + id.New(s.Clock.Now()), "x"} {
		at := "/dashboard/webhook/events/" + absent
		for _, got := range []webtest.Page{s.get(at), s.post(at + "/resend")} {
			if got.Status != http.StatusNotFound || !strings.Contains(got.Body, "event_not_found") {
				t.Errorf("%s: got %d, want 404 event_not_found", absent, got.Status)
			}
		}
	}
}

// A body has the person's full number, for the application; the page does not.
func TestWebhookEvent_MasksTheNumber(t *testing.T) {
	t.Parallel()
	s := newSite(t, dbtest.SQLite(t))
	s.signIn()
	s.setEndpoint("https://app.example/hook")
	at := s.Clock.Now()
	audit := &tenant.Event{ID: id.New(at), TenantID: s.Tenant.ID, Type: tenant.TokenIssued, At: at}
	s.Write(t, func(tx *db.Tx) error {
		return events.Insert(tx, events.LoginCompleted, audit, events.Detail{Subject: audit.ID, Phone: "22376543210"})
	})
	got := s.get("/dashboard/webhook/events/evt_" + audit.ID)
	got.Shows(t, "&#34;phone_e164&#34;: &#34;&#43;223*****210&#34;", "The number is masked here", "No attempt yet")
	if strings.Contains(got.Body, "22376543210") {
		t.Error("the page has the full number")
	}
}
