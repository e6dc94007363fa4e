package smpp

import (
	"context"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"griot/gateway"
	"griot/gateway/smpp/pdu"
	"griot/gateway/smpp/smpptest"
)

// What a center says instead of an answer to submit_sm, and what the attempt is then.
func TestLink_Garbage(t *testing.T) {
	for name, talk := range map[string]func(w *wire, p pdu.PDU){
		"a length of nothing": func(w *wire, _ pdu.PDU) { _, _ = io.WriteString(w, "\x00\x00\x00\x00\x80\x00\x00\x04") },
		"a length of all":     func(w *wire, _ pdu.PDU) { _, _ = io.WriteString(w, "\xff\xff\xff\xff\x80\x00\x00\x04aissata!") },
		"HTTP":                func(w *wire, _ pdu.PDU) { _, _ = io.WriteString(w, "HTTP/1.1 400 22370000001\r\n\r\n") },
		"half a unit":         func(w *wire, _ pdu.PDU) { _, _ = io.WriteString(w, "\x00\x00\x00\x20\x80\x00\x00\x04") },
		"another's answer":    func(w *wire, p pdu.PDU) { p.Command = pdu.EnquireLink; w.answer(p, "") },
		"a nack of nothing":   func(w *wire, _ pdu.PDU) { w.say(pdu.PDU{Command: pdu.GenericNack, Status: pdu.InvalidCommandLen}) },
		"unbind":              func(w *wire, _ pdu.PDU) { w.say(pdu.PDU{Command: pdu.Unbind, Sequence: 1}) },
		"nothing":             func(*wire, pdu.PDU) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			submitted := 0
			r := start(t, settingsFor(play(t, func(w *wire) {
				w.welcome()
				for {
					p, err := pdu.Read(w.r)
					if err != nil || p.Command != pdu.SubmitSM {
						return
					}
					mu.Lock()
					submitted++
					first := submitted == 1
					mu.Unlock()
					if first {
						talk(w, p)
						return
					}
					w.answer(p, "7\x00")
				}
			}), nil))
			_, err := r.Send(within(t), text("Bonjour"))
			wantFailure(t, err, "unknown answer_lost")
			if strings.Contains(err.Error(), aissata) {
				t.Errorf("the error repeats what the center says: %v", err)
			}
			ack, err := r.Send(within(t), text("Bonjour encore")) // on the next connection
			r.must(err)
			mu.Lock()
			defer mu.Unlock()
			if ack.ProviderID != "7" || submitted != 2 {
				t.Errorf("acknowledged as %q after %d submits, want 7 and 2", ack.ProviderID, submitted)
			}
		})
	}
}

// What a center may do that ends nothing.
func TestLink_Oddities(t *testing.T) {
	for name, tt := range map[string]struct {
		talk func(w *wire, p pdu.PDU)
		id   string
		want string
	}{
		"a nack of the submit": {func(w *wire, p pdu.PDU) {
			w.say(pdu.PDU{Command: pdu.GenericNack, Status: pdu.Throttled, Sequence: p.Sequence})
		}, "", "rate_limited throttled 0x00000058"},
		"a nack without a status":  {func(w *wire, p pdu.PDU) { w.say(pdu.PDU{Command: pdu.GenericNack, Sequence: p.Sequence}) }, "", "temporary refused_for_now 0x000000ff"},
		"no id":                    {func(w *wire, p pdu.PDU) { w.answer(p, "") }, "", ""},
		"an id without an end":     {func(w *wire, p pdu.PDU) { w.answer(p, "77") }, "", ""},
		"an answer nobody expects": {func(w *wire, p pdu.PDU) { p.Sequence += 9; w.answer(p, "1\x00"); p.Sequence -= 9; w.answer(p, "2\x00") }, "2", ""},
		"an alert": {func(w *wire, p pdu.PDU) {
			w.say(pdu.PDU{Command: pdu.AlertNotification, Sequence: 3})
			w.answer(p, "2\x00")
		}, "2", ""},
		"a command we don't know": {func(w *wire, p pdu.PDU) {
			w.say(pdu.PDU{Command: 0x103, Sequence: 9}) // data_sm
			if nack := w.hear(pdu.GenericNack); nack.Sequence != 9 || nack.Status != pdu.InvalidCommandID {
				w.t.Errorf("answered by %+v", nack)
			}
			w.answer(p, "2\x00")
		}, "2", ""},
		"an enquiry": {func(w *wire, p pdu.PDU) {
			w.say(pdu.PDU{Command: pdu.EnquireLink, Sequence: 9})
			if resp := w.hear(pdu.EnquireLink.Response()); resp.Sequence != 9 {
				w.t.Errorf("answered by %+v", resp)
			}
			w.answer(p, "2\x00")
		}, "2", ""},
		"a deliver_sm that can't be read": {func(w *wire, p pdu.PDU) {
			w.say(pdu.PDU{Command: pdu.DeliverSM, Sequence: 9, Body: []byte("aissata")})
			if resp := w.hear(pdu.DeliverSM.Response()); resp.Status != pdu.InvalidCommandLen {
				w.t.Errorf("answered by %+v", resp)
			}
			w.answer(p, "2\x00")
		}, "2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, settingsFor(play(t, func(w *wire) {
				w.welcome()
				tt.talk(w, w.hear(pdu.SubmitSM))
				w.listens()
			}), nil))
			ack, err := r.Send(within(t), text("Bonjour"))
			if tt.want != "" {
				wantFailure(t, err, tt.want)
			} else if err != nil || ack.ProviderID != tt.id {
				t.Errorf("%+v, %v; want id %q", ack, err, tt.id)
			}
		})
	}
}

