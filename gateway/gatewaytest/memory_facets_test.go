package gatewaytest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/waittest"
)

// Run delivers pending items to the sink, each item until the sink accepts it.
func (m *memory) Run(ctx context.Context) error {
	if m.flaw == "fails to run" {
		return errors.New("no")
	}
	for {
		select {
		case <-ctx.Done():
			if m.flaw == "runs on" {
				time.Sleep(2 * waittest.Limit)
			}
			return ctx.Err()
		case <-m.wake:
		}
		for deliver := m.next(); deliver != nil; deliver = m.next() {
			for deliver(ctx) != nil && ctx.Err() == nil && m.flaw != "delivers once" {
				time.Sleep(time.Millisecond)
			}
		}
	}
}

func (m *memory) next() func(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.pending) == 0 {
		return nil
	}
	deliver := m.pending[0]
	m.pending = m.pending[1:]
	return deliver
}

// enqueue is called with m.mu held.
func (m *memory) enqueue(deliver func(context.Context) error) {
	m.pending = append(m.pending, deliver)
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// report is called with m.mu held.
func (m *memory) report(out *gateway.Outbound, ack gateway.Ack) {
	r := gateway.Receipt{Ref: out.Ref, ProviderID: ack.ProviderID, Status: gateway.ReceiptDelivered, At: m.Clock.Now(), Person: gateway.PersonID{ID: out.ToID}}
	switch m.flaw {
	case "reports no ID":
		r.Person.ID = ""
	case "reports nothing":
		return
	case "reports only sent":
		r.Status = gateway.ReceiptSent
	case "reports strangers":
		m.enqueue(func(ctx context.Context) error {
			return m.Sink.Receipt(ctx, gateway.Receipt{Ref: "msg_stranger", Status: gateway.ReceiptDelivered, At: m.Clock.Now()})
		})
	case "reports by id only": // allowed
		r.Ref = ""
	}
	m.enqueue(func(ctx context.Context) error { return m.Sink.Receipt(ctx, r) })
}

func (m *memory) sendInbound(in gateway.Inbound) {
	m.mu.Lock()
	defer m.mu.Unlock()
	in.ID, in.At = fmt.Sprint("in-", len(m.pending), in.Text), m.Clock.Now()
	if id := m.hidden[in.From]; id != "" {
		in.From, in.Person.ID = "", id
	}
	switch m.flaw {
	case "loses people without a number":
		if in.From == "" {
			return
		}
	case "takes IDs for numbers":
		in.From = cmp.Or(in.From, in.Person.ID)
	case "gives inbound no id":
		in.ID = ""
	case "gives all inbound one id":
		in.ID = "in"
	case "alters inbound":
		in.Text += "!"
	case "makes up inbound":
		m.enqueue(func(ctx context.Context) error { return m.Sink.Inbound(ctx, gateway.Inbound{ID: "in", Text: "Hé"}) })
	}
	m.enqueue(func(ctx context.Context) error { return m.Sink.Inbound(ctx, in) })
}

func (m *memory) attachment(media *gateway.Media) *Attachment {
	a := &Attachment{SHA256: SHA256(media.Data), MIMEType: media.MIMEType, FileName: media.FileName}
	switch m.flaw {
	case "loses the attachment":
		return nil
	case "cuts the attachment":
		a.SHA256 = SHA256(media.Data[1:])
	case "takes every attachment for a picture":
		a.MIMEType = "image/png"
	case "gives the attachment another name":
		a.FileName = "file"
	}
	return a
}

func memoryGroups() []gateway.Group {
	return []gateway.Group{
		{ID: "2-1@g.us", Name: "Livraisons", Participants: 3, IsAdmin: true},
		{ID: "1-1@g.us", Name: "Équipe", Participants: 2},
	}
}

func (m *memory) Groups(ctx context.Context, from string) ([]gateway.Group, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.groupCalls++
	list := memoryGroups()
	switch {
	case m.flaw == "lists the groups of all":
	case from != "22320000001":
		return nil, nil
	}
	switch {
	case m.closed && m.flaw == "has no groups after Close":
		return nil, nil
	case ctx.Err() != nil && m.flaw == "has no groups when the context has ended":
		return nil, nil
	case m.closed || ctx.Err() != nil:
		return nil, fail(gateway.Temporary, "closed")
	}
	switch m.flaw {
	case "lists a group twice":
		list = append(list, list[0])
	case "forgets who administers":
		list[0].IsAdmin = false
	case "lists in any order":
		if m.groupCalls%2 == 0 {
			list[0], list[1] = list[1], list[0]
		}
	}
	return list, nil
}

func (m *memory) State(gateway.Channel, string) gateway.ConnDetail {
	if m.flaw == "is never connected" {
		return gateway.ConnDetail{State: gateway.Disconnected}
	}
	return gateway.ConnDetail{State: gateway.Connected}
}

func (m *memory) CheckName(name string) (problem string) {
	switch {
	case m.flaw == "takes no names", m.flaw != "takes numbers as names" && gateway.CheckName(name) != "":
		return "No name."
	}
	return ""
}

func (m *memory) Query(_ context.Context, ref string) (bool, gateway.Ack, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ack, ok := m.acks[ref]
	switch m.flaw {
	case "knows nothing":
		return false, gateway.Ack{}, nil
	case "knows everything":
		return true, ack, nil
	case "forgets its acks":
		ack.ProviderID = ""
	}
	return ok, ack, nil
}

func (m *memory) MarkRead(ctx context.Context, r *gateway.Read) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed && m.flaw != "marks read after Close", ctx.Err() != nil && m.flaw != "marks read when the context has ended":
		return fail(gateway.Temporary, "closed")
	case m.flaw == "does not know what became of a read mark":
		return fail(gateway.Unknown, "answer_lost")
	case m.flaw == "marks read by number only" && r.To == "":
	case m.flaw != "tells nobody that it was read":
		m.readMarks = append(m.readMarks, r.IDs[len(r.IDs)-1])
	}
	return nil
}

func (m *memory) allReadMarks() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.readMarks
}

func (m *memory) hideNumber(number string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hidden = map[string]string{number: "ML.9001"}
	return m.hidden[number]
}
