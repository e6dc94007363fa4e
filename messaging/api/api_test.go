package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/griot/docs"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/openapi"
	"example.com/griot/openapi/openapitest"
	"example.com/griot/web"
	"example.com/griot/web/book"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// service is the messaging service over HTTP. Every exchange is validated against openapi/messaging.yaml.
type service struct {
	*messagingtest.World
	t   *testing.T
	api *api.API
}

func newService(t *testing.T, d *db.DB, plan string, change ...func(*api.Options)) *service {
	t.Helper()
	return serve(t, messagingtest.New(t, d, plan), change...)
}

func serve(t *testing.T, w *messagingtest.World, change ...func(*api.Options)) *service {
	t.Helper()
	s := &service{World: w, t: t}
	s.api = w.NewAPI(t, append(change, func(o *api.Options) { o.Book = web.NewBook(o.Pages, book.Open(docs.Files(), book.Origins{})) })...)
	w.Serve(openapitest.Wrap(t, openapi.Messaging(), s.api.Handler()))
	s.Run(t, s.Delivery)
	return s
}

type answer struct {
	status int
	header http.Header
	body   map[string]any
	raw    string
}

func (a *answer) text(member string) string {
	s, _ := a.body[member].(string)
	return s
}

// do sends a request. headers have the form "Name: value".
func (s *service) do(method, path, body string, headers ...string) *answer {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	return s.exchange(req)
}

func (s *service) exchange(req *http.Request) *answer {
	s.t.Helper()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	a := &answer{status: res.StatusCode, header: res.Header, raw: string(b)}
	_ = json.Unmarshal(b, &a.body)
	return a
}

// send posts to /api/send with the live key.
func (s *service) send(body string, headers ...string) *answer {
	s.t.Helper()
	return s.do("POST", "/api/send", body, append([]string{"Authorization: Bearer " + s.LiveKey}, headers...)...)
}

func (s *service) wants(a *answer, status int, code string) {
	s.t.Helper()
	if a.status != status || a.text("code") != code {
		s.t.Errorf("got %d %s, want %d %q", a.status, a.raw, status, code)
	}
}

// countRows counts the rows that a request could have stored.
func (s *service) countRows() int {
	s.t.Helper()
	n := 0
	for _, table := range []string{"messages", "idempotency_keys", "quotas", "webhook_events"} {
		n += s.Int(s.t, "SELECT count(*) FROM "+table)
	}
	return n
}
