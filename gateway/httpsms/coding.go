package httpsms

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
	"unicode/utf16"
)

// The alphabet of GSM 03.38 in the order of its codes, with 0x1b for the escape; and what can be escaped (§6.2.1).
const (
	gsmBasic = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	gsmMore  = "\f\n^{}\\[~]|€"
	gsmCodes = "\x0a\x0d\x14\x28\x29\x2f\x3c\x3d\x3e\x40\x65"
)

// gsm writes text in GSM 03.38, one byte for a septet; ok is false if it needs UCS-2.
func gsm(text string) (b []byte, ok bool) {
	for _, r := range text {
		if r != 0x1b {
			if code := index(gsmBasic, r); code >= 0 {
				b = append(b, byte(code))
				continue
			}
		}
		code := index(gsmMore, r)
		if code < 0 || r == 0x1b {
			return nil, false
		}
		b = append(b, 0x1b, gsmCodes[code])
	}
	return b, true
}

// index returns which of an alphabet's characters r is.
func index(alphabet string, r rune) int {
	n := 0
	for _, a := range alphabet {
		if a == r {
			return n
		}
		n++
	}
	return -1
}

// ucs2 writes text as UTF-16, the high byte first.
func ucs2(text string) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		b = binary.BigEndian.AppendUint16(b, unit)
	}
	return b
}

// fromUCS2 reads what ucs2 wrote; ok is false if it can't be that.
func fromUCS2(b []byte) (string, bool) {
	if len(b)%2 != 0 {
		return "", false
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.BigEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units)), true
}

// alphabet returns how the gateway calls the alphabet that text needs, and the text's bytes in it in hex.
func (c coding) alphabet(text string) (name, hexed string) {
	if b, ok := gsm(text); ok {
		return c.GSM, strings.ToUpper(hex.EncodeToString(b))
	}
	return c.UCS2, strings.ToUpper(hex.EncodeToString(ucs2(text)))
}
