package gatewaytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/griot/gateway"
)

func channels() []gateway.Channel {
	return []gateway.Channel{gateway.WhatsApp, gateway.SMS, gateway.Email}
}

func checkInfo(s Subject) error {
	listed := s.Sender.Info().Channels
	if !slices.Contains(listed, s.Channel) {
		return fmt.Errorf("Info lists %v, without %q", listed, s.Channel)
	}
	for i, c := range listed {
		if !slices.Contains(channels(), c) || slices.Contains(listed[:i], c) {
			return fmt.Errorf("Info lists %v: each known channel at most once, and no others", listed)
		}
	}
	return nil
}

func checkArrival(s Subject) error {
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

func checkUnlistedChannel(s Subject) error {
	for i, channel := range append(channels(), "pigeon", "") {
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

// checkExpired checks that a message that has expired by the driver's clock is refused, and that one without an expiry is not.
func checkExpired(s Subject) error {
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

// checkEndedContext checks that nothing is submitted after the context has ended, with or without an open connection.
func checkEndedContext(s Subject) error {
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

func checkConcurrency(s Subject) error {
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

// checkSameReference checks that a second attempt with the same reference arrives a second time, unless the gateway deduplicates.
func checkSameReference(s Subject) error {
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
	if n := first.arrivals(); n != want || len(s.Provider.Received()) != want {
		return fmt.Errorf("a message sent twice with one reference has arrived %d times, want %d: %+v", n, want, s.Provider.Received())
	}
	return nil
}

func checkClose(s Subject) error {
	first, err := s.deliver(1)
	if err != nil {
		return err
	}
	for range 2 { // the second Close does nothing
		if err := closeInTime(s); err != nil {
			return err
		}
		a, err := s.send(context.Background(), s.message(2))
		if err := errors.Join(err, a.failed(gateway.SenderDown)); err != nil {
			return fmt.Errorf("after Close: %w", err)
		}
	}
	return s.arrived(first)
}
