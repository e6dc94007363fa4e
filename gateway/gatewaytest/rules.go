package gatewaytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"griot/gateway"
)

func known() []gateway.Channel {
	return []gateway.Channel{gateway.WhatsApp, gateway.SMS, gateway.Email}
}

func judgeInfo(s Subject) error {
	listed := s.Sender.Info().Channels
	if !slices.Contains(listed, s.Channel) {
		return fmt.Errorf("Info lists %v, without %q", listed, s.Channel)
	}
	for i, c := range listed {
		if !slices.Contains(known(), c) || slices.Contains(listed[:i], c) {
			return fmt.Errorf("Info lists %v: each known channel at most once, and no others", listed)
		}
	}
	return nil
}

func judgeArrival(s Subject) error {
	first, err := s.deliver(1)
	if err != nil {
		return err
	}
	second, err := s.deliver(2)
	if err != nil {
		return err
	}
	return s.arrived(first, second)
}

func judgeUnlistedChannel(s Subject) error {
	for i, channel := range append(known(), "pigeon", "") {
		if slices.Contains(s.Sender.Info().Channels, channel) {
			continue
		}
		out := s.message(i)
		out.Channel = channel
		a, err := s.send(context.Background(), out)
		if err := errors.Join(err, a.failed(gateway.Permanent)); err != nil {
			return fmt.Errorf("on channel %q: %w", channel, err)
		}
	}
	return s.arrived()
}

// An expired message is refused by the clock that the driver was given; one that hasn't expired isn't.
func judgeExpired(s Subject) error {
	out := s.message(1)
	out.ExpiresAt = s.Clock.Now().Add(-time.Minute)
	a, err := s.send(context.Background(), out)
	if err := errors.Join(err, a.failed(gateway.Permanent)); err != nil {
		return err
	}
	if e := gateway.AsError(a.err); e.Code != "expired" {
		return fmt.Errorf("an expired message is refused as %q, want expired", e.Code)
	}
	if err := s.arrived(); err != nil {
		return err
	}
	never := s.message(2)
	never.ExpiresAt = time.Time{}
	last, err := s.send(context.Background(), never)
	if err := errors.Join(err, last.accepted()); err != nil {
		return fmt.Errorf("without ExpiresAt: %w", err)
	}
	return s.arrived(last)
}

// An ended context hands nothing over, neither at first nor when a connection stands ready.
func judgeEndedContext(s Subject) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var delivered []attempt
	for n := range 10 {
		a, err := s.send(ctx, s.message(n))
		if err := errors.Join(err, a.failed(gateway.Temporary, gateway.RateLimited)); err != nil {
			return err
		}
		if n == 0 {
			warm, err := s.deliver(100)
			if err != nil {
				return err
			}
			delivered = append(delivered, warm)
		}
	}
	return s.arrived(delivered...)
}

func judgeConcurrency(s Subject) error {
	const many = 32
	waits := make([]func() (attempt, error), many)
	for i := range waits {
		waits[i] = s.start(context.Background(), s.message(i))
	}
	attempts := make([]attempt, many)
	for i, wait := range waits {
		var err error
		attempts[i], err = wait()
		if err := errors.Join(err, attempts[i].accepted()); err != nil {
			return err
		}
	}
	return s.arrived(attempts...)
}

// A second attempt with a reference arrives a second time, unless the gateway deduplicates.
func judgeSameReference(s Subject) error {
	first, err := s.deliver(1)
	if err != nil {
		return err
	}
	second, err := s.send(context.Background(), first.out)
	if err := errors.Join(err, second.accepted()); err != nil {
		return fmt.Errorf("the second time: %w", err)
	}
	want := 2
	if s.Sender.Info().Deduplicates {
		want = 1
	}
	if n := first.count(); n != want || len(s.Far.Received()) != want {
		return fmt.Errorf("a message sent twice with one reference has arrived %d times, want %d: %+v", n, want, s.Far.Received())
	}
	return nil
}

func judgeClose(s Subject) error {
	first, err := s.deliver(1)
	if err != nil {
		return err
	}
	for range 2 { // the second Close does nothing
		if err := closeSoon(s); err != nil {
			return err
		}
		a, err := s.send(context.Background(), s.message(2))
		if err := errors.Join(err, a.failed(gateway.SenderDown)); err != nil {
			return fmt.Errorf("after Close: %w", err)
		}
	}
	return s.arrived(first)
}
