package gatewaytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/id"
	"example.com/griot/internal/waittest"
)

// facetChecks returns the checks of optional abilities beyond sending.
func facetChecks() []check {
	receipts := func(s Subject) bool { return s.Sender.Info().Receipts }
	inbound := func(s Subject) bool { return s.Provider.SendInbound != nil }
	return []check{
		{name: "run", run: checkRun, callsRun: true, applies: implements[gateway.Runner]},
		{name: "connection state", run: checkState, applies: implements[gateway.Connector]},
		{name: "names", run: checkNames, applies: takesNames},
		{name: "query", run: checkQuery, applies: implements[gateway.Querier]},
		{name: "media", run: checkMedia, applies: deliversMedia},
		{name: "forms", run: checkForms, applies: func(s Subject) bool { return s.Channel == gateway.WhatsApp }},
		{name: "replies", run: checkReplies, applies: func(s Subject) bool { return s.Sender.Info().Replies }},
		{name: "groups", run: checkGroups, applies: listsGroups},
		{name: "read marks", run: checkReadMarks, applies: marksRead},
		{name: "hidden number", run: checkHiddenNumber, applies: hidesNumbers},
		{name: "pairing", run: checkPairing, applies: pairs},
		{name: "receipts", applies: receipts, run: func(s Subject) error { return checkReceipts(s, 0) }},
		{name: "receipts refused by the sink", applies: receipts, run: func(s Subject) error { return checkReceipts(s, 2) }},
		{name: "inbound", applies: inbound, run: func(s Subject) error { return checkInbound(s, 0) }},
		{name: "inbound refused by the sink", applies: inbound, run: func(s Subject) error { return checkInbound(s, 2) }},
	}
}

func implements[F any](s Subject) bool {
	_, ok := s.Sender.(F)
	return ok
}

// checkRun checks that Run works until its context ends and then returns.
func checkRun(s Subject) error {
	stop := startRun(s)
	err := s.ready()
	if err == nil {
		_, err = s.deliver(1)
	}
	return errors.Join(err, stop())
}

func checkState(s Subject) error {
	connector, ok := s.Sender.(gateway.Connector)
	if !ok {
		return errors.New("not a gateway.Connector")
	}
	if _, err := s.deliver(1); err != nil {
		return err
	}
	if state := connector.State(s.Channel, s.From).State; state != gateway.Connected {
		return fmt.Errorf("State is %q right after a message was taken, want %q", state, gateway.Connected)
	}
	return nil
}

func takesNames(s Subject) bool { return implements[gateway.Namer](s) && s.Channel == gateway.SMS }

// checkNames checks that an SMS from a name is accepted like one from a number, and that an invalid name is reported.
func checkNames(s Subject) error {
	namer, ok := s.Sender.(gateway.Namer)
	if !ok {
		return errors.New("not a gateway.Namer")
	}
	for _, name := range []string{"", "+22370000001", "22370000001", "12 34", "TwelveLetter", " Griot", "Griot ", "Éveil", "Griot\n"} {
		if namer.CheckName(name) == "" {
			return fmt.Errorf("%q can be a name", name)
		}
	}
	var sent []attempt
	for i, name := range []string{"Griot", "GRIOT 24", "A", "BoutiqueAwa"} {
		if problem := namer.CheckName(name); problem != "" {
			return fmt.Errorf("%q can't be a name: %s", name, problem)
		}
		out := s.message(i)
		out.From = name
		a, err := s.send(context.Background(), out)
		if err := errors.Join(err, a.accepted()); err != nil {
			return fmt.Errorf("from %q: %w", name, err)
		}
		sent = append(sent, a)
	}
	return s.arrived(sent...)
}

