package delivery

import "sync"

// A callGroup counts calls in progress. Unlike with a [sync.WaitGroup], calls can start while a goroutine waits for
// the end, because a message can be accepted while the process stops.
type callGroup struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n is 0 again; nil: no goroutine waits
}

// begin counts a call, which must call end.
func (g *callGroup) begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n++
}

func (g *callGroup) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n--; g.n == 0 && g.idle != nil {
		close(g.idle)
		g.idle = nil
	}
}

// Go runs f as a counted call.
func (g *callGroup) Go(f func()) {
	g.begin()
	go func() {
		defer g.end()
		f()
	}()
}

// Wait returns when no call is in progress.
func (g *callGroup) Wait() {
	g.mu.Lock()
	if g.n == 0 {
		g.mu.Unlock()
		return
	}
	if g.idle == nil {
		g.idle = make(chan struct{})
	}
	idle := g.idle
	g.mu.Unlock()
	<-idle
}
