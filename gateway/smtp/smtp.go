package smtp

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"sync"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/setting"
	"example.com/griot/internal/clock"
)

// sender sends email through one relay.
type sender struct {
	settings settings
	tls      *tls.Config
	signer   *signer // nil: nothing is signed
	now      clock.Now
	slots    chan struct{}   // semaphore for the open connections
	lifetime context.Context // ends with Close
	cancel   context.CancelCauseFunc

	mu   sync.Mutex
	idle []*conn // the most recently used last
}

var errClosed = errors.New("the sender is closed")

// Open implements [gateway.Driver]. It does not connect. docs/gateways/smtp.md lists the settings.
func Open(raw json.RawMessage, deps gateway.Deps) (gateway.Sender, error) {
	set, err := parse(raw)
	if err != nil {
		return nil, err
	}
	if set.Password, err = setting.Password("password", set.Password, set.PasswordFile, false); err != nil {
		return nil, err
	}
	config, err := set.TLSConfig()
	if err != nil {
		return nil, err
	}
	dkim, err := newSigner(&set)
	if err != nil {
		return nil, err
	}
	lifetime, cancel := context.WithCancelCause(context.Background())
	return &sender{settings: set, tls: config, signer: dkim, now: deps.Now, slots: make(chan struct{}, set.Pool), lifetime: lifetime, cancel: cancel}, nil
}

// Info implements [gateway.Sender].
func (s *sender) Info() gateway.Info {
	return gateway.Info{Channels: []gateway.Channel{gateway.Email}}
}

// Send implements [gateway.Sender]. The ack's ProviderID is the Message-ID.
func (s *sender) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	now := s.now()
	if failure := out.Check(now, gateway.Email); failure != nil {
		return gateway.Ack{}, failure
	}
	m, failure := s.compose(out, now)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	if s.lifetime.Err() != nil {
		return gateway.Ack{}, interrupted(s.lifetime)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.lifetime, func() { cancel(errClosed) })()
	if failure := s.deliver(ctx, m); failure != nil {
		return gateway.Ack{}, failure
	}
	return gateway.Ack{ProviderID: m.id}, nil
}

// Close implements [gateway.Sender]. It ends the Sends in flight.
func (s *sender) Close() error {
	s.cancel(errClosed) // first, so that put keeps no connection afterward
	s.mu.Lock()
	idle := s.idle
	s.idle = nil
	s.mu.Unlock()
	quit(idle...)
	return nil
}

// deliver makes the attempt. An idle connection might have been closed unnoticed. If one is lost before the reply to
// MAIL, deliver tries the next one, and finally a new one.
func (s *sender) deliver(ctx context.Context, m *mail) *gateway.Error {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return interrupted(ctx)
	}
	for {
		if s.lifetime.Err() != nil { // Close might have freed the slot before it reached ctx
			return interrupted(s.lifetime)
		}
		if ctx.Err() != nil {
			return interrupted(ctx)
		}
		c, failure := s.get(ctx)
		if failure != nil {
			return failure
		}
		reached, failure := c.deliver(ctx, m, setting.Seconds(s.settings.SendTimeout))
		stale := c.reused && c.broken && reached <= atMail
		s.put(c)
		if failure == nil || !stale {
			return failure
		}
	}
}
