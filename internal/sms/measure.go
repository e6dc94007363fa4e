package sms

// Encoding is how a text is encoded in an SMS.
type Encoding string

// The two encodings of text.
const (
	GSM7 Encoding = "GSM-7"
	UCS2 Encoding = "UCS-2"
)

const octets = 140 // of one segment

// Headers of the segments of a long text, in octets (TS 23.040 §9.2.3.24.1 and §9.2.3.24.8).
const (
	Header8  = 6 // with an 8-bit reference: what phones, and most gateways, make
	Header16 = 7 // with a 16-bit reference
)

// capacity is how many units of an encoding fit beside a header.
func (e Encoding) capacity(header int) int {
	if e == GSM7 {
		return (octets - header) * 8 / 7
	}
	return (octets - header) / 2
}

func (e Encoding) units(r rune) int {
	if e == GSM7 {
		return septets(r)
	}
	if r > 0xffff {
		return 2
	}
	return 1
}

// encodingOf returns the encoding that a text needs, and its units in it.
func encodingOf(text string) (e Encoding, units int) {
	for _, r := range text {
		n := septets(r)
		if n == 0 {
			return UCS2, utf16Units(text)
		}
		units += n
	}
	return GSM7, units
}

func utf16Units(text string) (n int) {
	for _, r := range text {
		n += UCS2.units(r)
	}
	return n
}

// Measure returns a text's encoding, how many segments it takes (at least one) with headers of the usual length, and how
// many septets or UTF-16 units it has.
func Measure(text string) (e Encoding, segments, units int) {
	e, units = encodingOf(text)
	if units <= e.capacity(0) {
		return e, 1, units
	}
	limit, used := e.capacity(Header8), 0
	segments = 1
	for _, r := range text {
		n := e.units(r)
		if used+n > limit {
			segments, used = segments+1, 0
		}
		used += n
	}
	return e, segments, units
}

// Split cuts a text into its segments, in order: the text itself if it fits into one, otherwise pieces that leave room
// for a header of so many octets.
func Split(text string, header int) (e Encoding, pieces []string) {
	e, units := encodingOf(text)
	return e, cut(text, e, units, header)
}

// SplitUCS2 cuts a text as [Split] does, in UTF-16 even where the GSM alphabet would do.
func SplitUCS2(text string, header int) []string {
	return cut(text, UCS2, utf16Units(text), header)
}

func cut(text string, e Encoding, units, header int) (pieces []string) {
	if units <= e.capacity(0) {
		return []string{text}
	}
	limit, used, from := e.capacity(header), 0, 0
	for i, r := range text {
		n := e.units(r)
		if used+n > limit {
			pieces, from, used = append(pieces, text[from:i]), i, 0
		}
		used += n
	}
	return append(pieces, text[from:])
}
