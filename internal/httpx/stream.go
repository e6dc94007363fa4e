package httpx

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// drainKey is where [Serve] leaves its signal in the contexts of requests. It is
// not the contexts' own end: what can be finished shall be.
type drainKey struct{}

// Draining returns a channel that is closed when the server of a request is told
// to stop. An answer that goes on for long ends then.
func Draining(r *http.Request) <-chan struct{} {
	c, _ := r.Context().Value(drainKey{}).(<-chan struct{})
	return c
}

// Stream is an answer of server-sent events.
type Stream struct {
	w http.ResponseWriter
	c *http.ResponseController
}

// NewStream begins an answer of events, without the server's time limits: its
// handler decides when it ends. A browser that loses it comes again after retry.
func NewStream(w http.ResponseWriter, retry time.Duration) (*Stream, error) {
	s := &Stream{w: w, c: http.NewResponseController(w)}
	// The limit on reading too: when it passes, the server takes the client for gone.
	if err := s.c.SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	if err := s.c.SetWriteDeadline(time.Time{}); err != nil {
		return nil, err
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Accel-Buffering", "no") // some proxies would collect it
	w.WriteHeader(http.StatusOK)
	return s, s.write("retry: " + strconv.FormatInt(retry.Milliseconds(), 10) + "\n\n")
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

func (s *Stream) write(text string) error {
	if _, err := fmt.Fprint(s.w, text); err != nil {
		return err
	}
	return s.c.Flush()
}
