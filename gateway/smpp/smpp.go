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

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/setting"
	"example.com/griot/internal/clock"
)

// sender sends SMS through one message center.
type sender struct {
	settings        settings
	tls             *tls.Config // nil: none
	dial            func(ctx context.Context, network, address string) (net.Conn, error)
	now             clock.Now
	log             *slog.Logger
	sink            gateway.Sink
	notifyHealth    func(error) // called with nil if connected, otherwise with the failure
	countUnreadable func()      // called for each unreadable receipt
	countUnhandled  func(reason string)
	ids             *messageIDs
	inbound         *inboundQueues
	reference       atomic.Uint32   // concatenation reference of the latest message
	lifetime        context.Context // ends with Close
	cancel          context.CancelCauseFunc

	mu        sync.Mutex
	link      *link          // nil if there is none
	down      *gateway.Error // the reason why reconnecting is useless; nil if it is not
	running   bool
	downSince time.Time     // time at which the link was lost
	changed   chan struct{} // closed at the next change of link, down, running or inFlight
	inFlight  int           // Sends
}

var (
	errClosed   = errors.New("the sender is closed")
	errRunEnded = errors.New("the gateway's background work has ended")
)

// Open implements [gateway.Driver]. It does not connect, because Run does. docs/gateways/smpp.md lists the settings.
func Open(raw json.RawMessage, deps gateway.Deps) (gateway.Sender, error) {
	set, err := parse(raw)
	if err != nil {
		return nil, err
	}
	if err := set.readPassword(); err != nil {
		return nil, err
	}
	config, err := set.TLSConfig()
	if err != nil {
		return nil, err
	}
	s := &sender{
		settings: set, tls: config, dial: (&net.Dialer{}).DialContext, now: deps.Now, log: deps.Log, sink: deps.Sink, notifyHealth: deps.ConnectionReporter(),
		countUnreadable: deps.UnreadableCounter(), countUnhandled: deps.UnhandledCounter(), ids: newMessageIDs(messageIDsSize), changed: make(chan struct{}),
	}
	s.inbound = newInboundQueues(s)
	s.reference.Store(rand.Uint32()) // so that a restart doesn't reuse references of incomplete texts on phones
	s.lifetime, s.cancel = context.WithCancelCause(context.Background())
	return s, nil
}

// Info implements [gateway.Sender].
func (s *sender) Info() gateway.Info {
	info := gateway.Info{
		Channels: []gateway.Channel{gateway.SMS}, Receipts: s.settings.wantsReceipts(), ByProviderID: s.settings.wantsReceipts(), Transliterates: s.settings.Transliterate, Latin1: s.settings.Alphabet != alphabetGSM,
		Window: s.settings.Window, // more would wait in the driver, and their outcome would be unknown after a crash
	}
	if n := s.settings.MessagesPerSecond; n > 0 {
		info.Pace = gateway.Pace{Sender: time.Second / time.Duration(n), Burst: 1}
	}
	return info
}

// Send implements [gateway.Sender]. The ack's ProviderID is the center's ID of the message, or of its last segment.
func (s *sender) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	now := s.now()
	if failure := out.Check(now, gateway.SMS); failure != nil {
		return gateway.Ack{}, failure
	}
	units, failure := s.compose(out, now)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	s.countInFlight(1)
	defer s.countInFlight(-1)
	id, failure := s.submitAll(ctx, out.Ref, units)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	return gateway.Ack{ProviderID: id}, nil
}

// Close implements [gateway.Sender]. It ends the Sends in flight and closes the connection.
func (s *sender) Close() error {
	s.cancel(errClosed) // serve closes the link
	return nil
}

// reconnectGrace is the time for which a lost connection is reported as connecting.
const reconnectGrace = time.Minute

// State implements [gateway.Connector]. A bound connection is reported as connecting if a request has timed out on it
// and nothing has been received since.
func (s *sender) State(channel gateway.Channel, _ string) gateway.ConnDetail {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case channel != gateway.SMS || !s.running || s.lifetime.Err() != nil:
		return gateway.ConnDetail{State: gateway.Disconnected}
	case s.link != nil && s.link.alive():
		if s.link.unanswered.Load() {
			return gateway.ConnDetail{State: gateway.Connecting}
		}
		return gateway.ConnDetail{State: gateway.Connected}
	case s.down != nil && s.down.Code == codeCredentials:
		return gateway.ConnDetail{State: gateway.LoggedOut, Reason: s.down.Code}
	case s.down == nil && s.now().Sub(s.downSince) < reconnectGrace:
		return gateway.ConnDetail{State: gateway.Connecting}
	}
	return gateway.ConnDetail{State: gateway.Disconnected}
}

// update calls f with the lock held and wakes waitForLink.
func (s *sender) update(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}

// countInFlight changes the number of Sends in flight, which drain waits for.
func (s *sender) countInFlight(by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inFlight += by; s.inFlight == 0 {
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

// waitForLink returns the connection. It waits up to connect_timeout for one.
func (s *sender) waitForLink(ctx context.Context) (*link, *gateway.Error) {
	timeout := time.NewTimer(setting.Seconds(s.settings.ConnectTimeout))
	defer timeout.Stop()
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
			copied := *down
			return nil, &copied
		}
		select {
		case <-changed:
		case <-ctx.Done():
		case <-s.lifetime.Done():
		case <-timeout.C:
			return nil, &gateway.Error{Class: gateway.Temporary, Code: "not_connected"}
		}
	}
}

// interrupted returns the failure of an attempt that must end before it submits anything, or nil.
func (s *sender) interrupted(ctx context.Context) *gateway.Error {
	switch {
	case s.lifetime.Err() != nil:
		return &gateway.Error{Class: gateway.SenderDown, Code: "closed"}
	case ctx.Err() != nil:
		return &gateway.Error{Class: gateway.Temporary, Code: "timeout", Err: ctx.Err()}
	}
	return nil
}
