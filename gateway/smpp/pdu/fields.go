package pdu

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// Address is a number or a name, with its type and its plan (§5.2.5, §5.2.6).
type Address struct {
	TON, NPI byte
	Addr     string // at most 20 characters
}

// TLV is an optional parameter (§5.3.2).
type TLV struct {
	Tag   Tag
	Value []byte
}

// Tag identifies an optional parameter.
type Tag uint16

// Tags of optional parameters.
const (
	ReceiptedMessageID Tag = 0x001e
	SARReference       Tag = 0x020c
	SARTotal           Tag = 0x020e
	SARSequence        Tag = 0x020f
	MessagePayload     Tag = 0x0424
	MessageState       Tag = 0x0427
)

// maxTLVs limits a unit's memory, because an empty parameter has four octets in the unit and many more in memory.
const maxTLVs = 64

// Find returns the value of the first parameter with a tag.
func Find(tlvs []TLV, tag Tag) (value []byte, ok bool) {
	i := slices.IndexFunc(tlvs, func(t TLV) bool { return t.Tag == tag })
	if i < 0 {
		return nil, false
	}
	return tlvs[i].Value, true
}

// reader reads fields from a body. If a field is missing, it sets bad, and all further fields are empty. A loose reader
// also reads strings that are too long, and what there is of a text or an optional parameter that is cut off.
type reader struct {
	b     []byte
	bad   bool
	loose bool
}

// maxLoose is the maximum length of a string that a loose reader reads, in octets.
const maxLoose = 255

// text reads a string that ends with a NUL.
func (r *reader) text(limit int) string {
	if r.loose {
		limit = maxLoose
	}
	i := bytes.IndexByte(r.b, 0)
	if i < 0 || i > limit {
		r.bad, r.b = true, nil
		return ""
	}
	s := string(r.b[:i])
	r.b = r.b[i+1:]
	return s
}

func (r *reader) octet() byte {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) octets(n int) []byte {
	if r.loose {
		n = min(n, len(r.b))
	}
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) address(limit int) Address {
	return Address{TON: r.octet(), NPI: r.octet(), Addr: r.text(limit)}
}

func (r *reader) tlvs() []TLV {
	var list []TLV
	for len(r.b) > 0 && !r.bad {
		if r.loose && (len(r.b) < 4 || len(list) == maxTLVs) {
			return list
		}
		head := r.octets(4)
		if r.bad || len(list) == maxTLVs {
			r.bad = true
			return nil
		}
		list = append(list, TLV{Tag: Tag(binary.BigEndian.Uint16(head)), Value: r.octets(int(binary.BigEndian.Uint16(head[2:])))})
	}
	return list
}

// writer appends fields. It sets bad if one is too long or contains a NUL.
type writer struct {
	b   []byte
	bad bool
}

func (w *writer) text(s string, limit int) {
	w.bad = w.bad || len(s) > limit || strings.IndexByte(s, 0) >= 0
	w.b = append(append(w.b, s...), 0)
}

func (w *writer) octets(b ...byte) { w.b = append(w.b, b...) }

func (w *writer) address(a Address, limit int) {
	w.octets(a.TON, a.NPI)
	w.text(a.Addr, limit)
}

func (w *writer) tlvs(list []TLV) {
	w.bad = w.bad || len(list) > maxTLVs
	for _, t := range list {
		w.bad = w.bad || len(t.Value) > 0xffff
		w.b = binary.BigEndian.AppendUint16(w.b, uint16(t.Tag))
		w.b = binary.BigEndian.AppendUint16(w.b, uint16(len(t.Value)))
		w.b = append(w.b, t.Value...)
	}
}

func (w *writer) done() ([]byte, error) {
	if w.bad || len(w.b) > MaxSize-headerSize {
		return nil, ErrTooLarge
	}
	return w.b, nil
}
