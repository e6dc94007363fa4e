package httpx

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"griot/internal/clock"
)

const (
	streamWrite = 10 * time.Second // for an event to leave, to a client that reads
	drainWrite  = time.Second      // the same, once the server is told to stop
)

// drainKey is where [Serve] leaves its drain in the contexts of requests. It is
// not the contexts' own end: what can be finished shall be.
type drainKey struct{}

// drain is what a server tells its long answers when it stops.
type drain struct {
	begun chan struct{}

	mu      sync.Mutex
	over    bool
	streams map[*Stream]struct{}
}

func newDrain() *drain { return &drain{begun: make(chan struct{}), streams: map[*Stream]struct{}{}} }

// begin is called once. A stream whose client doesn't read is held up in a write: it gets little more time.
func (d *drain) begin() {
	close(d.begun)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	for s := range d.streams {
		_ = s.c.SetWriteDeadline(clock.System().Add(drainWrite)) // if that can't be set, the drain's own end comes
	}
}

func drainOf(r *http.Request) *drain {
	d, _ := r.Context().Value(drainKey{}).(*drain)
	return d
}

// Draining returns a channel that is closed when the server of a request is told
// to stop. An answer that goes on for long ends then.
func Draining(r *http.Request) <-chan struct{} {
	if d := drainOf(r); d != nil {
		return d.begun
	}
	return nil
}

// Stream is an answer of server-sent events.
type Stream struct {
	w  http.ResponseWriter
	c  *http.ResponseController
	of *drain // nil: of a server that is not [Serve]'s
}

// NewStream begins an answer of events, without the server's time limits: its
// handler decides when it ends, and closes it then. Each write has a limit of its own, so that a client that
// does not read loses its place. A browser that loses it comes again after retry.
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

// Close lets the server forget the stream.
func (s *Stream) Close() {
	if s.of != nil {
		s.of.mu.Lock()
		delete(s.of.streams, s)
		s.of.mu.Unlock()
	}
}

func (s *Stream) start(retry time.Duration) error {
	// The limit on reading too: when it passes, the server takes the client for gone.
	if err := s.c.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Accel-Buffering", "no") // some proxies would collect it
	if err := s.hurry(); err != nil {
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

// Beat sends nothing that a page would hear; it tells proxies that the answer goes on.
func (s *Stream) Beat() error { return s.write(":\n\n") }

// hurry sets the limit of the next write.
func (s *Stream) hurry() error {
	if s.of == nil {
		return s.c.SetWriteDeadline(clock.System().Add(streamWrite))
	}
	s.of.mu.Lock() // so that a drain that begins now has the last word
	defer s.of.mu.Unlock()
	limit := streamWrite
	if s.of.over {
		limit = drainWrite
	}
	return s.c.SetWriteDeadline(clock.System().Add(limit))
}

func (s *Stream) write(text string) error {
	if err := s.hurry(); err != nil {
		return err
	}
	if _, err := fmt.Fprint(s.w, text); err != nil {
		return err
	}
	return s.c.Flush()
}
