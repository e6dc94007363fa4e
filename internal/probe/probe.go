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

// Check checks one dependency of requests. It returns a description of the problem for the operator, or ""
// if there is none.
type Check func(ctx context.Context) (missing string)

// Note returns information for the operator of a process that is ready, or "" if there is none.
type Note func(ctx context.Context) string

const checkTimeout = 2 * time.Second

type state int32

const (
	starting state = iota
	serving
	stopping
)

// Probe holds the readiness of a process. The process is starting until [Probe.Serve].
type Probe struct {
	onChange func(ready bool)
	state    atomic.Int32

	mu     sync.Mutex
	checks []Check
	notes  []Note
	asked  *answer // the current run of the checks; nil if none is running
}

// answer is the result of the checks and the notes.
type answer struct {
	found          chan struct{} // closed after the result is available
	missing, notes []string
}

// New returns a probe. It calls onChange when the process starts to serve, and when it starts to stop.
func New(onChange func(serving bool)) *Probe { return &Probe{onChange: onChange} }

// Serve marks the listeners as open. The checks are the dependencies of their requests. The notes are in the response
// while all checks pass.
func (p *Probe) Serve(checks []Check, notes ...Note) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.checks, p.notes = checks, notes
	if p.state.CompareAndSwap(int32(starting), int32(serving)) {
		p.onChange(true)
	}
}

// Stop marks the process as stopping. From then on, it is not ready.
func (p *Probe) Stop() {
	if state(p.state.Swap(int32(stopping))) != stopping {
		p.onChange(false)
	}
}

// look returns the reasons that the process is not ready. If there are none, it returns the notes. Concurrent callers
// share the result, so that many requests don't load the database.
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
		go p.find(context.WithoutCancel(ctx), a) // other requests might wait for it after this one ends
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

// Handler serves /livez, /readyz, and, with the handler metrics, /metrics.
func (p *Probe) Handler(metrics http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "alive") })
	mux.HandleFunc("GET /readyz", p.ready)
	mux.Handle("GET /metrics", metrics)
	return mux
}

// Paths returns the paths of [Probe.Handler].
func Paths() []string { return []string{"/livez", "/readyz", "/metrics"} }

func (p *Probe) ready(w http.ResponseWriter, r *http.Request) {
	missing, notes := p.look(r.Context())
	if len(missing) > 0 {
		http.Error(w, strings.Join(missing, "\n"), http.StatusServiceUnavailable)
		return
	}
	_, _ = fmt.Fprintln(w, strings.Join(append([]string{"ready"}, notes...), "\n"))
}
