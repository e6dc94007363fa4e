package gatewaytest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"griot/gateway"
)

// Exercise runs every check that applies to what open returns, each as a subtest
// with a Subject of its own. It closes the senders; the far ends end with the
// t that open was given. A test that calls it must not be parallel: it looks for
// goroutines that were left behind.
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
		err := leaked(func() {
			t.Run(c.name, func(t *testing.T) {
				if err := c.try(open(t)); err != nil {
					t.Error(err)
				}
			})
		})
		if err != nil {
			t.Errorf("%s: after Close and the end of the far end: %v", c.name, err)
		}
	}
}

// A check judges one rule. Its error says how the rule was broken.
type check struct {
	name    string
	applies func(s Subject) bool // nil: to every driver
	runs    bool                 // it calls Run itself
	judge   func(s Subject) error
}

func checks() []check {
	all := []check{
		{name: "info", judge: judgeInfo},
		{name: "arrives", judge: judgeArrival},
		{name: "unlisted channel", judge: judgeUnlistedChannel},
		{name: "expired", judge: judgeExpired},
		{name: "context ended before", judge: judgeEndedContext},
		{name: "many at once", judge: judgeConcurrency},
		{name: "same reference", judge: judgeSameReference},
		{name: "closed", judge: judgeClose},
	}
	all = append(all, outcomes()...)
	all = append(all, hangs()...)
	return append(all, facets()...)
}

// try runs the check with the driver's background work beside it, and closes the driver.
func (c check) try(s Subject) error {
	if c.runs {
		return errors.Join(c.judge(s), finish(s))
	}
	stop := run(s)
	err := s.ready()
	if err == nil {
		err = c.judge(s)
	}
	return errors.Join(err, stop(), finish(s))
}

// run lets a driver that works in the background do so, until stop.
func run(s Subject) (stop func() error) {
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
		case <-time.After(patience):
			return errors.New("Run goes on after its context has ended")
		}
	}
}

// finish closes the driver and looks through what it has logged.
func finish(s Subject) error {
	err := closeSoon(s)
	if word := s.telling(s.Logged()); word != "" {
		err = errors.Join(err, fmt.Errorf("the log repeats %q", word))
	}
	return err
}

func closeSoon(s Subject) error {
	done := make(chan error, 1)
	go func() { done <- s.Sender.Close() }()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("Close: %w", err)
		}
		return nil
	case <-time.After(patience):
		return errors.New("Close has not come back")
	}
}

// leaked returns an error if work leaves goroutines behind.
func leaked(work func()) error {
	before := goleak.IgnoreCurrent()
	work()
	return goleak.Find(before)
}
