package smpp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/gateway/smpp/smpptest"
	"example.com/griot/internal/sms"
)

// keptCase is a delivery whose text is stored, although one of its fields is missing or unreadable.
type keptCase struct {
	name    string
	command pdu.Command
	body    []byte
	unnamed bool // our number is unknown
}

const keptText = "Bonjour Awa"

// keptCases changes each field of a message in turn, and each optional parameter that Griot reads.
func keptCases(t *testing.T) (all []keptCase) {
	t.Helper()
	change := func(name string, to func(*pdu.Message)) {
		m := smpptest.Text(aissata, griot, keptText)
		m.ServiceType, m.Priority, m.RegisteredDelivery = "CMT", 1, 1
		to(m)
		body, err := m.Body()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, keptCase{name, pdu.DeliverSM, body, !slices.Contains([]string{griot, "+" + griot, "00" + griot}, m.Destination.Addr)})
	}
	change("unchanged", func(*pdu.Message) {})
	for _, service := range []string{"", "?", "USSD", "\xff\xfe"} {
		change(fmt.Sprintf("service_type %q", service), func(m *pdu.Message) { m.ServiceType = service })
	}
	for _, a := range []pdu.Address{{}, {TON: 1, NPI: 1}, {TON: 5, Addr: "GRIOT"}, {TON: 9, NPI: 9, Addr: griot}, {Addr: "+" + griot}, {Addr: "00" + griot}, {TON: 1, Addr: "?"}, {Addr: strings.Repeat("2", 64)}, {Addr: "\xff"}} {
		change(fmt.Sprintf("destination %v", a), func(m *pdu.Message) { m.Destination = a })
	}
	for _, ton := range []byte{0, 1, 3, 6, 9, 0xff} {
		change(fmt.Sprintf("source_addr_ton and npi %#x", ton), func(m *pdu.Message) { m.Source.TON, m.Source.NPI = ton, ton })
	}
	for esm := range 0x100 {
		if kind := byte(esm) & pdu.ESMTypeMask; kind != pdu.ESMReceipt && kind != pdu.ESMIntermediate {
			change(fmt.Sprintf("esm_class %#x", esm), func(m *pdu.Message) { m.ESMClass = byte(esm) }) // the text starts with no header
		}
	}
	for _, n := range []byte{0, 1, 4, 0x40, 0x7f, 0xff} {
		change(fmt.Sprintf("flags %#x", n), func(m *pdu.Message) {
			m.ProtocolID, m.Priority, m.RegisteredDelivery, m.Replace, m.DefaultMessage = n, n, n, n, n
		})
	}
	for _, coding := range []byte{0, 1, 3, 6, 0x0f, 0x10, 0x80, 0xc0, 0xd0, 0xf0} {
		change(fmt.Sprintf("data_coding %#x", coding), func(m *pdu.Message) { m.DataCoding = coding })
	}
	for _, when := range []string{"", "?", "000000000000000R", "261120120000000+"} {
		change(fmt.Sprintf("times %q", when), func(m *pdu.Message) { m.Schedule, m.Validity = when, when })
	}
	for _, tag := range []pdu.Tag{pdu.SARReference, pdu.SARTotal, pdu.SARSequence, pdu.MessagePayload, pdu.MessageState, pdu.ReceiptedMessageID, 0x0204, 0x1400, 0xffff} {
		for _, value := range []string{"", "\x00", "\x01", "\x02\x02", "\xff\xff\xff", strings.Repeat("\x02", 300)} {
			if tag != pdu.MessagePayload || len(value) < len(keptText) {
				change(fmt.Sprintf("parameter %#x of %d octets", tag, len(value)), func(m *pdu.Message) { m.TLVs = []pdu.TLV{{Tag: tag, Value: []byte(value)}} })
			}
		}
	}
	for total := range byte(3) {
		for number := range byte(3) {
			if total != 2 || number == 0 {
				change(fmt.Sprintf("part %d of %d", number, total), func(m *pdu.Message) {
					m.TLVs = []pdu.TLV{{Tag: pdu.SARReference, Value: []byte{0, 1}}, {Tag: pdu.SARTotal, Value: []byte{total}}, {Tag: pdu.SARSequence, Value: []byte{number}}}
				})
			}
		}
	}
	for name, header := range map[string]string{
		"without a header": "", "an empty header": "\x00", "an unknown element": "\x03\x70\x01\x02", "an element that is cut off": "\x03\x00\x05\x01", "a part without a total": "\x05\x00\x03\x07\x00\x01", "a part beyond the total": "\x05\x00\x03\x07\x02\x03",
	} {
		change("a header: "+name, func(m *pdu.Message) {
			if m.Short = append([]byte(header), m.Short...); header != "" {
				m.ESMClass = pdu.ESMHeader
			}
		})
	}
	change("text only in message_payload", func(m *pdu.Message) {
		m.TLVs, m.Short = []pdu.TLV{{Tag: pdu.MessagePayload, Value: m.Short}}, nil
	})
	change("text in message_payload and its beginning in short_message", func(m *pdu.Message) {
		m.TLVs, m.Short = []pdu.TLV{{Tag: pdu.MessagePayload, Value: m.Short}}, m.Short[:5]
	})
	return append(all, keptBodies()...)
}

