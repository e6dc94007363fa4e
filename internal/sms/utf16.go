package sms

import "unicode/utf16"

// AppendUTF16 appends text as big-endian UTF-16, which gateways call UCS-2.
func AppendUTF16(b []byte, text string) []byte {
	for _, r := range text {
		if hi, lo := utf16.EncodeRune(r); r > 0xffff {
			b = append(b, byte(hi>>8), byte(hi), byte(lo>>8), byte(lo))
		} else {
			b = append(b, byte(r>>8), byte(r))
		}
	}
	return b
}

// UTF16 decodes big-endian UTF-16. Unpaired surrogates become U+FFFD, and an extra octet is ignored.
func UTF16(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(b[2*i])<<8 | uint16(b[2*i+1])
	}
	return string(utf16.Decode(units))
}
