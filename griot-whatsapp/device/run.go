package device

import (
	"cmp"
	"context"
	"time"

	"go.mau.fi/whatsmeow/types/events"
)

// Pauses before the device reconnects.
const (
	firstPause    = 500 * time.Millisecond
	longestPause  = 5 * time.Minute
	replacedPause = time.Minute // another program uses the same keys; reconnecting immediately would disconnect it
	outdatedPause = time.Hour
	refusedPause  = 5 * time.Minute
	afterBan      = time.Second
	deadAfter     = 3 // unanswered keep-alives
)

type signalKind int

const (
	connected signalKind = iota
	lost
	ended // WhatsApp has ended the connection; pause and state describe the next step
	restrictionChanged
)

type signal struct {
	kind   signalKind
	change Change
	pause  time.Duration
}

func (d *Device) notify(s signal) {
	select {
	case d.signals <- s:
	case <-d.context().Done():
	}
}

// observe converts whatsmeow's connection events to signals. It returns false for other events.
func (d *Device) observe(event any) bool {
	switch e := event.(type) {
	case *events.Connected:
		d.notify(signal{kind: connected})
	case *events.Disconnected:
		d.notify(signal{kind: lost})
	case *events.KeepAliveTimeout:
		if e.ErrorCount >= deadAfter {
			d.notify(signal{kind: lost})
		}
	case *events.StreamError:
		d.notify(signal{kind: lost})
	case *events.StreamReplaced:
		d.notify(signal{kind: ended, pause: replacedPause, change: Change{State: Disconnected, Reason: "stream_replaced"}})
	case *events.LoggedOut:
		c := Change{State: LoggedOut, Reason: "logged_out"}
		if e.Reason == events.ConnectFailureUnknownLogout { // 406, which WhatsApp calls banned
			c = Change{State: Banned, Reason: "banned"}
		}
		d.notify(signal{kind: ended, change: c})
	case *events.TemporaryBan:
		until := time.Now().Add(cmp.Or(e.Expire, time.Minute))
		d.restrict(TemporaryBan, until)
		d.notify(signal{kind: ended, change: Change{State: Restricted, Reason: TemporaryBan, Until: until}}) // Run waits until it ends
	case *events.ClientOutdated:
		d.notify(signal{kind: ended, pause: outdatedPause, change: Change{State: Outdated, Reason: "client_outdated"}})
	case *events.ConnectFailure:
		d.notify(signal{kind: ended, pause: refusedPause, change: Change{State: Disconnected, Reason: "connection_refused"}})
	case *events.NotifyAccountReachoutTimelock:
		t := timelock{Active: e.IsActive}
		if ends := e.TimeEnforcementEnds.Time; !ends.IsZero() {
			t.Ends = unixTime(ends.Unix())
		}
		d.restrict(ReachOutTimelock, t.until(time.Now()))
	default:
		return false
	}
	return true
}

// Run keeps the device connected until ctx ends or only a new pairing helps. The socket is closed when Run returns.
func (d *Device) Run(ctx context.Context) {
	d.mu.Lock()
	d.ctx = ctx
	d.mu.Unlock()
	defer d.client.Disconnect()
	failures := 0
	for ctx.Err() == nil {
		if d.waitForBan(ctx) != nil || d.config.Gate.Wait(ctx) != nil {
			return
		}
		d.set(Change{State: Connecting})
		d.forgetSignals()
		end := signal{kind: lost}
		if d.connect() == nil {
			end = d.stay(ctx, &failures)
		}
		d.client.Disconnect() // it also ends the sends in progress
		if ctx.Err() != nil {
			return
		}
		if end.kind == lost {
			end.change = Change{State: Disconnected, Reason: "connection_lost"}
			end.pause = min(firstPause<<min(failures, 16), longestPause)
			failures++
		}
		d.set(end.change)
		if end.change.State.Final() || sleep(ctx, jitter(end.pause, 0.5)) != nil {
			return
		}
	}
}

// waitForBan waits for the end of a temporary ban, including one that started before the process.
func (d *Device) waitForBan(ctx context.Context) error {
	left := d.restricted(TemporaryBan)
	if left == 0 {
		return nil
	}
	d.mu.Lock()
	until := d.restrictions[TemporaryBan]
	d.mu.Unlock()
	d.set(Change{State: Restricted, Reason: TemporaryBan, Until: until})
	return sleep(ctx, left+jitter(afterBan, 1))
}

// connect waits for the sends of the previous connection and connects.
func (d *Device) connect() error {
	d.sending.Lock()
	defer d.sending.Unlock()
	d.turns.startAgain()
	return d.client.Connect()
}

// forgetSignals drops the signals of the previous connection.
func (d *Device) forgetSignals() {
	for {
		select {
		case <-d.signals:
		default:
			return
		}
	}
}

// loginTimeout is the maximum time between the handshake and the login.
const loginTimeout = time.Minute

// stay waits until the connection ends and returns the reason.
func (d *Device) stay(ctx context.Context, failures *int) signal {
	login := time.NewTimer(loginTimeout)
	defer login.Stop()
	for {
		var over <-chan time.Time
		if left := d.restricted(ReachOutTimelock); left > 0 {
			over = time.After(left)
		}
		select {
		case s := <-d.signals:
			switch s.kind {
			case connected:
				*failures = 0
				login.Stop()
				d.set(Change{State: Connected})
			case restrictionChanged:
			case lost, ended:
				return s
			}
		case <-over:
			d.restrict(ReachOutTimelock, time.Time{})
		case <-d.nudge:
			return signal{kind: lost}
		case <-login.C:
			return signal{kind: lost}
		case <-ctx.Done():
			return signal{kind: lost}
		}
	}
}
