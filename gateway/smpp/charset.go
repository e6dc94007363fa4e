package smpp

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"

	"example.com/griot/internal/sms"
)

// charset is the character set that a data_coding names.
type charset int

const (
	setNone charset = iota // binary or compressed data
	setGSM
	setASCII
	setLatin1
	setCyrillic
	setHebrew
	setUCS2
	setJapanese
	setKorean
)

// charsetOf returns the character set that a data_coding names. Values below 10 are those of SMPP 3.4 §5.2.19, and the
// others those of 3GPP TS 23.038 §4, by which reserved values are the default alphabet.
func charsetOf(coding byte) charset {
	switch coding {
	case codingASCII:
		return setASCII
	case codingLatin1:
		return setLatin1
	case 0x05, 0x09, 0x0a, 0x0d: // JIS, pictograms, ISO-2022-JP, and JIS X 0212
		return setJapanese
	case 0x06:
		return setCyrillic
	case 0x07:
		return setHebrew
	case codingUCS2:
		return setUCS2
	case 0x0e:
		return setKorean
	case 0x02, 0x04:
		return setNone
	}
	alphabet := coding >> 2 & 3
	switch {
	case coding < 0x10: // reserved, and the default alphabet
		return setGSM
	case coding < 0x80 && coding&0x20 != 0: // compressed
		return setNone
	case coding < 0x80: // with or without a class, and messages that phones delete
		return [...]charset{setGSM, setNone, setUCS2, setGSM}[alphabet]
	case coding >= 0xe0 && coding < 0xf0: // waiting messages in UCS-2
		return setUCS2
	case coding >= 0xf0 && alphabet&1 != 0:
		return setNone
	}
	return setGSM // also waiting messages, c0 to df
}

// segment is text of one message, or of consecutive parts of one.
type segment struct {
	bytes  []byte
	tables sms.Tables // from its header
}

// decode returns an inbound text. ok is false if the coding is binary or compressed data. The octets decide where they
// contradict the coding, because many centers give every message the same coding. PostgreSQL doesn't store NUL, so the
// text has none.
func (s settings) decode(coding byte, segments ...segment) (text string, ok bool) {
	named := charsetOf(coding)
	if named == setNone {
		return "", false
	}
	if coding == codingDefault && s.Alphabet == alphabetLatin1Default {
		named = setLatin1
	}
	var all []byte
	national := false
	for _, p := range segments {
		all = append(all, p.bytes...)
		national = national || p.tables != sms.Tables{}
	}
	switch named {
	case setUCS2:
		text = utf16(all)
	case setJapanese:
		text = firstValid(all, japaneseOf(all)...)
	case setKorean:
		text = firstValid(all, korean.EUCKR)
	default:
		text = s.decodeSingle(named, all, national, segments)
	}
	return strings.ReplaceAll(text, "\x00", ""), true
}

// decodeSingle decodes a character set with one octet for each character.
func (s settings) decodeSingle(named charset, all []byte, national bool, segments []segment) string {
	switch {
	case national:
		named = setGSM // only this alphabet has such tables
	case !isASCII(all):
		switch {
		case named == setCyrillic:
			return firstValid(all, charmap.ISO8859_5)
		case named == setHebrew:
			return firstValid(all, charmap.ISO8859_8)
		case utf8.Valid(all):
			return string(all)
		}
		return firstValid(all, charmap.Windows1252) // Latin-1, with characters in place of its controls
	case provesGSM(all, named), named == setASCII && s.DataCoding1 == dataCoding1GSM:
		named = setGSM
	}
	if named != setGSM {
		return string(all)
	}
	var text strings.Builder
	for i := 0; i < len(segments); {
		tables := segments[i].tables
		var same []byte
		for ; i < len(segments) && segments[i].tables == tables; i++ {
			same = append(same, segments[i].bytes...)
		}
		text.WriteString(tables.Decode(same))
	}
	return text.String()
}

// provesGSM reports whether octets below 80 can only be text in the GSM alphabet: they are letters in it, and controls
// in all other character sets. A NUL at the end is no proof, because it can end a string. A text that is called ASCII
// comes from a phone, which has no tab and no page break.
func provesGSM(b []byte, named charset) bool {
	if n := len(b); n > 1 && b[n-1] == 0 {
		b = b[:n-1]
	}
	for _, c := range b {
		switch {
		case c == '\n' || c == '\r', named != setASCII && (c == '\t' || c == '\f'):
		case c < ' ' || c == 0x7f:
			return true
		}
	}
	return false
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c > 0x7f {
			return false
		}
	}
	return true
}

// utf16 decodes UTF-16, which is big-endian unless a byte order mark says otherwise.
func utf16(b []byte) string {
	if len(b) >= 2 && b[0] == 0xff && b[1] == 0xfe {
		b = swapOctets(b)
	}
	return strings.TrimPrefix(sms.UTF16(b), "\ufeff")
}

// japaneseOf returns the encodings of Japanese that a text can have, best first.
func japaneseOf(b []byte) []encoding.Encoding {
	if strings.Contains(string(b), "\x1b") {
		return []encoding.Encoding{japanese.ISO2022JP}
	}
	return []encoding.Encoding{japanese.EUCJP, japanese.ShiftJIS} // text in Shift_JIS is rarely valid in EUC-JP
}

// firstValid decodes octets in the first of some encodings in which they are valid, or in the last one, with U+FFFD.
func firstValid(b []byte, encodings ...encoding.Encoding) (text string) {
	for _, e := range encodings {
		decoded, err := e.NewDecoder().Bytes(b)
		if text = strings.ToValidUTF8(string(decoded), "\ufffd"); err == nil && !strings.ContainsRune(text, utf8.RuneError) {
			break
		}
	}
	return text
}
