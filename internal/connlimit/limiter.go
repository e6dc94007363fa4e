package connlimit

import (
	"container/list"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/limit"
)

// Limits bound open connections. 0 is no limit.
type Limits struct {
	Total      int `yaml:"total" env:"TOTAL"`             // of all addresses
	PerAddress int `yaml:"per_address" env:"PER_ADDRESS"` // of one IPv4 address, or one IPv6 /64
}

// Defaults returns the default limits. A carrier can have thousands of phones behind one address.
func Defaults() Limits { return Limits{Total: 10_000, PerAddress: 1000} }

// Limits of the total bytes received by all unfinished handshakes and headers. net/http stores each line of a header in
// a map, so short lines take up to 25 times their bytes. Therefore each line counts as some additional bytes.
const (
	unfinishedBytes = 4 << 20
	lineBytes       = 64
)

// Limiter counts the open connections of one or more listeners. It is safe for concurrent use.
type Limiter struct {
	limits  Limits
	exempt  []netip.Prefix // has no limit per address, in addition to loopback
	log     *slog.Logger
	notices *limit.Limiter // of log

	mu        sync.Mutex
	total     int
	received  int64 // by unfinished connections, in bytes and lines
	waiting   queues
	addresses map[string]*address
}

// address is the count for one address: its connections, or its requests that trusted proxies forward.
type address struct {
	open    int
	waiting queues
}

// queues are the connections without a request in progress, ordered by waiting time, longest first.
type queues struct{ unfinished, idle list.List }

// first returns the connection to close for a new one: the oldest unfinished one, otherwise the oldest idle one, otherwise
// the new one.
func (q *queues) first(c *conn) *conn {
	for _, l := range []*list.List{&q.unfinished, &q.idle} {
		if oldest := front(l); oldest != nil && oldest != c {
			return oldest
		}
	}
	return c
}

func front(l *list.List) *conn {
	if e := l.Front(); e != nil {
		return e.Value.(*conn) //nolint:forcetypeassert // queues hold nothing else
	}
	return nil
}

// New returns a limiter. Loopback addresses and those of the exempt networks count only toward the total.
func New(limits Limits, exempt []netip.Prefix, log *slog.Logger) *Limiter {
	return &Limiter{limits: limits, exempt: exempt, log: log, notices: limit.New(clock.System, 1, time.Minute, 1), addresses: map[string]*address{}}
}

// Listener returns inner with the limits. A TLS listener must wrap it.
func (l *Limiter) Listener(inner net.Listener) net.Listener { return &listener{inner, l} }

type listener struct {
	net.Listener
	of *Limiter
}

// Accept returns the next connection that the limits admit.
func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.of.admit(accepted); c != nil {
			return c, nil
		}
	}
}

// admit counts a new connection and closes the connection that must make room for it. If that is the new one, it
// returns nil.
func (l *Limiter) admit(accepted net.Conn) *conn {
	c := &conn{Conn: accepted, of: l, key: l.keyOf(peer(accepted))}
	l.mu.Lock()
	l.total++
	at := l.address(c.key)
	if at != nil {
		at.open++
	}
	c.at = at
	c.move(unfinished)
	var victims []*conn
	switch {
	case at != nil && over(at.open, l.limits.PerAddress):
		victims = append(victims, at.waiting.first(c))
	case over(l.total, l.limits.Total):
		victims = append(victims, l.waiting.first(c))
	}
	for _, v := range victims {
		v.forget()
	}
	l.mu.Unlock()
	l.closeAll(victims)
	if slices.Contains(victims, c) {
		return nil
	}
	return c
}

// address returns the counters of a key and creates them if needed; nil for "".
func (l *Limiter) address(key string) *address {
	if key == "" {
		return nil
	}
	at := l.addresses[key]
	if at == nil {
		at = &address{}
		l.addresses[key] = at
	}
	return at
}

// leave decrements the count of an address.
func (l *Limiter) leave(key string, at *address) {
	if at == nil {
		return
	}
	if at.open--; at.open == 0 {
		delete(l.addresses, key)
	}
}

// closeAll closes connections that are no longer counted.
func (l *Limiter) closeAll(victims []*conn) {
	for _, c := range victims {
		_ = c.Conn.Close()
	}
	if len(victims) > 0 {
		if now, _ := l.notices.Allow(""); now {
			l.log.Warn("too many connections: the oldest unfinished ones are closed", "total", l.limits.Total, "perAddress", l.limits.PerAddress)
		}
	}
}

func over(n, most int) bool { return most > 0 && n > most }

// keyOf returns the key by which an address is counted; "" if it has no limit.
func (l *Limiter) keyOf(a netip.Addr) string {
	if !a.IsValid() || a.IsLoopback() || slices.ContainsFunc(l.exempt, func(p netip.Prefix) bool { return p.Contains(a) }) {
		return ""
	}
	return limit.Address(a)
}

func peer(c net.Conn) netip.Addr {
	at, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

// Handler counts the requests that come over connections without a limit per address, by the address that client
// returns, and calls refuse for those beyond the limit. It must run inside the handler that reads the headers of
// trusted proxies.
func (l *Limiter) Handler(client func(*http.Request) netip.Addr, refuse, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _ := r.Context().Value(connKey{}).(*conn)
		if c == nil || c.of != l || c.key != "" { // its connection is already counted
			next.ServeHTTP(w, r)
			return
		}
		key := l.keyOf(client(r))
		l.mu.Lock()
		at := l.address(key)
		full := at != nil && over(at.open+1, l.limits.PerAddress)
		if at != nil && !full {
			at.open++
		}
		l.mu.Unlock()
		switch {
		case full:
			refuse.ServeHTTP(w, r)
			return
		case at != nil:
			defer func() {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.leave(key, at)
			}()
		}
		next.ServeHTTP(w, r)
	})
}

// connKey is the key of a request's connection in its context.
type connKey struct{}

// Context returns a context for a connection, in which [Limiter.Handler] finds it ([http.Server.ConnContext]).
func Context(ctx context.Context, c net.Conn) context.Context {
	if limited := limitedBy(c); limited != nil {
		return context.WithValue(ctx, connKey{}, limited)
	}
	return ctx
}

// SetState reports a server's connection to its limiter, if it has one ([http.Server.ConnState]).
func SetState(c net.Conn, s http.ConnState) {
	limited := limitedBy(c)
	if limited == nil {
		return
	}
	switch s {
	case http.StateActive, http.StateHijacked:
		limited.set(active)
	case http.StateIdle:
		limited.set(idle)
	case http.StateNew, http.StateClosed: // Accept and Close count these
	}
}

// limitedBy returns the limited connection behind c, also behind TLS; nil if there is none.
func limitedBy(c net.Conn) *conn {
	if over, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = over.NetConn()
	}
	limited, _ := c.(*conn)
	return limited
}
