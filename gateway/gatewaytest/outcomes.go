package gatewaytest

import (
	"context"
	"errors"
	"fmt"

	"griot/gateway"
)

// outcomes are the checks of what a far end may do to a message.
func outcomes() []check {
	type outcome struct {
		name    string
		script  func(f FarEnd) func()
		classes []gateway.Class
		settled bool // the far end's word is final for the whole sender: no recovery is asked for
	}
	var all []check
	for _, o := range []outcome{
		{name: "refused", script: func(f FarEnd) func() { return f.Refuse }, classes: []gateway.Class{gateway.Permanent}},
		{
			name: "refused for now", script: func(f FarEnd) func() { return f.RefuseForNow },
			classes: []gateway.Class{gateway.Temporary, gateway.RateLimited},
		},
		{name: "recipient refused", script: func(f FarEnd) func() { return f.RefuseRecipient }, classes: []gateway.Class{gateway.Unreachable}},
		{
			name: "login refused", script: func(f FarEnd) func() { return f.RefuseLogin },
			classes: []gateway.Class{gateway.SenderDown}, settled: true,
		},
		{name: "dropped before", script: func(f FarEnd) func() { return f.DropBefore }, classes: []gateway.Class{gateway.Temporary}},
		{name: "dropped after", script: func(f FarEnd) func() { return f.DropAfter }, classes: []gateway.Class{gateway.Unknown}},
	} {
		all = append(all, check{
			name:    o.name,
			applies: func(s Subject) bool { return o.script(s.Far) != nil },
			judge: func(s Subject) error {
				o.script(s.Far)()
				a, err := s.send(context.Background(), s.message(1))
				if err := errors.Join(err, a.failed(o.classes...)); err != nil {
					return err
				}
				if o.settled {
					return a.notDoubled()
				}
				return s.recovers(a)
			},
		})
	}
	return all
}

// hangs are the checks of a far end that stops answering while the context ends.
func hangs() []check {
	judge := func(script func(f FarEnd) func() Hang, class gateway.Class) func(s Subject) error {
		return func(s Subject) error {
			hang := script(s.Far)()
			defer hang.Release()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			wait := s.start(ctx, s.message(1))
			if err := soon(hang.Reached); err != nil {
				return fmt.Errorf("the far end was not reached: %w", err)
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
	before := func(f FarEnd) func() Hang { return f.HangBefore }
	after := func(f FarEnd) func() Hang { return f.HangAfter }
	return []check{
		{
			name: "context ends before handing over", judge: judge(before, gateway.Temporary),
			applies: func(s Subject) bool { return s.Far.HangBefore != nil },
		},
		{name: "context ends after handing over", judge: judge(after, gateway.Unknown)},
	}
}

// recovers returns an error unless the sender works again when the far end does,
// and has carried what failed at most once, and not at all where it said so.
func (s Subject) recovers(failed attempt) error {
	s.Far.Accept()
	if err := s.ready(); err != nil {
		return fmt.Errorf("the connection doesn't come back: %w", err)
	}
	next, err := s.deliver(2)
	if err != nil {
		return fmt.Errorf("once the far end is well again: %w", err)
	}
	if n := next.count(); n != 1 {
		return fmt.Errorf("the message after the failed one has arrived %d times, want once", n)
	}
	return failed.notDoubled()
}

func (a attempt) notDoubled() error {
	most := 0
	if gateway.AsError(a.err).Class.HandedOver() {
		most = 1
	}
	if n := a.count(); n > most {
		return fmt.Errorf("after an attempt that ended with %w, the message has arrived %d times, want at most %d", a.err, n, most)
	}
	return nil
}
