package smpptest

import (
	"fmt"

	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/internal/sms"
)

// Delivered returns the receipt for a delivered submit_sm.
func Delivered(s Submit) *pdu.Message { return Report(s, s.ID, "DELIVRD", "000") }

// Report returns a receipt in the form of SMPP 3.4 Appendix B. Like real ones, it contains the beginning of the text.
func Report(s Submit, id, state, code string) *pdu.Message {
	text := []byte(s.Text())
	return &pdu.Message{
		Source: s.Destination, Destination: s.Source, ESMClass: pdu.ESMReceipt,
		Short: append(fmt.Appendf(nil, "id:%s sub:001 dlvrd:001 submit date:2611201200 done date:2611201201 stat:%s err:%s text:", id, state, code), text[:min(len(text), 20)]...),
	}
}

// Text returns a person's message, in one segment.
func Text(from, to, text string) *pdu.Message {
	m := &pdu.Message{Source: pdu.Address{TON: 1, NPI: 1, Addr: from}, Destination: pdu.Address{TON: 1, NPI: 1, Addr: to}}
	if encoding, _ := sms.Split(text, 0); encoding == sms.GSM7 {
		m.Short = sms.AppendGSM(nil, text)
		return m
	}
	m.DataCoding, m.Short = 8, sms.AppendUTF16(nil, text)
	return m
}

// Parts returns a person's message in segments, with 8-bit references.
func Parts(from, to, text string, reference byte) []*pdu.Message {
	_, texts := sms.Split(text, sms.Header8)
	list := make([]*pdu.Message, len(texts))
	coding := Text(from, to, text).DataCoding
	for i, p := range texts {
		m := Text(from, to, p)
		m.DataCoding, m.ESMClass = coding, pdu.ESMHeader
		m.Short = []byte{5, 0, 3, reference, byte(len(texts)), byte(i + 1)}
		if coding == 8 {
			m.Short = sms.AppendUTF16(m.Short, p)
		} else {
			m.Short = sms.AppendGSM(m.Short, p)
		}
		list[i] = m
	}
	return list
}