// keptBodies are bodies that SMPP doesn't permit, and data_sm.
func keptBodies() (all []keptCase) {
	text := string(sms.AppendGSM(nil, keptText))
	head := "\x01\x01" + aissata + "\x00\x01\x01" + griot + "\x00"
	rest := "\x00\x00\x00\x00\x00\x01\x00\x00\x00" // esm_class to sm_default_msg_id
	short := string([]byte{byte(len(text))}) + text
	payload := "\x04\x24\x00" + short
	for name, body := range map[string]string{
		"a service_type that is too long":            "TOO LONG A NAME\x00" + head + rest + short,
		"an address that is too long":                "\x00\x01\x01" + aissata + "\x00\x05\x01" + strings.Repeat("G", 100) + "\x00" + rest + short,
		"a time that is too long":                    "\x00" + head + "\x00\x00\x00" + strings.Repeat("0", 30) + "\x00\x00\x01\x00\x00\x00" + short,
		"a text that is longer than it is":           "\x00" + head + rest + "\xfe" + text,
		"octets after the text":                      "\x00" + head + rest + short + "\x02",
		"a parameter that is cut off":                "\x00" + head + rest + short + "\x02\x0c\x00\x02\x01",
		"a payload that is longer than it is":        "\x00" + head + rest + "\x00\x04\x24\xff\xff" + text,
		"too many parameters":                        "\x00" + head + rest + short + strings.Repeat("\x14\x01\x00\x00", 100),
		"parameters of which only the first is real": "\x00" + head + rest + "\x00" + payload + "\xff\xff\xff\xff\xff\xff",
	} {
		all = append(all, keptCase{name, pdu.DeliverSM, []byte(body), strings.Contains(body, "GGG")})
	}
	for name, body := range map[string]string{
		"data_sm":                             "\x00" + head + "\x00\x01\x00" + payload,
		"data_sm with other parameters":       "CMT\x00" + head + "\x10\x00\x00\x02\x04\x00\x02\x00\x01" + payload + "\x04\x27\x00\x01\x02",
		"data_sm with a damaged parameter":    "\x00" + head + "\x00\x01\x00" + payload + "\x02\x0c\x00",
		"data_sm with a header":               "\x00" + head + "\x40\x01\x00\x04\x24\x00" + string([]byte{byte(len(text) + 7)}) + "\x06\x05\x04\x23\xf4\x00\x00" + text,
		"data_sm with a payload that is long": "\x00" + head + "\x00\x01\x00\x04\x24\x00\xff" + text,
	} {
		all = append(all, keptCase{name, pdu.DataSM, []byte(body), false})
	}
	return all
}

// No message is lost because of a single field.
func TestInbound_Kept(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	r := start(t, settingsFor(c.Port(), nil))
	for n, tt := range keptCases(t) {
		for status := range c.DeliverBody(tt.command, tt.body) {
			if status != pdu.OK {
				t.Fatalf("%s: answered %v", tt.name, status)
			}
		}
		got := r.Sink.Messages()
		if len(got) != n+1 {
			t.Fatalf("%s: %d messages, want %d; logged %s", tt.name, len(got), n+1, r.Logged())
		}
		to := griot
		if tt.unnamed {
			to = ""
		}
		if in := got[n]; in.Text != keptText || cmp.Or(in.From, in.Local) != aissata || in.To != to || in.ID == "" || in.At.IsZero() {
			t.Errorf("%s: %+v", tt.name, in)
		}
	}
	if dropped := r.Unhandled(); len(dropped) != 0 {
		t.Errorf("counted %v", dropped)
	}
}

// What has no text of a person is counted and logged: what is cut off before it, and acknowledgments of phones.
func TestInbound_WithoutAText(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	r := start(t, settingsFor(c.Port(), nil))
	ack := func(class byte, text string) *pdu.Message {
		m := smpptest.Text(aissata, griot, text)
		m.ESMClass = class
		return m
	}
	deliverAll(c, ack(pdu.ESMDeviceAck, "id:7 sub:001 dlvrd:001 submit date:2611201200 done date:2611201201 stat:DELIVRD err:000 text:secret"), ack(0x10, ""), ack(0x18, ""))
	body, err := smpptest.Text(aissata, griot, keptText).Body()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 5, 30, len(body) - len(keptText) - 1} {
		if status := <-c.DeliverBody(pdu.DeliverSM, body[:n]); status != pdu.InvalidCommandLen {
			t.Errorf("the first %d octets: answered %v", n, status)
		}
	}
	if got := r.Unhandled(); got[gateway.UnhandledKind] != 3 || got[gateway.UnhandledUnreadable] == 0 || len(r.Sink.Messages()) != 0 || len(r.Sink.Receipts()) != 0 {
		t.Errorf("counted %v, stored %d messages and %d receipts", got, len(r.Sink.Messages()), len(r.Sink.Receipts()))
	}
	if logged := r.Logged(); strings.Contains(logged, "secret") || strings.Contains(logged, aissata) {
		t.Errorf("the log has %s", logged)
	}
}

// A delivery is read without a panic, and its text is within its body.
func FuzzDelivery(f *testing.F) {
	for _, tt := range keptBodies() {
		f.Add(uint32(tt.command), tt.body)
	}
	f.Fuzz(func(t *testing.T, command uint32, body []byte) {
		m, err := pdu.ParseDelivery(pdu.Command(command), body)
		if err != nil {
			return
		}
		if text := m.Text(); len(text) > len(body) || len(m.TLVs) > 64 {
			t.Fatalf("%d octets of text and %d parameters in %d octets", len(text), len(m.TLVs), len(body))
		}
		_, _ = cutHeader(&m)
	})
}
