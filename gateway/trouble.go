package gateway

import (
	"log/slog"
	"time"
)

const (
	inARow    = 3  // failures of an address that may be its messages' fault, until they count as the gateway's
	mostCodes = 32 // that are told apart
)

// Trouble is the last failure that was a gateway's own, and not a message's.
type Trouble struct {
	At           time.Time
	Class        Class
	Code         string
	ProviderCode string
	Cause        string // for operators
}

// address is one of our own addresses on a gateway; the zero one is the connection that all of them have.
type address struct {
	channel Channel
	from    string
}

// outage is what a gateway's addresses have that fail for one reason.
type outage struct {
	since    time.Time
	failures int64
	told     bool // in the log
}

// Attempted notes how an attempt by one of our addresses has ended; a nil error: the gateway took the message.
func (s *Set) Attempted(name string, channel Channel, from string, err error) {
	s.records.note(name, address{channel, from}, err)
}

// Connected notes how the connection of a gateway does that keeps one; a nil error: it works.
func (s *Set) Connected(name string, err error) { s.records.note(name, address{}, err) }

// Seen is [Set.State] with what the attempts have shown: an address whose messages
// all fail is disconnected, whatever its driver says. It is for people to see;
// whether messages are taken for it depends on [Set.State] alone, since only a message shows that it works again.
func (s *Set) Seen(name string, channel Channel, from string) ConnState {
	state := s.State(name, channel, from)
	if state.Usable() && s.records.fails(name, address{channel, from}) {
		return Disconnected
	}
	return state
}

func (r *records) fails(name string, a address) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.of(name)
	return one.failing[a] != "" || one.failing[address{}] != ""
}

// note counts, and logs when a gateway stops working and when it works again. Many addresses with one reason are told
// once, and what comes and goes once a minute.
func (r *records) note(name string, a address, err error) {
	now := r.now()
	r.mu.Lock()
	one := r.of(name)
	if err == nil {
		over, code := one.mend(a)
		r.mu.Unlock()
		if over != nil && over.told {
			r.log.Warn("a gateway works again", "gateway", name, "code", code, "failures", over.failures, "after", now.Sub(over.since).Round(time.Millisecond).String())
		}
		return
	}
	f := AsError(err)
	tell := one.fail(a, f, now)
	r.mu.Unlock()
	if !tell {
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
	r.log.Warn("a gateway stopped working", attrs...)
}

// mend ends the outage that an address was in, for all who were in it: who still is says so again.
func (one *record) mend(a address) (over *outage, code string) {
	delete(one.row, a)
	code = one.failing[a]
	if code == "" {
		return nil, ""
	}
	over = one.outages[code]
	delete(one.outages, code)
	for other, c := range one.failing {
		if c == code {
			delete(one.failing, other)
		}
	}
	one.FailingSince = time.Time{}
	for _, o := range one.outages {
		if one.FailingSince.IsZero() || o.since.Before(one.FailingSince) {
			one.FailingSince = o.since
		}
	}
	return over, code
}

// fail counts a failure. tell: it begins an outage that the log has not heard of.
func (one *record) fail(a address, f *Error, now time.Time) (tell bool) {
	if f.Class == Permanent || f.Class == Unreachable { // the message's own
		return false
	}
	one.Failures++
	one.Last = Trouble{At: now, Class: f.Class, Code: f.Code, ProviderCode: f.ProviderCode}
	if f.Err != nil {
		one.Last.Cause = f.Err.Error()
	}
	if f.Class == RateLimited { // it works
		return false
	}
	code := one.failing[a]
	if code == "" {
		one.row[a]++
		if !grave(f) && one.row[a] < inARow {
			return false
		}
		if code = f.Code; one.outages[code] == nil && len(one.outages) == mostCodes {
			code = "other"
		}
		one.failing[a] = code
	}
	o := one.outages[code]
	if o == nil {
		o = &outage{since: now}
		one.outages[code] = o
		if one.FailingSince.IsZero() {
			one.FailingSince = now
		}
	}
	o.failures++
	if o.told || len(one.toldAt) >= mostCodes && one.toldAt[code].IsZero() {
		return false
	}
	if last := one.toldAt[code]; !last.IsZero() && now.Sub(last).Abs() < reportEvery {
		return false
	}
	one.toldAt[code], o.told = now, true
	return true
}

// grave reports whether one failure says of a gateway that it doesn't work: it said so itself, or was not to be reached.
// One that it answered may be about the message, and one without an answer may be about the network's bad moment.
func grave(f *Error) bool {
	return f.Class == SenderDown || f.Class == Temporary && f.ProviderCode == ""
}
