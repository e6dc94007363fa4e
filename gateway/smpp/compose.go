package smpp

import (
	"fmt"
	"time"

	"griot/gateway"
	"griot/gateway/smpp/pdu"
	"griot/internal/sms"
)

const (
	maxSegments       = 255             // the header counts in one octet
	sensitiveValidity = 5 * time.Minute // what opens a door is worthless when it comes late
	longestValidity   = 30 * 24 * time.Hour
)

// compose writes a message as the units that carry it, in order.
func (s *sender) compose(out *gateway.Outbound, now time.Time) ([]*pdu.Message, *gateway.Error) {
	source, ok := s.settings.source(out.From)
	if !ok {
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "sender_invalid"}
	}
	destination, ok := s.settings.destination(out.To)
	if !ok {
		return nil, &gateway.Error{Class: gateway.Unreachable, Code: "recipient_invalid"}
	}
	if failure := out.CheckTextOnly(); failure != nil {
		return nil, failure
	}
	base := pdu.Message{
		ServiceType: s.settings.ServiceType, Source: source, Destination: destination,
		Validity: validity(s.settings.Validity, out, now),
	}
	if s.settings.wantsReceipts() {
		base.RegisteredDelivery = 1
	}
	w := s.settings.write(out.Text)
	base.DataCoding = w.coding
	switch {
	case len(w.pieces) > maxSegments:
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "message_too_long"}
	case len(w.pieces) == 1:
		base.Short = w.append(nil, w.pieces[0])
		return []*pdu.Message{&base}, nil
	case s.settings.LongMessages == longPayload:
		var payload []byte
		for _, p := range w.pieces {
			payload = w.append(payload, p)
		}
		base.TLVs = []pdu.TLV{{Tag: pdu.MessagePayload, Value: payload}}
		return []*pdu.Message{&base}, nil
	}
	return s.segments(base, w), nil
}

// segments writes a unit for each piece, with a header that says which it is (3GPP TS 23.040 §9.2.3.24).
func (s *sender) segments(base pdu.Message, w written) []*pdu.Message {
	base.ESMClass |= pdu.ESMHeader
	reference := s.reference.Add(1)
	units := make([]*pdu.Message, len(w.pieces))
	for i, p := range w.pieces {
		header := []byte{5, 0, 3, byte(reference), byte(len(w.pieces)), byte(i + 1)}
		if s.settings.LongMessages == longUDH16 {
			header = []byte{6, 8, 4, byte(reference >> 8), byte(reference), byte(len(w.pieces)), byte(i + 1)}
		}
		unit := base
		unit.Short = w.append(header, p)
		units[i] = &unit
	}
	return units
}

// written is a text in pieces, and how each is encoded.
type written struct {
	pieces []string
	coding byte // data_coding
	append func(b []byte, text string) []byte
}

func (s settings) write(text string) written {
	if s.Transliterate {
		text = sms.Transliterate(text)
	}
	header := sms.Header8
	if s.LongMessages == longUDH16 {
		header = sms.Header16
	}
	encoding, pieces := sms.Split(text, header)
	switch {
	case encoding == sms.GSM7 && s.Alphabet == alphabetGSM:
		return written{pieces, codingDefault, sms.AppendGSM}
	case encoding == sms.GSM7 && isLatin1(text): // in the air it is GSM again: the pieces stay as they are
		coding := byte(codingLatin1)
		if s.Alphabet == alphabetLatin1Default {
			coding = codingDefault
		}
		return written{pieces, coding, appendLatin1}
	case encoding == sms.GSM7:
		pieces = sms.SplitUCS2(text, header)
	}
	return written{pieces, codingUCS2, sms.AppendUTF16}
}

// validity says until when the center shall try (SMPP 3.4 §7.1.1); "" leaves it to the center.
func validity(form string, out *gateway.Outbound, now time.Time) string {
	left := longestValidity
	switch {
	case out.ExpiresAt.IsZero() && !out.Sensitive, form == validityNone:
		return ""
	case !out.ExpiresAt.IsZero():
		left = min(left, out.ExpiresAt.Sub(now))
	}
	if out.Sensitive {
		left = min(left, sensitiveValidity)
	}
	left = max(left, time.Second)
	if form == validityAbsolute {
		return now.Add(left).UTC().Format("060102150405") + "000+"
	}
	n := int(left / time.Second)
	return fmt.Sprintf("0000%02d%02d%02d%02d000R", n/86400, n/3600%24, n/60%60, n%60)
}
