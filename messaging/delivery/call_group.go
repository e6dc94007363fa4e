package delivery

import "sync"

// callGroup counts what is under way. Unlike a [sync.WaitGroup] it may gain members while somebody waits for its end: a
// message can be accepted while the process stops.
type callGroup struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n is 0 again; nil: nobody waits
}

// begin adds a member, which calls end.
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

// Go runs f as a member.
func (g *callGroup) Go(f func()) {
	g.begin()
	go func() {
		defer g.end()
		f()
	}()
}

// Wait returns once there is no member.
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
