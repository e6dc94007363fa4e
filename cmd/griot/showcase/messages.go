package showcase

import (
	"fmt"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/otp"
)

// app is the name in the account's messages.
const app = "Kalabash"

// addTraffic adds the account's messages day by day, then the scheduled ones.
func (h *history) addTraffic() error {
	for days := Days - 1; days >= 0; days-- {
		for range h.count(days, 13) {
			if err := h.addMessage(days); err != nil {
				return err
			}
		}
		if days%5 == 2 {
			h.addCanceled(days)
		}
	}
	h.addWaiting()
	return h.addPumping()
}

func (h *history) addMessage(days int) error {
	at, to := h.ago(days), pick(h, customers())
	switch n := h.random.IntN(100); {
	case n < 34:
		h.add(h.caller(), at, h.order(to, gateway.WhatsApp), h.whatsapp(days, at))
	case n < 54:
		r := h.order(to, message.Auto)
		r.FallbackAfter = fallbackAfter
		h.add(h.caller(), at, r, h.auto(days, at))
	case n < 76:
		return h.addCode(at, to.number, h.codeEvents(at), h.chance(88))
	case n < 85:
		h.add(h.live, at, &message.Request{
			To: to.number, Channel: gateway.SMS, Source: message.SourceBatch,
			Content: message.Content{Text: fmt.Sprintf("%s : votre colis arrive demain entre 9 h et 12 h. Repondez STOP pour ne plus recevoir de SMS.", app)},
		}, h.sms(at))
	case n < 95:
		h.add(h.live, at, h.receiptMail(to), h.mail(at))
	default:
		h.add(h.test, at, h.order(to, gateway.WhatsApp), nil)
	}
	return nil
}

func (h *history) add(c *account.Caller, at time.Time, r *message.Request, events []delivery.PastEvent) {
	h.entries = append(h.entries, entry{at: at, message: &delivery.Past{Caller: c, Request: r, At: at, Events: events}})
}

// caller returns the account, or its project.
func (h *history) caller() *account.Caller {
	if h.chance(40) {
		return h.project
	}
	return h.live
}

func (h *history) nextOrder() string {
	h.orders += 1 + h.random.IntN(4)
	return fmt.Sprintf("KB-%d", h.orders)
}

// order returns a message about an order that uses one of the presets.
func (h *history) order(to person, channel gateway.Channel) *message.Request {
	id := h.nextOrder()
	r := &message.Request{
		To: to.number, Channel: channel, Source: message.SourceAPI, Metadata: message.Metadata{"orderId": id},
		Retry: message.Retry{Max: retries, Delay: retryDelay.Milliseconds()},
	}
	switch h.random.IntN(4) {
	case 0:
		r.Preset, r.Variables = "order_confirmed", map[string]string{"orderId": id, "app": app, "amount": fmt.Sprintf("%d 500 F CFA", 2+h.random.IntN(60))}
	case 1:
		r.Preset, r.Variables = "order_shipped", map[string]string{"orderId": id, "app": app, "carrier": "Sotrama Express"}
	case 2:
		r.Preset, r.Variables = "delivery_out", map[string]string{"orderId": id, "app": app, "window": "14 h – 16 h"}
	default:
		r.Preset, r.Variables = "payment_received", map[string]string{"amount": fmt.Sprintf("%d 000 F CFA", 3+h.random.IntN(90)), "app": app, "reference": id}
	}
	return r
}

func (h *history) receiptMail(to person) *message.Request {
	id := h.nextOrder()
	return &message.Request{
		To: to.email, Channel: gateway.Email, Source: message.SourceAPI, Metadata: message.Metadata{"orderId": id},
		Content: message.Content{
			Subject: "Votre facture " + id,
			Text:    fmt.Sprintf("Bonjour %s,\n\nvoici la facture de votre commande %s.\n\nMerci de votre confiance,\n%s", to.name, id, app),
			HTML:    fmt.Sprintf("<h1>Facture %s</h1><p>Bonjour %s,</p><p>voici la facture de votre commande. Merci de votre confiance.</p><p>%s</p>", id, to.name, app),
		},
	}
}

// addCanceled adds a scheduled message that was canceled.
func (h *history) addCanceled(days int) {
	at := h.ago(days)
	r := h.order(pick(h, customers()), gateway.WhatsApp)
	r.ScheduledAt = at.Add(26 * time.Hour)
	h.add(h.live, at, r, h.events(at).add(h.between(time.Minute, time.Hour), delivery.PastEvent{Kind: delivery.PastCanceled}).list)
}

// addWaiting adds unsent messages: one that is retried in an hour, and some that are scheduled. So no message of the
// history is sent while someone watches the messages that they have just sent.
func (h *history) addWaiting() {
	at := h.o.Now.Add(-4 * time.Minute)
	r := h.order(pick(h, customers()), gateway.WhatsApp)
	r.Retry = message.Retry{Max: message.MaxAttempts, Delay: message.MaxRetryDelay.Milliseconds()}
	h.add(h.live, at, r, h.events(at).refused(gateway.SenderDown, "not_connected").list)
	for n := range 3 {
		at := h.ago(0)
		r := h.order(pick(h, customers()), gateway.WhatsApp)
		r.ScheduledAt = h.o.Now.Add(time.Duration(n+1)*24*time.Hour + h.between(0, 6*time.Hour))
		h.add(h.live, at, r, nil)
	}
}

// codeEvents returns the events of a code's message, which tries every route immediately.
func (h *history) codeEvents(at time.Time) []delivery.PastEvent {
	f := h.events(at)
	if h.chance(15) {
		f.refused(gateway.Unreachable, "not_on_whatsapp")
	}
	return f.taken().arrives(97, 0).list
}

func (h *history) addCode(at time.Time, to string, events []delivery.PastEvent, verified bool) error {
	r := otp.NewRequest()
	r.To, r.App = to, app
	p := &otp.Past{Caller: h.live, Request: r, At: at, Events: events}
	if h.chance(8) {
		p.WrongTries = 1 + h.random.IntN(2)
	}
	if when := at.Add(h.about(7*time.Second, 12*time.Second)); verified && when.Before(at.Add(r.TTL)) && when.Before(h.o.Now) {
		p.VerifiedAt = when
	}
	past, err := h.o.OTP.Import(p, h.o.Now)
	h.entries = append(h.entries, entry{at: at, message: past})
	return err
}

// addPumping adds codes of this day to numbers that look like fraud: consecutive, and never verified.
func (h *history) addPumping() error {
	at := h.o.Now.Add(-9 * time.Hour)
	for n := range 8 {
		if err := h.addCode(at, fmt.Sprintf("2250700114%03d", 3*n), h.events(at).refused(gateway.Unreachable, "not_on_whatsapp").taken().list, false); err != nil {
			return err
		}
		at = at.Add(h.between(4*time.Second, 20*time.Second))
	}
	return nil
}
