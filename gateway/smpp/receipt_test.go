package smpp

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/gateway/smpp/smpptest"
	"example.com/griot/internal/sms"
	"example.com/griot/internal/waittest"
)

func TestReceipt_Forms(t *testing.T) {
	t.Parallel()
	tlv := func(tag pdu.Tag, value string) pdu.TLV { return pdu.TLV{Tag: tag, Value: []byte(value)} }
	for _, tt := range []struct {
		name     string
		text     string
		tlvs     []pdu.TLV
		coding   byte
		class    byte // in addition to that of receipts
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
		{name: "no status", text: "id:1a", want: "unreadable"},
		{name: "unknown without an id", text: "stat:UNKNOWN", want: "unreadable"},
		{name: "not a receipt", text: "Bonjour", want: "unreadable"},
		{name: "empty", want: "unreadable"},
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
		{name: "a hexadecimal prefix", text: "id:0x1A stat:DELIVRD", settings: map[string]any{"ack_id": "decimal", "receipt_id": "hex"}, want: "[26] delivered"},
		{name: "a byte that is not UTF-8", text: "id:1a stat:DELIVRD err:000 text:Votre caf\xe9", want: "[1a] delivered"},
		{name: "such bytes before the fields", text: "\xff\xc4\xb0 \xe9id:1a \xff stat:UNDELIV err:1\xe9", want: "[1a] failed unreachable undeliverable UNDELIV"},
		{name: "letters whose lower case is longer", text: "\u0130\u023a id:1a \u023e stat:DELIVRD", want: "[1a] delivered"},
		{name: "spaces after the colon", text: "id: 1a stat:  DELIVRD err: 000", want: "[1a] delivered"},
		{name: "spaces before the colon", text: "id : 1a stat\t:EXPIRED err : 027 text : id:2 stat:DELIVRD", want: "[1a] failed unreachable not_delivered_in_time EXPIRED 027"},
		{name: "lines", text: "id:1a\nsub:001\ndlvrd:001\nstat:DELIVRD\nerr:000\n", want: "[1a] delivered"},
		{name: "lines with returns", text: "id:1a\r\nstat:UNDELIV\r\nerr:027\r\ntext:stat:DELIVRD", want: "[1a] failed unreachable undeliverable UNDELIV 027"},
		{name: "tabs", text: "id:1a\tstat:DELIVRD\terr:000", want: "[1a] delivered"},
		{name: "commas", text: "id:1a,sub:001,stat:REJECTD,err:011", want: "[1a] failed permanent rejected REJECTD 011"},
		{name: "a comma in an id", text: "id:1a,2 stat:DELIVRD", want: "[1a,2] delivered"},
		{name: "a NUL at the end", text: "stat:DELIVRD id:1a\x00", want: "[1a 1a@] delivered"},
		{name: "another order", text: "err:000 stat:DELIVRD done date:2611201201 id:1a", want: "[1a] delivered"},
		{name: "the text before the fields", text: "text:Bonjour id:1a stat:DELIVRD", want: "unreadable"},
		{name: "only the id before the text", text: "id:1a text:stat:DELIVRD", want: "unreadable"},
		{name: "only the state before the text", text: "stat:DELIVRD TEXT:id:1a", want: "unreadable"},
		{name: "a text that follows immediately", text: "id:1a err:000text:stat:DELIVRD", want: "unreadable"},
		{name: "an empty id", text: "id: sub:001 stat:DELIVRD", want: "unreadable"},
		{name: "an empty id before a date", text: "id: submit date:2611201200 stat:DELIVRD", want: "unreadable"},
		{name: "an empty id at a line's end", text: "id:\n1a stat:DELIVRD", want: "unreadable"},
		{name: "an empty state", text: "id:1a stat: err:000", want: "unreadable"},
		{name: "an unreadable field before a readable one", text: "id: stat:?? id:1a stat:DELIVRD", want: "[1a] delivered"},
		{name: "an id that is not UTF-8", text: "id:1\xe9 stat:DELIVRD", want: "unreadable"},
		{name: "an id that is too long", text: "id:" + strings.Repeat("1", 65) + " stat:DELIVRD", want: "unreadable"},
		{name: "a state that is none", text: "id:1a stat:MERCI", want: "unreadable"},
		{name: "UCS-2", coding: 8, text: ucs2("id:1a sub:001 stat:DELIVRD err:000 text:Été id:2"), want: "[1a] delivered"},
		{name: "UCS-2 with a mark", coding: 8, text: ucs2("\ufeffid:1a\r\nstat: EXPIRED\r\nerr:027"), want: "[1a] failed unreachable not_delivered_in_time EXPIRED 027"},
		{name: "UCS-2 with a class", coding: 0x18, text: ucs2("id:1a stat:DELIVRD"), want: "[1a] delivered"},
		{name: "UCS-2 with an octet too many", coding: 8, text: ucs2("id:1a stat:DELIVRD") + "\x00", want: "[1a] delivered"},
		{name: "UCS-2 with the coding of ASCII", text: ucs2("id:1a stat:DELIVRD"), want: "[1a] delivered"},
		{name: "ASCII with the coding of UCS-2", coding: 8, text: "id:1a stat:DELIVRD err:000 text:", want: "[1a] delivered"},
		{name: "UCS-2 in the text of an ASCII receipt", text: "stat:DELIVRD err:0 text:" + ucs2(" id:1a stat:UNDELIV"), want: "unreadable"},
		{name: "ASCII in the text of a UCS-2 receipt", coding: 8, text: ucs2("stat:DELIVRD text:") + " id:1a stat:UNDELIV", want: "unreadable"},
		{name: "a header", class: pdu.ESMHeader, text: "\x05\x00\x03a\x02\x01id:1a stat:DELIVRD text:Bon", want: "[1a] delivered"},
		{name: "the second part of a text", class: pdu.ESMHeader, text: "\x05\x00\x03a\x02\x02id:1a stat:DELIVRD", want: "unreadable"},
		{name: "in a payload", tlvs: []pdu.TLV{tlv(pdu.MessagePayload, "id:1a stat:DELIVRD err:000 text:")}, want: "[1a] delivered"},
		{name: "an empty parameter for the id", text: "id:1a", tlvs: []pdu.TLV{tlv(pdu.ReceiptedMessageID, "\x00"), tlv(pdu.MessageState, "\x02")}, want: "[1a] delivered"},
		{name: "a parameter that is no id", text: "stat:DELIVRD", tlvs: []pdu.TLV{tlv(pdu.ReceiptedMessageID, "1\xff")}, want: "unreadable"},
		{name: "a parameter that is no state", text: "id:1a stat:EXPIRED", tlvs: []pdu.TLV{tlv(pdu.MessageState, "\x63")}, want: "[1a] failed unreachable not_delivered_in_time EXPIRED"},
		{name: "a parameter with two states", text: "id:1a stat:DELIVRD", tlvs: []pdu.TLV{tlv(pdu.MessageState, "\x02\x05")}, want: "[1a] delivered"},
		{name: "no-break spaces", text: "id:\xa01a\xa0stat:\xa0EXPIRED\xa0err:027\xa0text:", want: "[1a] failed unreachable not_delivered_in_time EXPIRED 027"},
		{name: "no-break spaces in UTF-8", text: "id:1a\u00a0stat:\u202fDELIVRD", want: "[1a] delivered"},
		{name: "other spaces in UCS-2", coding: 8, text: ucs2("\u200eid:\u00a01a\u3000stat:\u200bDELIVRD\u2028err:000"), want: "[1a] delivered"},
		{name: "an empty id before a line end of Unicode", text: "id:\u20281a stat:DELIVRD", want: "unreadable"},
		{name: "quotation marks", text: `id:"1a" stat:'DELIVRD'`, want: "[1a] delivered"},
		{name: "an id that ends with the second byte of à", text: "id:1à2 stat:DELIVRD", want: "[1à2] delivered"},
		{name: "UCS-2 of Intel", coding: 8, text: string(swapOctets([]byte(ucs2("\ufeffid:1a stat:DELIVRD err:000 text:Été")))), want: "[1a] delivered"},
		{name: "UCS-2 of Intel with the coding of ASCII", text: string(swapOctets([]byte(ucs2("id:1a stat:UNDELIV err:1 text:id:2")))), want: "[1a] failed unreachable undeliverable UNDELIV 1"},
		{name: "in the GSM alphabet", text: "id:\x11a\x02b\x1b<c\x1b>\x1b(\x1b)\x1b=\x1b\x14\x1b@\x1b/d stat:DELIVRD err:000 text:", want: `[_a$b[c]{}~^|\d] delivered`},
		{name: "an @ of the GSM alphabet", text: "id:ab\x00cd sub:001 stat:DELIVRD", want: "[ab@cd ab] delivered"},
		{name: "an @ at the beginning", text: "id:\x00cd sub:001 stat:DELIVRD", want: "[@cd cd] delivered"},
		{name: "an @ or a NUL at the end", text: "id:ab\x00 sub:001 stat:DELIVRD", want: "[ab ab@] delivered"},
		{name: "an underscore where an id ends otherwise", text: "id:ab\x11 stat:DELIVRD", want: "[ab_] delivered"},
		{name: "both alphabets", text: "id:a_b@c$d[e stat:DELIVRD", want: "[a_b@c$d[e a§b¡c¤dÄe] delivered"},
		{name: "both alphabets of numbers", text: "id:0x1a stat:DELIVRD", settings: map[string]any{"ack_id": "hex"}, want: "[26] delivered"},
		{name: "a parameter and the GSM alphabet", text: "id:a\x11b stat:DELIVRD", tlvs: []pdu.TLV{tlv(pdu.ReceiptedMessageID, "a_b\x00")}, want: "[a_b] delivered"},
		{name: "UCS-2 of a waiting message", coding: 0xe0, text: ucs2("id:1a stat:DELIVRD"), want: "[1a] delivered"},
		{name: "larger than 64 bits", text: "id:ffffffffffffffffff stat:DELIVRD", settings: map[string]any{"ack_id": "hex"}, want: "[4722366482869645213695] delivered"},
	} {
		s, err := parse(settingsFor(2775, tt.settings))
		if err != nil {
			t.Fatal(err)
		}
		r := s.parseReport(&pdu.Message{ESMClass: pdu.ESMReceipt | tt.class, DataCoding: tt.coding, Short: []byte(tt.text), TLVs: tt.tlvs})
		got := "nothing"
		if !r.readable() {
			got = "unreadable"
		}
		if out, ok := (settings{}).receipt(r); ok && r.readable() {
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

// Centers have variants of the states of SMPP 3.4 Appendix B.
func TestReceipt_States(t *testing.T) {
	t.Parallel()
	failed := map[string]string{
		"EXPIRED": "unreachable not_delivered_in_time EXPIRED", "UNDELIV": "unreachable undeliverable UNDELIV", "FAILED": "unreachable undeliverable FAILED",
		"REJECTD": "permanent rejected REJECTD", "DELETED": "permanent deleted DELETED",
	}
	for standard, variants := range map[string]string{
		"DELIVRD": "DELIVRD DELIVERED DELIVERD Delivered \"DELIVRD\" DELIVRD.",
		"SENT":    "ENROUTE EN_ROUTE ACCEPTD ACCEPTED SCHEDULED",
		"EXPIRED": "EXPIRED", "UNDELIV": "UNDELIV UNDELIVERABLE UNDELIVERED UNDELIVRD undeliverable", "FAILED": "FAILED FAIL FAILURE",
		"REJECTD": "REJECTD REJECTED REJECT", "DELETED": "DELETED CANCELED CANCELLED", "UNKNOWN": "UNKNOWN",
	} {
		for _, word := range strings.Fields(variants) {
			var s settings
			r := s.parseReport(&pdu.Message{ESMClass: pdu.ESMReceipt, Short: []byte("id:1a stat:" + word)})
			out, ok := (settings{}).receipt(r)
			switch {
			case !r.readable() || ok != (standard != "UNKNOWN"):
				t.Errorf("%s: %+v, %v", word, r, ok)
			case standard == "DELIVRD" && out.Status != gateway.ReceiptDelivered, standard == "SENT" && out.Status != gateway.ReceiptSent:
				t.Errorf("%s: %s", word, out.Status)
			case failed[standard] != "":
				gatewaytest.WantFailure(t, out.Err, failed[standard])
			}
		}
	}
}

func ucs2(text string) string { return string(sms.AppendUTF16(nil, text)) }

func FuzzReport(f *testing.F) {
	f.Add([]byte("id:1a sub:001 dlvrd:001 stat:DELIVRD err:000 text:"), []byte("1a"), byte(2), byte(0))
	f.Add([]byte("\u0130d: id: stat:"), []byte("\x00"), byte(0), byte(8))
	f.Add([]byte("\x00i\x00d\x00:\x001\x00 \x00s\x00t\x00a\x00t\x00:\x00D"), []byte("\xff"), byte(0), byte(8))
	f.Fuzz(func(t *testing.T, text, id []byte, state, coding byte) {
		for _, form := range []string{idText, idHex, idDecimal} {
			s := settings{AckID: form, ReceiptID: form}
			r := s.parseReport(&pdu.Message{Short: text, DataCoding: coding, TLVs: []pdu.TLV{{Tag: pdu.ReceiptedMessageID, Value: id}, {Tag: pdu.MessageState, Value: []byte{state}}}})
			if out, ok := (settings{}).receipt(r); ok && out.Err != nil && len(out.Err.ProviderCode) > 16 {
				t.Fatalf("%q", out.Err.ProviderCode)
			}
			for _, id := range r.ids {
				if canonical(form, canonical(idDecimal, id)) == "" || !utf8.ValidString(id) || strings.ContainsRune(id, 0) || len(id) > 80 {
					t.Fatalf("the id %q", id)
				}
			}
		}
	})
}

// A readable ID and state are found, regardless of the surrounding text and of the message's text.
func FuzzReport_Surroundings(f *testing.F) {
	f.Add("", " sub:001 ", " err:000 ", "Votre caf\xe9 id:2 stat:UNDELIV", uint8(0), false)
	f.Add("\u0130\xff", "\r\n", "\r\n", "", uint8(3), true)
	f.Add("\x00\x00", "\x00", "\x00", "text:", uint8(0x1a), true)
	f.Fuzz(func(t *testing.T, before, between, after, text string, variant uint8, wide bool) {
		for _, s := range []*string{&before, &between, &after} {
			*s = strings.NewReplacer(":", ";", "\uff1a", ";").Replace(*s) // no other fields
		}
		separator := []string{" ", "\n", "\r\n", "\t", "\x00", " \r "}[variant%6]
		fields := []string{"id:1A-x_9", "Stat:Delivrd"}
		if variant&8 != 0 {
			fields = []string{"STAT: \tDELIVERED", "iD: 1A-x_9"}
		}
		receipt := strings.Join([]string{before, fields[0], between, fields[1], after, "text:" + text}, separator)
		m := pdu.Message{ESMClass: pdu.ESMReceipt, Short: []byte(receipt)}
		if wide {
			m.DataCoding, m.Short = codingUCS2, []byte(ucs2(receipt))
		}
		r := settings{}.parseReport(&m)
		if out, ok := (settings{}).receipt(r); !ok || out.Status != gateway.ReceiptDelivered || !slices.Contains(r.ids, "1A-x_9") || r.ids[0] != "1A-x_9" && separator != "\x00" {
			t.Errorf("%q is read as %+v", receipt, r)
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

// A receipt that arrives before the submit_sm_resp waits for it.
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
	waittest.Receive(t, done)
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

// No phone can set the parameters of receipts, so they make a receipt of a deliver_sm of any class.
func TestReceipt_ByParametersAlone(t *testing.T) {
	t.Parallel()
	id, state := pdu.TLV{Tag: pdu.ReceiptedMessageID, Value: []byte("7\x00")}, pdu.TLV{Tag: pdu.MessageState, Value: []byte{2}}
	for name, tt := range map[string]struct {
		tlvs    []pdu.TLV
		receipt bool
	}{
		"both":               {[]pdu.TLV{id, state}, true},
		"both, reversed":     {[]pdu.TLV{state, id}, true},
		"only an id":         {[]pdu.TLV{id}, false},
		"only a state":       {[]pdu.TLV{state}, false},
		"an empty id":        {[]pdu.TLV{{Tag: pdu.ReceiptedMessageID, Value: []byte{0}}, state}, false},
		"an empty state":     {[]pdu.TLV{id, {Tag: pdu.MessageState}}, false},
		"none, but the text": {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := smpptest.Start(t, smpptest.Options{})
			r := start(t, settingsFor(c.Port(), nil))
			m := smpptest.Text(moussa, griot, "id:7 stat:DELIVRD")
			m.TLVs = tt.tlvs
			deliverAll(c, m)
			receipts, messages := r.Sink.Receipts(), r.Sink.Messages()
			if tt.receipt && (len(messages) != 0 || len(receipts) != 1 || receipts[0].ProviderID != "7" || receipts[0].Status != gateway.ReceiptDelivered) {
				t.Errorf("receipts %+v, messages %+v; want the receipt alone", receipts, messages)
			}
			if !tt.receipt && (len(messages) != 1 || len(receipts) != 0) {
				t.Errorf("receipts %+v, messages %+v; want the message alone", receipts, messages)
			}
		})
	}
}

// An unreadable receipt is acknowledged. It is logged, without its text, and counted.
func TestReceipt_Unreadable(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text  string
		lines int
	}{
		"no id":           {"stat:DELIVRD text:Bonjour", 1},
		"no state":        {"id:1a text:Bonjour", 1},
		"another state":   {"id:1a stat:Bonjour", 1},
		"neither":         {"Bonjour", 1},
		"an unknown fate": {"id:1a stat:UNKNOWN text:Bonjour", 0},
		"readable":        {"id:1a stat:DELIVRD text:Bonjour", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := smpptest.Start(t, smpptest.Options{})
			r := start(t, settingsFor(c.Port(), nil))
			m := smpptest.Report(smpptest.Submit{}, "", "", "")
			m.Source, m.Short = pdu.Address{TON: 1, NPI: 1, Addr: moussa}, []byte(tt.text)
			deliverAll(c, m)
			if got := strings.Count(r.Logged(), "receipt can't be read"); got != tt.lines || strings.Contains(r.Logged(), "Bonjour") || strings.Contains(r.Logged(), moussa) {
				t.Errorf("%d lines, want %d:\n%s", got, tt.lines, r.Logged())
			}
			if got := r.UnreadableReceipts(); got != tt.lines {
				t.Errorf("counted %d, want %d", got, tt.lines)
			}
		})
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

// segmentScript is a center that responds to the segments of one message, and reports them, in an order that a test chooses.
type segmentScript struct {
	*wire
	submits map[int]pdu.PDU // by the number of the segment, which is its id
	reports int             // number of written receipts
	taken   int             // number of receipts that the driver has acknowledged
}

// next returns the next unit that isn't the acknowledgment of a receipt.
func (c *segmentScript) next() pdu.PDU {
	for {
		p, err := pdu.Read(c.r)
		if err != nil {
			c.t.Errorf("the connection has ended: %v", err)
			return p
		}
		if p.Command != pdu.DeliverSM.Response() {
			return p
		}
		if p.Status != pdu.OK {
			c.t.Errorf("a receipt is refused with %v", p.Status)
		}
		c.taken++
	}
}

// play follows a script: "submit" takes the next segment, "answer 2" acknowledges the second, "report 2" writes its
// receipt and waits until the driver has read it, and "answer and report 2" writes both at once.
func (c *segmentScript) play(steps []string) {
	for _, step := range steps {
		verb, n := step, 0
		if i := strings.LastIndexByte(step, ' '); i > 0 {
			verb = step[:i]
			n, _ = strconv.Atoi(step[i+1:])
		}
		switch verb {
		case "submit":
			p := c.next()
			if p.Command != pdu.SubmitSM {
				c.t.Errorf("received %v, want a submit_sm", p)
			}
			c.submits[len(c.submits)+1] = p
		case "answer":
			c.writeAll(c.answerOf(n))
		case "report":
			c.writeAll(c.reportOf(n), pdu.PDU{Command: pdu.EnquireLink, Sequence: 1000})
			if p := c.next(); p.Command != pdu.EnquireLink.Response() {
				c.t.Errorf("received %v, want the response to an enquire_link", p)
			}
		case "answer and report":
			c.writeAll(c.answerOf(n), c.reportOf(n))
		}
	}
}

func (c *segmentScript) answerOf(n int) pdu.PDU {
	return pdu.PDU{Command: pdu.SubmitSM.Response(), Sequence: c.submits[n].Sequence, Body: fmt.Appendf(nil, "%d\x00", n)}
}

func (c *segmentScript) reportOf(n int) pdu.PDU {
	body, err := smpptest.Report(smpptest.Submit{}, strconv.Itoa(n), "DELIVRD", "000").Body()
	if err != nil {
		c.t.Error(err)
	}
	c.reports++
	return pdu.PDU{Command: pdu.DeliverSM, Sequence: uint32(c.reports), Body: body}
}

// writeAll writes units with one call, so that the driver reads them together.
func (c *segmentScript) writeAll(units ...pdu.PDU) {
	var all []byte
	for _, p := range units {
		b, err := p.Append(nil)
		if err != nil {
			c.t.Error(err)
		}
		all = append(all, b...)
	}
	_, _ = c.Write(all)
}

// For any order of responses and receipts, there is one receipt, with the reference and the ID of the last segment.
func TestReceipt_OrderOfSegments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		script []string
	}{
		{"each after its answer", []string{"submit", "answer and report 1", "submit", "answer and report 2", "submit", "answer and report 3"}},
		{"each before its answer", []string{"submit", "report 1", "answer 1", "submit", "report 2", "answer 2", "submit", "report 3", "answer 3"}},
		{"all before the last answer", []string{"submit", "answer 1", "submit", "answer 2", "submit", "report 2", "report 3", "report 1", "answer 3"}},
		{"the last one's after all answers", []string{"submit", "answer 1", "submit", "answer 2", "submit", "report 1", "report 2", "answer and report 3"}},
		{"the first one's after all answers", []string{"submit", "answer 1", "submit", "answer 2", "submit", "report 3", "answer 3", "report 2", "report 1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, done := startScripted(t, func(c *segmentScript) { c.play(tt.script) })
			out := text(strings.Repeat("a", 400))
			ack, err := r.Send(testContext(t), out)
			r.must(err)
			waittest.Receive(t, done)
			wantSegmentReceipt(t, r, out.Ref)
			if ack.ProviderID != "3" {
				t.Errorf("acknowledged as %q, want the id of the last segment, 3", ack.ProviderID)
			}
		})
	}
}

// The last response arrives after Send has given up. The receipt still has both the reference and the ID.
func TestReceipt_OfSegmentsAfterALateAnswer(t *testing.T) {
	t.Parallel()
	ctx, giveUp := context.WithCancel(testContext(t))
	given := make(chan struct{})
	r, done := startScripted(t, func(c *segmentScript) {
		c.play([]string{"submit", "answer and report 1", "submit", "answer and report 2", "submit"})
		giveUp()
		<-given
		c.play([]string{"answer and report 3"})
	})
	out := text(strings.Repeat("a", 400))
	_, err := r.Send(ctx, out)
	close(given)
	gatewaytest.WantFailure(t, err, "unknown answer_lost")
	waittest.Receive(t, done)
	wantSegmentReceipt(t, r, out.Ref)
}

// startScripted starts the driver with a scripted center. done is closed when the script has ended and all receipts are acknowledged.
func startScripted(t *testing.T, script func(c *segmentScript)) (r *fixture, done chan struct{}) {
	t.Helper()
	done = make(chan struct{})
	return start(t, settingsFor(serveScripts(t, func(w *wire) {
		defer close(done)
		w.acceptBind()
		c := &segmentScript{wire: w, submits: map[int]pdu.PDU{}}
		script(c)
		for ; c.taken < c.reports; c.taken++ {
			w.expect(pdu.DeliverSM.Response())
		}
	}, (*wire).readToEnd), nil)), done
}

// wantSegmentReceipt checks that one receipt has arrived, for a delivered message of three segments.
func wantSegmentReceipt(t *testing.T, r *fixture, ref string) {
	t.Helper()
	want := gateway.Receipt{Ref: ref, ProviderID: "3", Status: gateway.ReceiptDelivered, At: r.Clock.Now()}
	if got := r.Sink.Receipts(); !slices.Equal(got, []gateway.Receipt{want}) {
		t.Errorf("%+v, want %+v alone", got, want)
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
