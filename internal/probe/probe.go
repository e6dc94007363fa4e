package probe

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Check looks for one thing that requests need. It returns what is missing, for an operator; "" for nothing.
type Check func(ctx context.Context) (missing string)

// Note returns what an operator ought to know of a process that is ready; "" for nothing.
type Note func(ctx context.Context) string

const checkTimeout = 2 * time.Second

type state int32

const (
	starting state = iota
	serving
	stopping
)

// Probe knows whether a process can serve. It is starting until [Probe.Serve].
type Probe struct {
	onChange func(ready bool)
	state    atomic.Int32

	mu     sync.Mutex
	checks []Check
	notes  []Note
}

// New returns a probe. onChange is called when the process begins to serve, and when it begins to stop.
func New(onChange func(serving bool)) *Probe { return &Probe{onChange: onChange} }

// Serve says that the listeners are open. The checks are what their requests need; the notes stand in the answer while none
// of it is missing.
func (p *Probe) Serve(checks []Check, notes ...Note) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.checks, p.notes = checks, notes
	if p.state.CompareAndSwap(int32(starting), int32(serving)) {
		p.onChange(true)
	}
}

// Stop says that the process is to end: it is not ready from now on.
func (p *Probe) Stop() {
	if state(p.state.Swap(int32(stopping))) != stopping {
		p.onChange(false)
	}
}

// Missing returns why the process is not ready; nothing when it is.
func (p *Probe) Missing(ctx context.Context) []string {
	switch state(p.state.Load()) {
	case starting:
		return []string{"starting"}
	case stopping:
		return []string{"stopping"}
	case serving:
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	p.mu.Lock()
	checks := p.checks
	p.mu.Unlock()
	var missing []string
	for _, check := range checks {
		if m := check(ctx); m != "" {
			missing = append(missing, m)
		}
	}
	return missing
}

// Handler serves /livez, /readyz and, by metrics, /metrics.
func (p *Probe) Handler(metrics http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "alive") })
	mux.HandleFunc("GET /readyz", p.ready)
	mux.Handle("GET /metrics", metrics)
	return mux
}

// Paths are what [Probe.Handler] serves.
func Paths() []string { return []string{"/livez", "/readyz", "/metrics"} }

func (p *Probe) ready(w http.ResponseWriter, r *http.Request) {
	if missing := p.Missing(r.Context()); len(missing) > 0 {
		http.Error(w, strings.Join(missing, "\n"), http.StatusServiceUnavailable)
		return
	}
	_, _ = fmt.Fprintln(w, "ready")
	p.mu.Lock()
	notes := p.notes
	p.mu.Unlock()
	for _, note := range notes {
		if n := note(r.Context()); n != "" {
			_, _ = fmt.Fprintln(w, n)
		}
	}
}
