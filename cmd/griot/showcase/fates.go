package showcase

import (
	"time"

	"example.com/griot/gateway"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
)

// events are the events of a message. Only those before the end of the history are kept.
type events struct {
	h    *history
	at   time.Time // of the latest one
	list []delivery.PastEvent
}

func (h *history) events(from time.Time) *events { return &events{h: h, at: from} }

// add appends an event at a time after the previous one.
func (f *events) add(after time.Duration, e delivery.PastEvent) *events {
	f.at = f.at.Add(after)
	if f.at.Before(f.h.o.Now) {
		e.At = f.at
		f.list = append(f.list, e)
	}
	return f
}

func (f *events) taken() *events {
	return f.add(f.h.about(140*time.Millisecond, 350*time.Millisecond), delivery.PastEvent{Kind: delivery.PastTaken})
}

func (f *events) refused(class gateway.Class, code string) *events {
	return f.add(f.h.about(200*time.Millisecond, 300*time.Millisecond), delivery.PastEvent{Kind: delivery.PastRefused, Err: &gateway.Error{Class: class, Code: code}})
}

func (f *events) receipt(after time.Duration, s message.Status) *events {
	return f.add(after, delivery.PastEvent{Kind: delivery.PastReceipt, Status: s})
}

// arrives adds that the message was delivered, and possibly read, with probabilities in percent.
func (f *events) arrives(delivered, read float64) *events {
	if !f.h.chance(delivered) {
		return f
	}
	f.receipt(f.h.about(900*time.Millisecond, 7*time.Second), message.Delivered)
	if f.h.chance(read) {
		f.receipt(f.h.about(20*time.Second, 20*time.Minute), message.Read)
	}
	return f
}

// fails adds that the gateway accepted the message and later reported a failure.
func (f *events) fails(code, provider string) *events {
	return f.taken().add(f.h.about(time.Second, 3*time.Second), delivery.PastEvent{
		Kind: delivery.PastReceipt, Status: message.Failed, Err: &gateway.Error{Class: gateway.Permanent, Code: code, ProviderCode: provider},
	})
}

// outage is the day on which the account's WhatsApp gateway was down.
const outage = 6

// whatsapp returns the events of a message that is only sent by WhatsApp, up to three times.
func (h *history) whatsapp(day int, at time.Time) []delivery.PastEvent {
	f := h.events(at)
	switch {
	case day == outage && h.chance(45):
		for n := range retries {
			if n > 0 {
				f.at = f.at.Add(retryDelay << (n - 1))
			}
			f.refused(gateway.SenderDown, "not_connected")
		}
	case h.chance(3):
		f.refused(gateway.Unreachable, "not_on_whatsapp")
	case h.chance(4):
		f.refused(gateway.Permanent, "message_refused")
	case h.chance(3):
		f.refused(gateway.RateLimited, "rate_limited").add(retryDelay, delivery.PastEvent{Kind: delivery.PastTaken}).arrives(96, 62)
	case h.chance(2) && day > 1:
		f.refused(gateway.Unknown, "timeout").add(message.Lifetime, delivery.PastEvent{Kind: delivery.PastExpired})
	case h.chance(2) && day > 1:
		f.add(message.Lifetime, delivery.PastEvent{Kind: delivery.PastExpired})
	default:
		f.taken().arrives(96, 62)
	}
	return f.list
}

const (
	retries    = 3
	retryDelay = 2 * time.Second
)

// auto returns the events of a message that can be sent by SMS if WhatsApp doesn't deliver it. The message is final,
// because a message that still waits for delivery would use its next route now.
func (h *history) auto(day int, at time.Time) []delivery.PastEvent {
	f := h.events(at)
	switch {
	case h.chance(14):
		f.refused(gateway.Unreachable, "not_on_whatsapp").taken().arrives(100, 0)
	case day == outage || h.chance(8):
		f.taken().add(fallbackAfter, delivery.PastEvent{Kind: delivery.PastFallback}).taken().arrives(100, 30)
	default:
		f.taken().arrives(100, 58)
	}
	return f.list
}

const fallbackAfter = 2 * time.Minute

func (h *history) sms(at time.Time) []delivery.PastEvent {
	f := h.events(at)
	if h.chance(4) {
		return f.fails("recipient_unknown", "EC_UNKNOWN_SUBSCRIBER").list
	}
	return f.taken().arrives(93, 0).list
}

func (h *history) mail(at time.Time) []delivery.PastEvent {
	f := h.events(at)
	if h.chance(3) {
		return f.fails("bounced", "550 5.1.1").list
	}
	return f.taken().arrives(95, 0).list
}
