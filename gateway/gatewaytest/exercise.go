package gatewaytest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/griot/gateway"
	"example.com/griot/internal/waittest"
)

// Exercise runs every check that applies to the driver that open returns, each as a subtest with its own Subject. It
// closes the senders. The providers end with the t that was passed to open. A test that calls Exercise must not be
// parallel, because Exercise looks for leaked goroutines.
func Exercise(t *testing.T, open func(t *testing.T) Subject) {
	t.Helper()
	var applicable []check
	t.Run("subject", func(t *testing.T) {
		s := open(t)
		if err := s.problem(); err != nil {
			t.Fatal(err)
		}
		for _, c := range checks() {
			if c.applies == nil || c.applies(s) {
				applicable = append(applicable, c)
			}
		}
		if err := finish(s); err != nil {
			t.Error(err)
		}
	})
	for _, c := range applicable {
		err := leakedGoroutines(func() {
			t.Run(c.name, func(t *testing.T) {
				if err := c.execute(open(t)); err != nil {
					t.Error(err)
				}
			})
		})
		if err != nil {
			t.Errorf("%s: after Close and the end of the provider: %v", c.name, err)
		}
	}
}

// check tests one rule. The error of run describes the violation.
type check struct {
	name     string
	applies  func(s Subject) bool // nil: to every driver
	callsRun bool                 // run calls Run itself
	run      func(s Subject) error
}

func checks() []check {
	all := []check{
		{name: "info", run: checkInfo},
		{name: "arrives", run: checkArrival},
		{name: "unlisted channel", run: checkUnlistedChannel},
		{name: "expired", run: checkExpired},
		{name: "WhatsApp ID", run: checkNoIDs, applies: hasNoIDs},
		{name: "context ended before", run: checkEndedContext},
		{name: "many at once", run: checkConcurrency},
		{name: "same reference", run: checkSameReference},
		{name: "closed", run: checkClose},
	}
	all = append(all, outcomeChecks()...)
	all = append(all, hangChecks()...)
	return append(all, facetChecks()...)
}

// execute runs the check while the driver's Run is running, and closes the driver.
func (c check) execute(s Subject) error {
	if c.callsRun {
		return errors.Join(c.run(s), finish(s))
	}
	stop := startRun(s)
	err := s.ready()
	if err == nil {
		err = c.run(s)
	}
	return errors.Join(err, stop(), finish(s))
}

// startRun calls Run if the driver has it. stop ends it.
func startRun(s Subject) (stop func() error) {
	runner, ok := s.Sender.(gateway.Runner)
	if !ok {
		return func() error { return nil }
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- runner.Run(ctx) }()
	return func() error {
		cancel()
		select {
		case err := <-done:
			if err != nil && !errors.Is(err, context.Canceled) {
				return fmt.Errorf("Run: %w", err)
			}
			return nil
		case <-time.After(waittest.Limit):
			return errors.New("Run goes on after its context has ended")
		}
	}
}

// finish closes the driver and checks its log.
func finish(s Subject) error {
	err := closeInTime(s)
	if word := s.leakedWord(s.Logged()); word != "" {
		err = errors.Join(err, fmt.Errorf("the log repeats %q", word))
	}
	return err
}

func closeInTime(s Subject) error {
	done := make(chan error, 1)
	go func() { done <- s.Sender.Close() }()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("Close: %w", err)
		}
		return nil
	case <-time.After(waittest.Limit):
		return errors.New("Close has not come back")
	}
}

// leakedGoroutines returns an error if work leaves goroutines behind.
func leakedGoroutines(work func()) error {
	before := goleak.IgnoreCurrent()
	work()
	return goleak.Find(before)
}
