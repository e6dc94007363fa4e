package sms

import (
	"strings"
	"unicode/utf8"
)

// Encoding is the encoding of a text in an SMS.
type Encoding string

// The encodings of text. Only gateways that convert it take Latin-1.
const (
	GSM7   Encoding = "GSM-7"
	UCS2   Encoding = "UCS-2"
	Latin1 Encoding = "Latin-1"
)

const octets = 140 // of one segment

// Headers of the segments of a long text, in octets (TS 23.040 §9.2.3.24.1 and §9.2.3.24.8).
const (
	Header8  = 6 // with an 8-bit reference, as phones and most gateways use
	Header16 = 7 // with a 16-bit reference
)

// capacity returns the number of units of an encoding that fit into a segment with a header.
func (e Encoding) capacity(header int) int {
	switch e {
	case GSM7:
		return (octets - header) * 8 / 7
	case Latin1:
		return octets - header
	case UCS2:
	}
	return (octets - header) / 2
}

func (e Encoding) units(r rune) int {
	switch {
	case e == GSM7:
		return septets(r)
	case e == UCS2 && r > 0xffff:
		return 2
	}
	return 1
}

// encodingOf returns the encoding that a text needs, and its length in units of that encoding.
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

// Measure returns the encoding of a text in its composed form ([Compose]), its number of segments (at least one) with headers of the usual length, and its
// number of septets or UTF-16 units.
func Measure(text string) (e Encoding, segments, units int) {
	text = Compose(text)
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

// Split splits a text into its segments, in order: the text itself if it fits into one, otherwise pieces that leave
// room for a header of a number of octets.
func Split(text string, header int) (e Encoding, pieces []string) {
	e, units := encodingOf(text)
	return e, cut(text, e, units, header)
}

// SplitUCS2 splits a text like [Split], but always in UTF-16.
func SplitUCS2(text string, header int) []string {
	return cut(text, UCS2, utf16Units(text), header)
}

// SplitLatin1 splits a text like [Split] for a gateway that takes Latin-1 and converts it. A text that the GSM alphabet
// also has is split for that alphabet, because phones get it there. A text that Latin-1 lacks is split in UTF-16.
func SplitLatin1(text string, header int) (e Encoding, pieces []string) {
	e, units := encodingOf(text)
	switch {
	case strings.ContainsFunc(text, func(r rune) bool { return r > 0xff }):
		return UCS2, SplitUCS2(text, header)
	case e != GSM7:
		e, units = Latin1, utf8.RuneCountInString(text)
	}
	return e, cut(text, e, units, header)
}

// MeasureLatin1 measures a text like [Measure], as [SplitLatin1] splits it.
func MeasureLatin1(text string) (e Encoding, segments, units int) {
	e, pieces := SplitLatin1(Compose(text), Header8)
	for _, piece := range pieces {
		for _, r := range piece {
			units += e.units(r)
		}
	}
	return e, len(pieces), units
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
