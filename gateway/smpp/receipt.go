package smpp

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"example.com/griot/gateway/internal/smscreport"
	"example.com/griot/gateway/smpp/pdu"
)

// isReceipt reports whether a deliver_sm is a receipt. It checks the message class, or the parameters that only a
// center can set. It ignores the text, because anyone can write one that looks like a receipt.
func (s settings) isReceipt(m *pdu.Message) bool {
	kind := m.ESMClass & pdu.ESMTypeMask
	if kind == pdu.ESMReceipt || kind == pdu.ESMIntermediate {
		return true
	}
	state, _ := pdu.Find(m.TLVs, pdu.MessageState)
	return s.receiptedID(m) != "" && len(state) == 1
}

// isDeviceAck reports whether a deliver_sm is a phone's own acknowledgment, with the text of a receipt. It isn't from the
// center, so it is no receipt. Any other text of an acknowledgment is a person's.
func (s settings) isDeviceAck(m *pdu.Message) bool {
	if m.ESMClass&pdu.ESMTypeMask != pdu.ESMDeviceAck {
		return false
	}
	r := s.parseReport(m)
	return r.readable()
}

// report is a parsed receipt: the possible IDs of the message, and its state.
type report struct {
	ids   []string // none: no readable ID
	state string   // as in receipts: DELIVRD; "": unreadable
	err   string   // the network's error code, unchecked
}

// readable reports whether both the message and its state are known.
func (r *report) readable() bool { return len(r.ids) > 0 && r.state != "" }

// parseReport reads the parameters of SMPP 3.4 §5.3.2.12 and §5.3.2.35. It takes missing values from the text of
// Appendix B, which has variants.
func (s settings) parseReport(m *pdu.Message) report {
	var r report
	r.add(s.receiptedID(m)) // the form of submit_sm_resp
	if state, ok := pdu.Find(m.TLVs, pdu.MessageState); ok && len(state) == 1 {
		r.state = stateOf(state[0])
	}
	fields, otherID := readFields(m)
	r.add(canonical(s.ReceiptID, fields.ID))
	r.add(canonical(s.ReceiptID, otherID))
	r.state = cmp.Or(r.state, fields.State)
	r.err = fields.Err
	return r
}

// receiptedID returns the ID in a receipt's parameters, or "" if none is readable.
func (s settings) receiptedID(m *pdu.Message) string {
	id, _ := pdu.Find(m.TLVs, pdu.ReceiptedMessageID)
	return s.ackID(string(id))
}

func (r *report) add(id string) {
	if id != "" && !slices.Contains(r.ids, id) {
		r.ids = append(r.ids, id)
	}
}

// stateOf returns the name of a message_state (SMPP 3.4 §5.2.28, 5.0 §4.7.15), or "" if it has none.
func stateOf(state byte) string {
	words := [...]string{"SCHEDULED", "ENROUTE", "DELIVRD", "EXPIRED", "DELETED", "UNDELIV", "ACCEPTD", "UNKNOWN", "REJECTD"}
	if int(state) >= len(words) {
		return ""
	}
	return words[state]
}

// ackID returns the ID of a submit_sm_resp, or "" if it is unreadable.
func (s settings) ackID(id string) string { return canonical(s.AckID, smscreport.ReadableID(id)) }

// canonical returns an ID in the form that acks and receipts share. A number becomes decimal without leading zeros,
// regardless of the center's form. Other IDs are unchanged.
func canonical(form, id string) string {
	if form == idText {
		return id
	}
	digits, base := id, 10
	if form == idHex {
		digits, base = strings.TrimPrefix(strings.TrimPrefix(id, "0x"), "0X"), 16
	}
	var n big.Int
	if _, ok := n.SetString(digits, base); !ok || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return id
	}
	return n.String()
}
