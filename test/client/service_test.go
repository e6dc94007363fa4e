package client_test

import (
	"context"
	"sync"
	"testing"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/test/servicetest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// service is the real messaging API on a real database, behind a script.
type service struct {
	*messagingtest.World
	t      *testing.T
	script *servicetest.Script
	url    string
	pauses *pauses
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
	return serve(t, messagingtest.New(t, d, "business", change...))
}

func serve(t *testing.T, w *messagingtest.World) *service {
	t.Helper()
	s := &service{World: w, t: t, pauses: &pauses{}}
	s.script = servicetest.Messaging(t, s.World)
	s.url = s.script.URL
	return s
}

// then sets the handlers of the next requests.
func (s *service) then(handlers ...servicetest.Handler) { s.script.Then(handlers...) }

func (s *service) made() int { return len(s.script.Seen()) }

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

func errorBody(code string) string {
	return `{"success":false,"error":"` + code + `","code":"` + code + `","message":"Sorry.","requestId":"01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"}`
}
