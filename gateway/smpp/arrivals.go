package smpp

import (
	"context"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"time"

	"griot/gateway"
	"griot/gateway/smpp/pdu"
)

const (
	workers     = 8
	queueLength = 16 // for each worker: a unit has 68 KiB at most
	lastStores  = 5 * time.Second
	sweepEvery  = 30 * time.Second
)

// arrivals gives the sink what the center delivers, and the center the sink's word.
type arrivals struct {
	s        *sender
	queues   [workers]chan arrival
	refusing atomic.Bool // the process is ending: the center shall keep what it has
	parts    *parts
	seen     *seen
}

// arrival is a deliver_sm, or, with reached, a mark in a queue.
type arrival struct {
	link    *link
	unit    pdu.PDU
	message pdu.Message // the unit's body
	reached chan<- struct{}
}

func newArrivals(s *sender) *arrivals {
	a := &arrivals{s: s, parts: newParts(s.now), seen: newSeen(seenSize)}
	for i := range a.queues {
		a.queues[i] = make(chan arrival, queueLength)
	}
	return a
}

// run starts the workers, which end with ctx.
func (a *arrivals) run(ctx context.Context, wg *sync.WaitGroup) {
	a.refusing.Store(false)
	for _, q := range a.queues {
		wg.Go(func() { a.work(ctx, q) })
	}
	wg.Go(func() {
		tick := time.NewTicker(sweepEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				a.giveUp(ctx, a.parts.due(false))
			case <-ctx.Done():
				return
			}
		}
	})
}

// queue takes a deliver_sm, unless there are too many: then it returns with what to
// answer. All of one person's go the same way, so that they stay in order.
func (a *arrivals) queue(l *link, p pdu.PDU) (refusal pdu.Status) {
	m, err := pdu.ParseMessage(p.Body)
	if err != nil {
		return pdu.InvalidCommandLen
	}
	if a.refusing.Load() {
		return pdu.TemporaryAppError
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(m.Source.Addr))
	select {
	case a.queues[h.Sum32()%workers] <- arrival{link: l, unit: p, message: m}:
		return pdu.OK
	default:
		return pdu.TemporaryAppError
	}
}

func (a *arrivals) work(ctx context.Context, q chan arrival) {
	for {
		select {
		case <-ctx.Done():
			return
		case x := <-q:
			if x.reached != nil {
				x.reached <- struct{}{}
				continue
			}
			a.take(ctx, x)
		}
	}
}

// take handles one deliver_sm, and answers it.
func (a *arrivals) take(ctx context.Context, x arrival) {
	if !x.link.alive() {
		return // the center will bring it again
	}
	var err error
	switch m := &x.message; {
	case isReceipt(m):
		err = a.receipt(ctx, x.link, m)
	case m.ESMClass&pdu.ESMTypeMask == 0: // nobody asks for the other kinds
		err = a.message(ctx, x, m)
	}
	status := pdu.OK
	if err != nil {
		a.s.log.Debug("smpp arrival is put off", "err", err)
		status = pdu.TemporaryAppError
	}
	_ = x.link.respond(x.unit, status) // a link that fails here has ended
}

func (a *arrivals) receipt(ctx context.Context, l *link, m *pdu.Message) error {
	r := a.s.settings.parseReport(m)
	out, ok := r.receipt()
	if !ok || len(r.ids) == 0 {
		return nil
	}
	if !a.s.book.knows(r.ids) {
		l.settle()
	}
	out.At = a.s.now()
	if out, ok = a.s.book.read(r.ids, out); !ok {
		return nil
	}
	return a.s.sink.Receipt(ctx, out)
}

func (a *arrivals) message(ctx context.Context, x arrival, m *pdu.Message) error {
	from, ok := a.s.settings.person(m.Source)
	if !ok {
		return nil // a name or a short code: nobody who could be answered
	}
	in := gateway.Inbound{Channel: gateway.SMS, From: from, To: a.s.settings.digits(m.Destination), Type: gateway.InboundText, At: a.s.now()}
	part, text := cutHeader(m)
	if part.total > 1 {
		return a.part(ctx, in, m, part, text)
	}
	if in.Text, ok = a.s.settings.decode(m.DataCoding, text); !ok {
		return nil
	}
	d := a.seen.delivery(x.unit.Body, x.link.visit, in.At)
	if d.stored {
		return nil // only our answer was lost
	}
	in.ID = d.id
	if err := a.s.sink.Inbound(ctx, in); err != nil {
		return err
	}
	a.seen.stored(d, x.link.visit, in.At)
	return nil
}

// part keeps a part of a longer text; with the last of them the text goes to the sink.
func (a *arrivals) part(ctx context.Context, in gateway.Inbound, m *pdu.Message, p part, text []byte) error {
	key := textKey{from: in.From, to: in.To, reference: p.reference, form: p.form, total: p.total, coding: m.DataCoding}
	for {
		due, ended, err := a.parts.add(key, p.number, text)
		if err != nil || due == nil {
			return err
		}
		if err := a.store(ctx, due); err != nil || ended {
			return err
		}
	}
}

// store gives a text of several parts to the sink, as far as it has come in.
func (a *arrivals) store(ctx context.Context, t *longText) error {
	if text, ok := a.s.settings.decode(t.key.coding, t.bytes()); ok {
		in := gateway.Inbound{ID: t.id, Channel: gateway.SMS, From: t.key.from, To: t.key.to, Type: gateway.InboundText, Text: text, At: t.since}
		if err := a.s.sink.Inbound(ctx, in); err != nil {
			a.parts.keep(t)
			return err
		}
	}
	a.parts.stored(t)
	return nil
}

// giveUp gives the sink what is there of texts whose other parts don't come.
func (a *arrivals) giveUp(ctx context.Context, list []*longText) {
	for _, t := range list {
		if err := a.store(ctx, t); err != nil {
			a.s.log.Warn("smpp can't store an incomplete message yet", "err", err)
		}
	}
}

// refuse leaves with the center what hasn't been queued.
func (a *arrivals) refuse() { a.refusing.Store(true) }

// finish waits, not for long, until what was queued is stored, and gives the sink what is there of longer texts.
func (a *arrivals) finish(ctx context.Context) {
	a.refuse()
	ctx, cancel := context.WithTimeout(ctx, lastStores)
	defer cancel()
	reached := make(chan struct{}, workers)
	for _, q := range a.queues {
		select {
		case q <- arrival{reached: reached}:
		case <-ctx.Done():
			return
		}
	}
	for range a.queues {
		select {
		case <-reached:
		case <-ctx.Done():
			return
		}
	}
	a.giveUp(ctx, a.parts.due(true))
}
