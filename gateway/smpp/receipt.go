package smpp

import (
	"math/big"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/gateway/smpp/pdu"
)

// isReceipt reports whether a deliver_sm is a receipt. Only its class counts, since
// anybody can write a text that looks like a receipt.
func isReceipt(m *pdu.Message) bool {
	kind := m.ESMClass & pdu.ESMTypeMask
	return kind == pdu.ESMReceipt || kind == pdu.ESMIntermediate
}

// report is a parsed receipt: each id that the message may be known by, and its state.
type report struct {
	ids   []string
	state string // as in receipts: DELIVRD
	err   string // the network's error code, unchecked
}

// parseReport reads the parameters of SMPP 3.4 §5.3.2.12 and §5.3.2.35, and what they
// lack from the text of Appendix B, of which centers have variants.
func (s settings) parseReport(m *pdu.Message) report {
	var r report
	if id, ok := pdu.Find(m.TLVs, pdu.ReceiptedMessageID); ok { // the form of submit_sm_resp
		r.add(s.ackID(strings.TrimRight(string(id), "\x00")))
	}
	text := string(m.Text())
	r.add(canonical(s.ReceiptID, field(text, "id:")))
	r.state = strings.ToUpper(field(text, "stat:"))
	r.err = field(text, "err:")
	if state, ok := pdu.Find(m.TLVs, pdu.MessageState); ok && len(state) == 1 {
		r.state = stateOf(state[0])
	}
	return r
}

func (r *report) add(id string) {
	if id != "" && (len(r.ids) == 0 || r.ids[0] != id) {
		r.ids = append(r.ids, id)
	}
}

// field returns the word after a key, which is case-insensitive. It ignores what follows "text:", which is the message's text.
func field(text, key string) string {
	lower := strings.ToLower(text)
	if len(lower) != len(text) { // lower-casing has changed the offsets; no receipt has such letters before its text
		return ""
	}
	if end := strings.Index(lower, "text:"); end >= 0 {
		lower = lower[:end]
	}
	for from := 0; ; {
		i := strings.Index(lower[from:], key)
		if i < 0 {
			return ""
		}
		from += i + len(key)
		if start := from - len(key); start == 0 || lower[start-1] == ' ' {
			word, _, _ := strings.Cut(text[from:], " ")
			return strings.TrimRight(word, "\x00\r\n")
		}
	}
}

// stateOf returns the word of a message_state (SMPP 3.4 §5.2.28).
func stateOf(state byte) string {
	switch state {
	case 1:
		return "ENROUTE"
	case 2:
		return "DELIVRD"
	case 3:
		return "EXPIRED"
	case 4:
		return "DELETED"
	case 5:
		return "UNDELIV"
	case 6:
		return "ACCEPTD"
	case 8:
		return "REJECTD"
	}
	return "UNKNOWN"
}

// receipt converts a report; ok is false if its state says nothing.
func (r report) receipt() (out gateway.Receipt, ok bool) {
	failed := func(class gateway.Class, code string) (gateway.Receipt, bool) {
		e := &gateway.Error{Class: class, Code: code, ProviderCode: r.state}
		if isErrorCode(r.err) {
			e.ProviderCode += " " + r.err
		}
		return gateway.Receipt{Status: gateway.ReceiptFailed, Err: e}, true
	}
	switch r.state {
	case "DELIVRD":
		return gateway.Receipt{Status: gateway.ReceiptDelivered}, true
	case "ENROUTE", "ACCEPTD", "SCHEDULED":
		return gateway.Receipt{Status: gateway.ReceiptSent}, true
	case "EXPIRED":
		return failed(gateway.Unreachable, "not_delivered_in_time")
	case "UNDELIV":
		return failed(gateway.Unreachable, "undeliverable")
	case "REJECTD":
		return failed(gateway.Permanent, "rejected")
	case "DELETED":
		return failed(gateway.Permanent, "deleted")
	}
	return gateway.Receipt{}, false // UNKNOWN
}

func isErrorCode(s string) bool {
	return s != "" && len(s) <= 8 && strings.Trim(s, "0123456789abcdefxABCDEFX") == ""
}

func (s settings) ackID(id string) string { return canonical(s.AckID, id) }

// canonical returns an id in the form that acks and receipts share: a number is decimal
// without leading zeros, whatever the center's form. Other ids are unchanged.
func canonical(form, id string) string {
	if form == idText {
		return id
	}
	base := 10
	if form == idHex {
		base = 16
	}
	var n big.Int
	if _, ok := n.SetString(id, base); !ok || strings.Trim(id, "0123456789abcdefABCDEF") != "" {
		return id
	}
	return n.String()
}
