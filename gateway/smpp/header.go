package smpp

import "example.com/griot/gateway/smpp/pdu"

// part is a message's place in a longer text. total is 0 for a message that is not a part.
type part struct {
	reference     uint16
	form          byte // the form of the reference
	total, number int
}

// Forms of references: 8 or 16 bits in a header of the text, or optional parameters of the unit.
const (
	form8   = 0x00
	form16  = 0x08
	formSAR = 0xff
)

// Elements of a header that name a table of the text's language (3GPP TS 23.040 §9.2.3.24.15 and 16).
const (
	elementSingleShift  = 0x24
	elementLockingShift = 0x25
)

// cutHeader returns a message's part and its text without the user data header (3GPP TS 23.040 §9.2.3.24). A header
// that is longer than the text stays in the text.
func cutHeader(m *pdu.Message) (part, segment) {
	text := m.Text()
	if m.ESMClass&pdu.ESMHeader == 0 || len(text) == 0 || int(text[0]) >= len(text) {
		return sar(m), segment{bytes: text}
	}
	var found part
	header, s := text[1:1+int(text[0])], segment{bytes: text[1+int(text[0]):]}
	for len(header) >= 2 {
		kind, n := header[0], int(header[1])
		if header = header[2:]; n > len(header) {
			break
		}
		value := header[:n]
		header = header[n:]
		p := part{form: kind}
		switch {
		case kind == form8 && n == 3:
			p.reference, p.total, p.number = uint16(value[0]), int(value[1]), int(value[2])
		case kind == form16 && n == 4:
			p.reference, p.total, p.number = uint16(value[0])<<8|uint16(value[1]), int(value[2]), int(value[3])
		case kind == elementSingleShift && n == 1:
			s.tables.Single = value[0]
		case kind == elementLockingShift && n == 1:
			s.tables.Locking = value[0]
		}
		if p.total > 1 && found.total == 0 {
			found = p.checked()
		}
	}
	return found, s
}

// sar reads the part from the parameters of SMPP 3.4 §5.3.2.22 to 24.
func sar(m *pdu.Message) part {
	reference, ok1 := pdu.Find(m.TLVs, pdu.SARReference)
	total, ok2 := pdu.Find(m.TLVs, pdu.SARTotal)
	number, ok3 := pdu.Find(m.TLVs, pdu.SARSequence)
	if !ok1 || !ok2 || !ok3 || len(reference) != 2 || len(total) != 1 || len(number) != 1 {
		return part{}
	}
	return part{reference: uint16(reference[0])<<8 | uint16(reference[1]), form: formSAR, total: int(total[0]), number: int(number[0])}.checked()
}

// checked returns p if it is valid, and otherwise the zero part.
func (p part) checked() part {
	if p.total < 2 || p.number < 1 || p.number > p.total {
		return part{}
	}
	return p
}
