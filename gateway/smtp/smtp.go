package smtp

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"sync"

	"griot/gateway"
	"griot/internal/clock"
)

// sender carries e-mail to one relay.
type sender struct {
	settings settings
	tls      *tls.Config
	signer   *signer // nil: nothing is signed
	now      clock.Now
	slots    chan struct{}   // one for each connection that may be open
	life     context.Context // ends with Close
	end      context.CancelCauseFunc

	mu   sync.Mutex
	idle []*conn // the latest used last
}

var errClosed = errors.New("the sender is closed")

// Open is the [gateway.Driver] of SMTP relays. It contacts nothing yet; docs/gateways/smtp.md lists the settings.
func Open(raw json.RawMessage, deps gateway.Deps) (gateway.Sender, error) {
	set, err := parse(raw)
	if err != nil {
		return nil, err
	}
	authorities, err := set.read()
	if err != nil {
		return nil, err
	}
	dkim, err := newSigner(&set)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{ServerName: set.Host, RootCAs: authorities, MinVersion: tls.VersionTLS12}
	life, end := context.WithCancelCause(context.Background())
	return &sender{settings: set, tls: config, signer: dkim, now: deps.Now, slots: make(chan struct{}, set.Pool), life: life, end: end}, nil
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
	if s.life.Err() != nil {
		return gateway.Ack{}, interrupted(s.life)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.life, func() { cancel(errClosed) })()
	if failure := s.carry(ctx, m); failure != nil {
		return gateway.Ack{}, failure
	}
	return gateway.Ack{ProviderID: m.id}, nil
}

// Close implements [gateway.Sender]. It cuts off the sends that are under way.
func (s *sender) Close() error {
	s.end(errClosed) // before the idle connections are taken away, so that none is added later
	s.mu.Lock()
	idle := s.idle
	s.idle = nil
	s.mu.Unlock()
	quit(idle...)
	return nil
}

// carry makes the attempt. A connection that was kept may have died since without a
// sign, so that losing one before MAIL was answered says nothing about the relay: the
// next connection is tried, and the last of them is a new one.
func (s *sender) carry(ctx context.Context, m *mail) *gateway.Error {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return interrupted(ctx)
	}
	for {
		if ctx.Err() != nil {
			return interrupted(ctx)
		}
		c, failure := s.take(ctx)
		if failure != nil {
			return failure
		}
		reached, failure := c.deliver(ctx, m, seconds(s.settings.SendTimeout))
		stale := c.kept && c.broken && reached <= atMail
		s.give(c)
		if failure == nil || !stale {
			return failure
		}
	}
}
