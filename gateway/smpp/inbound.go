package smpp

import (
	"context"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/smpp/pdu"
)

const (
	workers       = 8
	queueLength   = 16 // of each worker; a unit has at most 68 KiB
	drainTimeout  = 5 * time.Second
	sweepInterval = 30 * time.Second
)

// inboundQueues pass the center's deliveries to the sink and acknowledge them to the center.
type inboundQueues struct {
	s        *sender
	queues   [workers]chan received
	draining atomic.Bool // new deliver_sm are refused, so that the center keeps them
	parts    *reassembly
	dedup    *deduplicator
}

// received is a deliver_sm or a data_sm. If flushed is set, it is a marker, which is signaled after the queue before it is processed.
type received struct {
	link    *link
	unit    pdu.PDU
	message pdu.Message // the unit's body
	flushed chan<- struct{}
}

func newInboundQueues(s *sender) *inboundQueues {
	a := &inboundQueues{s: s, parts: newReassembly(s.now), dedup: newDeduplicator(dedupSize)}
	a.parts.onSplit = func() {
		s.log.Warn("long SMS are stored in parts: it isn't certain which parts belong together")
	}
	for i := range a.queues {
		a.queues[i] = make(chan received, queueLength)
	}
	return a
}

// run starts the workers. They end with ctx.
func (a *inboundQueues) run(ctx context.Context, wg *sync.WaitGroup) {
	a.draining.Store(false)
	for _, q := range a.queues {
		wg.Go(func() { a.worker(ctx, q) })
	}
	wg.Go(func() {
		tick := time.NewTicker(sweepInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				a.storeDue(ctx, false)
			case <-ctx.Done():
				return
			}
		}
	})
}

// enqueue queues a deliver_sm or a data_sm, or returns the status for refusing it. One person's messages go into one queue, which
// preserves their order.
func (a *inboundQueues) enqueue(l *link, p pdu.PDU) (refusal pdu.Status) {
	m, err := pdu.ParseDelivery(p.Command, p.Body)
	if err != nil { // it is cut off before the text
		a.drop(gateway.UnhandledUnreadable, 0)
		return pdu.InvalidCommandLen
	}
	if a.draining.Load() {
		return pdu.TemporaryAppError
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(m.Source.Addr))
	select {
	case a.queues[h.Sum32()%workers] <- received{link: l, unit: p, message: m}:
		return pdu.OK
	default:
		return pdu.TemporaryAppError
	}
}

func (a *inboundQueues) worker(ctx context.Context, q chan received) {
	for {
		select {
		case <-ctx.Done():
			return
		case x := <-q:
			if x.flushed != nil {
				x.flushed <- struct{}{}
				continue
			}
			a.process(ctx, x)
		}
	}
}

// process stores one deliver_sm or data_sm and responds to it.
func (a *inboundQueues) process(ctx context.Context, x received) {
	if !x.link.alive() {
		return // the center will deliver it again
	}
	var err error
	switch m := &x.message; {
	case a.s.settings.isReceipt(m):
		err = a.receipt(ctx, x.link, m)
	case a.s.settings.isDeviceAck(m):
		a.drop(gateway.UnhandledKind, m.DataCoding)
	default:
		err = a.message(ctx, x, m)
	}
	status := pdu.OK
	if err != nil {
		a.s.log.Debug("an SMPP delivery isn't stored", "err", err)
		status = pdu.TemporaryAppError
	}
	_ = x.link.respond(x.unit, status) // an error has ended the link
}

func (a *inboundQueues) receipt(ctx context.Context, l *link, m *pdu.Message) error {
	r := a.s.settings.parseReport(m)
	if !r.readable() {
		a.s.log.Warn("an SMPP receipt can't be read", "id", len(r.ids) > 0, "state", r.state != "", "dataCoding", m.DataCoding)
		a.s.countUnreadable()
		return nil
	}
	out, ok := a.s.settings.receipt(r)
	if !ok {
		return nil
	}
	if !a.s.ids.knows(r.ids) {
		l.waitForSubmits()
	}
	out.At = a.s.now()
	if out, ok = a.s.ids.messageReceipt(r.ids, out); !ok {
		return nil
	}
	return a.s.sink.Receipt(ctx, out)
}

