package gateway

import (
	"cmp"
	"log/slog"
	"time"
)

const (
	consecutiveLimit = 3  // consecutive failures of an address after which the gateway is considered the cause
	maxCodes         = 32 // codes whose outages are counted separately
)

// Failure is a failure caused by the gateway, not by the message.
type Failure struct {
	At           time.Time
	Class        Class
	Code         string
	ProviderCode string
	Cause        string // for operators
}

// address is one of our own addresses on a gateway. The zero value is the connection that all of them share.
type address struct {
	channel Channel
	from    string
}

// outage is an outage of a gateway's addresses with one error code.
type outage struct {
	since    time.Time
	failures int64
	logged   bool
}

// RecordAttempt records the result and the duration of an attempt by one of our addresses. A nil error means that the
// gateway accepted the message.
func (s *Set) RecordAttempt(name string, channel Channel, from string, err error, took time.Duration) {
	class := Class("")
	if err != nil {
		class = AsError(err).Class
	}
	s.counters(name).Attempt(string(class), took)
	s.monitor.record(name, address{channel, from}, err)
}

// RecordConnection records the state of the connection that a gateway maintains. A nil error means that it works.
func (s *Set) RecordConnection(name string, err error) { s.monitor.record(name, address{}, err) }

// Observed returns [Set.Detail], with one exception: an address in an outage is disconnected with the outage's code
// as the reason, whatever its driver reports. It is for display only. Whether messages are accepted depends on
// [Set.State], because only a message can show that the address works again.
func (s *Set) Observed(name string, channel Channel, from string) ConnDetail {
	d := s.Detail(name, channel, from)
	if d.State.Usable() {
		if code := s.monitor.outageOf(name, address{channel, from}); code != "" {
			return ConnDetail{State: Disconnected, Reason: code}
		}
	}
	return d
}

// outageOf returns the code of an address's outage, or "" if there is none.
func (m *monitor) outageOf(name string, a address) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	g := m.of(name)
	return cmp.Or(g.failing[a], g.failing[address{}])
}

// record counts the result, and logs the start and the end of an outage: once for all addresses with the same code,
// and at most once per minute if the outage is intermittent.
func (m *monitor) record(name string, a address, err error) {
	now := m.now()
	m.mu.Lock()
	g := m.of(name)
	if err == nil {
		ended, code := g.succeed(a)
		g.Tested = TestPassed
		m.mu.Unlock()
		if ended != nil && ended.logged {
			m.log.Warn("a gateway works again", "gateway", name, "code", code, "failures", ended.failures, "after", now.Sub(ended.since).Round(time.Millisecond).String())
		}
		return
	}
	f := AsError(err)
	log := g.fail(a, f, now)
	m.mu.Unlock()
	if !log {
		return
	}
	attrs := []any{"gateway", name, "code", f.Code, "class", string(f.Class)}
	if f.ProviderCode != "" {
		attrs = append(attrs, "providerCode", f.ProviderCode)
	}
	if a.from != "" {
		attrs = append(attrs, "from", a.from)
	}
	if f.Err != nil {
		attrs = append(attrs, slog.Any("err", f.Err))
	}
	m.log.Warn("a gateway stopped working", attrs...)
}

// succeed ends the outage of an address, for all addresses in it. If another address still fails, it starts a new outage.
func (g *gatewayStats) succeed(a address) (ended *outage, code string) {
	delete(g.consecutive, a)
	code = g.failing[a]
	if code == "" {
		return nil, ""
	}
	ended = g.outages[code]
	delete(g.outages, code)
	for other, c := range g.failing {
		if c == code {
			delete(g.failing, other)
		}
	}
	g.FailingSince = time.Time{}
	for _, o := range g.outages {
		if g.FailingSince.IsZero() || o.since.Before(g.FailingSince) {
			g.FailingSince = o.since
		}
	}
	return ended, code
}

// fail counts a failure. log is true if the failure starts an outage that must be logged.
func (g *gatewayStats) fail(a address, f *Error, now time.Time) (log bool) {
	if f.Class == Permanent || f.Class == Unreachable { // caused by the message
		return false
	}
	g.Failures++
	g.LastFailure = Failure{At: now, Class: f.Class, Code: f.Code, ProviderCode: f.ProviderCode}
	if f.Err != nil {
		g.LastFailure.Cause = f.Err.Error()
	}
	if f.Class == RateLimited { // the gateway works
		return false
	}
	code := g.failing[a]
	if code == "" {
		g.consecutive[a]++
		if !isOutage(f) && g.consecutive[a] < consecutiveLimit {
			return false
		}
		if code = f.Code; g.outages[code] == nil && len(g.outages) == maxCodes {
			code = "other"
		}
		g.failing[a] = code
	}
	o := g.outages[code]
	if o == nil {
		o = &outage{since: now}
		g.outages[code] = o
		if g.FailingSince.IsZero() {
			g.FailingSince = now
		}
	}
	o.failures++
	if o.logged || len(g.outageLoggedAt) >= maxCodes && g.outageLoggedAt[code].IsZero() {
		return false
	}
	if last := g.outageLoggedAt[code]; !last.IsZero() && now.Sub(last).Abs() < logInterval {
		return false
	}
	g.outageLoggedAt[code], o.logged = now, true
	return true
}

// isOutage reports whether a single failure shows that the gateway does not work, because it reported an outage or
// could not be reached. A failure with the gateway's own code might be caused by the message, and a lost response
// might be a short disturbance.
func isOutage(f *Error) bool {
	return f.Class == SenderDown || f.Class == Temporary && f.ProviderCode == ""
}
