package smpp

import (
	"testing"

	"example.com/griot/gateway/smpp/pdu"
)

func FuzzHeader(f *testing.F) {
	f.Add([]byte{5, 0, 3, 1, 2, 1, 'a'}, byte(0x40))
	f.Add([]byte{6, 8, 4, 1, 2, 2, 2, 'a'}, byte(0x40))
	f.Add([]byte{11, 5, 4, 1, 2, 3, 4, 0, 3, 1, 2, 1}, byte(0x40))
	f.Add([]byte{6, 0x25, 1, 3, 0x24, 1, 3, 'a'}, byte(0x40))
	f.Fuzz(func(t *testing.T, b []byte, class byte) {
		p, rest := cutHeader(&pdu.Message{ESMClass: class, Short: b})
		if len(rest.bytes) > len(b) || p.total != 0 && (p.total < 2 || p.number < 1 || p.number > p.total) {
			t.Fatalf("%+v, %d octets of %d", p, len(rest.bytes), len(b))
		}
	})
}
