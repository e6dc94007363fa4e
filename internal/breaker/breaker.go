package breaker

import "time"

// Limits are the tunables of a breaker.
type Limits struct {
	Window       time.Duration // attempts older than this are not counted
	MinAttempts  int           // fewer in a window never open it
	FailureRatio float64       // from this share of failed attempts on it opens
	FirstPause   time.Duration
	MaxPause     time.Duration // a pause doubles up to this
}

// Event is what happens to a breaker.
type Event int

// The events.
const (
	Succeeded      Event = iota // an attempt has succeeded
	Failed                      // an attempt has failed
	ProbeStarted                // the probe begins
	ProbeCanceled               // the probe was not attempted after all
	ProbeSucceeded              // the probe has succeeded
	ProbeFailed                 // the probe has failed
)

// State is the state of a breaker. Its zero value is closed. Pause and Until are what is worth storing.
type State struct {
	Pause time.Duration // how long it opened for last; zero: it is closed
	Until time.Time     // the end of the pause

	probing bool
	window  window
}

// Closed reports whether attempts may be made without a probe.
func (s State) Closed() bool { return s.Pause == 0 }

// Wait returns for how long nothing may be attempted, or zero.
func (s State) Wait(now time.Time) time.Duration {
	if s.Closed() {
		return 0
	}
	return max(0, s.Until.Sub(now))
}

// ProbeDue reports whether the next attempt is the probe.
func (s State) ProbeDue(now time.Time) bool { return !s.Closed() && !s.probing && s.Wait(now) == 0 }

// Probing reports whether the probe is being attempted: nothing else may be, until its result is known.
func (s State) Probing() bool { return s.probing }

// Next returns the state after an event at now. changed reports whether its Pause or Until is another.
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
	case Succeeded, Failed: // of an attempt that began before it opened
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

// Hold returns the state after somebody has asked that nothing be attempted for a time, of which it grants MaxPause.
// It never shortens a pause.
func (s State) Hold(l *Limits, wait time.Duration, now time.Time) (next State, changed bool) {
	until := now.Add(min(wait, l.MaxPause))
	if wait <= 0 || !until.After(s.Until) {
		return s, false
	}
	s.Pause, s.Until = max(s.Pause, l.FirstPause), until
	return s, true
}

// Restore returns the state with a stored pause; what it has counted stays.
func (s State) Restore(pause time.Duration, until time.Time) State {
	return State{Pause: pause, Until: until, window: s.window}
}

// SetBack returns the state after the clock was set back. The rest of a pause takes as long as before.
func (s State) SetBack(by time.Duration) State {
	s.window = window{}
	if !s.Closed() {
		s.Until = s.Until.Add(-by)
	}
	return s
}
