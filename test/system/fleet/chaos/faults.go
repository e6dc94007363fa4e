package chaos

import (
	"math/rand/v2"
	"syscall"
	"time"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/test/system/fleet/history"
)

// FaultKind is the kind of a fault in a deployment.
type FaultKind string

// The kinds of faults. Each lasts for the time of its [Fault]. After that, the nodes and the database run again.
const (
	Kill       FaultKind = "kill"       // kill -9 of a node
	Stop       FaultKind = "stop"       // SIGSTOP of a node, SIGCONT at the end
	Term       FaultKind = "term"       // SIGTERM of a node
	Restart    FaultKind = "restart"    // an immediate shutdown of PostgreSQL
	Disconnect FaultKind = "disconnect" // every connection to PostgreSQL is terminated
)

// Fault is a kind of fault with its duration.
type Fault struct {
	Kind     FaultKind
	Min, Max time.Duration
	Owner    bool // of the node that owns the paced gateway's sender, where messages wait; otherwise of any node
}

// Faults returns all kinds of faults. SIGSTOP lasts for less and for more than the lease of a node.
func Faults() []Fault {
	return []Fault{
		{Kill, time.Second, 20 * time.Second, true},
		{Kill, 0, time.Second, false},
		{Stop, 2 * time.Second, 10 * time.Second, false},
		{Stop, 20 * time.Second, 37 * time.Second, true},
		{Term, 0, 2 * time.Second, true},
		{Restart, 0, 3 * time.Second, false},
		{Disconnect, 0, 0, false},
	}
}

// between returns a time of at least from and at most to.
func between(rng *rand.Rand, from, to time.Duration) time.Duration {
	return from + time.Duration(rng.Int64N(int64(to-from)+1))
}

// harm injects one fault after another until end, at most o.Most of them. It runs in the test's own goroutine.
func (r *run) harm(rng *rand.Rand, end time.Time) {
	o := r.o
	for n := 0; (o.Most == 0 || n < o.Most) && len(o.Faults) > 0; n++ {
		pause := between(rng, o.Pause/2, o.Pause*3/2)
		if time.Now().Add(pause).After(end) {
			break
		}
		time.Sleep(pause)
		f := o.Faults[rng.IntN(len(o.Faults))]
		r.inflict(f.Kind, r.victim(rng, f.Owner), between(rng, f.Min, f.Max))
	}
	time.Sleep(time.Until(end))
}

// victim chooses a node.
func (r *run) victim(rng *rand.Rand, owner bool) *node {
	n := rng.IntN(len(r.nodes))
	r.gateways.mu.Lock()
	defer r.gateways.mu.Unlock()
	for _, d := range r.nodes {
		if owner && d.name == r.gateways.owner {
			return d
		}
	}
	return r.nodes[n]
}

// inflict injects one fault for a time.
func (r *run) inflict(kind FaultKind, d *node, lasts time.Duration) {
	e := history.Event{Kind: history.Fault, Begin: r.rec.now(), Node: d.name, Status: string(kind)}
	r.t.Logf("%6.1f s: %s of node %s for %s", float64(e.Begin)/1e6, kind, d.name, lasts.Round(100*time.Millisecond))
	var server *dbtest.Server
	if server = r.o.Server; server == nil && (kind == Restart || kind == Disconnect) {
		r.t.Fatal("a shared PostgreSQL can't be harmed")
	}
	switch kind {
	case Kill:
		d.kill()
		time.Sleep(lasts)
		d.start(r.t)
	case Stop:
		d.signal(syscall.SIGSTOP)
		time.Sleep(lasts)
		d.signal(syscall.SIGCONT)
	case Term:
		d.term(r.t)
		time.Sleep(lasts)
		d.start(r.t)
	case Restart:
		server.Stop()
		time.Sleep(lasts)
		server.Start()
	case Disconnect:
		server.Disconnect()
	}
	r.rec.add(e)
}
