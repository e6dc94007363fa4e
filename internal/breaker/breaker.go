package breaker

import "time"

// Limits are the tunables of a breaker.
type Limits struct {
	Window       time.Duration // older attempts are not counted
	MinAttempts  int           // a window with fewer attempts never opens the breaker
	FailureRatio float64       // the breaker opens at this share of failed attempts
	FirstPause   time.Duration
	MaxPause     time.Duration // a pause doubles up to this maximum
}

// Event is an event that changes a breaker.
type Event int

// The events.
const (
	Succeeded      Event = iota // an attempt has succeeded
	Failed                      // an attempt has failed
	ProbeStarted                // the probe starts
	ProbeCanceled               // the probe was not attempted after all
	ProbeSucceeded              // the probe has succeeded
	ProbeFailed                 // the probe has failed
)

// State is the state of a breaker. Its zero value is closed. Only Pause and Until need to be stored.
type State struct {
	Pause time.Duration // the last pause; zero if closed
	Until time.Time     // the end of the pause

	probing bool
	window  window
}

// Closed reports whether attempts can be made without a probe.
func (s State) Closed() bool { return s.Pause == 0 }

// Wait returns the time until the next allowed attempt, or zero.
func (s State) Wait(now time.Time) time.Duration {
	if s.Closed() {
		return 0
	}
	return max(0, s.Until.Sub(now))
}

// ProbeDue reports whether the next attempt is the probe.
func (s State) ProbeDue(now time.Time) bool { return !s.Closed() && !s.probing && s.Wait(now) == 0 }

// Probing reports whether the probe is in progress. No other attempt is allowed until its result is known.
func (s State) Probing() bool { return s.probing }

// Next returns the state after an event at now. changed reports whether Pause or Until differs.
func (s State) Next(l *Limits, e Event, now time.Time) (next State, changed bool) {
	if s.Closed() {
		next = s.whenClosed(l, e, now)
	} else {
		next = s.whenOpen(l, e, now)
	}
	return next, next.Pause != s.Pause || !next.Until.Equal(s.Until)
}

func (s State) whenClosed(l *Limits, e Event, now time.Time) State {
	if e == ProbeStarted || e == ProbeCanceled {
		return s
	}
	failed := e == Failed || e == ProbeFailed
	s.window = s.window.add(l.Window, now, failed)
	attempts, failures := s.window.counts(l.Window, now)
	if !failed || attempts < l.MinAttempts || float64(failures) < l.FailureRatio*float64(attempts) {
		return s
	}
	return State{Pause: l.FirstPause, Until: now.Add(l.FirstPause)}
}

func (s State) whenOpen(l *Limits, e Event, now time.Time) State {
	switch e {
	case Succeeded, Failed: // of an attempt that started before the breaker opened
	case ProbeStarted:
		s.probing = true
	case ProbeCanceled:
		s.probing = false
	case ProbeSucceeded:
		return State{}
	case ProbeFailed:
		s.probing, s.Pause = false, min(2*s.Pause, l.MaxPause)
		if until := now.Add(s.Pause); until.After(s.Until) {
			s.Until = until
		}
	}
	return s
}

// Hold returns the state after a request to pause attempts for a time, of which it grants at most MaxPause. It never
// shortens a pause.
func (s State) Hold(l *Limits, wait time.Duration, now time.Time) (next State, changed bool) {
	until := now.Add(min(wait, l.MaxPause))
	if wait <= 0 || !until.After(s.Until) {
		return s, false
	}
	s.Pause, s.Until = max(s.Pause, l.FirstPause), until
	return s, true
}

// Restore returns the state with a stored pause. It keeps the counted attempts.
func (s State) Restore(pause time.Duration, until time.Time) State {
	return State{Pause: pause, Until: until, window: s.window}
}

// SetBack returns the state after the clock was set back. The remaining time of a pause stays the same.
func (s State) SetBack(by time.Duration) State {
	s.window = window{}
	if !s.Closed() {
		s.Until = s.Until.Add(-by)
	}
	return s
}