func checkQuery(s Subject) error {
	querier, ok := s.Sender.(gateway.Querier)
	if !ok {
		return errors.New("not a gateway.Querier")
	}
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	sent, err := s.deliver(1)
	if err != nil {
		return err
	}
	seen, ack, err := querier.Query(ctx, sent.out.Ref)
	if err != nil || !seen || ack != sent.ack {
		return fmt.Errorf("Query of a message that was taken = %v, %+v, %w; want true, %+v", seen, ack, err, sent.ack)
	}
	if seen, _, err := querier.Query(ctx, id.Message+id.Random()); err != nil || seen {
		return fmt.Errorf("Query of an unknown reference = %v, %w; want false", seen, err)
	}
	return nil
}

// checkReceipts checks that each accepted message is reported as delivered, and reported again if the sink fails.
func checkReceipts(s Subject, refusals int) error {
	s.Sink.Refuse(refusals)
	var sent []attempt
	for n := range 3 {
		a, err := s.deliver(n)
		if err != nil {
			return err
		}
		sent = append(sent, a)
	}
	err := s.wait(func() bool {
		receipts := s.Sink.Receipts()
		return !slices.ContainsFunc(sent, func(a attempt) bool { return !slices.ContainsFunc(receipts, a.delivered) })
	})
	if err != nil {
		return fmt.Errorf("not every message is reported delivered: %w; %+v", err, s.Sink.Receipts())
	}
	for _, r := range s.Sink.Receipts() {
		if !slices.ContainsFunc(sent, func(a attempt) bool { return a.reportedBy(r) }) {
			return fmt.Errorf("a receipt for a message that was never sent: %+v", r)
		}
	}
	if n := s.Sink.Refused(); n != refusals {
		return fmt.Errorf("the sink has refused %d times, want %d", n, refusals)
	}
	return nil
}

func (a attempt) delivered(r gateway.Receipt) bool {
	return a.reportedBy(r) && r.Status == gateway.ReceiptDelivered && !r.At.IsZero()
}

func (a attempt) reportedBy(r gateway.Receipt) bool {
	return r.Ref == a.out.Ref || r.Ref == "" && r.ProviderID != "" && r.ProviderID == a.ack.ProviderID
}

// checkInbound checks that messages from people reach the sink unchanged, and are delivered again if the sink fails.
func checkInbound(s Subject, refusals int) error {
	s.Sink.Refuse(refusals)
	var written []gateway.Inbound
	for n := range 3 {
		in := gateway.Inbound{Channel: s.Channel, From: s.To[n%len(s.To)], To: s.From, Text: fmt.Sprintf("Ça va ? Le %s-%d.", textWord, n)}
		written = append(written, in)
		s.Provider.SendInbound(in)
	}
	err := s.wait(func() bool {
		taken := s.Sink.Messages()
		return !slices.ContainsFunc(written, func(in gateway.Inbound) bool {
			return !slices.ContainsFunc(taken, func(got gateway.Inbound) bool { return same(got, in) })
		})
	})
	if err != nil {
		return fmt.Errorf("not all that was written has come in: %w; %+v", err, s.Sink.Messages())
	}
	ids := map[string]string{}
	for _, got := range s.Sink.Messages() {
		if !slices.ContainsFunc(written, func(in gateway.Inbound) bool { return same(got, in) }) {
			return fmt.Errorf("something came in that nobody wrote: %+v", got)
		}
		if text, ok := ids[got.ID]; got.ID == "" || got.At.IsZero() || ok && text != got.Text {
			return fmt.Errorf("an inbound message needs a time, and an ID of its own: %+v", got)
		}
		ids[got.ID] = got.Text
	}
	if n := s.Sink.Refused(); n != refusals {
		return fmt.Errorf("the sink has refused %d times, want %d", n, refusals)
	}
	return nil
}

func same(got, in gateway.Inbound) bool {
	return got.Channel == in.Channel && got.From == in.From && got.To == in.To && got.Text == in.Text
}

func (s Subject) wait(done func() bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	return s.Sink.Wait(ctx, done)
}

// waitFor waits for a signal.
func waitFor(signal <-chan struct{}) error {
	select {
	case <-signal:
		return nil
	case <-time.After(waittest.Limit):
		return errors.New("no signal has come")
	}
}
