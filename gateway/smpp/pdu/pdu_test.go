package pdu_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"example.com/griot/gateway/smpp/pdu"
)

// submit is a submit_sm by SMPP 3.4 §4.4.1.
const submit = "\x00\x00\x00\x3a\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x07" +
	"\x00" + // service_type
	"\x05\x00GRIOT\x00" + "\x01\x01" + "22370000001\x00" +
	"\x40\x00\x00" + // esm_class, protocol_id, priority
	"\x00" + "\x00" + // schedule, validity
	"\x01\x00\x08\x00" + // registered_delivery, replace, data_coding, sm_default_msg_id
	"\x04\xd8\x3c\xdf\x1e" + // short_message
	"\x02\x0e\x00\x01\x02" // sar_total_segments

func message() pdu.Message {
	return pdu.Message{
		Source: pdu.Address{TON: 5, Addr: "GRIOT"}, Destination: pdu.Address{TON: 1, NPI: 1, Addr: "22370000001"},
		ESMClass: pdu.ESMHeader, RegisteredDelivery: 1, DataCoding: 8, Short: []byte{0xd8, 0x3c, 0xdf, 0x1e},
		TLVs: []pdu.TLV{{Tag: pdu.SARTotal, Value: []byte{2}}},
	}
}

func TestMessage(t *testing.T) {
	t.Parallel()
	want := message()
	body, err := want.Body()
	if err != nil {
		t.Fatal(err)
	}
	unit := pdu.PDU{Command: pdu.SubmitSM, Sequence: 7, Body: body}
	wire, err := unit.Append(nil)
	if err != nil || string(wire) != submit {
		t.Fatalf("written as\n% x, %v; want\n% x", wire, err, submit)
	}
	stream := strings.NewReader(submit + submit)
	for range 2 {
		p, err := pdu.Read(stream)
		if err != nil || !reflect.DeepEqual(p, unit) {
			t.Fatalf("%+v, %v; want %+v", p, err, unit)
		}
		got, err := pdu.ParseMessage(p.Body)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	if _, err := pdu.Read(stream); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	bind := pdu.Bind{SystemID: "griot", Password: "kora", SystemType: "SMPP", Version: 0x34, Range: pdu.Address{TON: 1, NPI: 1, Addr: "^223"}}
	if body, err := bind.Body(); err != nil || string(body) != "griot\x00kora\x00SMPP\x00\x34\x01\x01^223\x00" {
		t.Errorf("bind: %q, %v", body, err)
	} else if got, err := pdu.ParseBind(body); err != nil || got != bind {
		t.Errorf("bind: %+v, %v", got, err)
	}
	answer := pdu.BindResponse{SystemID: "center", TLVs: []pdu.TLV{{Tag: 0x210, Value: []byte{0x34}}}}
	if body, err := answer.Body(); err != nil || string(body) != "center\x00\x02\x10\x00\x01\x34" {
		t.Errorf("bind_resp: %q, %v", body, err)
	} else if got, err := pdu.ParseBindResponse(body); err != nil || !reflect.DeepEqual(got, answer) {
		t.Errorf("bind_resp: %+v, %v", got, err)
	}
	taken := pdu.MessageResponse{MessageID: "1A2B"}
	if body, err := taken.Body(); err != nil || string(body) != "1A2B\x00" {
		t.Errorf("submit_sm_resp: %q, %v", body, err)
	} else if got, err := pdu.ParseMessageResponse(body); err != nil || got.MessageID != "1A2B" {
		t.Errorf("submit_sm_resp: %+v, %v", got, err)
	}
	if got, err := pdu.ParseMessageResponse(nil); err != nil || got.MessageID != "" {
		t.Errorf("a refusal without a body: %+v, %v", got, err)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	m := message()
	m.TLVs = append(m.TLVs, pdu.TLV{Tag: pdu.MessagePayload, Value: []byte("long")})
	if string(m.Text()) != "\xd8\x3c\xdf\x1e" {
		t.Errorf("with both: %q", m.Text())
	}
	m.Short = nil
	if string(m.Text()) != "long" {
		t.Errorf("with a payload: %q", m.Text())
	}
}

func TestRead_RefusesLengths(t *testing.T) {
	t.Parallel()
	for length, want := range map[string]error{
		"\x00\x00\x00\x00": pdu.ErrLength, "\x00\x00\x00\x0f": pdu.ErrLength, "\xff\xff\xff\xff": pdu.ErrLength, "\x00\x01\x10\x01": pdu.ErrLength,
		"\x00\x00\x00\x11": io.ErrUnexpectedEOF, "\x00\x01\x10\x00": io.ErrUnexpectedEOF,
	} {
		if _, err := pdu.Read(strings.NewReader(length + submit[4:16])); !errors.Is(err, want) {
			t.Errorf("length % x: %v, want %v", length, err, want)
		}
	}
	if _, err := pdu.Read(strings.NewReader(submit[:15])); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("within the header: %v", err)
	}
}

func TestBody_RefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*pdu.Message){
		"NUL":         func(m *pdu.Message) { m.Source.Addr = "a\x00b" },
		"address":     func(m *pdu.Message) { m.Destination.Addr = strings.Repeat("2", 65) },
		"service":     func(m *pdu.Message) { m.ServiceType = "123456" },
		"validity":    func(m *pdu.Message) { m.Validity = strings.Repeat("0", 17) },
		"text":        func(m *pdu.Message) { m.Short = make([]byte, 256) },
		"parameter":   func(m *pdu.Message) { m.TLVs[0].Value = make([]byte, 1<<16) },
		"parameters":  func(m *pdu.Message) { m.TLVs = make([]pdu.TLV, 65) },
		"all of them": func(m *pdu.Message) { m.TLVs = []pdu.TLV{{Value: make([]byte, 65535)}, {Value: make([]byte, 65535)}} },
	} {
		m := message()
		change(&m)
		if _, err := m.Body(); !errors.Is(err, pdu.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (pdu.PDU{Body: make([]byte, pdu.MaxSize)}).Append(nil); !errors.Is(err, pdu.ErrTooLarge) {
		t.Errorf("a unit that is too large: %v", err)
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	if pdu.SubmitSM.Response() != 0x80000004 || pdu.SubmitSM.IsResponse() || !pdu.GenericNack.IsResponse() {
		t.Error("responses have the highest bit set")
	}
	if !pdu.Status(0x401).VendorSpecific() || pdu.Throttled.VendorSpecific() || pdu.Throttled.String() != "0x00000058" {
		t.Error("statuses")
	}
}

// Any stream is read without a panic and with little memory; a unit that was read is encoded to the same octets.
func FuzzRead(f *testing.F) {
	f.Add([]byte(submit))
	f.Add([]byte(submit[:20]))
	f.Add(append([]byte{0xff, 0xff, 0xff, 0xff}, submit...))
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := bytes.NewReader(stream)
		for {
			remaining := r.Len()
			p, err := pdu.Read(r)
			if err != nil {
				return
			}
			wire, err := p.Append(nil)
			if err != nil || !bytes.Equal(wire, stream[len(stream)-remaining:len(stream)-r.Len()]) {
				t.Fatalf("% x is written as % x, %v", stream[len(stream)-remaining:], wire, err)
			}
		}
	})
}

func FuzzBodies(f *testing.F) {
	f.Add([]byte(submit[16:]))
	f.Add([]byte("griot\x00kora\x00SMPP\x00\x34\x01\x01^223\x00"))
	f.Add([]byte("1A2B\x00\x04\x27\x00\x01\x02"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if m, err := pdu.ParseMessage(body); err == nil {
			again(t, body, m.Body)
			if len(m.Text()) > len(body) {
				t.Fatal("more text than body")
			}
		}
		if m, err := pdu.ParseBind(body); err == nil {
			again(t, body, m.Body)
		}
		if m, err := pdu.ParseBindResponse(body); err == nil {
			again(t, body, m.Body)
		}
		if m, err := pdu.ParseMessageResponse(body); err == nil && len(body) > 0 {
			again(t, body, m.Body)
		}
	})
}

func again(t *testing.T, body []byte, write func() ([]byte, error)) {
	t.Helper()
	if len(body) > pdu.MaxSize-16 {
		return
	}
	if got, err := write(); err != nil || !bytes.Equal(got, body) {
		t.Fatalf("% x is written as % x, %v", body, got, err)
	}
}
