package dashboardtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// receiver is a tenant's endpoint.
type receiver struct {
	Url    string
	Status atomic.Int64
	got    chan received
}

// NewReceiver starts a server that receives a tenant's events.
func NewReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{got: make(chan received, 100)}
	r.Status.Store(http.StatusNoContent)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		w.WriteHeader(int(r.Status.Load()))
		r.got <- received{q.Header.Clone(), body}
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	r.Url = server.URL + "/hook"
	return r
}

func (r *receiver) Next(t *testing.T) received {
	t.Helper()
	select {
	case got := <-r.got:
		return got
	case <-time.After(30 * time.Second):
		t.Fatal("nothing came to the endpoint in 30 s")
		return received{}
	}
}

type received struct {
	Header http.Header
	Body   []byte
}
