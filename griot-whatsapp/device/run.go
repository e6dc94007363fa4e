package device

import (
	"cmp"
	"context"
	"time"

	"go.mau.fi/whatsmeow/types/events"
)

// How long the device waits before it connects again.
const (
	firstPause    = 500 * time.Millisecond
	longestPause  = 5 * time.Minute
	replacedPause = time.Minute // something else uses the same keys: it is not fought for
	outdatedPause = time.Hour
	refusedPause  = 5 * time.Minute
	afterBan      = time.Second
	deadAfter     = 3 // keep-alives that nobody answers
)

type signalKind int

const (
	connected signalKind = iota
	lost
	ended // WhatsApp has ended it; pause and state say what follows
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

// observe turns what whatsmeow says of the connection into a signal.
func (d *Device) observe(event any) {
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
		if e.Reason == events.ConnectFailureUnknownLogout { // 406, which WhatsApp itself calls banned
			c = Change{State: Banned, Reason: "banned"}
		}
		d.notify(signal{kind: ended, change: c})
	case *events.TemporaryBan:
		until := time.Now().Add(cmp.Or(e.Expire, time.Minute))
		d.restrict(TemporaryBan, until)
		d.notify(signal{kind: ended, change: Change{State: Restricted, Reason: TemporaryBan, Until: until}}) // Run waits for its end
	case *events.ClientOutdated:
		d.notify(signal{kind: ended, pause: outdatedPause, change: Change{State: Outdated, Reason: "client_outdated"}})
	case *events.ConnectFailure:
		d.notify(signal{kind: ended, pause: refusedPause, change: Change{State: Disconnected, Reason: "connection_refused"}})
	case *events.NotifyAccountReachoutTimelock:
		until := e.TimeEnforcementEnds.Time
		if !e.IsActive {
			until = time.Time{}
		}
		d.restrict(ReachOutTimelock, until)
	}
}

// Run keeps the device connected until ctx ends, or only a new pairing helps. It has closed the socket when it returns.
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
		d.client.Disconnect() // ends the sends under way, too
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

// waitForBan waits for the end of a temporary ban, also of one that began before the process.
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

// connect waits until the sends of the connection before have ended.
func (d *Device) connect() error {
	d.sending.Lock()
	defer d.sending.Unlock()
	return d.client.Connect()
}

// forgetSignals drops those of the connection before.
func (d *Device) forgetSignals() {
	for {
		select {
		case <-d.signals:
		default:
			return
		}
	}
}

// loginTimeout bounds the time from the handshake to the login.
const loginTimeout = time.Minute

// stay waits until the connection ends, and says how.
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