// A slow center: the outcome is unknown after a while. The answer that comes late
// still ties the center's id to our reference, so that a receipt settles the message.
func TestLink_SlowCenter(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	late := make(chan struct{})
	c.Replies(func(smpptest.Submit) smpptest.Reply { return smpptest.Reply{After: late} })
	r := start(t, settingsFor(c.Port(), nil))
	out := text("Bonjour")
	ctx, giveUp := context.WithCancel(t.Context())
	go func() {
		_ = c.WaitFor(within(t), func() bool { return len(c.Submits()) == 1 })
		giveUp()
	}()
	_, err := r.Send(ctx, out)
	wantFailure(t, err, "unknown answer_lost")
	close(late)
	c.Replies(nil)
	_, err = r.Send(within(t), text("Bonsoir")) // its answer comes after the late one
	r.must(err)
	c.Deliver(smpptest.Delivered(c.Submits()[0]))
	r.must(r.Sink.Wait(within(t), func() bool { return len(r.Sink.Receipts()) == 2 }))
	for _, got := range r.Sink.Receipts() {
		if got.Ref != out.Ref || got.Status != gateway.ReceiptDelivered {
			t.Errorf("receipt %+v, want one for %s", got, out.Ref)
		}
	}
	if len(c.Submits()) != 2 || c.Attempts() != 1 {
		t.Errorf("%d submits on %d connections", len(c.Submits()), c.Attempts())
	}
}

// A center that has stopped reading ends the connection, and what didn't leave whole is repeated safely.
func TestLink_CenterThatDoesNotRead(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	defer close(stop)
	r := start(t, settingsFor(play(t, func(w *wire) {
		w.welcome()
		<-stop
	}), map[string]any{"response_timeout": 1, "window": 1000, "long_messages": "payload", "connect_timeout": 1}))
	r.must(r.connected(within(t)))
	long := text(strings.Repeat("a", 38_000))
	const many = 500
	failures := make(chan *gateway.Error, many)
	for range many { // more than sockets buffer
		go func() {
			_, err := r.Send(context.Background(), long)
			failures <- gateway.AsError(err)
		}()
	}
	classes := map[gateway.Class]int{}
	for range many {
		classes[(<-failures).Class]++
	}
	if classes[gateway.Unknown] == 0 || classes[gateway.Temporary] == 0 || classes[gateway.Unknown]+classes[gateway.Temporary] != many {
		t.Errorf("%v, want some unknown, and those that didn't leave temporary", classes)
	}
}

// No more submits are without an answer than the window allows.
func TestLink_Window(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	answer := make(chan struct{})
	c.Replies(func(smpptest.Submit) smpptest.Reply { return smpptest.Reply{After: answer} })
	r := start(t, settingsFor(c.Port(), map[string]any{"window": 3}))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := r.Send(within(t), text("Bonjour")); err != nil {
				t.Error(err)
			}
		})
	}
	r.must(c.WaitFor(within(t), func() bool { return len(c.Submits()) == 3 }))
	r.mu.Lock()
	l := r.link
	r.mu.Unlock()
	if q, err := l.ask(pdu.EnquireLink, nil, parcel{}); err != nil || !l.wait(q, 10*time.Second) { // a fourth submit would have overtaken this
		t.Fatal(err)
	}
	if n := len(c.Submits()); n != 3 {
		t.Errorf("%d submits are without an answer, want 3", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.Send(ctx, text("Bonjour"))
	wantFailure(t, err, "temporary timeout")
	close(answer)
	all.Wait()
}

// Run ends: what is under way is answered first, and the center is told.
func TestRun_Drains(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	answer := make(chan struct{})
	c.Replies(func(smpptest.Submit) smpptest.Reply { return smpptest.Reply{After: answer} })
	r := open(t, settingsFor(c.Port(), nil))
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	r.must(r.connected(within(t)))
	sent := make(chan error, 1)
	go func() {
		_, err := r.Send(context.Background(), text("Bonjour"))
		sent <- err
	}()
	r.must(c.WaitFor(within(t), func() bool { return len(c.Submits()) == 1 }))
	r.mu.Lock()
	l := r.link
	r.mu.Unlock()
	end()
	for !r.arrivals.refusing.Load() { // the drain has begun
		runtime.Gosched()
	}
	for range 5 { // what comes after a drain would have come by now
		if q, err := l.ask(pdu.EnquireLink, nil, parcel{}); err != nil || !l.wait(q, 10*time.Second) {
			t.Fatal("the connection has ended before the answer came")
		}
	}
	close(answer)
	if err := <-sent; err != nil {
		t.Errorf("a send under way when Run ends: %v", err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	_, err := r.Send(t.Context(), text("Bonjour"))
	wantFailure(t, err, "sender_down closed")
	if state := r.State(gateway.SMS, griot); state != gateway.Disconnected {
		t.Errorf("state is %s", state)
	}
}

// Close cuts off what is under way: what has left is unknown, what waits for its turn isn't.
func TestClose_MidSend(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	c.Replies(func(smpptest.Submit) smpptest.Reply { return smpptest.Reply{Silent: true} })
	r := start(t, settingsFor(c.Port(), map[string]any{"window": 1}))
	failures := make(chan *gateway.Error, 2)
	for range 2 {
		go func() {
			_, err := r.Send(context.Background(), text("Bonjour"))
			failures <- gateway.AsError(err)
		}()
	}
	r.must(c.WaitFor(within(t), func() bool { return len(c.Submits()) == 1 }))
	r.must(r.Close())
	got := map[gateway.Class]string{}
	for range 2 {
		e := <-failures
		got[e.Class] = e.Code
	}
	if got[gateway.Unknown] != "answer_lost" || got[gateway.SenderDown] != "closed" {
		t.Errorf("%v, want one unknown, one closed", got)
	}
}
