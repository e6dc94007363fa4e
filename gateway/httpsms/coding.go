package httpsms

import (
	"encoding/hex"
	"strings"

	"griot/internal/sms"
)

// alphabet returns how the gateway calls the alphabet that text needs, and the text's bytes in it in hex.
func (c coding) alphabet(text string) (name, hexed string) {
	if encoding, _, _ := sms.Measure(text); encoding == sms.GSM7 {
		return c.GSM, strings.ToUpper(hex.EncodeToString(sms.AppendGSM(nil, text)))
	}
	return c.UCS2, strings.ToUpper(hex.EncodeToString(sms.AppendUTF16(nil, text)))
}

// fromUCS2 reads UTF-16, the high byte first; ok is false if it can't be that.
func fromUCS2(b []byte) (text string, ok bool) {
	return sms.UTF16(b), len(b)%2 == 0
}
