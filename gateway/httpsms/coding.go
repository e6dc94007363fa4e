package httpsms

import (
	"encoding/hex"
	"strings"

	"example.com/griot/internal/sms"
)

// alphabet returns the gateway's name of the alphabet that text needs, and the encoded text in hex.
func (c coding) alphabet(text string) (name, hexed string) {
	if encoding, _, _ := sms.Measure(text); encoding == sms.GSM7 {
		return c.GSM, strings.ToUpper(hex.EncodeToString(sms.AppendGSM(nil, text)))
	}
	return c.UCS2, strings.ToUpper(hex.EncodeToString(sms.AppendUTF16(nil, text)))
}

// fromUCS2 decodes big-endian UTF-16; ok is false for an odd number of bytes.
func fromUCS2(b []byte) (text string, ok bool) {
	return sms.UTF16(b), len(b)%2 == 0
}
