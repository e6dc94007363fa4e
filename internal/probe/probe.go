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
	asked  *answer // that is being looked for; nil: none is
}

// answer is what the checks and the notes have said.
type answer struct {
	found          chan struct{} // closed when it is there
	missing, notes []string
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

// look returns why the process is not ready, nothing when it is, and then what the notes say. Those who ask while it is
// looked share the answer, so that a crowd makes the database no work.
func (p *Probe) look(ctx context.Context) (missing, notes []string) {
	switch state(p.state.Load()) {
	case starting:
		return []string{"starting"}, nil
	case stopping:
		return []string{"stopping"}, nil
	case serving:
	}
	p.mu.Lock()
	a := p.asked
	if a == nil {
		a = &answer{found: make(chan struct{})}
		p.asked = a
		go p.find(context.WithoutCancel(ctx), a) // others may wait for it when this one is gone
	}
	p.mu.Unlock()
	<-a.found
	return a.missing, a.notes
}

func (p *Probe) find(ctx context.Context, a *answer) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	p.mu.Lock()
	checks, notes := p.checks, p.notes
	p.mu.Unlock()
	for _, check := range checks {
		if m := check(ctx); m != "" {
			a.missing = append(a.missing, m)
		}
	}
	if len(a.missing) == 0 {
		for _, note := range notes {
			if n := note(ctx); n != "" {
				a.notes = append(a.notes, n)
			}
		}
	}
	p.mu.Lock()
	p.asked = nil
	p.mu.Unlock()
	close(a.found)
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
	missing, notes := p.look(r.Context())
	if len(missing) > 0 {
		http.Error(w, strings.Join(missing, "\n"), http.StatusServiceUnavailable)
		return
	}
	_, _ = fmt.Fprintln(w, strings.Join(append([]string{"ready"}, notes...), "\n"))
}
