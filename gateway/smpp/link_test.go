package smpp

import (
	"context"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/gateway/smpp/smpptest"
	"example.com/griot/internal/waittest"
)

// The outcome of a Send if the center sends something other than a response to submit_sm.
func TestLink_Garbage(t *testing.T) {
	for name, script := range map[string]func(w *wire, p pdu.PDU){
		"length 0":          func(w *wire, _ pdu.PDU) { _, _ = io.WriteString(w, "\x00\x00\x00\x00\x80\x00\x00\x04") },
		"length 4 GiB":      func(w *wire, _ pdu.PDU) { _, _ = io.WriteString(w, "\xff\xff\xff\xff\x80\x00\x00\x04aissata!") },
		"HTTP":              func(w *wire, _ pdu.PDU) { _, _ = io.WriteString(w, "HTTP/1.1 400 22370000001\r\n\r\n") },
		"half a unit":       func(w *wire, _ pdu.PDU) { _, _ = io.WriteString(w, "\x00\x00\x00\x20\x80\x00\x00\x04") },
		"another response":  func(w *wire, p pdu.PDU) { p.Command = pdu.EnquireLink; w.answer(p, "") },
		"a nack of nothing": func(w *wire, _ pdu.PDU) { w.write(pdu.PDU{Command: pdu.GenericNack, Status: pdu.InvalidCommandLen}) },
		"unbind":            func(w *wire, _ pdu.PDU) { w.write(pdu.PDU{Command: pdu.Unbind, Sequence: 1}) },
		"nothing":           func(*wire, pdu.PDU) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			submitted := 0
			r := start(t, settingsFor(serveScripts(t, func(w *wire) {
				w.acceptBind()
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
						script(w, p)
						return
					}
					w.answer(p, "7\x00")
				}
			}), nil))
			_, err := r.Send(testContext(t), text("Bonjour"))
			gatewaytest.WantFailure(t, err, "unknown answer_lost")
			if strings.Contains(err.Error(), aissata) {
				t.Errorf("the error repeats what the center sent: %v", err)
			}
			ack, err := r.Send(testContext(t), text("Bonjour encore")) // on the next connection
			r.must(err)
			mu.Lock()
			defer mu.Unlock()
			if ack.ProviderID != "7" || submitted != 2 {
				t.Errorf("acknowledged as %q after %d submits, want 7 and 2", ack.ProviderID, submitted)
			}
		})
	}
}

// Unusual units that don't end the connection.
func TestLink_Oddities(t *testing.T) {
	for name, tt := range map[string]struct {
		talk func(w *wire, p pdu.PDU)
		id   string
		want string
	}{
		"a nack of the submit": {func(w *wire, p pdu.PDU) {
			w.write(pdu.PDU{Command: pdu.GenericNack, Status: pdu.Throttled, Sequence: p.Sequence})
		}, "", "rate_limited throttled 0x00000058"},
		"a nack without a status":  {func(w *wire, p pdu.PDU) { w.write(pdu.PDU{Command: pdu.GenericNack, Sequence: p.Sequence}) }, "", "temporary refused_for_now 0x000000ff"},
		"no id":                    {func(w *wire, p pdu.PDU) { w.answer(p, "") }, "", ""},
		"an id without an end":     {func(w *wire, p pdu.PDU) { w.answer(p, "77") }, "", ""},
		"an answer nobody expects": {func(w *wire, p pdu.PDU) { p.Sequence += 9; w.answer(p, "1\x00"); p.Sequence -= 9; w.answer(p, "2\x00") }, "2", ""},
		"an alert": {func(w *wire, p pdu.PDU) {
			w.write(pdu.PDU{Command: pdu.AlertNotification, Sequence: 3})
			w.answer(p, "2\x00")
		}, "2", ""},
		"a command we don't know": {func(w *wire, p pdu.PDU) {
			w.write(pdu.PDU{Command: 0x21, Sequence: 9}) // submit_multi
			if nack := w.expect(pdu.GenericNack); nack.Sequence != 9 || nack.Status != pdu.InvalidCommandID {
				w.t.Errorf("answered by %+v", nack)
			}
			w.answer(p, "2\x00")
		}, "2", ""},
		"an enquiry": {func(w *wire, p pdu.PDU) {
			w.write(pdu.PDU{Command: pdu.EnquireLink, Sequence: 9})
			if resp := w.expect(pdu.EnquireLink.Response()); resp.Sequence != 9 {
				w.t.Errorf("answered by %+v", resp)
			}
			w.answer(p, "2\x00")
		}, "2", ""},
		"a deliver_sm that can't be read": {func(w *wire, p pdu.PDU) {
			w.write(pdu.PDU{Command: pdu.DeliverSM, Sequence: 9, Body: []byte("aissata")})
			if resp := w.expect(pdu.DeliverSM.Response()); resp.Status != pdu.InvalidCommandLen {
				w.t.Errorf("answered by %+v", resp)
			}
			w.answer(p, "2\x00")
		}, "2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, settingsFor(serveScripts(t, func(w *wire) {
				w.acceptBind()
				tt.talk(w, w.expect(pdu.SubmitSM))
				w.readToEnd()
			}), nil))
			ack, err := r.Send(testContext(t), text("Bonjour"))
			if tt.want != "" {
				gatewaytest.WantFailure(t, err, tt.want)
			} else if err != nil || ack.ProviderID != tt.id {
				t.Errorf("%+v, %v; want id %q", ack, err, tt.id)
			}
		})
	}
}

