package client_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/logtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/otp"
	"example.com/griot/openapi"
	"example.com/griot/openapi/openapitest"
	"example.com/griot/web"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// service is the real messaging API on a real database, whose exchanges are validated by its document. Handlers in front of
// it can break connections.
type service struct {
	*messagingtest.World
	t      *testing.T
	url    string
	pauses *pauses

	mu     sync.Mutex
	inject []http.HandlerFunc // answers the next requests instead of the service
	calls  int
}

// pauses are the pauses that a client would have made; none takes any time.
type pauses struct {
	mu   sync.Mutex
	made []time.Duration
}

func (p *pauses) sleep(ctx context.Context, d time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made = append(p.made, d)
	return ctx.Err()
}

func newService(t *testing.T, d *db.DB, change ...func(*account.Spec)) *service {
	t.Helper()
	s := &service{World: messagingtest.New(t, d, "business", change...), t: t, pauses: &pauses{}}
	s.Run(t, s.Engine)
	pages, err := web.New()
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(nil)
	s.url = "http://" + srv.Listener.Addr().String()
	a, err := api.New(api.Options{
		DB: d, Directory: s.Directory, Engine: s.Engine, Inbox: s.Inbox, Endpoints: s.Endpoints, People: s.People, OTP: otp.New(otp.Options{DB: d, Key: s.Master, Engine: s.Engine, Presets: s.Presets, Now: s.Clock.Now, Log: (&logtest.Recorder{}).Logger()}), Now: s.Clock.Now, Pages: pages, OpenAPI: openapi.Messaging(), URL: s.url, Log: (&logtest.Recorder{}).Logger(),
	})
	if err != nil {
		t.Fatal(err)
	}
	real := openapitest.Wrap(t, openapi.Messaging(), a.Handler())
	srv.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := s.next(); h != nil {
			h(w, r.WithContext(context.WithValue(r.Context(), realKey{}, real)))
			return
		}
		if r.URL.Path == "/api/webhooks/stream" {
			a.Handler().ServeHTTP(w, r) // the validation would wait for its end
			return
		}
		real.ServeHTTP(w, r)
	})
	srv.Start()
	t.Cleanup(srv.Close)
	return s
}

type realKey struct{}

// pass has the service handle a request.
func pass(w http.ResponseWriter, r *http.Request) {
	r.Context().Value(realKey{}).(http.Handler).ServeHTTP(w, r)
}

func (s *service) next() http.HandlerFunc {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if len(s.inject) == 0 {
		return nil
	}
	h := s.inject[0]
	s.inject = s.inject[1:]
	return h
}

// then sets the handlers of the next requests.
func (s *service) then(handlers ...http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inject, s.calls = handlers, 0
}

func (s *service) made() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

func (s *service) client(change ...func(*griot.Options)) *griot.Client {
	s.t.Helper()
	o := griot.Options{Sleep: s.pauses.sleep}
	for _, c := range change {
		c(&o)
	}
	c, err := griot.New(s.url, s.LiveKey, o)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// hangUp closes the connection.
func hangUp(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// cutBefore is a connection that breaks before the service sees the request.
func cutBefore(w http.ResponseWriter, _ *http.Request) { hangUp(w) }

// cutAfter is a connection that breaks when the service has done what was asked.
func cutAfter(w http.ResponseWriter, r *http.Request) {
	pass(httptest.NewRecorder(), r)
	hangUp(w)
}

// cutWithin is a connection that breaks in the middle of the answer.
func cutWithin(w http.ResponseWriter, r *http.Request) {
	rec := httptest.NewRecorder()
	pass(rec, r)
	w.Header().Set("Content-Length", "9999")
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes()[:20])
	_ = http.NewResponseController(w).Flush()
	hangUp(w)
}

// respond answers in the service's place.
func respond(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func errorBody(code string) string {
	return `{"success":false,"error":"` + code + `","code":"` + code + `","message":"Sorry.","requestId":"01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"}`
}
