package smpp

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"griot/gateway"
	"griot/internal/clock"
)

// sender carries SMS to one message center.
type sender struct {
	settings  settings
	tls       *tls.Config // nil: none
	dial      func(ctx context.Context, network, address string) (net.Conn, error)
	now       clock.Now
	log       *slog.Logger
	sink      gateway.Sink
	tell      func(error) // told how the connection does
	book      *book
	arrivals  *arrivals
	reference atomic.Uint32   // of the latest message in segments
	life      context.Context // ends with Close
	end       context.CancelCauseFunc

	mu      sync.Mutex
	link    *link          // nil while there is none
	down    *gateway.Error // why none will come by itself; nil while one may
	running bool
	since   time.Time     // since when there has been no link
	changed chan struct{} // closed at the next change of link, down or running
	sending int           // Sends that are under way
}

var (
	errClosed = errors.New("the sender is closed")
	errEnded  = errors.New("the gateway's background work has ended")
)

// Open is the [gateway.Driver] of message centers. It contacts nothing: Run does. docs/gateways/smpp.md lists the settings.
func Open(raw json.RawMessage, deps gateway.Deps) (gateway.Sender, error) {
	set, err := parse(raw)
	if err != nil {
		return nil, err
	}
	authorities, err := set.read()
	if err != nil {
		return nil, err
	}
	s := &sender{
		settings: set, dial: (&net.Dialer{}).DialContext, now: deps.Now, log: deps.Log, sink: deps.Sink, tell: deps.Keeps(),
		book: newBook(bookSize), changed: make(chan struct{}),
	}
	if set.TLS == implicitTLS {
		s.tls = &tls.Config{ServerName: set.Host, RootCAs: authorities, MinVersion: tls.VersionTLS12}
	}
	s.arrivals = newArrivals(s)
	s.reference.Store(rand.Uint32()) // so that a restart doesn't begin with references that phones still wait for
	s.life, s.end = context.WithCancelCause(context.Background())
	return s, nil
}

// Info implements [gateway.Sender].
func (s *sender) Info() gateway.Info {
	info := gateway.Info{
		Channels: []gateway.Channel{gateway.SMS}, Receipts: s.settings.wantsReceipts(), ByProviderID: s.settings.wantsReceipts(), Transliterates: s.settings.Transliterate,
		Window: s.settings.Window, // more would wait in here, and a crash would leave them unknown
	}
	if n := s.settings.MessagesPerSecond; n > 0 {
		info.Pace = gateway.Pace{Sender: time.Second / time.Duration(n), Burst: 1}
	}
	return info
}

// Send implements [gateway.Sender]. The ack's ProviderID is the center's id of the message, or of its last segment.
func (s *sender) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	now := s.now()
	if failure := out.Check(now, gateway.SMS); failure != nil {
		return gateway.Ack{}, failure
	}
	units, failure := s.compose(out, now)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	s.count(1)
	defer s.count(-1)
	id, failure := s.carry(ctx, out.Ref, units)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	return gateway.Ack{ProviderID: id}, nil
}

// Close implements [gateway.Sender]. It cuts off the sends that are under way, and the connection.
func (s *sender) Close() error {
	s.end(errClosed) // serve sees it
	return nil
}

// grace is how long a connection that is lost counts as coming back by itself.
const grace = time.Minute

// State implements [gateway.Connector]. A connection is up when the center has
// answered on it, and nothing has gone unanswered since.
func (s *sender) State(channel gateway.Channel, _ string) gateway.ConnState {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case channel != gateway.SMS || !s.running || s.life.Err() != nil:
		return gateway.Disconnected
	case s.link != nil && s.link.alive():
		if s.link.doubt.Load() {
			return gateway.Connecting
		}
		return gateway.Connected
	case s.down != nil && s.down.Code == codeCredentials:
		return gateway.LoggedOut
	case s.down == nil && s.now().Sub(s.since) < grace:
		return gateway.Connecting
	}
	return gateway.Disconnected
}

// change changes what await waits for.
func (s *sender) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}

// count keeps the number of Sends under way, which Run waits for.
func (s *sender) count(by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sending += by; s.sending == 0 {
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

// await returns the connection, or waits for one as long as one may take to come.
func (s *sender) await(ctx context.Context) (*link, *gateway.Error) {
	patience := time.NewTimer(seconds(s.settings.ConnectTimeout))
	defer patience.Stop()
	for {
		if failure := s.interrupted(ctx); failure != nil {
			return nil, failure
		}
		s.mu.Lock()
		l, down, changed := s.link, s.down, s.changed
		s.mu.Unlock()
		switch {
		case l != nil && l.alive():
			return l, nil
		case down != nil:
			again := *down
			return nil, &again
		}
		select {
		case <-changed:
		case <-ctx.Done():
		case <-s.life.Done():
		case <-patience.C:
			return nil, &gateway.Error{Class: gateway.Temporary, Code: "not_connected"}
		}
	}
}

// interrupted returns why an attempt has to end before anything is handed over, or nil.
func (s *sender) interrupted(ctx context.Context) *gateway.Error {
	switch {
	case s.life.Err() != nil:
		return &gateway.Error{Class: gateway.SenderDown, Code: "closed"}
	case ctx.Err() != nil:
		return &gateway.Error{Class: gateway.Temporary, Code: "timeout", Err: ctx.Err()}
	}
	return nil
}
