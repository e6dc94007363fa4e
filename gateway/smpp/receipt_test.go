package smpp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"griot/gateway"
	"griot/gateway/smpp/pdu"
	"griot/gateway/smpp/smpptest"
)

func TestReceipt_Forms(t *testing.T) {
	t.Parallel()
	tlv := func(tag pdu.Tag, value string) pdu.TLV { return pdu.TLV{Tag: tag, Value: []byte(value)} }
	for _, tt := range []struct {
		name     string
		text     string
		tlvs     []pdu.TLV
		settings map[string]any
		want     string // ids and status, error code and provider's code
	}{
		{name: "plain", text: "id:1a sub:001 dlvrd:001 submit date:2611201200 done date:2611201201 stat:DELIVRD err:000 text:stat:UNDELIV", want: "[1a] delivered"},
		{name: "expired", text: "id:1a stat:EXPIRED err:027", want: "[1a] failed unreachable not_delivered_in_time EXPIRED 027"},
		{name: "undeliverable", text: "id:1a stat:UNDELIV err:0x1f", want: "[1a] failed unreachable undeliverable UNDELIV 0x1f"},
		{name: "an error that is none", text: "id:1a stat:UNDELIV err:22370000001", want: "[1a] failed unreachable undeliverable UNDELIV"},
		{name: "a name for an error", text: "id:1a stat:UNDELIV err:aissata", want: "[1a] failed unreachable undeliverable UNDELIV"},
		{name: "rejected", text: "id:1a stat:REJECTD", want: "[1a] failed permanent rejected REJECTD"},
		{name: "deleted", text: "id:1a stat:DELETED", want: "[1a] failed permanent deleted DELETED"},
		{name: "under way", text: "id:1a stat:ENROUTE", want: "[1a] sent"},
		{name: "accepted", text: "id:1a stat:ACCEPTD", want: "[1a] sent"},
		{name: "unknown", text: "id:1a stat:UNKNOWN", want: "nothing"},
		{name: "no status", text: "id:1a", want: "nothing"},
		{name: "not a receipt", text: "Bonjour", want: "nothing"},
		{name: "in capitals and small letters", text: "Id:1A Stat:delivrd Err:0", want: "[1A] delivered"},
		{name: "another word's end", text: "guid:9 id:1a substat:UNDELIV stat:DELIVRD", want: "[1a] delivered"},
		{name: "parameters", tlvs: []pdu.TLV{tlv(pdu.ReceiptedMessageID, "1a\x00"), tlv(pdu.MessageState, "\x05")}, want: "[1a] failed unreachable undeliverable UNDELIV"},
		{name: "parameters before text", text: "id:26 stat:UNDELIV", tlvs: []pdu.TLV{tlv(pdu.ReceiptedMessageID, "1a"), tlv(pdu.MessageState, "\x02")}, want: "[1a 26] delivered"},
		{name: "every state", tlvs: []pdu.TLV{tlv(pdu.ReceiptedMessageID, "1a"), tlv(pdu.MessageState, "\x08")}, want: "[1a] failed permanent rejected REJECTD"},
		{
			name: "hexadecimal acks, decimal receipts", text: "id:0000000026 stat:DELIVRD", settings: map[string]any{"ack_id": "hex", "receipt_id": "decimal"},
			tlvs: []pdu.TLV{tlv(pdu.ReceiptedMessageID, "0000001A")}, want: "[26] delivered",
		},
		{name: "decimal acks, hexadecimal receipts", text: "id:1A stat:DELIVRD", settings: map[string]any{"ack_id": "decimal", "receipt_id": "hex"}, want: "[26] delivered"},
		{name: "no number", text: "id:-1a-+ stat:DELIVRD", settings: map[string]any{"ack_id": "hex"}, want: "[-1a-+] delivered"},
		{name: "a sign", text: "id:-1a stat:DELIVRD", settings: map[string]any{"ack_id": "hex"}, want: "[-1a] delivered"},
		{name: "larger than 64 bits", text: "id:ffffffffffffffffff stat:DELIVRD", settings: map[string]any{"ack_id": "hex"}, want: "[4722366482869645213695] delivered"},
	} {
		s, err := parse(settingsFor(2775, tt.settings))
		if err != nil {
			t.Fatal(err)
		}
		r := s.parseReport(&pdu.Message{ESMClass: pdu.ESMReceipt, Short: []byte(tt.text), TLVs: tt.tlvs})
		got := "nothing"
		if out, ok := r.receipt(); ok {
			got = fmt.Sprint(r.ids, " ", out.Status)
			if out.Err != nil {
				got += fmt.Sprintf(" %s %s %s", out.Err.Class, out.Err.Code, out.Err.ProviderCode)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func FuzzReport(f *testing.F) {
	f.Add([]byte("id:1a sub:001 dlvrd:001 stat:DELIVRD err:000 text:"), []byte("1a"), byte(2))
	f.Add([]byte("İd: id: stat:"), []byte("\x00"), byte(0))
	f.Fuzz(func(t *testing.T, text, id []byte, state byte) {
		for _, form := range []string{idText, idHex, idDecimal} {
			s := settings{AckID: form, ReceiptID: form}
			r := s.parseReport(&pdu.Message{Short: text, TLVs: []pdu.TLV{{Tag: pdu.ReceiptedMessageID, Value: id}, {Tag: pdu.MessageState, Value: []byte{state}}}})
			if out, ok := r.receipt(); ok && out.Err != nil && len(out.Err.ProviderCode) > 16 {
				t.Fatalf("%q", out.Err.ProviderCode)
			}
			for _, id := range r.ids {
				if canonical(form, canonical(idDecimal, id)) == "" {
					t.Fatal("an id is lost")
				}
			}
		}
	})
}

// hexAcks is a center that writes ids in hexadecimal in acks, and in decimal in receipts.
func hexAcks() smpptest.Options {
	return smpptest.Options{
		ID: func(n int) string { return fmt.Sprintf("%08X", 0xa0+n) },
		Receipt: func(s smpptest.Submit) []*pdu.Message {
			return []*pdu.Message{smpptest.Report(s, fmt.Sprint(0xa0+s.N), "DELIVRD", "000")}
		},
	}
}

func TestReceipt_HexadecimalAndDecimal(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, hexAcks())
	r := start(t, settingsFor(c.Port(), map[string]any{"ack_id": "hex", "receipt_id": "decimal"}))
	out := text("Bonjour")
	ack, err := r.Send(within(t), out)
	r.must(err)
	if ack.ProviderID != "161" {
		t.Errorf("acknowledged as %q, want the one form that receipts have too", ack.ProviderID)
	}
	r.must(r.Sink.Wait(within(t), func() bool { return len(r.Sink.Receipts()) == 1 }))
	want := gateway.Receipt{Ref: out.Ref, ProviderID: "161", Status: gateway.ReceiptDelivered, At: r.Clock.Now()}
	if got := r.Sink.Receipts()[0]; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// After a restart nothing ties the center's id to our reference any more.
func TestReceipt_OfAnotherProcess(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	r := start(t, settingsFor(c.Port(), nil))
	sent := smpptest.Submit{ID: "77"}
	c.Deliver(smpptest.Delivered(sent))
	r.must(r.Sink.Wait(within(t), func() bool { return len(r.Sink.Receipts()) == 1 }))
	if got := r.Sink.Receipts()[0]; got.Ref != "" || got.ProviderID != "77" {
		t.Errorf("%+v, want the id alone", got)
	}
}

// A receipt that is on the wire before the answer waits for it.
func TestReceipt_OvertakesTheAnswer(t *testing.T) {
	t.Parallel()
	settled := make(chan struct{})
	r := start(t, settingsFor(play(t, func(w *wire) {
		w.welcome()
		p := w.hear(pdu.SubmitSM)
		m := smpptest.Report(smpptest.Submit{}, "5", "DELIVRD", "000")
		body, err := m.Body()
		if err != nil {
			t.Error(err)
		}
		w.say(pdu.PDU{Command: pdu.DeliverSM, Sequence: 1, Body: body})
		w.say(pdu.PDU{Command: pdu.EnquireLink, Sequence: 2})
		w.hear(pdu.EnquireLink.Response()) // the receipt has been read, and isn't answered
		w.answer(p, "5\x00")
		w.hear(pdu.DeliverSM.Response())
		close(settled)
		w.listens()
	}), nil))
	out := text("Bonjour")
	_, err := r.Send(within(t), out)
	r.must(err)
	<-settled
	if got := r.Sink.Receipts()[0]; got.Ref != out.Ref || got.ProviderID != "5" {
		t.Errorf("%+v, want one for %s", got, out.Ref)
	}
}

// Anybody can write what looks like a receipt.
func TestReceipt_Forged(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{Receipt: func(smpptest.Submit) []*pdu.Message { return nil }})
	r := start(t, settingsFor(c.Port(), nil))
	_, err := r.Send(within(t), text("Bonjour"))
	r.must(err)
	c.Deliver(smpptest.Text(moussa, griot, "id:1 stat:DELIVRD"))
	r.must(r.Sink.Wait(within(t), func() bool { return len(r.Sink.Messages()) == 1 }))
	if len(r.Sink.Receipts()) != 0 {
		t.Errorf("taken for a receipt: %+v", r.Sink.Receipts())
	}
}

// The receipts of the segments are one receipt of the message.
func TestReceipt_OfSegments(t *testing.T) {
	for _, tt := range []struct {
		name   string
		states []string // in the order in which they come: number of the segment, state
		want   []gateway.ReceiptStatus
	}{
		{"all delivered", []string{"2 DELIVRD", "1 DELIVRD", "3 DELIVRD"}, []gateway.ReceiptStatus{"delivered"}},
		{"brought twice", []string{"1 DELIVRD", "1 DELIVRD", "2 DELIVRD", "3 DELIVRD", "3 DELIVRD"}, []gateway.ReceiptStatus{"delivered", "delivered"}},
		{"one missing", []string{"1 DELIVRD", "3 DELIVRD"}, nil},
		{"one failed", []string{"3 DELIVRD", "1 EXPIRED", "2 DELIVRD"}, []gateway.ReceiptStatus{"failed"}},
		{"under way", []string{"1 ENROUTE"}, []gateway.ReceiptStatus{"sent"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := smpptest.Start(t, smpptest.Options{Receipt: func(smpptest.Submit) []*pdu.Message { return nil }})
			r := start(t, settingsFor(c.Port(), nil))
			out := text(strings.Repeat("a", 400))
			ack, err := r.Send(within(t), out)
			r.must(err)
			for _, s := range tt.states {
				id, state, _ := strings.Cut(s, " ")
				for range c.Deliver(smpptest.Report(smpptest.Submit{}, id, state, "000")) { // until it is answered
				}
			}
			var got []gateway.ReceiptStatus
			for _, x := range r.Sink.Receipts() {
				got = append(got, x.Status)
				if x.Ref != out.Ref || x.ProviderID != ack.ProviderID {
					t.Errorf("%+v, want %s and %s", x, out.Ref, ack.ProviderID)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// The book keeps as much as it is told to, the newest first.
func TestBook_IsBounded(t *testing.T) {
	t.Parallel()
	b := newBook(100)
	for n := range 10_000 {
		b.add(fmt.Sprint(n), parcel{ref: "msg"})
	}
	if len(b.now)+len(b.old) > 200 || !b.knows([]string{"9999"}) || !b.knows([]string{"9900"}) || b.knows([]string{"1"}) {
		t.Errorf("%d and %d entries", len(b.now), len(b.old))
	}
}
