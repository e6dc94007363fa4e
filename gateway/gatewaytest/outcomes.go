package gatewaytest

import (
	"context"
	"errors"
	"fmt"

	"example.com/griot/gateway"
)

// outcomeChecks returns the checks for each outcome that a provider can cause.
func outcomeChecks() []check {
	type outcome struct {
		name    string
		script  func(f Provider) func()
		classes []gateway.Class
		final   bool // the sender stays down: recovery isn't checked
	}
	var all []check
	for _, o := range []outcome{
		{name: "refused", script: func(f Provider) func() { return f.Refuse }, classes: []gateway.Class{gateway.Permanent}},
		{
			name: "refused for now", script: func(f Provider) func() { return f.RefuseForNow },
			classes: []gateway.Class{gateway.Temporary, gateway.RateLimited},
		},
		{name: "recipient refused", script: func(f Provider) func() { return f.RefuseRecipient }, classes: []gateway.Class{gateway.Unreachable}},
		{
			name: "login refused", script: func(f Provider) func() { return f.RefuseLogin },
			classes: []gateway.Class{gateway.SenderDown}, final: true,
		},
		{name: "dropped before", script: func(f Provider) func() { return f.DropBefore }, classes: []gateway.Class{gateway.Temporary}},
		{name: "dropped after", script: func(f Provider) func() { return f.DropAfter }, classes: []gateway.Class{gateway.Unknown}},
	} {
		all = append(all, check{
			name:    o.name,
			applies: func(s Subject) bool { return o.script(s.Provider) != nil },
			run: func(s Subject) error {
				o.script(s.Provider)()
				a, err := s.send(context.Background(), s.message(1))
				if err := errors.Join(err, a.failed(o.classes...)); err != nil {
					return err
				}
				if o.final {
					return a.notDuplicated()
				}
				return s.recovers(a)
			},
		})
	}
	return all
}

// hangChecks returns the checks for a context that ends while the provider does not respond.
func hangChecks() []check {
	hangCheck := func(script func(f Provider) func() Hang, class gateway.Class) func(s Subject) error {
		return func(s Subject) error {
			hang := script(s.Provider)()
			defer hang.Release()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			wait := s.start(ctx, s.message(1))
			if err := waitFor(hang.Reached); err != nil {
				return fmt.Errorf("the provider was not reached: %w", err)
			}
			cancel()
			a, err := wait()
			if err := errors.Join(err, a.failed(class)); err != nil {
				return err
			}
			hang.Release()
			return s.recovers(a)
		}
	}
	before := func(f Provider) func() Hang { return f.HangBefore }
	after := func(f Provider) func() Hang { return f.HangAfter }
	return []check{
		{
			name: "context ends before handing over", run: hangCheck(before, gateway.Temporary),
			applies: func(s Subject) bool { return s.Provider.HangBefore != nil },
		},
		{name: "context ends after handing over", run: hangCheck(after, gateway.Unknown)},
	}
}

// recovers returns an error unless the sender works again after the provider does. The failed message must have
// arrived at most once, and not at all if its error promised that.
func (s Subject) recovers(failed attempt) error {
	s.Provider.Accept()
	if err := s.ready(); err != nil {
		return fmt.Errorf("the connection doesn't come back: %w", err)
	}
	next, err := s.deliver(2)
	if err != nil {
		return fmt.Errorf("once the provider accepts again: %w", err)
	}
	if n := next.arrivals(); n != 1 {
		return fmt.Errorf("the message after the failed one has arrived %d times, want once", n)
	}
	return failed.notDuplicated()
}

func (a attempt) notDuplicated() error {
	limit := 0
	if gateway.AsError(a.err).Class.HandedOver() {
		limit = 1
	}
	if n := a.arrivals(); n > limit {
		return fmt.Errorf("after an attempt that ended with %w, the message has arrived %d times, want at most %d", a.err, n, limit)
	}
	return nil
}
