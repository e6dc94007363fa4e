package smpp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/gateway/smpp/smpptest"
	"example.com/griot/internal/chantest"
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

// hexAcks are the options of a center with hexadecimal ids in acks, and decimal ids in receipts.
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
	ack, err := r.Send(testContext(t), out)
	r.must(err)
	if ack.ProviderID != "161" {
		t.Errorf("acknowledged as %q, want 161 as in the receipt", ack.ProviderID)
	}
	r.must(r.Sink.Wait(testContext(t), func() bool { return len(r.Sink.Receipts()) == 1 }))
	want := gateway.Receipt{Ref: out.Ref, ProviderID: "161", Status: gateway.ReceiptDelivered, At: r.Clock.Now()}
	if got := r.Sink.Receipts()[0]; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// After a restart the reference of the center's id isn't known.
func TestReceipt_OfAnotherProcess(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	r := start(t, settingsFor(c.Port(), nil))
	sent := smpptest.Submit{ID: "77"}
	c.Deliver(smpptest.Delivered(sent))
	r.must(r.Sink.Wait(testContext(t), func() bool { return len(r.Sink.Receipts()) == 1 }))
	if got := r.Sink.Receipts()[0]; got.Ref != "" || got.ProviderID != "77" {
		t.Errorf("%+v, want the id alone", got)
	}
}

// A receipt that comes before the submit_sm_resp waits for it.
func TestReceipt_BeforeTheAnswer(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	r := start(t, settingsFor(serveScripts(t, func(w *wire) {
		w.acceptBind()
		p := w.expect(pdu.SubmitSM)
		m := smpptest.Report(smpptest.Submit{}, "5", "DELIVRD", "000")
		body, err := m.Body()
		if err != nil {
			t.Error(err)
		}
		w.write(pdu.PDU{Command: pdu.DeliverSM, Sequence: 1, Body: body})
		w.write(pdu.PDU{Command: pdu.EnquireLink, Sequence: 2})
		w.expect(pdu.EnquireLink.Response()) // the receipt has been read, but isn't acknowledged
		w.answer(p, "5\x00")
		w.expect(pdu.DeliverSM.Response())
		close(done)
		w.readToEnd()
	}), nil))
	out := text("Bonjour")
	_, err := r.Send(testContext(t), out)
	r.must(err)
	chantest.Receive(t, done)
	if got := r.Sink.Receipts()[0]; got.Ref != out.Ref || got.ProviderID != "5" {
		t.Errorf("%+v, want one for %s", got, out.Ref)
	}
}

// A message that looks like a receipt isn't one.
func TestReceipt_Forged(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{Receipt: func(smpptest.Submit) []*pdu.Message { return nil }})
	r := start(t, settingsFor(c.Port(), nil))
	_, err := r.Send(testContext(t), text("Bonjour"))
	r.must(err)
	c.Deliver(smpptest.Text(moussa, griot, "id:1 stat:DELIVRD"))
	r.must(r.Sink.Wait(testContext(t), func() bool { return len(r.Sink.Messages()) == 1 }))
	if len(r.Sink.Receipts()) != 0 {
		t.Errorf("taken for a receipt: %+v", r.Sink.Receipts())
	}
}

// The receipts of segments become one receipt of the message.
func TestReceipt_OfSegments(t *testing.T) {
	for _, tt := range []struct {
		name   string
		states []string // in the order in which they come: number of the segment, state
		want   []gateway.ReceiptStatus
	}{
		{"all delivered", []string{"2 DELIVRD", "1 DELIVRD", "3 DELIVRD"}, []gateway.ReceiptStatus{"delivered"}},
		{"delivered twice", []string{"1 DELIVRD", "1 DELIVRD", "2 DELIVRD", "3 DELIVRD", "3 DELIVRD"}, []gateway.ReceiptStatus{"delivered", "delivered"}},
		{"one missing", []string{"1 DELIVRD", "3 DELIVRD"}, nil},
		{"one failed", []string{"3 DELIVRD", "1 EXPIRED", "2 DELIVRD"}, []gateway.ReceiptStatus{"failed"}},
		{"under way", []string{"1 ENROUTE"}, []gateway.ReceiptStatus{"sent"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := smpptest.Start(t, smpptest.Options{Receipt: func(smpptest.Submit) []*pdu.Message { return nil }})
			r := start(t, settingsFor(c.Port(), nil))
			out := text(strings.Repeat("a", 400))
			ack, err := r.Send(testContext(t), out)
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

// The newest ids are kept.
func TestMessageIDs_AreBounded(t *testing.T) {
	t.Parallel()
	b := newMessageIDs(100)
	for n := range 10_000 {
		b.add(fmt.Sprint(n), outgoing{ref: "msg"})
	}
	if len(b.recent)+len(b.older) > 200 || !b.knows([]string{"9999"}) || !b.knows([]string{"9900"}) || b.knows([]string{"1"}) {
		t.Errorf("%d and %d entries", len(b.recent), len(b.older))
	}
}
