package httpx

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"example.com/griot/internal/clock"
)

const (
	streamTimeout = 10 * time.Second // for sending an event to a client that reads
	drainTimeout  = time.Second      // the same, after the server has started to stop
)

const streamType = "text/event-stream"

// isStream reports whether a response is a [Stream].
func isStream(h http.Header) bool {
	t := h["Content-Type"]
	return len(t) == 1 && t[0] == streamType
}

// drainKey is the key of [Serve]'s drain in the contexts of requests. The contexts themselves don't end, so that ordinary
// requests are finished.
type drainKey struct{}

// drain ends the long responses of a stopping server.
type drain struct {
	begun chan struct{}

	mu      sync.Mutex
	over    bool
	streams map[*Stream]struct{}
}

func newDrain() *drain { return &drain{begun: make(chan struct{}), streams: map[*Stream]struct{}{}} }

// begin starts the drain. It is called once. A stream whose client doesn't read is blocked in a write, so
// it gets only a short time.
func (d *drain) begin() {
	close(d.begun)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	for s := range d.streams {
		_ = s.c.SetWriteDeadline(clock.System().Add(drainTimeout)) // if this fails, the drain's own time limit applies
	}
}

func drainOf(r *http.Request) *drain {
	d, _ := r.Context().Value(drainKey{}).(*drain)
	return d
}

// Draining returns a channel that is closed when the server of a request starts to stop. A long response must then end.
func Draining(r *http.Request) <-chan struct{} {
	if d := drainOf(r); d != nil {
		return d.begun
	}
	return nil
}

// Stream is a response of server-sent events.
type Stream struct {
	w  http.ResponseWriter
	c  *http.ResponseController
	of *drain // nil: of a server that is not [Serve]'s
}

// NewStream starts a response of events, without the server's time limits. Its handler decides when it ends and must
// then close it. Each write has its own time limit, so that a client that doesn't read is disconnected. A browser
// reconnects after retry.
func NewStream(w http.ResponseWriter, r *http.Request, retry time.Duration) (*Stream, error) {
	s := &Stream{w: w, c: http.NewResponseController(w), of: drainOf(r)}
	if s.of != nil {
		s.of.mu.Lock()
		s.of.streams[s] = struct{}{}
		s.of.mu.Unlock()
	}
	if err := s.start(retry); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close removes the stream from the server.
func (s *Stream) Close() {
	if s.of != nil {
		s.of.mu.Lock()
		delete(s.of.streams, s)
		s.of.mu.Unlock()
	}
}

func (s *Stream) start(retry time.Duration) error {
	// The read limit is removed too: after it, the server would treat the client as disconnected.
	if err := s.c.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	h := s.w.Header()
	h.Set("Content-Type", streamType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Accel-Buffering", "no") // some proxies would buffer it
	if err := s.setDeadline(); err != nil {
		return err
	}
	s.w.WriteHeader(http.StatusOK)
	return s.write("retry: " + strconv.FormatInt(retry.Milliseconds(), 10) + "\n\n")
}

// Event sends an event whose data is v as JSON.
func (s *Stream) Event(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.write("event: " + name + "\ndata: " + string(data) + "\n\n")
}

// KeepAlive sends a comment, which pages ignore, so that proxies do not close the connection as idle.
func (s *Stream) KeepAlive() error { return s.write(":\n\n") }

// setDeadline sets the deadline of the next write.
func (s *Stream) setDeadline() error {
	if s.of == nil {
		return s.c.SetWriteDeadline(clock.System().Add(streamTimeout))
	}
	s.of.mu.Lock() // a drain that starts now sets its shorter deadline afterward
	defer s.of.mu.Unlock()
	limit := streamTimeout
	if s.of.over {
		limit = drainTimeout
	}
	return s.c.SetWriteDeadline(clock.System().Add(limit))
}

func (s *Stream) write(text string) error {
	if err := s.setDeadline(); err != nil {
		return err
	}
	if _, err := fmt.Fprint(s.w, text); err != nil {
		return err
	}
	return s.c.Flush()
}

// FlushWithin sends the written part of a long response, and sets a time limit for the next part.
func FlushWithin(w http.ResponseWriter, wait time.Duration) error {
	c := http.NewResponseController(w)
	if err := c.SetWriteDeadline(clock.System().Add(wait)); err != nil {
		return err
	}
	return c.Flush()
}

// exportWait is the time limit for reading and sending each piece of an export.
const exportWait = 30 * time.Second

// WriteExport responds with a JSON file that write produces piece by piece. It aborts a response that cannot be completed,
// so that no one mistakes it for a complete one.
func (a *API) WriteExport(w http.ResponseWriter, name string, write func(w io.Writer, flush func() error) error) {
	h := w.Header()
	h.Set("Content-Type", TypeJSON)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("X-Content-Type-Options", "nosniff")
	if err := write(w, func() error { return FlushWithin(w, exportWait) }); err != nil {
		a.Log.Warn("an export was not finished", "requestId", RequestID(w), "err", err)
		panic(http.ErrAbortHandler)
	}
}

// WithoutHead refuses HEAD for a stream, because a HEAD request would keep the stream open without reading it.
func (a *API) WithoutHead(route Route) Route {
	stream := route.Handler
	route.NoPage = true
	route.Handler = a.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if r.Method != http.MethodGet {
			w.Header().Set("Allow", http.MethodGet)
			return a.Kinds.Method.Err()
		}
		stream.ServeHTTP(w, r)
		return nil
	})
	return route
}