// The outcome is unknown when the center is slow. The late response still maps the
// center's id to our reference, so that the receipt has both.
func TestLink_SlowCenter(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	late := make(chan struct{})
	c.OnSubmit(func(smpptest.Submit) smpptest.Reply { return smpptest.Reply{After: late} })
	r := start(t, settingsFor(c.Port(), nil))
	out := text("Bonjour")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_ = c.WaitFor(testContext(t), func() bool { return len(c.Submits()) == 1 })
		cancel()
	}()
	_, err := r.Send(ctx, out)
	gatewaytest.WantFailure(t, err, "unknown answer_lost")
	close(late)
	c.OnSubmit(nil)
	_, err = r.Send(testContext(t), text("Bonsoir")) // its response comes after the late one
	r.must(err)
	c.Deliver(smpptest.Delivered(c.Submits()[0]))
	r.must(r.Sink.Wait(testContext(t), func() bool { return len(r.Sink.Receipts()) == 2 }))
	for _, got := range r.Sink.Receipts() {
		if got.Ref != out.Ref || got.Status != gateway.ReceiptDelivered {
			t.Errorf("receipt %+v, want one for %s", got, out.Ref)
		}
	}
	if len(c.Submits()) != 2 || c.BindCount() != 1 {
		t.Errorf("%d submits on %d connections", len(c.Submits()), c.BindCount())
	}
}

// The driver closes the connection of a center that doesn't read; units that weren't written whole are Temporary.
func TestLink_CenterThatDoesNotRead(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	defer close(stop)
	r := start(t, settingsFor(serveScripts(t, func(w *wire) {
		w.acceptBind()
		<-stop
	}), map[string]any{"response_timeout": 1, "window": 1000, "long_messages": "payload", "connect_timeout": 1}))
	r.must(r.connected(testContext(t)))
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
		classes[waittest.Receive(t, failures).Class]++
	}
	if classes[gateway.Unknown] == 0 || classes[gateway.Temporary] == 0 || classes[gateway.Unknown]+classes[gateway.Temporary] != many {
		t.Errorf("%v, want unknown for units that were written, temporary for the others", classes)
	}
}

// The number of submit_sm without a response does not exceed the window.
func TestLink_Window(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	answer := make(chan struct{})
	c.OnSubmit(func(smpptest.Submit) smpptest.Reply { return smpptest.Reply{After: answer} })
	r := start(t, settingsFor(c.Port(), map[string]any{"window": 3}))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := r.Send(testContext(t), text("Bonjour")); err != nil {
				t.Error(err)
			}
		})
	}
	r.must(c.WaitFor(testContext(t), func() bool { return len(c.Submits()) == 3 }))
	r.mu.Lock()
	l := r.link
	r.mu.Unlock()
	if q, err := l.send(pdu.EnquireLink, nil, outgoing{}); err != nil || !l.wait(q, waittest.Limit) { // a fourth submit_sm would be written before this
		t.Fatalf("enquire_link: got %v, or no answer; want one", err)
	}
	if n := len(c.Submits()); n != 3 {
		t.Errorf("%d submits are without an answer, want 3", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.Send(ctx, text("Bonjour"))
	gatewaytest.WantFailure(t, err, "temporary timeout")
	close(answer)
	all.Wait()
}

// Run ends after the responses to submit_sm in flight, and unbinds.
func TestRun_Drains(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	answer := make(chan struct{})
	c.OnSubmit(func(smpptest.Submit) smpptest.Reply { return smpptest.Reply{After: answer} })
	r := open(t, settingsFor(c.Port(), nil))
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	r.must(r.connected(testContext(t)))
	sent := make(chan error, 1)
	go func() {
		_, err := r.Send(context.Background(), text("Bonjour"))
		sent <- err
	}()
	r.must(c.WaitFor(testContext(t), func() bool { return len(c.Submits()) == 1 }))
	r.mu.Lock()
	l := r.link
	r.mu.Unlock()
	end()
	for !r.inbound.draining.Load() { // the drain has begun
		runtime.Gosched()
	}
	for range 5 { // an unbind would come before these
		if q, err := l.send(pdu.EnquireLink, nil, outgoing{}); err != nil || !l.wait(q, waittest.Limit) {
			t.Fatal("the connection has ended before the response came")
		}
	}
	close(answer)
	if err := waittest.Receive(t, sent); err != nil {
		t.Errorf("a send under way when Run ends: %v", err)
	}
	if err := waittest.Receive(t, ended); err != nil {
		t.Error(err)
	}
	_, err := r.Send(t.Context(), text("Bonjour"))
	gatewaytest.WantFailure(t, err, "sender_down closed")
	if state := r.State(gateway.SMS, griot).State; state != gateway.Disconnected {
		t.Errorf("state is %s", state)
	}
}

// Close ends the Sends in flight: the outcome of written units is unknown, but not that of units that wait for the window.
func TestClose_MidSend(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	c.OnSubmit(func(smpptest.Submit) smpptest.Reply { return smpptest.Reply{Silent: true} })
	r := start(t, settingsFor(c.Port(), map[string]any{"window": 1}))
	failures := make(chan *gateway.Error, 2)
	for range 2 {
		go func() {
			_, err := r.Send(context.Background(), text("Bonjour"))
			failures <- gateway.AsError(err)
		}()
	}
	r.must(c.WaitFor(testContext(t), func() bool { return len(c.Submits()) == 1 }))
	r.must(r.Close())
	got := map[gateway.Class]string{}
	for range 2 {
		e := waittest.Receive(t, failures)
		got[e.Class] = e.Code
	}
	if got[gateway.Unknown] != "answer_lost" || got[gateway.SenderDown] != "closed" {
		t.Errorf("%v, want one unknown, one closed", got)
	}
}
