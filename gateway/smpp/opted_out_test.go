package smpp

import (
	"fmt"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/gateway/smpp/smpptest"
)

// A center's statuses and error codes that mean an opt-out are settings, because SMPP has none.
func TestOptedOut(t *testing.T) {
	t.Parallel()
	var report func(s smpptest.Submit) *pdu.Message
	c := smpptest.Start(t, smpptest.Options{Receipt: func(s smpptest.Submit) []*pdu.Message { return []*pdu.Message{report(s)} }})
	r := start(t, settingsFor(c.Port(), map[string]any{"opted_out": []string{"0x00000455", "0x0b", "REJECTD 1037", "undelivered 0x1f"}}))
	for status, want := range map[pdu.Status]string{
		0x455: "unreachable recipient_opted_out", 0x0b: "unreachable recipient_opted_out", 0x456: "permanent message_refused", 0x58: "rate_limited throttled",
	} {
		c.OnSubmit(func(smpptest.Submit) smpptest.Reply { return smpptest.Reply{Status: status} })
		_, err := r.Send(testContext(t), text("Bonjour"))
		gatewaytest.WantFailure(t, err, fmt.Sprintf("%s 0x%08x", want, uint32(status)))
	}
	c.OnSubmit(nil)
	for i, tt := range []struct{ state, code, want string }{
		{"REJECTD", "1037", "unreachable recipient_opted_out REJECTD 1037"},
		{"REJECTED", "01037", "unreachable recipient_opted_out REJECTD 01037"},
		{"UNDELIV", "01F", "unreachable recipient_opted_out UNDELIV 01F"},
		{"REJECTD", "1038", "permanent rejected REJECTD 1038"},
		{"UNDELIV", "1037", "unreachable undeliverable UNDELIV 1037"},
		{"REJECTD", "000", "permanent rejected REJECTD 000"},
		{"DELIVRD", "1037", ""},
	} {
		report = func(s smpptest.Submit) *pdu.Message { return smpptest.Report(s, s.ID, tt.state, tt.code) }
		out := text("Bonjour")
		out.Ref = fmt.Sprintf("msg_%d", i)
		_, err := r.Send(testContext(t), out)
		r.must(err)
		r.must(r.Sink.Wait(testContext(t), func() bool { return len(r.Sink.Receipts()) == i+1 }))
		got := r.Sink.Receipts()[i]
		if got.Err == nil || tt.want == "" {
			if got.Err != nil || got.Status != gateway.ReceiptDelivered {
				t.Errorf("%s %s: %+v, want %q", tt.state, tt.code, got, tt.want)
			}
			continue
		}
		gatewaytest.WantFailure(t, got.Err, tt.want)
	}
}

func FuzzParseOptOuts(f *testing.F) {
	for _, s := range []string{"0x00000455", "REJECTD 1037", "undeliv 0x1F", "0x58", "", " ", "0x", "REJECTD 000", "REJECTD  1 "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o, err := parseOptOuts([]string{s})
		if (err == nil) != (len(o.statuses)+len(o.receipts) == 1) {
			t.Fatalf("%q: %+v, %v", s, o, err)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "settings: opted_out[0] ") {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		set := settings{optOuts: o}
		for _, status := range o.statuses {
			if e := set.submitRefused(status); e.Code != gateway.CodeOptedOut || e.Class != gateway.Unreachable {
				t.Errorf("%q: %v", s, e)
			}
		}
		for _, text := range o.receipts {
			state, code, _ := strings.Cut(text, " ")
			if out, ok := set.receipt(report{state: state, err: code}); !ok || out.Err == nil || out.Err.Code != gateway.CodeOptedOut {
				t.Errorf("%q: %+v, %v", s, out, ok)
			}
		}
		for _, e := range []string{"", "000", "FFFFFFFF1"} {
			if out, _ := set.receipt(report{state: "REJECTD", err: e}); out.Err.Code == gateway.CodeOptedOut {
				t.Errorf("%q: REJECTD %s is an opt-out", s, e)
			}
		}
	})
}