func (a *inboundQueues) message(ctx context.Context, x received, m *pdu.Message) error {
	in := gateway.Inbound{Channel: gateway.SMS, To: a.s.settings.receiver(m.Destination), Type: gateway.InboundText, At: a.s.now()}
	ok := a.s.settings.setSender(&in, m.Source)
	if !ok {
		a.drop(gateway.UnhandledNoSender, m.DataCoding)
		return nil
	}
	part, text := cutHeader(m)
	if part.total > 1 {
		return a.addPart(ctx, in, m, part, text)
	}
	if in.Text, ok = a.s.settings.decode(m.DataCoding, text); !ok || in.Text == "" && m.ESMClass&pdu.ESMTypeMask != 0 {
		a.drop(gateway.UnhandledKind, m.DataCoding)
		return nil
	}
	d := a.dedup.identify(x.unit.Body, x.link.history, in.At)
	if d.stored {
		return nil // it repeats a stored message
	}
	in.ID = d.id
	if err := a.s.sink.Inbound(ctx, in); err != nil {
		return err
	}
	a.dedup.markStored(d, x.link.history, in.At)
	return nil
}

// drop counts and logs a message that is not stored, although it is acknowledged or can't be delivered again.
func (a *inboundQueues) drop(reason string, coding byte) {
	a.s.countUnhandled(reason)
	a.s.log.Warn("an SMPP message was dropped: "+reason, "dataCoding", coding) //nolint:sloglint // one of a few messages, so that the limit of the log is that of each reason
}

// addPart adds a part of a longer text. With the last part, it passes the text to the sink.
func (a *inboundQueues) addPart(ctx context.Context, in gateway.Inbound, m *pdu.Message, p part, text segment) error {
	key := textKey{from: in.From, local: in.Local, to: in.To, reference: p.reference, form: p.form, total: p.total, coding: m.DataCoding}
	for {
		due, added, err := a.parts.add(key, p.number, text)
		if err != nil || due == nil {
			return err
		}
		if err := a.store(ctx, due); err != nil || added {
			return err
		}
	}
}

// store passes the received parts of a text to the sink as one text.
func (a *inboundQueues) store(ctx context.Context, t *longText) error {
	if text, ok := a.s.settings.decode(t.key.coding, t.segments()...); !ok {
		a.drop(gateway.UnhandledKind, t.key.coding)
	} else {
		in := gateway.Inbound{ID: t.id, Channel: gateway.SMS, From: t.key.from, Local: t.key.local, To: t.key.to, Type: gateway.InboundText, Text: text, At: t.since}
		if err := a.s.sink.Inbound(ctx, in); err != nil {
			a.parts.release(t)
			return err
		}
	}
	a.parts.markStored(t)
	return nil
}

// storeDue stores the texts whose timeout for missing parts has passed, or all texts at the end.
func (a *inboundQueues) storeDue(ctx context.Context, all bool) {
	for list := a.parts.due(all); len(list) > 0 && a.storeIncomplete(ctx, list); {
		list = a.parts.due(all)
	}
}

// storeIncomplete stores texts and reports whether all of them are stored.
func (a *inboundQueues) storeIncomplete(ctx context.Context, list []*longText) (all bool) {
	all = true
	for _, t := range list {
		if err := a.store(ctx, t); err != nil {
			a.s.log.Warn("smpp can't store an incomplete message yet", "err", err)
			all = false
		}
	}
	return all
}

// refuseNew makes the queues refuse further deliver_sm.
func (a *inboundQueues) refuseNew() { a.draining.Store(true) }

// drain waits up to drainTimeout until the queued messages are stored, and then stores incomplete texts.
func (a *inboundQueues) drain(ctx context.Context) {
	a.refuseNew()
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	flushed := make(chan struct{}, workers)
	for _, q := range a.queues {
		select {
		case q <- received{flushed: flushed}:
		case <-ctx.Done():
			return
		}
	}
	for range a.queues {
		select {
		case <-flushed:
		case <-ctx.Done():
			return
		}
	}
	a.storeDue(ctx, true)
}
