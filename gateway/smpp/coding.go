package smpp

// Data codings of sent messages (SMPP 3.4 §5.2.19).
const (
	codingDefault = 0
	codingASCII   = 1
	codingLatin1  = 3
	codingUCS2    = 8
)

func appendLatin1(b []byte, text string) []byte {
	for _, r := range text {
		b = append(b, byte(r))
	}
	return b
}
