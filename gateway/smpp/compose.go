package smpp

import (
	"fmt"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/internal/sms"
)

const (
	maxSegments       = 255             // the header counts segments in one octet
	sensitiveValidity = 5 * time.Minute // a late one-time code is useless
	longestValidity   = 30 * 24 * time.Hour
)

// compose returns a message as submit_sm bodies, in order.
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
	w := s.settings.encode(out.Text)
	base.DataCoding = w.coding
	switch {
	case len(w.texts) > maxSegments:
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "message_too_long"}
	case len(w.texts) == 1:
		base.Short = w.append(nil, w.texts[0])
		return []*pdu.Message{&base}, nil
	case s.settings.LongMessages == longPayload:
		var payload []byte
		for _, p := range w.texts {
			payload = w.append(payload, p)
		}
		base.TLVs = []pdu.TLV{{Tag: pdu.MessagePayload, Value: payload}}
		return []*pdu.Message{&base}, nil
	}
	return s.segments(base, w), nil
}

// segments returns a unit for each text, with a concatenation header (3GPP TS 23.040 §9.2.3.24).
func (s *sender) segments(base pdu.Message, w encodedText) []*pdu.Message {
	base.ESMClass |= pdu.ESMHeader
	reference := s.reference.Add(1)
	units := make([]*pdu.Message, len(w.texts))
	for i, p := range w.texts {
		header := []byte{5, 0, 3, byte(reference), byte(len(w.texts)), byte(i + 1)}
		if s.settings.LongMessages == longUDH16 {
			header = []byte{6, 8, 4, byte(reference >> 8), byte(reference), byte(len(w.texts)), byte(i + 1)}
		}
		unit := base
		unit.Short = w.append(header, p)
		units[i] = &unit
	}
	return units
}

// encodedText is a text in segments, and their encoding.
type encodedText struct {
	texts  []string
	coding byte // data_coding
	append func(b []byte, text string) []byte
}

func (s settings) encode(text string) encodedText {
	text = sms.Compose(text)
	header := sms.Header8
	if s.LongMessages == longUDH16 {
		header = sms.Header16
	}
	if s.Alphabet == alphabetGSM {
		if s.Transliterate {
			text = sms.Transliterate(text)
		}
		encoding, texts := sms.Split(text, header)
		if encoding == sms.GSM7 {
			return encodedText{texts, codingDefault, sms.AppendGSM}
		}
		return encodedText{texts, codingUCS2, sms.AppendUTF16}
	}
	if s.Transliterate {
		text = sms.TransliterateLatin1(text)
	}
	encoding, texts := sms.SplitLatin1(text, header)
	switch {
	case encoding == sms.UCS2:
		return encodedText{texts, codingUCS2, sms.AppendUTF16}
	case encoding == sms.Latin1 && !s.Transliterate: // without the setting, only text of the GSM alphabet is in Latin-1
		return encodedText{sms.SplitUCS2(text, header), codingUCS2, sms.AppendUTF16}
	}
	coding := byte(codingLatin1)
	if s.Alphabet == alphabetLatin1Default {
		coding = codingDefault
	}
	return encodedText{texts, coding, appendLatin1}
}

// validity returns the validity_period (SMPP 3.4 §7.1.1). "" means the center's default.
func validity(form string, out *gateway.Outbound, now time.Time) string {
	remaining := longestValidity
	switch {
	case out.ExpiresAt.IsZero() && !out.Sensitive, form == validityNone:
		return ""
	case !out.ExpiresAt.IsZero():
		remaining = min(remaining, out.ExpiresAt.Sub(now))
	}
	if out.Sensitive {
		remaining = min(remaining, sensitiveValidity)
	}
	remaining = max(remaining, time.Second)
	if form == validityAbsolute {
		return now.Add(remaining).UTC().Format("060102150405") + "000+"
	}
	n := int(remaining / time.Second)
	return fmt.Sprintf("0000%02d%02d%02d%02d000R", n/86400, n/3600%24, n/60%60, n%60)
}
